// One task or phase: evidence, diff of attempts, transcript, facts.
import { h } from "./dom.js";
import { between, clock, count, duration, words } from "./format.js";
import { api } from "./store.js";
import { draw, link, ui } from "./app.js";
import { LIFE, letterOf, moneyOf, state, toneOf, wentBack } from "./parts.js";

const TABS = [["evidence", "Evidence"], ["diff", "Diff"], ["transcript", "Transcript"], ["facts", "Facts"]];

export function taskPanel(run, lane, tab, agent) {
  return h("section", { class: "card panel", "aria-label": lane.id },
    h("div", { class: "head" }, h("h2", {}, h("span", { class: "id" }, lane.id), lane.title && " " + lane.title),
      h("a", { class: "close", href: link("run", run.run, "board"), "aria-label": "Close " + lane.id }, "✕")),
    h("nav", { class: "tabs small", "aria-label": "About " + lane.id }, TABS.map(([name, text], i) =>
      h("a", { href: link("run", run.run, lane.kind, lane.id, name), "aria-current": tab === name ? "page" : undefined, title: "Key " + (i + 1) }, text))),
    h("div", { key: tab }, tab === "diff" ? diffTab(run, lane) : tab === "transcript" ? transcriptTab(run, lane, agent) : tab === "facts" ? facts(run, lane) : evidence(run, lane)));
}

// ---- Evidence: said beside checked

const VERDICT = { true: ["✓", "true", "good"], false: ["✗", "false", "bad"], differs: ["≠", "differs", "warn"], unchecked: ["·", "not checked", "quiet"] };
function evidence(run, lane) {
  const attempts = [...lane.attempts].reverse();
  return [
    lane.task?.detail && h("p", { class: lane.task.stage === "failed" ? "bad" : "quiet" }, lane.task.detail),
    lane.task?.commit && h("div", { class: "attempt done" }, h("h3", {}, h("span", { class: "good", "aria-hidden": "true" }, "● "), "merged as ", h("code", {}, lane.task.commit.slice(0, 12))), checks(lane.task.checks)),
    attempts.length === 0 && h("p", { class: "quiet" }, "Nobody has worked on it yet."),
    attempts.map((attempt) => h("article", { key: attempt.agent, class: "attempt" },
      h("h3", {}, h("span", { class: "chip tone" + toneOf(attempt.role) + (wentBack(attempt) ? " back" : ""), "aria-hidden": "true" }, wentBack(attempt) ? "✕" : letterOf(attempt.role)),
        " ", attempt.role, " ", attempt.attempt ?? 1,
        h("span", { class: "quiet", "data-ticks": Boolean(attempt.running) }, " ", [attempt.model || attempt.provider, attempt.began && between(attempt.began, attempt.ended, run.now_ms), moneyOf(attempt.use?.cost_micros)].filter(Boolean).join(" · "))),
      h("div", { class: "pair" },
        h("div", {}, h("h4", {}, "said"),
          attempt.running ? state("▶", attempt.held ? "held" : attempt.doing?.tool ? attempt.doing.tool + " " + (attempt.doing.detail ?? "") : attempt.doing?.said || "at work", "busy")
            : attempt.left ? state(...LIFE[attempt.left], "warn") : attempt.said ? h("p", {}, h("code", { class: "signal" }, attempt.said)) : h("p", { class: "quiet" }, "nothing that counts"),
          attempt.fault && h("p", { class: "bad" }, words(attempt.fault)),
          attempt.detail && h("p", { class: "quiet" }, attempt.detail)),
        h("div", {}, h("h4", {}, "checked by Capsule"),
          attempt.checked === "held" ? state("✓", attempt.found || "it is so", "good") : attempt.checked === "refused" ? state("✗", attempt.found || "it is not so", "bad") : !attempt.claims?.length && !attempt.checks?.length && h("p", { class: "quiet" }, attempt.running ? "not yet" : "nothing to hold it against"),
          (attempt.claims ?? []).length > 0 && h("ul", { class: "claims" }, attempt.claims.map((claim) => {
            const [symbol, text, tone] = VERDICT[claim.verdict] ?? ["·", claim.verdict, "quiet"];
            return h("li", {}, h("span", { class: tone }, h("span", { "aria-hidden": "true" }, symbol, " "), claim.what, h("span", { class: "hidden" }, ": " + text)), claim.detail && h("span", { class: "quiet" }, ": " + claim.detail));
          })),
          checks(attempt.checks))),
      attempt.sent_back && h("blockquote", { class: "sentback" }, h("b", {}, "↺ sent back: "), attempt.sent_back),
      h("p", { class: "links" }, h("a", { href: link("run", run.run, lane.kind, lane.id, "transcript", String(attempt.agent)) }, "Transcript of " + attempt.role + " " + (attempt.attempt ?? 1))))),
  ];
}

function checks(list) {
  if (!list?.length) return null;
  return h("ul", { class: "checks" }, list.map((check) => {
    const passed = check.ending === "passed";
    return h("li", {}, h("span", { class: passed ? "good" : "bad" }, h("span", { "aria-hidden": "true" }, passed ? "✓ " : "✗ "), check.name), " ", h("code", {}, check.command),
      h("span", { class: "quiet" }, " ", passed ? "" : words(check.ending) + ", ", "exit " + (check.exit ?? 0), ", " + duration(check.ms ?? 0), check.by_name ? ", " + (check.passed ?? 0) + " passed" + (check.failed ? ", " + check.failed + " failed" : "") : "", check.clean ? ", in a fresh checkout" : "", check.known ? ", seen before" : ""),
      check.failing?.length > 0 && h("span", { class: "bad" }, " failing: " + check.failing.join(", ")),
      check.output && h("details", {}, h("summary", {}, "What it printed"), h("pre", { tabindex: "0" }, check.output)));
  }));
}

// ---- Diff

const diff = { key: "", text: "", error: "", truncated: false, from: 0, to: 0, lane: "" };
async function fetchDiff(run, key) {
  diff.key = key;
  diff.text = diff.error = "";
  diff.busy = true;
  try {
    const answer = await api("diff?run=" + encodeURIComponent(run) + "&from=" + diff.from + "&to=" + diff.to);
    if (diff.key !== key) return;
    diff.text = answer.text;
    diff.truncated = Boolean(answer.truncated);
  } catch (error) {
    if (diff.key === key) diff.error = error.message;
  }
  diff.busy = false;
  draw();
}

function diffTab(run, lane) {
  const kept = lane.attempts.filter((attempt) => attempt.snapshot);
  if (!kept.length) return h("p", { class: "quiet" }, "Nothing has been kept of an attempt yet.");
  const laneKey = run.run + "/" + lane.id;
  if (diff.lane !== laneKey) Object.assign(diff, { lane: laneKey, from: 0, to: kept.at(-1).agent });
  const key = laneKey + "/" + diff.from + "/" + diff.to;
  if (diff.key !== key) queueMicrotask(() => diff.key !== key && fetchDiff(run.run, key));
  const name = (attempt) => attempt.agent + " · " + attempt.role + " " + (attempt.attempt ?? 1);
  const choose = (which, label, list) => h("label", {}, label, " ", h("select", { onchange: (event) => ((diff[which] = Number(event.target.value)), draw()) },
    list.map(([value, text]) => h("option", { value: String(value), selected: diff[which] === value }, text))));
  return [
    h("div", { class: "pickers" },
      choose("from", "From", [[0, "what it began with"], ...kept.map((attempt) => [attempt.agent, name(attempt)])]),
      choose("to", "to", kept.map((attempt) => [attempt.agent, name(attempt)]))),
    diff.error ? h("p", { class: "bad", role: "alert" }, diff.error) : diff.key !== key || diff.busy ? h("p", { class: "quiet asking" }, "Asking git …") : diffText(diff.text),
    diff.truncated && h("p", { class: "warn" }, "Cut off after 512 KiB."),
  ];
}

const MOST_LINES = 4000;
let parsed = { text: null, files: [] };
function filesOf(text) {
  if (parsed.text === text) return parsed.files;
  const files = [];
  for (const line of text.replace(/\n$/, "").split("\n")) {
    if (line.startsWith("diff --git ")) files.push({ name: line.slice(11), lines: [], added: 0, removed: 0 });
    const file = files.at(-1);
    if (!file) continue;
    // Behind the first hunk these are lines of the file, whatever they begin with.
    file.inside ||= line.startsWith("@@");
    if (!file.inside && (line.startsWith("+++ ") || line.startsWith("--- "))) {
      if (line !== "+++ /dev/null" && line.startsWith("+++ ")) file.name = line.slice(4).replace(/^b\//, "");
      else if (line.startsWith("--- ") && line !== "--- /dev/null") file.name = line.slice(4).replace(/^a\//, "");
      continue;
    }
    if (line.startsWith("+")) file.added++;
    if (line.startsWith("-")) file.removed++;
    if (/^(diff --git|index |similarity |new file|deleted file|old mode|new mode|rename )/.test(line)) {
      if (!/^(diff|index)/.test(line)) file.note = (file.note ? file.note + ", " : "") + line;
      continue;
    }
    file.lines.push(line);
  }
  parsed = { text, files };
  return files;
}
function diffText(text) {
  const files = filesOf(text);
  if (!files.length) return h("p", { class: "quiet" }, "No difference.");
  let left = MOST_LINES;
  return [
    h("p", { class: "quiet" }, files.length === 1 ? "1 file" : files.length + " files", ", ", h("span", { class: "good" }, "+" + files.reduce((sum, file) => sum + file.added, 0)), " ", h("span", { class: "bad" }, "−" + files.reduce((sum, file) => sum + file.removed, 0))),
    files.map((file) => {
      const lines = file.lines.slice(0, Math.max(0, left));
      left -= lines.length;
      return h("details", { class: "file", key: file.name, open: true },
        h("summary", {}, h("code", {}, file.name), " ", h("span", { class: "good" }, "+" + file.added), " ", h("span", { class: "bad" }, "−" + file.removed), file.note && h("span", { class: "quiet" }, " " + file.note)),
        h("pre", { class: "diff", tabindex: "0" }, lines.map((line) => h("span", { class: line.startsWith("@@") ? "hunk" : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "" }, line + "\n"))));
    }),
    left <= 0 && h("p", { class: "warn" }, "The first " + MOST_LINES + " lines are shown."),
  ];
}

// ---- Transcript, from its start

const STREAMS = ["stdout", "stderr"];
const log = { key: "", of: {}, error: "", busy: false, find: "", at: 0 };
const MOST_BYTES = 4 << 20;
async function fetchLog(run, attempt, key, more) {
  if (log.key !== key) Object.assign(log, { key, of: {}, error: "", at: 0 });
  log.busy = true;
  log.running = attempt.running;
  log.printed = attempt.printed;
  const errors = [];
  for (const name of STREAMS)
    try {
      const part = (log.of[name] ??= { pieces: [], next: 0, size: 0 });
      do {
        const piece = await api("transcript?run=" + encodeURIComponent(run) + "&agent=" + attempt.agent + "&of=" + name + "&from=" + part.next);
        if (log.key !== key) return;
        if (piece.text) part.pieces.push(piece.text);
        part.next = piece.next;
        part.size = piece.size;
      } while (part.next < part.size && (more || part.next < MOST_BYTES));
    } catch (error) {
      if (log.key !== key) return;
      errors.push(error.message);
    }
  log.error = errors.length === STREAMS.length ? errors[0] : "";
  log.busy = false;
  log.looked = Date.now();
  draw();
}
function logText() {
  const [out, err] = STREAMS.map((name) => (log.of[name]?.pieces ?? []).join(""));
  return err ? out + (out && !out.endsWith("\n") ? "\n" : "") + "--- stderr ---\n" + err : out;
}

function transcriptTab(run, lane, wanted) {
  if (!lane.attempts.length) return h("p", { class: "quiet" }, "Nobody has worked on it yet.");
  const attempt = lane.attempts.find((one) => String(one.agent) === wanted) ?? lane.attempts.at(-1);
  const key = run.run + "/" + attempt.agent;
  if (log.key !== key) queueMicrotask(() => log.key !== key && fetchLog(run.run, attempt, key, false));
  // When there is more of it; and once more at its end: the last words are what counts.
  else if (!log.busy && (attempt.running ? attempt.printed !== log.printed && Date.now() - log.looked > 1500 && document.visibilityState === "visible" : log.running)) queueMicrotask(() => !log.busy && fetchLog(run.run, attempt, key, false));
  const ready = log.key === key;
  const text = ready ? logText() : "";
  const left = Object.values(log.of).reduce((sum, part) => sum + part.size - part.next, 0);
  const places = ready ? find(text, log.find) : [];
  const step = (by) => {
    if (!places.length) return;
    log.at = (log.at + by + places.length) % places.length;
    draw();
    document.getElementById("hit")?.scrollIntoView({ block: "center" });
  };
  return [
    h("div", { class: "pickers" },
      h("label", {}, "Agent ", h("select", { onchange: (event) => (location.hash = link("run", run.run, lane.kind, lane.id, "transcript", event.target.value)) },
        lane.attempts.map((one) => h("option", { value: String(one.agent), selected: one === attempt }, one.role + " " + (one.attempt ?? 1) + (one.running ? " (at work)" : ""))))),
      h("input", { type: "search", "aria-label": "Find in the transcript", placeholder: "Find ( / )", value: log.find,
        oninput: (event) => ((log.find = event.target.value), (log.at = 0), draw()), onkeydown: (event) => event.key === "Enter" && (event.preventDefault(), step(event.shiftKey ? -1 : 1)) }),
      log.find && h("span", { class: "quiet nowrap", role: "status" }, places.length ? log.at + 1 + " of " + places.length + (places.length === MOST_HITS ? "+" : "") : "not found", left > 0 && " in what is loaded"),
      log.find && places.length > 1 && [h("button", { onclick: () => step(-1), "aria-label": "Previous match" }, "↑"), h("button", { onclick: () => step(1), "aria-label": "Next match" }, "↓")]),
    log.error && ready ? h("p", { class: "quiet", role: "status" }, attempt.running ? "It has printed nothing yet." : log.error)
      : !ready ? h("p", { class: "quiet" }, "Reading …")
        : h("pre", { class: "log", tabindex: "0", "aria-label": "What " + attempt.role + " printed", "data-ticks": Boolean(attempt.running) }, highlighted(text, places)),
    ready && !log.busy && left > 0 && h("button", { onclick: () => fetchLog(run.run, attempt, key, true) }, "Load the rest (" + count(left) + " bytes)"),
  ];
}

const MOST_HITS = 2000;
function find(text, wanted) {
  if (wanted.length < 2) return [];
  const places = [];
  const low = text.toLowerCase();
  const what = wanted.toLowerCase();
  for (let at = low.indexOf(what); at >= 0 && places.length < MOST_HITS; at = low.indexOf(what, at + what.length)) places.push(at);
  return places;
}
function highlighted(text, places) {
  if (!places.length) return text;
  const out = [];
  let at = 0;
  places.forEach((place, i) => {
    out.push(text.slice(at, place), h("mark", { id: i === log.at ? "hit" : undefined, class: i === log.at ? "now" : "" }, text.slice(place, place + log.find.length)));
    at = place + log.find.length;
  });
  out.push(text.slice(at));
  return out;
}

// ---- Facts

function facts(run, lane) {
  const task = lane.task;
  const row = (name, value) => value && h("div", {}, h("dt", {}, name), h("dd", {}, value));
  const names = (task?.needs ?? []).map((number) => run.tasks.find((one) => (one.number ?? 0) === number)?.id).filter(Boolean);
  return h("dl", { class: "facts" },
    row("State", task ? words(task.stage) : words(lane.phase?.state)),
    task && row("Wave", task.wave && String(task.wave) + (task.critical ? ", on the critical path" : "")),
    row("Needs", names.length > 0 && names.map((id, i) => [i > 0 && ", ", h("a", { href: link("run", run.run, "task", id) }, id)])),
    task && row("Waits for", task.waits?.map((wait) => wait.words).join("; ")),
    row("Began", clock(task?.began ?? lane.attempts[0]?.began)),
    row("Ended", clock(task?.ended ?? (lane.attempts.at(-1)?.running ? "" : lane.attempts.at(-1)?.ended))),
    row("Commit", task?.commit && h("code", {}, task.commit)),
    row("Files", task?.files?.length > 0 && h("ul", {}, task.files.map((file) => h("li", {}, h("code", {}, file))))),
    row("Cost", moneyOf(task?.cost_micros)),
    row("Agents", String(lane.attempts.length)));
}
