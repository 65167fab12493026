// Pages of a recorded run compared with checked-in pictures. The rows, the clock and the time zone are fixed; fonts
// are the machine's, so the pictures are small and compared roughly. CAPSULE_WRITE_GOLDENS=1 records the run and draws
// all anew; look at the pictures before they are committed.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { MOST, compared } from "./compare.mjs";
import { open } from "./open.mjs";

const { GOLDENS, HOME, PLAN, PICTURES } = process.env;
const write = Boolean(process.env.CAPSULE_WRITE_GOLDENS);
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

// What the server says of the run that the scene has, without the folders of this machine.
async function record(page, run) {
  const state = await page.evaluate(async (id) => {
    const get = async (path) => (await fetch("/api/v1/" + path)).json();
    const whole = await get("view?run=" + id);
    const task = whole.rows.find((one) => one.row.id === "C-2").row;
    const kept = task.agents.filter((agent) => whole.rows.find((one) => one.key === `run/${id}/agent/${agent}`).row.snapshot);
    const printed = (of) => get(`transcript?run=${id}&agent=${task.agents.at(-1)}&of=${of}&from=0`);
    return {
      run: id, about: await get("about"), view: await get("view"), whole,
      diff: await get(`diff?run=${id}&from=0&to=${kept.at(-1)}`), transcript: { stdout: await printed("stdout"), stderr: await printed("stderr") },
    };
  }, run);
  state.about.version = "1.0";
  const text = JSON.stringify(state, null, 1).replaceAll(dirname(HOME), "/home/you").replaceAll(dirname(PLAN), "/home/you/plans");
  await mkdir(GOLDENS, { recursive: true });
  await writeFile(GOLDENS + "/state.json", text + "\n");
}

export async function pictures({ browser, context, page, run, watch, origin }) {
  if (write) await record(page, run);
  const state = JSON.parse(await readFile(GOLDENS + "/state.json", "utf8"));
  const shown = await browser.newContext({ storageState: await context.storageState(), viewport: DESK, timezoneId: "UTC", locale: "en-GB", reducedMotion: "reduce" });
  await page.close(); // it holds the stream
  // The server's own number of the newest fact, so that its stream has nothing to add.
  await shown.route("**/api/v1/view*", async (route) => {
    const one = new URL(route.request().url()).searchParams.get("run");
    const real = await (await route.fetch({ url: origin + "/api/v1/view" })).json();
    await route.fulfill({ json: { ...(one ? state.whole : state.view), seq: real.seq } });
  });
  await shown.route("**/api/v1/diff?*", (route) => route.fulfill({ json: state.diff }));
  await shown.route("**/api/v1/transcript?*", (route) => {
    const piece = state.transcript[new URL(route.request().url()).searchParams.get("of")];
    return route.fulfill({ status: piece.error ? 404 : 200, json: piece });
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
    diff: [path("run", state.run, "task", task, "diff"), ".diff"], transcript: [path("run", state.run, "task", task, "transcript"), ".log"],
  };
  for (const name of ["inbox", "board", "evidence"]) all[name + "-phone"] = [...all[name], PHONE];
  const wrong = [];
  for (const theme of ["light", "dark"])
    for (const [name, [address, ready, size]] of Object.entries(all)) {
      await tab.emulateMedia({ colorScheme: theme });
      await tab.setViewportSize(size ?? DESK);
      await open(tab, address, ready);
      const file = `${GOLDENS}/${name}-${theme}.png`;
      const taken = (await tab.screenshot({ animations: "disabled", caret: "hide" })).toString("base64");
      const kept = write ? null : (await readFile(file)).toString("base64");
      const { small, share } = await compared(easel, taken, kept);
      if (write) await writeFile(file, Buffer.from(small, "base64"));
      if (PICTURES) await writeFile(`${PICTURES}/${name}-${theme}.png`, Buffer.from(taken, "base64"));
      console.log(`${name}, ${theme}: ${(100 * share).toFixed(1)} % differ`);
      if (share > MOST) wrong.push(`${name}, ${theme}: ${(100 * share).toFixed(1)} % of the picture differ`);
    }
  assert.deepEqual(wrong, [], "look at them with CAPSULE_WEB_PICTURES=FOLDER; CAPSULE_WRITE_GOLDENS=1 keeps them");
}
