// A run: its board, timeline, plan and ledger, a task of it, and the replay of all of them.
import { h } from "./dom.js";
import { between, clock, count, duration, plural, shortened, words } from "./format.js";
import { api, store, wholeRun } from "./store.js";
import { draw, later, link, ui } from "./app.js";
import { LIFE, PHASE, STAGE, canDo, chips, copyable, figure, lifeOf, moneyOf, outcome, perform, progress, starters, state, wentBack } from "./parts.js";
import { form } from "./pages.js";

// ---- Replay: the rows of a run as they were when a fact was the newest

const replay = { run: "", at: 0, rows: null, wish: 0, busy: false, first: 0 };

async function fetchReplay() {
  if (replay.busy) return;
  replay.busy = true;
  while (replay.wish && (replay.wish !== replay.at || !replay.rows)) {
    const at = replay.wish;
    try {
      const answer = await api("view?run=" + encodeURIComponent(replay.run) + "&at=" + at);
      if (!replay.wish) break;
      replay.rows = new Map(answer.rows.map(({ key, row }) => [key, row]));
      replay.at = at;
    } catch {
      leaveReplay();
    }
    draw();
  }
  replay.busy = false;
}
function leaveReplay() {
  replay.wish = replay.at = 0;
  replay.rows = null;
  draw();
}
function showAt(run, seq) {
  replay.run = run.run;
  replay.wish = seq;
  if (seq >= run.seq) leaveReplay();
  else fetchReplay();
}

function replayBar(live, shown) {
  const first = live.marks?.[0]?.seq ?? 1;
  const now = replay.rows ? replay.wish : live.seq;
  return h("section", { class: "card replay", "aria-label": "Replay", key: "replay" },
    h("label", { for: "replay" }, "Replay"),
    h("input", { id: "replay", type: "range", min: String(first), max: String(live.seq ?? 1), value: String(now), "aria-valuetext": "fact " + (shown.facts ?? 0) + " of " + (live.facts ?? 0),
      oninput: (event) => showAt(live, Number(event.target.value)) }),
    h("span", { class: "quiet nowrap" }, "fact " + (replay.rows ? shown.facts ?? 0 : live.facts ?? 0) + " of " + (live.facts ?? 0)),
    replay.rows ? h("button", { onclick: leaveReplay }, "Now") : h("span", { class: "quiet" }, "now"));
}

// ---- The page

const TABS = [["board", "Board"], ["timeline", "Timeline"], ["plan", "Plan"], ["ledger", "Ledger"]];

// Of a run that nobody carries on, as the view says, nobody is at work, whatever its newest fact is.
function leave(run) {
  run.left = run.life;
  run.now_ms = Date.parse(run.left_since);
  run.attempts = run.attempts.map((one) => (one.running ? { ...one, running: false, left: run.life } : one));
  run.byAgent = new Map(run.attempts.map((one) => [one.agent, one]));
}

export function runPage(id, tab, rest) {
  const live = wholeRun(id);
  if (!live) return [h("h1", {}, "There is no such run"), h("p", {}, h("a", { href: "#/runs" }, "To the runs"))];
  if (!store.whole.has(id)) return h("p", { class: "start" }, store.error || "Reading the run …");
  if (replay.run !== id) Object.assign(replay, { run: id, at: 0, wish: 0, rows: null });
  const run = (replay.rows && wholeRun(id, replay.rows)) || live;
  // While it is replayed, time stands where the fact was recorded.
  const now = replay.rows ? Date.parse(replay.rows.get("project")?.at) : ui.now;
  run.now_ms = now;
  if (run.left_since) leave(run);
  const hasPlan = run.tasks.length > 0;
  const current = tab === "task" || tab === "phase" ? "board" : tab;
  return [
    h("div", { class: "runhead", key: "head" },
      h("div", { class: "head" }, h("h1", {}, run.title || run.name), lifeOf(run), replay.rows && h("span", { class: "pill" }, "replay, " + clock(replay.rows.get("project")?.at))),
      h("div", { class: "figures" }, progress(run),
        figure("done", (run.done ?? 0) + "/" + (run.all ?? 0)), figure("failed", run.failed || ""), figure("at work", run.at_work || ""),
        (run.ended || run.life === "working" || replay.rows) && h("span", { class: "figure", "data-ticks": run.life === "working" && !replay.rows }, h("b", {}, between(run.started, run.ended, now))),
        figure(run.usage?.cost_micros ? "" : "cost", moneyOf(run.usage?.cost_micros, run.usage?.calls_without_cost)), figure("agents", String(run.usage?.agent_runs ?? 0)),
        h("span", { class: "quiet" }, run.workflow)),
      // Of a run that goes on, this is only the newest of its tasks.
      run.merged_as && run.life === "ended" && h("p", { class: "good" }, "● merged as ", h("code", {}, run.merged_as.slice(0, 12))),
      run.detail && run.detail !== run.merged_as && run.life === "ended" && h("p", { class: run.standing === "failed" ? "bad" : "quiet" }, shortened(run.detail)),
      run.unreadable && h("p", { class: "bad" }, run.unreadable),
      run.now && run.life !== "ended" && !run.left && h("p", { class: "quiet" }, run.now),
      !replay.rows && controls(live)),
    h("nav", { class: "tabs", "aria-label": "Parts of the run", key: "tabs" }, TABS.filter(([name]) => name !== "plan" || hasPlan).map(([name, text]) =>
      h("a", { href: link("run", id, name), "aria-current": current === name ? "page" : undefined }, text))),
    h("div", { key: "part-" + current, class: "part" },
      current === "timeline" ? later("charts", (charts) => charts.timeline(run)) : current === "plan" ? later("charts", (charts) => charts.planGraph(run)) : current === "ledger" ? ledger(run) : board(run, tab, rest)),
    replayBar(live, run),
  ];
}

let telling = false;
let aborting = 0;
function controls(run) {
  const can = new Map((run.actions ?? []).filter(canDo).map((action) => [action.verb, action]));
  const key = "run/" + run.run;
  const sure = ui.now - aborting < 4000;
  const others = (run.actions ?? []).filter((action) => !canDo(action) && action.verb !== "show");
  const starting = starters(key, { run: run.run }, run.actions ?? [], run);
  if (!can.size && !others.length) return null;
  return h("div", { key: "controls", class: "controls" },
    h("div", { class: "buttons" },
      can.has("pause") && h("button", { onclick: () => perform(key, { verb: "pause", run: run.run }) }, "Pause"),
      can.has("tell") && h("button", { "aria-expanded": String(telling), onclick: () => ((telling = !telling), draw()) }, "Tell agents"),
      can.has("abort") && h("button", { class: "danger", onclick: () => {
        if (!sure) {
          aborting = Date.now();
          draw();
          setTimeout(draw, 4100);
        } else {
          aborting = 0;
          perform(key, { verb: "abort", run: run.run });
        }
      } }, sure ? "Abort now; the work is kept" : "Abort"),
      others.map((action) => h("span", { class: "quiet" }, words(action.verb) + ": ", copyable(action.command)))),
    starting,
    telling && can.has("tell") && form(key, "Words for who works now, or next", "Tell", (text) => ({ verb: "tell", run: run.run, text })),
    outcome(key));
}

// ---- Board

function board(run, tab, rest) {
  const chosen = rest[0];
  const lane = lanes(run).find((one) => one.kind === tab && one.id === chosen);
  return h("div", { class: "split" + (lane ? " chosen" : "") },
    h("section", { class: "card list", "aria-label": run.tasks.length ? "Tasks" : "Phases" }, laneTable(run, lane)),
    lane ? later("task", (task) => task.taskPanel(run, lane, rest[1] ?? "evidence", rest[2])) : history(run));
}

export function lanes(run) {
  const attemptsOf = (row) => (row.agents ?? []).map((agent) => run.byAgent.get(agent)).filter(Boolean);
  if (run.tasks.length)
    return run.tasks.map((task) => ({ kind: "task", id: task.id, title: task.title, attempts: attemptsOf(task), task }));
  return run.phases.map((phase) => ({ kind: "phase", id: phase.name, title: "", attempts: attemptsOf(phase), phase }));
}

function stateOf(lane) {
  const left = lane.attempts.at(-1)?.left;
  if (left) return state(...LIFE[left], "warn");
  if (lane.phase) {
    const tone = { working: "busy", passed: "good", sent_back: "warn", failed: "bad" }[lane.phase.state] ?? "quiet";
    return state(PHASE[lane.phase.state] ?? "·", words(lane.phase.state), tone);
  }
  const task = lane.task;
  const asks = task.waits?.some((wait) => wait.question);
  const tone = task.stage === "complete" ? "good" : task.stage === "failed" ? "bad" : asks ? "warn" : task.stage === "blocked" || task.stage === "removed" ? "quiet" : "busy";
  return state(asks ? "?" : STAGE[task.stage] ?? "·", task.words || words(task.stage), tone);
}

const MOST_LANES = 500;
function laneTable(run, chosen) {
  const all = lanes(run);
  const filter = ui.filter.toLowerCase();
  const shown = all.length > 12 && filter ? all.filter((lane) => (lane.id + " " + lane.title + " " + (lane.task?.words ?? "")).toLowerCase().includes(filter)) : all;
  return [
    h("div", { class: "head" }, h("h2", {}, run.tasks.length ? "Tasks" : "Phases"),
      all.length > 12 && h("input", { type: "search", "aria-label": "Filter tasks", placeholder: "Filter ( / )", value: ui.filter, oninput: (event) => ((ui.filter = event.target.value), draw()) })),
    all.length === 0 && h("p", { class: "quiet" }, "Nothing has begun."),
    all.length > 0 && shown.length === 0 && h("p", { class: "quiet" }, "No task matches the filter."),
    h("div", { class: "scroll" }, h("table", { class: "rows stack" },
      h("thead", {}, h("tr", {}, [run.tasks.length ? "Task" : "Phase", "State", "Attempts", "Time"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, shown.slice(0, MOST_LANES).map((lane) => {
        const last = lane.attempts.at(-1);
        const doing = last?.running && last.doing;
        const wait = lane.task?.waits?.find((one) => !one.question);
        const done = lane.task ? lane.task.ended : !last?.running && last?.ended;
        return h("tr", { key: lane.id, "data-row": true, class: chosen?.id === lane.id ? "current" : "" },
          h("td", {}, h("a", { class: "rowlink", href: link("run", run.run, lane.kind, lane.id), "aria-current": chosen?.id === lane.id ? "true" : undefined }, h("span", { class: "id" }, lane.id), lane.title && " " + lane.title)),
          h("td", {}, stateOf(lane), wait ? h("span", { class: "sub quiet" }, wait.words) : doing && h("span", { class: "sub quiet" }, doing.tool ? doing.tool + " " + (doing.detail ?? "") : doing.said || words(doing.what))),
          h("td", {}, chips(lane.attempts, run.now_ms), lane.task?.commit && h("span", { class: "merged", title: "merged as " + lane.task.commit }, h("span", { "aria-hidden": "true" }, "●"), h("span", { class: "hidden" }, "merged"))),
          h("td", { class: "nowrap", "data-ticks": Boolean(last?.running) }, lane.attempts[0]?.began ? between(lane.attempts[0].began, done, run.now_ms) : ""));
      })))),
    shown.length > MOST_LANES && h("p", { class: "quiet" }, "The first " + MOST_LANES + " of " + shown.length + "; the filter finds the others."),
    run.merge_queue?.length > 0 && h("p", { class: "quiet" }, "Merge queue: ", run.merge_queue.join(" › ")),
    run.remediation > 0 && h("p", { class: "warn" }, "Remediation, round " + run.remediation),
    run.slots?.length > 0 && run.life !== "ended" && !run.left && h("p", { class: "quiet" }, "Slots: ", run.slots.map((slot) => slot.role + " " + (slot.busy ?? 0) + "/" + (slot.all ?? 0)).join(" · ")),
    run.baseline && h("p", { class: "quiet" }, "Checks before anybody worked: ", run.baseline),
  ];
}

const MARK = { merged: ["✓", "good"], completed: ["✓", "good"], failed: ["✗", "bad"], refused: ["!", "bad"], asked: ["?", "warn"], answered: ["↩", "busy"], reworked: ["↺", "warn"], ground: ["!", "warn"], told: ["✉", "busy"] };
const MOST_MARKS = 200;
function history(run) {
  // What is merged is complete: that is one thing.
  const merged = new Set((run.marks ?? []).filter((mark) => mark.kind === "merged").map((mark) => mark.task + mark.text));
  const all = (run.marks ?? []).filter((mark) => mark.kind !== "completed" || !merged.has(mark.task + mark.text));
  const marks = all.slice(-MOST_MARKS).reverse();
  return h("section", { class: "card", "aria-label": "What happened" }, h("h2", {}, "What happened"),
    marks.length === 0 && h("p", { class: "quiet" }, "Nothing yet."),
    h("ol", { class: "history", reversed: true }, marks.map((mark) => {
      const [symbol, tone] = MARK[mark.kind] ?? ["·", ""];
      return h("li", { key: mark.seq + mark.kind + (mark.task ?? "") },
        h("time", { class: "quiet", datetime: mark.at }, clock(mark.at)),
        h("span", { class: "symbol " + tone, "aria-hidden": "true" }, symbol),
        h("span", {}, mark.task && [h("a", { class: "id", href: link("run", run.run, "task", mark.task) }, mark.task), " "], h("b", {}, words(mark.kind)), mark.text && " " + shortened(mark.text)));
    })),
    all.length > MOST_MARKS && h("p", { class: "quiet" }, "The newest " + MOST_MARKS + " of " + all.length + "; the slider below goes back to the others."));
}

// ---- Ledger: what was claimed, and what was found

const VERDICTS = [["true", "true", "good"], ["differs", "differs", "warn"], ["false", "false", "bad"], ["unchecked", "unchecked", "quiet"]];
function ledger(run) {
  const rows = new Map();
  const add = (who, claim) => {
    const key = who + "\n" + claim.what;
    if (!rows.has(key)) rows.set(key, { who, what: claim.what, counts: {}, newest: "" });
    const row = rows.get(key);
    row.counts[claim.verdict] = (row.counts[claim.verdict] ?? 0) + 1;
    if (claim.verdict === "false") row.newest = claim.detail;
  };
  for (const attempt of run.attempts) for (const claim of attempt.claims ?? []) add(attempt.role, claim);
  for (const claim of run.claims ?? []) add("the run", claim);
  const roles = new Map();
  for (const attempt of run.attempts) {
    const key = attempt.role + "\n" + (attempt.model || attempt.provider || "");
    const role = roles.get(key) ?? { role: attempt.role, model: attempt.model || attempt.provider || "", runs: 0, back: 0, ms: 0, cost: 0, missing: 0, input: 0, output: 0 };
    role.runs++;
    role.back += wentBack(attempt) ? 1 : 0;
    role.ms += attempt.ms ?? 0;
    role.cost += attempt.use?.cost_micros ?? 0;
    role.missing += attempt.use?.cost_known || attempt.running ? 0 : 1;
    role.input += (attempt.use?.input ?? 0) + (attempt.use?.cache_read ?? 0) + (attempt.use?.cache_written ?? 0);
    role.output += attempt.use?.output ?? 0;
    roles.set(key, role);
  }
  const columns = (names) => h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name))));
  return [
    h("section", { class: "card" }, h("h2", {}, "Claims, and what Capsule found"),
      rows.size === 0 ? h("p", { class: "quiet" }, "Nothing was claimed that could be held against git or the project's checks.")
        : h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Claims" }, h("table", { class: "rows" }, columns(["Who", "Claim", ...VERDICTS.map(([, text]) => text), "What was false"]),
          h("tbody", {}, [...rows.values()].map((row) => h("tr", { key: row.who + row.what }, h("td", {}, row.who), h("td", {}, row.what),
            VERDICTS.map(([name, , tone]) => h("td", { class: row.counts[name] ? tone : "quiet" }, row.counts[name] ?? "–")), h("td", { class: "quiet" }, row.newest))))))),
    h("section", { class: "card" }, h("h2", {}, "Agents"),
      h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Agents" }, h("table", { class: "rows" }, columns(["Role", "Model", "Runs", "Went back", "Time", "Tokens in", "out", "Cost"]),
        h("tbody", {}, [...roles.values()].map((role) => h("tr", { key: role.role + role.model }, h("td", {}, role.role), h("td", { class: "quiet" }, role.model), h("td", {}, role.runs), h("td", { class: role.back ? "warn" : "quiet" }, role.back || "–"),
          h("td", { class: "nowrap" }, duration(role.ms)), h("td", {}, role.input ? count(role.input) : "–"), h("td", {}, role.output ? count(role.output) : "–"), h("td", {}, moneyOf(role.cost, role.missing) || "–"))))))),
    run.ground?.length > 0 && h("section", { class: "card" }, h("h2", {}, "What changed around it"), h("ul", {}, run.ground.map((text) => h("li", {}, text)))),
    run.to_know?.length > 0 && h("section", { class: "card" }, h("h2", {}, "To know before you run it"), h("ul", {}, run.to_know.map((text) => h("li", {}, text)))),
    run.walls && h("section", { class: "card" }, h("h2", {}, "Walls"), h("p", {}, run.walls)),
    run.messages?.length > 0 && h("section", { class: "card" }, h("h2", {}, "What people told agents"), h("ul", {}, run.messages.map((message) => h("li", {}, h("b", {}, message.by || "a person"), message.task ? " to " + message.task : "", ": ", message.text, h("span", { class: "quiet" }, message.heard ? " (heard)" : message.agent ? " (told)" : " (waits)"))))),
    !run.attempts.length && h("p", { class: "quiet" }, plural(0, "agent")),
  ];
}
