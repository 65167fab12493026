// Runs of every workflow, started elsewhere and seen on a page that was open before; and a journal that is deleted and made
// anew meanwhile. Their agent works only as far as it is let.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { accessibleInBothThemes } from "./axe.mjs";

const { CAPSULE, HOME } = process.env;
const gates = HOME + "/go/";
const allow = (...phases) => Promise.all(phases.map((phase) => writeFile(gates + phase, "")));
const hold = async () => Promise.all((await readdir(gates)).map((name) => rm(gates + name)));

// Its end has the exit code, and what it said last.
async function start(...words) {
  await hold();
  const run = spawn(CAPSULE, [...words, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  process.on("exit", () => run.kill()); // a scene that fails leaves nothing behind
  let said = "";
  run.stdout.on("data", (data) => (said = (said + data).slice(-2000)));
  return { ended: new Promise((done) => run.on("close", (code) => done({ code, said }))) };
}
async function ends(run, code) {
  const end = await run.ended;
  assert.equal(end.code, code, end.said);
}

export async function workflows(page) {
  // Nothing is loaded anew from here on: what comes, comes by the stream.
  await page.evaluate(() => (window.same = true));
  const to = (hash) => page.evaluate((there) => void (location.hash = there), hash);
  const phase = (name, state) =>
    page.waitForFunction(([which, how]) => [...document.querySelectorAll("tr[data-row]")].some((row) => row.querySelector(".id")?.textContent === which && row.querySelector(".state")?.textContent.includes(how)), [name, state]);
  const head = (words) => page.locator(".runhead", { hasText: words }).waitFor();
  const open = async (title) => {
    await to("#/runs");
    await page.locator("a.rowlink", { hasText: title }).click();
    await page.locator(".runhead h1", { hasText: title }).waitFor();
  };
  const says = async (name, words, more) => {
    await page.getByRole("link", { name, exact: true }).click();
    await page.locator(".panel").waitFor();
    await page.keyboard.press("3");
    await page.locator(".log", { hasText: words }).waitFor();
    await more?.();
    await page.keyboard.press("b");
  };

  // Nothing is asked for while nothing happens, though the clock of the page goes on.
  const quiet = async () => {
    let asked = 0;
    const count = (request) => void (request.url().includes("/api/v1/transcript") && asked++);
    const seconds = () => page.locator(".list td[data-ticks]").last().innerText();
    page.on("request", count);
    for (let still = 0, all = 0; still < 5; all++) {
      assert.ok(all < 60, "the transcript of an agent that is silent is asked for again and again");
      const [before, shown] = [asked, await seconds()];
      await page.waitForFunction((old) => [...document.querySelectorAll(".list td[data-ticks]")].at(-1)?.innerText !== old, shown);
      still = asked === before ? still + 1 : 0;
    }
    page.off("request", count);
  };
  const saysMore = async () => {
    await writeFile(HOME + "/say", "echo 'One more word.'; echo 'One aside.' >&2\n");
    await rename(HOME + "/say", gates + "say");
    for (const words of ["One more word.", "One aside."]) await page.locator(".log", { hasText: words }).waitFor();
  };

  // The pipeline, whose first try of the code is refused by the checks. A file of the person's own is in the way of its merge.
  const pipeline = await start("run", "calc-1");
  await open("Keep the right answer");
  await phase("test-writer", "working");
  await phase("merge", "to come");
  await allow("test-writer", "test-review");
  await phase("execute", "working");
  await says("execute", "Now I am at execute, attempt 1.", async () => {
    await quiet();
    await saysMore();
    await quiet();
  });
  await allow("execute");
  await phase("execute-review", "working");
  await page.keyboard.press("t");
  await page.waitForSelector(".gantt");
  await accessibleInBothThemes(page, "timeline of a pipeline");
  await page.keyboard.press("b");
  await accessibleInBothThemes(page, "board of a pipeline");
  await writeFile("feature.txt", "notes of the person's own\n");
  await allow("all");
  await ends(pipeline, 1);
  await to("#/inbox");
  const refused = page.locator(".item.refused_merge");
  await refused.waitFor();
  await accessibleInBothThemes(page, "a merge that was refused");
  await rm("feature.txt");
  await refused.getByRole("button", { name: "Merge …" }).click();
  await refused.locator(".sure", { hasText: "capsule merge calc-1" }).waitFor();
  await refused.getByRole("button", { name: "Merge it" }).click();
  await refused.waitFor({ state: "detached" });
  await open("Keep the right answer");
  await phase("merge", "passed");
  await head("done6/6");
  await head("merged as");
  await page.getByRole("link", { name: "execute", exact: true }).click();
  for (const tab of ["1", "2", "3", "4"]) {
    await page.keyboard.press(tab);
    await page.locator(`.panel .tabs a:nth-child(${tab})[aria-current=page]`).waitFor();
    await page.waitForFunction(() => !document.querySelector(".panel .asking"));
    await accessibleInBothThemes(page, "phase of a pipeline, tab " + tab);
  }

  // Auto mode.
  const auto = await start("auto", "run", "Find out what is faster");
  await open("Find out what is faster");
  await phase("expansion", "working");
  await allow("expansion", "init", "planning");
  await phase("execution", "working");
  await says("execution", "Now I am at execution, attempt 1.");
  await allow("execution", "qa");
  await phase("review", "working");
  await head("at work3");
  await accessibleInBothThemes(page, "board of auto mode");
  await page.keyboard.press("t");
  await page.waitForSelector(".gantt");
  await accessibleInBothThemes(page, "timeline of auto mode");
  await page.keyboard.press("b");
  await allow("all");
  await ends(auto, 0);
  await phase("reflect", "passed");
  await head("done9/9");

  // A spike: a person approves its plan, here on the page, and has it go on.
  const spike = await start("run", "calc-2", "--workflow=spike");
  await open("Try a faster way");
  await allow("plan");
  await ends(spike, 1);
  await to("#/inbox");
  const card = page.locator(".item.approval");
  await card.getByRole("button", { name: "Approve" }).click();
  await card.locator(".good").waitFor();
  await hold();
  await card.getByRole("button", { name: "Go on …" }).click();
  await card.getByRole("button", { name: "Go on with it" }).click();
  await open("Try a faster way");
  await phase("code", "working");
  await allow("all");
  await phase("check", "passed");
  await head("done3/3");

  // Three reviewers at once.
  const panel = await start("run", "calc-3", "--workflow=review-panel", "--branch=topic");
  await open("Look at the topic");
  await head("at work3");
  await allow("review-security");
  await phase("review-security", "passed");
  await phase("review-quality", "working");
  await allow("all");
  await ends(panel, 0);
  await phase("review-quality", "passed");

  // The journal is deleted while the page shows an earlier moment of it; another begins in its place.
  await page.locator("#replay").fill("1");
  await page.waitForSelector(".pill");
  const settings = await readFile(".capsule/config.yaml", "utf8");
  await rm(".capsule", { recursive: true });
  await page.locator("h1", { hasText: "There is no such run" }).waitFor();
  await accessibleInBothThemes(page, "no such run");
  await to("#/inbox");
  await page.locator("h1", { hasText: "Nothing needs you" }).waitFor();
  await to("#/runs");
  await page.getByText("No runs yet.").waitFor();
  await mkdir(".capsule", { recursive: true });
  await writeFile(".capsule/config.yaml", settings);
  const anew = await start("auto", "run", "Begin anew");
  await open("Begin anew");
  await phase("expansion", "working");
  assert.equal(await page.locator(".pill").count(), 0, "nothing is replayed any more");
  await allow("all");
  await ends(anew, 0);
  await phase("reflect", "passed");
  await head("done9/9");
  assert.ok(await page.evaluate(() => window.same), "it is the page that was opened first");
}
