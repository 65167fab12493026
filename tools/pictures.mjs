// Pictures of pages for tools/pictures: node pictures.mjs ADDRESS FOLDER PAGE…
import { chromium } from "playwright-core";
import { BROWSER } from "./compare.mjs";
import { open } from "./open.mjs";

const [address, folder, ...names] = process.argv.slice(2);
const browser = await chromium.launch(BROWSER);
const page = await (await browser.newContext({ timezoneId: "UTC", locale: "en-GB", reducedMotion: "reduce" })).newPage();
await page.goto(address);
await page.waitForSelector("h1");
const origin = new URL(address).origin;
const rows = await page.evaluate(async () => (await (await fetch("/api/v1/view")).json()).rows);
const run = encodeURIComponent(rows.filter((one) => /^run\/[^/]+$/.test(one.key)).at(-1).row.run);
const pages = {
  inbox: { at: "inbox", theme: "light", width: 390, height: 720, ready: ".item" },
  board: { at: `run/${run}/task/C-2`, theme: "dark", ready: ".attempt" },
  timeline: { at: `run/${run}/timeline`, theme: "light", ready: ".gantt" },
  plan: { at: `run/${run}/plan`, theme: "dark", ready: "svg" },
};
for (const name of names) {
  const { at, theme, ready, width = 1200, height = 720 } = pages[name];
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  await open(page, `${origin}/#/${at}`, ready);
  await page.screenshot({ path: `${folder}/page-${name}.png`, animations: "disabled" });
}
await browser.close();
