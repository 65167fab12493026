// Opens a page anew, so that nothing of the page before is taken for it, and waits until what the server holds of it
// is drawn and the stream is there: from then on it changes only when something happens.
export async function open(tab, address, ready) {
  await tab.goto("about:blank");
  await tab.goto(address);
  await tab.waitForSelector("main > :not(.start)");
  await tab.waitForSelector(`main :is(${ready})`);
  await tab.waitForSelector(".stream.live");
  await tab.evaluate(() => document.fonts.ready.then(() => true));
}
