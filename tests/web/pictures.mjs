// Pages of a recorded run compared with checked-in pictures. The rows, the clock and the time zone are fixed; fonts
// are the machine's, so the pictures are small, and averages of cells are compared: what is missing, moved or has
// another colour is seen, the shape of letters is not. CAPSULE_WRITE_GOLDENS=1 records the run and draws all anew;
// look at the pictures before they are committed.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { open } from "./open.mjs";

const { GOLDENS, HOME, PLAN, PICTURES } = process.env;
const write = Boolean(process.env.CAPSULE_WRITE_GOLDENS);
const CELLS = [64, 40];
const FINE = 5; // pixels of a kept picture on each side of a cell
const FAR = 20; // of 255, in any channel: the cell differs
const MOST = 0.03; // the share of cells that may; a serif font makes 0.007 of it, a page without its head 0.04

// What the server says of the run that the scene has, without the folders of this machine.
async function record(page, run) {
  const state = await page.evaluate(async (id) => {
    const get = async (path) => (await fetch("/api/v1/" + path)).json();
    return { run: id, about: await get("about"), view: await get("view"), whole: await get("view?run=" + id) };
  }, run);
  state.about.version = "1.0";
  const text = JSON.stringify(state, null, 1).replaceAll(dirname(HOME), "/home/you").replaceAll(dirname(PLAN), "/home/you/plans");
  await mkdir(GOLDENS, { recursive: true });
  await writeFile(GOLDENS + "/state.json", text + "\n");
}

// In a page of its own, which has no policy: PNGs in, as base64; the picture as it is kept, and the share of cells
// in which it differs from the kept one.
function compare({ taken, kept, cells: [across, down], fine, far }) {
  const width = across * fine, height = down * fine;
  const pixels = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.imageSmoothingQuality = "high";
    pen.drawImage(image, 0, 0, width, height);
    return { canvas, data: pen.getImageData(0, 0, width, height).data };
  };
  const average = (data, column, row, channel) => {
    let sum = 0;
    for (let y = row * fine; y < (row + 1) * fine; y++)
      for (let x = column * fine; x < (column + 1) * fine; x++) sum += data[4 * (y * width + x) + channel];
    return sum / fine / fine;
  };
  return (async () => {
    const now = await pixels(taken);
    const small = now.canvas.toDataURL("image/png").split(",")[1];
    if (!kept) return { small, share: 0 };
    const before = await pixels(kept);
    let differ = 0;
    for (let row = 0; row < down; row++)
      for (let column = 0; column < across; column++)
        differ += [0, 1, 2].some((channel) => Math.abs(average(now.data, column, row, channel) - average(before.data, column, row, channel)) > far) ? 1 : 0;
    return { small, share: differ / across / down };
  })();
}

export async function pictures({ browser, context, page, run, watch, origin }) {
  if (write) await record(page, run);
  const state = JSON.parse(await readFile(GOLDENS + "/state.json", "utf8"));
  const shown = await browser.newContext({ storageState: await context.storageState(), viewport: { width: 1280, height: 800 }, timezoneId: "UTC", locale: "en-GB", reducedMotion: "reduce" });
  await page.close(); // it holds the stream
  // The server's own number of the newest fact, so that its stream has nothing to add.
  await shown.route("**/api/v1/view*", async (route) => {
    const one = new URL(route.request().url()).searchParams.get("run");
    const real = await (await route.fetch({ url: origin + "/api/v1/view" })).json();
    await route.fulfill({ json: { ...(one ? state.whole : state.view), seq: real.seq } });
  });
  await shown.route("**/api/v1/about", (route) => route.fulfill({ json: state.about }));
  const easel = await shown.newPage();
  const tab = watch(await shown.newPage());
  await tab.clock.setFixedTime(new Date(Date.parse(state.view.rows.find((one) => one.key === "project").row.at) + 600000));

  const path = (...parts) => origin + "/#/" + parts.map(encodeURIComponent).join("/");
  const task = state.whole.rows.find((one) => one.row.id === "C-2").row.id;
  const all = {
    inbox: [path("inbox"), ".item"], runs: [path("runs"), "table"], cost: [path("cost"), "h1"], board: [path("run", state.run), "table"], timeline: [path("run", state.run, "timeline"), ".gantt"],
    plan: [path("run", state.run, "plan"), "svg"], ledger: [path("run", state.run, "ledger"), "table"], evidence: [path("run", state.run, "task", task), ".attempt"],
  };
  const wrong = [];
  for (const theme of ["light", "dark"])
    for (const [name, [address, ready]] of Object.entries(all)) {
      await tab.emulateMedia({ colorScheme: theme });
      await open(tab, address, ready);
      const file = `${GOLDENS}/${name}-${theme}.png`;
      const taken = (await tab.screenshot({ animations: "disabled", caret: "hide" })).toString("base64");
      const kept = write ? null : (await readFile(file)).toString("base64");
      const { small, share } = await easel.evaluate(compare, { taken, kept, cells: CELLS, fine: FINE, far: FAR });
      if (write) await writeFile(file, Buffer.from(small, "base64"));
      if (PICTURES) await writeFile(`${PICTURES}/${name}-${theme}.png`, Buffer.from(taken, "base64"));
      console.log(`${name}, ${theme}: ${(100 * share).toFixed(1)} % differ`);
      if (share > MOST) wrong.push(`${name}, ${theme}: ${(100 * share).toFixed(1)} % of the picture differ`);
    }
  assert.deepEqual(wrong, [], "look at them with CAPSULE_WEB_PICTURES=FOLDER; CAPSULE_WRITE_GOLDENS=1 keeps them");
}
