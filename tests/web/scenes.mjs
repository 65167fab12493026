// Scenes in a real browser. Each fails by an exception; nothing waits for a fixed time.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { chromium } from "playwright-core";
import { accessible, accessibleInBothThemes } from "./axe.mjs";
import { BROWSER } from "./compare.mjs";
import { open as opened } from "./open.mjs";
import { pictures } from "./pictures.mjs";
import { workflows } from "./workflows.mjs";

const { SCENE, ADDRESS, SERVING, CAPSULE, HOME, PLAN, PICTURES } = process.env;
const full = Boolean(process.env.CAPSULE_TEST_FULL);
const origin = new URL(ADDRESS).origin;
const browser = await chromium.launch(BROWSER);
const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
context.setDefaultTimeout(60000);

const wrong = [];
let last = ""; // what the delivery that goes on meanwhile says
const watch = (page) => {
  page.on("pageerror", (error) => wrong.push("error: " + error.message));
  page.on("console", (message) => message.type() === "error" && !/favicon|409|404/.test(message.text()) && wrong.push("console: " + message.text()));
  page.on("request", (request) => new URL(request.url()).origin === origin || wrong.push("foreign request: " + request.url()));
  page.on("dialog", (dialog) => (wrong.push("dialog"), dialog.dismiss()));
  return page;
};
const page = watch(await context.newPage());
await page.goto(ADDRESS);
await page.waitForSelector("h1");
assert.equal(page.url(), origin + "/", "the token is gone from the address");

const rows = () => page.evaluate(async () => (await (await fetch("/api/v1/view")).json()).rows);
const run = (await rows()).filter((one) => /^run\/[^/]+$/.test(one.key)).at(-1).row.run;
const whole = (await page.evaluate(async (id) => (await (await fetch("/api/v1/view?run=" + id)).json()).rows, run)).map((one) => one.row);
const tasks = whole.filter((row) => row.stage).map((row) => row.id);
const at = (...parts) => origin + "/#/" + parts.map(encodeURIComponent).join("/");
const worked = whole.find((row) => ["C-2", "H-2", "A-2"].includes(row.id)).id;
const pages = {
  inbox: at("inbox"), runs: at("runs"), cost: at("cost"), board: at("run", run), timeline: at("run", run, "timeline"), plan: at("run", run, "plan"), ledger: at("run", run, "ledger"),
  evidence: at("run", run, "task", worked), diff: at("run", run, "task", worked, "diff"), transcript: at("run", run, "task", worked, "transcript"), facts: at("run", run, "task", worked, "facts"), nothing: at("nowhere"),
};
const READY = { diff: ".diff, .panel p:not(.asking)", transcript: ".log", evidence: ".attempt", timeline: ".gantt", plan: "svg", board: "table", inbox: ".item", runs: "table" };
async function open(name) {
  await opened(page, pages[name], READY[name] ?? "h1");
}

async function looks(name, theme, width) {
  await page.setViewportSize({ width, height: width < 500 ? 844 : 900 });
  await page.emulateMedia({ colorScheme: theme });
  await open(name);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${name} at ${width} is ${wide} too wide`);
  await accessible(page, [name, theme, width].join(", "));
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${theme}-${width}.png` });
}

// All that the browser gets for a first page, heads of the answers included, as it counts them itself.
async function firstPage() {
  const tab = watch(await context.newPage());
  const wire = await context.newCDPSession(tab);
  const names = new Map();
  let bytes = 0;
  await wire.send("Network.enable");
  await wire.send("Network.setCacheDisabled", { cacheDisabled: true });
  wire.on("Network.responseReceived", ({ requestId, response }) => names.set(requestId, new URL(response.url).pathname));
  wire.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await opened(tab, pages.inbox, READY.inbox);
  const paths = [...names.values()];
  for (const path of ["/", "/style.css", "/app.js", "/pages.js", "/api/v1/view"]) assert.ok(paths.includes(path), path + " is counted");
  for (const path of ["/run.js", "/task.js", "/charts.js"]) assert.ok(!paths.includes(path), path + " can wait");
  assert.ok(bytes > 50000 && bytes <= 95000, "the first page takes " + bytes + " bytes: " + paths.join(" "));
  await tab.close();
}

const scenes = {
  // Every page, in both themes, on a desk and on a phone: axe has nothing to say, and nothing scrolls sideways.
  async pages() {
    const names = Object.keys(pages);
    for (const [theme, width] of full ? [["dark", 1400], ["light", 1400], ["dark", 390], ["light", 390]] : [["dark", 1400], ["light", 390]])
      for (const name of names) await looks(name, theme, width);
    await firstPage();
  },

  // With the keyboard alone: to the question, answered, and the run that takes it up is seen live. Only the attempts
  // of a diff are chosen by their names.
  async keyboard() {
    await open("inbox");
    const touched = page.waitForResponse((answer) => answer.request().method() === "HEAD");
    await page.keyboard.press("j");
    assert.equal((await touched).status(), 200, "whoever touches the page is there");
    for (let i = 0; i < 8 && !(await page.evaluate(() => document.activeElement.matches("textarea"))); i++) await page.keyboard.press("Tab");
    await page.keyboard.type('Print "division by zero" on stderr and return 1.');
    await page.keyboard.press("Enter");
    await page.waitForSelector(".item .good");
    const going = spawn(CAPSULE, ["deliver", PLAN, "--experts", "--developers=4"], { stdio: ["ignore", "pipe", "inherit"] });
    going.stdout.on("data", (data) => (last += data));
    const ended = new Promise((done) => going.on("exit", done));
    await page.keyboard.press("Escape");
    await page.keyboard.press("r");
    await page.waitForSelector("table a.rowlink");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".runhead");
    assert.equal(await ended, 0, last);
    await page.waitForFunction(() => document.querySelector(".runhead")?.textContent.includes("8/8"));
    for (const [key, selector] of [["t", ".gantt"], ["p", "svg"], ["l", "table"], ["b", ".split"]]) {
      await page.keyboard.press(key);
      await page.waitForSelector(selector);
    }
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".panel");
    for (const [key, selector] of [["2", ".pickers select"], ["3", ".log"], ["4", ".facts"], ["1", ".attempt"]]) {
      await page.keyboard.press(key);
      await page.waitForSelector(selector);
    }
    await page.keyboard.press("3");
    await page.waitForSelector(".log");
    await page.keyboard.press("/");
    await page.keyboard.type("passed");
    await page.waitForSelector("mark");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".split:not(.chosen)");
    // Any two attempts, in either direction.
    await open("diff");
    const choose = async (which, attempt) => {
      const select = page.locator(".pickers select").nth(which);
      const wanted = (await select.locator("option").allInnerTexts()).find((text) => text.includes(attempt));
      await select.selectOption({ label: wanted });
    };
    await choose(1, "developer 1");
    await choose(0, "developer 2");
    await page.locator(".diff .removed", { hasText: "sub 3 5" }).waitFor();
    assert.equal(await page.locator(".diff .added").count(), 0);
    await page.keyboard.press("?");
    await page.waitForSelector("[role=dialog]");
    await accessibleInBothThemes(page, "the keys");
    await page.keyboard.press("Escape");
    await page.waitForSelector("[role=dialog]", { state: "detached" });
    await page.keyboard.press("i");
    await page.waitForFunction(() => document.querySelector("h1").textContent === "Nothing needs you");
    await accessibleInBothThemes(page, "an empty inbox");
    // The server ends: the page says so, and what it shows is called old.
    process.kill(Number(SERVING));
    await page.getByText("The page is no longer connected").waitFor();
    await accessibleInBothThemes(page, "no longer connected");
    wrong.splice(0, wrong.length, ...wrong.filter((one) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/.test(one)));
  },

  // What a person can do: approve, reject with a reason, tell, pause, go on once that is confirmed, and abort at the
  // second click.
  async actions() {
    await page.waitForFunction(() => document.querySelectorAll(".item.approval").length === 2);
    const [first, second] = await page.locator(".item.approval h2").evaluateAll((all) => all.map((one) => one.id));
    const card = (id) => page.locator(`[aria-labelledby="${id}"]`);
    // The keys that everybody knows are enough.
    const onApprove = (id) => page.evaluate((one) => document.activeElement.innerText === "Approve" && document.activeElement.closest(".item")?.getAttribute("aria-labelledby") === one, id);
    for (let i = 0; i < 60 && !(await onApprove(first)); i++) await page.keyboard.press("Tab");
    assert.ok(await onApprove(first), "Tab leads to it");
    await page.keyboard.press("Enter");
    await card(first).locator(".good", { hasText: "approved" }).waitFor();
    await card(second).getByRole("button", { name: "Reject" }).click();
    assert.equal(await page.evaluate(() => document.activeElement.tagName), "TEXTAREA", "a reason is wanted");
    await page.keyboard.type('Write it with "care" & <b>love</b>');
    await card(second).getByRole("button", { name: "Reject" }).click();
    await card(second).locator(".good", { hasText: "rejected" }).waitFor();
    await rm(HOME + "/go");
    const start = () => {
      const going = spawn(CAPSULE, ["deliver", PLAN], { stdio: "ignore" });
      return new Promise((done) => going.on("exit", done));
    };
    const ended = start();
    await open("board");
    await page.waitForSelector(".chip.running");
    await page.getByRole("button", { name: "Tell agents" }).click();
    await page.locator(".controls textarea").fill("--mind the gap");
    await page.getByRole("button", { name: "Tell", exact: true }).click();
    await page.locator(".controls .outcome.good").waitFor();
    await page.goto(pages.ledger);
    await page.getByText("--mind the gap").waitFor();
    await open("board");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.locator(".controls .outcome.good", { hasText: "pauses" }).waitFor();
    await writeFile(HOME + "/go", "");
    await ended;
    await page.getByRole("button", { name: "Pause" }).waitFor({ state: "detached" });
    await rm(HOME + "/go");
    await page.getByRole("button", { name: "Go on …" }).click();
    await page.getByRole("button", { name: "Leave it" }).click();
    await page.getByRole("button", { name: "Go on with it" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Go on …" }).click();
    await page.locator(".sure", { hasText: "when capsule serve ends" }).waitFor();
    await accessible(page, "what is asked before it goes on");
    await page.getByRole("button", { name: "Go on with it" }).click();
    await page.waitForSelector(".chip.running");
    await page.getByRole("button", { name: "Go on …" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Abort" }).click();
    await page.getByRole("button", { name: "Abort now" }).click();
    await page.waitForSelector(".chip.running", { state: "detached" });
    assert.equal(await page.getByRole("button", { name: "Pause" }).count(), 0);
    // Killed: nobody is said to be at work any more, and no clock goes on.
    const killed = spawn(CAPSULE, ["deliver", PLAN], { stdio: "ignore" }); // waits for the aborted one to be gone
    await page.waitForSelector(".chip.running");
    killed.kill("SIGKILL");
    await page.locator(".list .state", { hasText: "cut off" }).first().waitFor();
    assert.equal(await page.locator(".chip.running, .list [data-ticks], .runhead [data-ticks]").count(), 0);
    assert.ok(!/at work/.test(await page.innerText("main")), await page.innerText("main"));
  },

  // What failed is tried again once that is confirmed; a file in the way of a merge is a decision among what there is.
  async decisions() {
    const failed = page.locator(".item.failed").first();
    await failed.waitFor();
    await rm(HOME + "/fail");
    await writeFile("A-1.txt", "notes of the person's own\n");
    await failed.getByRole("button", { name: "Try again …" }).click();
    await failed.getByRole("button", { name: /^Try/ }).last().click();
    const refused = page.locator(".item.refused_merge");
    await refused.waitFor();
    await page.locator(".runcard", { hasText: "waits for you" }).waitFor(); // the other task is done: nobody works on it
    const options = refused.getByRole("group", { name: "Your decision" }).getByRole("button");
    assert.deepEqual(await options.allInnerTexts(), ["retry", "rework"]);
    await rm("A-1.txt");
    await options.first().click();
    await refused.locator(".good").waitFor();
    await refused.getByRole("button", { name: "Go on …" }).click();
    await refused.getByRole("button", { name: "Go on with it" }).click();
    await page.waitForFunction(() => document.querySelector("h1").textContent === "Nothing needs you");
    await open("board");
    await page.waitForFunction(() => document.querySelector(".runhead").textContent.includes("2/2"));
  },

  // The pages look as they did.
  pictures: () => pictures({ browser, context, page, run, watch, origin }),

  workflows: () => workflows(page),

  // The slider goes back to where nothing was done, and to now again.
  async replay() {
    await open("board");
    await page.locator("#replay").fill("5");
    await page.waitForSelector(".pill");
    await page.waitForFunction(() => document.querySelector(".runhead").textContent.includes("0/8"));
    await accessibleInBothThemes(page, "a replay");
    await page.getByRole("button", { name: "Now" }).click();
    await page.waitForFunction(() => document.querySelector(".runhead").textContent.includes("6/8"));
  },

  // Who may only look is offered nothing to click that does something, and is shown the commands.
  async readonly() {
    await page.getByText("(read-only)").waitFor();
    const does = () => page.locator("main").getByRole("button").filter({ hasNotText: /^(Copy|Now)$/ }).count();
    for (const name of ["inbox", "board", "evidence"]) {
      await open(name);
      assert.equal(await does(), 0, name + ": " + (await page.locator("main").innerText()));
      assert.equal(await page.locator("main textarea").count(), 0, name);
      await accessibleInBothThemes(page, name + ", read-only");
    }
    await open("inbox");
    await page.getByText("In a terminal").first().click();
    await page.locator(".item code", { hasText: "capsule answer" }).first().waitFor();
  },

  // An answer that is late: the page says that it reads, never that nothing has begun; and whoever goes on meanwhile
  // finds the run complete.
  async late() {
    let answer;
    const held = (part) => {
      const until = new Promise((done) => (answer = done));
      return page.route(part, async (route) => (await until, route.fallback()));
    };
    const there = (...parts) => "#/" + parts.map(encodeURIComponent).join("/");
    const board = () => page.waitForFunction((all) => document.querySelectorAll(".list tr[data-row]").length === all, tasks.length);
    await open("runs");
    await held("**/api/v1/view?run=*");
    await page.evaluate((hash) => (location.hash = hash), there("run", run));
    await page.getByText("Reading the run …").waitFor();
    assert.equal(await page.getByText("Nothing has begun").count(), 0);
    answer();
    await board();
    await open("runs");
    await held("**/api/v1/view");
    const asked = page.waitForRequest("**/api/v1/view");
    await page.evaluate(() => void (window.loading = import("/store.js").then((store) => store.load())));
    await asked;
    await page.evaluate((hash) => (location.hash = hash), there("run", run));
    await board();
    answer();
    await page.evaluate(() => window.loading);
    await board();
  },

  // What no run of a test can be brought to at will, as the server tells of it: a parked provider, an agent that stands
  // still, a run that nobody works on, a spent budget and a full disk. Each says what it is, and offers what settles it.
  async parked() {
    const plan = "/home/you/plans/PLAN.md";
    const since = new Date().toISOString();
    const show = { verb: "show", command: "capsule status " + plan };
    const told = [
      { key: run + "/stalled/4", rank: 5, kind: "stalled", task: worked, agent: 4, text: "developer prints nothing, uses no processor and changes no file", reason: "an agent stands still",
        actions: [{ verb: "log", command: `capsule log ${plan} ${worked}` }, { verb: "tell", command: `capsule tell ${plan} ${worked} TEXT`, wants: "TEXT" }] },
      { key: run + "/cut_off", rank: 6, kind: "cut_off", text: "It has not ended, and no process works on it.", context: "Where it was: 3 of 8 tasks complete", reason: "nobody works on it",
        actions: [{ verb: "go_on", command: "capsule deliver " + plan }, show] },
      { key: run + "/budget/day", rank: 7, kind: "budget", text: "Nothing starts until a larger budget is allowed, or a new day begins.", reason: "the budget is spent", until: 4102444800, actions: [show] },
      { key: run + "/disk/", rank: 8, kind: "disk", text: "The disk of /home/you/project has 10 MB left, and 500 MB are to stay free (disk.reserve): make room.", reason: "the disk is nearly full", actions: [show] },
      { key: run + "/quota/claude", rank: 9, kind: "quota", text: "A usage limit is reached.", reason: "claude is parked", actions: [{ verb: "lift", command: "capsule agents resume claude" }] },
    ];
    await page.route("**/api/v1/view", async (route) => {
      const all = await (await route.fetch()).json();
      all.rows.push(...told.map((item) => ({ key: "inbox/" + item.key, row: { ...item, run, name: plan, since } })));
      await route.fulfill({ json: all });
    });
    let asked;
    await page.route("**/api/v1/actions", (route) => {
      asked = route.request().postDataJSON();
      return route.fulfill({ status: 202, json: { said: "It is done." } });
    });
    await open("inbox");
    const card = (kind) => page.locator(".item." + kind);
    for (const [kind, words] of [["stalled", "Stands still"], ["cut_off", "Cut off"], ["budget", "Budget spent"], ["disk", "Disk nearly full"], ["quota", "Provider parked"]]) {
      await card(kind).locator(".kind", { hasText: words }).waitFor();
      await card(kind).locator("h2", { hasText: told.find((item) => item.kind === kind).text }).waitFor();
    }
    const kinds = await page.locator(".item").evaluateAll((all) => all.map((one) => one.className.split(" ").at(-1)));
    assert.deepEqual(kinds.slice(-5), ["stalled", "cut_off", "budget", "disk", "quota"], "the most urgent first");
    await accessibleInBothThemes(page, "all that can need a person");
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), "it fits a phone");
    await page.setViewportSize({ width: 1400, height: 900 });

    await card("stalled").getByLabel("Words for the agent").fill("--go on");
    await card("stalled").getByRole("button", { name: "Tell", exact: true }).click();
    await card("stalled").locator(".good", { hasText: "It is done." }).waitFor();
    assert.deepEqual(asked, { run, task: worked, question: 0, verb: "tell", text: "--go on" });

    await card("cut_off").getByText("Where it was: 3 of 8 tasks complete").waitFor();
    await card("cut_off").getByRole("button", { name: "Go on …" }).click();
    await card("cut_off").locator(".sure", { hasText: `capsule deliver ${plan} --detach` }).waitFor();
    await card("cut_off").getByRole("button", { name: "Go on with it" }).click();
    await page.waitForFunction(() => document.getElementById("told").textContent === "Begun.");
    assert.deepEqual(asked, { run, task: "", question: 0, verb: "go_on" });

    // Nothing of these can be done here: what they wait for is said, and the command that shows more.
    await card("budget").getByText("goes on by itself at").waitFor();
    for (const kind of ["budget", "disk"]) {
      assert.equal(await card(kind).getByRole("button").filter({ hasNotText: "Copy", visible: true }).count(), 0, kind);
      await card(kind).getByText("In a terminal").click();
      await card(kind).locator("code", { hasText: show.command }).waitFor();
    }

    await card("quota").getByRole("button", { name: "Let it start again" }).click();
    await card("quota").locator(".good", { hasText: "It is done." }).waitFor();
    assert.deepEqual(asked, { run, task: "", question: 0, verb: "lift", item: run + "/quota/claude" });
  },

  // Of a long transcript the page says how much of it was looked through, and that there are more places than it shows.
  async find() {
    const first = "a word\n".repeat(2500) + "one rose\n";
    await page.route("**/api/v1/transcript?*", (route) => {
      const asked = new URL(route.request().url()).searchParams;
      if (asked.get("of") === "stderr") return route.fulfill({ status: 404, json: { error: "none" } });
      const begin = asked.get("from") === "0";
      return route.fulfill({ json: begin ? { text: first, next: 5 << 20, size: 9 << 20 } : { text: "two roses\n", next: 9 << 20, size: 9 << 20 } });
    });
    await open("transcript");
    const find = (words) => page.getByLabel("Find in the transcript").fill(words);
    const says = (words) => page.locator(".pickers [role=status]").getByText(words, { exact: true }).waitFor();
    await find("word");
    await says("1 of 2000+ in what is loaded");
    await find("roses");
    await says("not found in what is loaded");
    await page.getByRole("button", { name: /^Load the rest/ }).click();
    await says("1 of 1");
    await find("rose");
    await says("1 of 2");
    await find("tulip");
    await says("not found");
    // What is looked for in one list is not looked for in another.
    await page.route("**/api/v1/view?run=*", async (route) => {
      const told = await (await route.fetch()).json();
      const { row } = told.rows.find((one) => one.row.stage);
      for (let i = 1; i <= 13; i++) told.rows.push({ key: `run/${run}/task/X-${i}`, row: { ...row, id: "X-" + i, number: 100 + i } });
      await route.fulfill({ json: told });
    });
    await open("runs");
    await page.getByLabel("Filter runs").fill("calc");
    await page.locator("table a.rowlink").first().click();
    const shows = (count) => page.waitForFunction((all) => document.querySelectorAll(".list tr[data-row]").length === all, count);
    await shows(tasks.length + 13);
    assert.equal(await page.getByLabel("Filter tasks").inputValue(), "");
    await page.getByLabel("Filter tasks").fill("x-1");
    await shows(5);
    await page.getByLabel("Filter tasks").fill("no such task");
    await page.getByText("No task matches the filter.").waitFor();
  },

  // Words and names that are meant to run: on no page does anything, and nothing foreign is asked for.
  async hostile() {
    await page.waitForSelector(".item");
    for (const width of [1400, 390])
      for (const name of Object.keys(pages)) {
        await page.setViewportSize({ width, height: 900 });
        await open(name);
        assert.equal(await page.evaluate(() => window.ran), undefined, name);
        const text = await page.evaluate(() => document.body.innerText);
        assert.ok(!/[\u202a-\u202e\u2066-\u2069\u0007\u001b]/.test(text), name + " shows what hides");
        assert.equal(await page.evaluate(() => document.querySelectorAll("main img, main script, main iframe, main b script").length), 0, name);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${name} at ${width} is ${wide} too wide`);
      }
    for (const task of tasks)
      for (const tab of ["evidence", "diff", "transcript", "facts"]) {
        await page.goto(at("run", run, "task", task, tab));
        await page.waitForSelector(".panel .tabs a[aria-current=page]");
        await page.waitForFunction(() => !document.querySelector(".panel .asking"));
        assert.equal(await page.evaluate(() => window.ran), undefined, task);
      }
    // What a person said, the files that were merged, and a bead with such a title.
    await open("ledger");
    await page.getByText('<img src=x onerror="window.ran=1"><script>window.ran=1</script>', { exact: false }).first().waitFor();
    await page.goto(at("run", run, "task", "H-3", "facts"));
    await page.locator(".facts code", { hasText: "merged<img src=x onerror=window.ran=1>.txt" }).waitFor();
    const bead = (await rows()).find((one) => one.row.name === "evil-1").row.run;
    const phase = (await page.evaluate(async (id) => (await (await fetch("/api/v1/view?run=" + id)).json()).rows, bead)).find((one) => one.key.includes("/phase/")).row.name;
    for (const parts of [["board"], ["timeline"], ["ledger"], ...["evidence", "diff", "transcript", "facts"].map((tab) => ["phase", phase, tab])]) {
      await page.goto(at("run", bead, ...parts));
      await page.locator(".runhead h1", { hasText: "<img src=x" }).waitFor();
      await page.waitForFunction(() => !document.querySelector(".panel .asking, .part > .start"));
      assert.equal(await page.evaluate(() => window.ran), undefined, parts.join(" "));
      assert.ok(!/[\u202a-\u202e\u2066-\u2069\u0007\u001b]/.test(await page.innerText("body")), parts.join(" "));
    }
    await page.goto(origin + "/#/run/" + encodeURIComponent('"><img src=x onerror=window.ran=1>'));
    await page.waitForSelector("h1");
    const refused = await page.evaluate(() => {
      try {
        document.createElement("div").innerHTML = "<b>x</b>";
        return false;
      } catch {
        return true;
      }
    });
    assert.ok(refused, "the browser itself refuses HTML from a string");
    assert.equal(await page.evaluate(() => window.ran), undefined);
    wrong.splice(0, wrong.length, ...wrong.filter((one) => !/TrustedHTML/.test(one)));
  },

  // A browser allows six connections to a server: twelve tabs share one stream, and all are live.
  async tabs() {
    const all = [];
    for (let i = 0; i < 12; i++) {
      const tab = watch(await context.newPage());
      await tab.goto(pages.inbox);
      await tab.waitForSelector(".item");
      all.push(tab);
    }
    const said = spawn(CAPSULE, ["answer", "1", 'Print "division by zero" on stderr and return 1.'], { stdio: "ignore" });
    assert.equal(await new Promise((done) => said.on("exit", done)), 0);
    for (const tab of all) await tab.waitForSelector(".item .good");
    await page.close();
    await all[0].close();
    const going = spawn(CAPSULE, ["deliver", PLAN, "--experts", "--developers=4"], { stdio: ["ignore", "pipe", "inherit"] });
    going.stdout.on("data", (data) => (last += data));
    assert.equal(await new Promise((done) => going.on("exit", done)), 0);
    for (const tab of all.slice(1)) await tab.waitForFunction(() => document.querySelector("h1").textContent === "Nothing needs you");
  },
};

try {
  await scenes[SCENE]();
  assert.deepEqual(wrong, []);
} finally {
  await browser.close();
}
