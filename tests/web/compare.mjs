// Compares pictures by averages of cells: what is missing, moved or has another colour is seen, the shape of letters is not.
//
//   node compare.mjs KEPT TAKEN NAME…   the PNGs of these names in two folders; says how much differs, and fails at too much
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const BROWSER = { executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] };
const CELLS = [64, 40];
const FINE = 5; // pixels of a kept picture on each side of a cell
const FAR = 20; // of 255, in any channel: the cell differs
export const MOST = 0.03; // the share of cells that may; a serif font makes 0.007 of it, a page without its head 0.04

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

// Both are PNGs as base64; without a kept one nothing differs. `easel` is an empty page.
export const compared = (easel, taken, kept) => easel.evaluate(compare, { taken, kept, cells: CELLS, fine: FINE, far: FAR });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [kept, taken, ...names] = process.argv.slice(2);
  const browser = await chromium.launch(BROWSER);
  const easel = await browser.newPage();
  for (const name of names) {
    const [before, now] = await Promise.all([kept, taken].map((folder) => readFile(`${folder}/${name}.png`, "base64")));
    const { share } = await compared(easel, now, before);
    console.log(`${name}: ${(100 * share).toFixed(1)} % differ`);
    if (share > MOST) process.exitCode = 1;
  }
  await browser.close();
}
