// Small parts that several pages draw.
import { h } from "./dom.js";
import { duration, money, plural, words } from "./format.js";
import { act, store } from "./store.js";
import { draw } from "./app.js";

export const LIFE = { working: ["▶", "working"], waiting: ["?", "waits for you"], cut_off: ["✂", "cut off"], paused: ["‖", "paused"], ended: ["■", "ended"] };
export const STAGE = { blocked: "○", analysis: "▶", development: "▶", review: "▶", audit: "▶", merge: "▶", complete: "✓", failed: "✗", removed: "–" };
export const PHASE = { to_come: "○", working: "▶", passed: "✓", sent_back: "↺", failed: "✗" };
export const KIND = {
  question: ["?", "Question"], choice: ["?", "Decision"], approval: ["✓", "Approval"], failed: ["✗", "Failed"], refused_merge: ["!", "Merge refused"],
  stalled: ["◌", "Stands still"], cut_off: ["✂", "Cut off"], budget: ["$", "Budget spent"], disk: ["!", "Disk nearly full"], quota: ["⏸", "Provider parked"],
};

export function state(symbol, text, tone) {
  return h("span", { class: "state " + (tone ?? "") }, h("span", { class: "symbol", "aria-hidden": "true" }, symbol), " ", text);
}
export function lifeOf(run) {
  if (run.life === "ended") {
    if (run.standing === "succeeded") return state("✓", "done", "good");
    if (run.standing === "failed") return state("✗", words(run.outcome || "failed"), "bad");
    return state("■", words(run.outcome || "stopped"), "quiet");
  }
  const [symbol, text] = LIFE[run.life] ?? ["·", run.life];
  return state(symbol, text, { working: "busy", waiting: "warn", cut_off: "warn", paused: "quiet" }[run.life]);
}

export function progress(run) {
  const all = run.all ?? 0;
  const done = run.done ?? 0;
  return h("span", { class: "progress", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": String(all || 1), "aria-valuenow": String(done), "aria-label": done + " of " + all + " done" },
    h("span", { class: "fill", style: { width: (all ? (100 * done) / all : 0) + "%" } }),
    run.failed > 0 && h("span", { class: "fill failed", style: { width: (100 * run.failed) / all + "%" } }));
}

// The letter, colour and pattern of an agent's role: each tells it alone.
const TONES = { developer: 0, execute: 0, "test-writer": 3, critic: 1, "test-review": 1, "execute-review": 1, auditor: 2, "sign-off": 2, expert: 4, analyst: 4 };
export function toneOf(role) {
  if (role in TONES) return TONES[role];
  let sum = 0;
  for (const c of role ?? "") sum = (sum * 31 + c.charCodeAt(0)) % 997;
  return sum % 5;
}
export const letterOf = (role) => (role || "?").split("-").slice(0, 2).map((word) => (word[0] ?? "").toUpperCase()).join("");
export const wentBack = (attempt) => Boolean(attempt.sent_back || attempt.fault || attempt.checked === "refused");
export function titleOf(attempt, now) {
  const ms = attempt.ended ? Date.parse(attempt.ended) - Date.parse(attempt.began) : now - Date.parse(attempt.began);
  return attempt.role + " " + (attempt.attempt ?? 1) + (attempt.began ? ", " + duration(ms) : "") +
    (attempt.left ? ", " + LIFE[attempt.left][1] : attempt.held ? ", held" : attempt.running ? ", at work" : attempt.fault ? ", " + words(attempt.fault) : wentBack(attempt) ? ", sent back" : attempt.said ? ", " + attempt.said : "");
}
export function chips(attempts, now) {
  return h("span", { class: "chips" }, attempts.map((attempt) =>
    h("span", { key: attempt.agent, class: "chip tone" + toneOf(attempt.role) + (wentBack(attempt) ? " back" : "") + (attempt.running ? " running" : ""), title: titleOf(attempt, now) },
      h("span", { "aria-hidden": "true" }, wentBack(attempt) ? "✕" : letterOf(attempt.role)),
      h("span", { class: "hidden" }, titleOf(attempt, now) + "; "))));
}

export function figure(label, value) {
  return value ? h("span", { class: "figure" }, h("b", {}, value), " ", h("span", { class: "quiet" }, label)) : null;
}

// ---- What a person does

const busy = new Map(); // by key: "sending", or what came of it
export const told = (key) => busy.get(key);

export async function perform(key, action, form) {
  if (busy.get(key)?.sending) return;
  busy.set(key, { sending: true });
  draw();
  try {
    const answer = await act(action);
    if (action.verb in STARTS) {
      busy.delete(key); // the run itself shows it
      document.getElementById("told").textContent = "Begun.";
    } else busy.set(key, { said: answer.said || "done" });
    form?.reset();
  } catch (error) {
    busy.set(key, { error: error.message });
  }
  draw();
}

export function outcome(key) {
  const what = busy.get(key);
  return h("p", { class: "outcome " + (what?.error ? "bad" : what?.said ? "good" : "quiet"), role: "status" }, what?.sending ? "Sending …" : what?.error ?? what?.said ?? "");
}

export function copyable(command) {
  return h("span", { class: "command" }, h("code", {}, command),
    h("button", { class: "copy", "aria-label": "Copy: " + command, onclick: () => copy(command) }, "Copy"));
}
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    document.getElementById("told").textContent = "Copied.";
  } catch {}
}

// What has a run go on is asked about first: the second button says what it does.
const asking = new Set();
const plain = (run) => !(run?.failed > 0 && run.workflow === "delivery");
const STARTS = {
  go_on: ["Go on …", () => "It is taken up where it was left.", () => "Go on with it"],
  retry: ["Try again …", (run) => (plain(run) ? "It goes on at its first phase that is not done." : "Its " + plural(run.failed, "failed task") + " and what waits for them are tried again; what is merged stays."),
    (run) => (plain(run) ? "Try it again" : "Try " + plural(run.failed, "task") + " again")],
  merge: ["Merge …", () => "Its checks run again, and then it is merged.", () => "Merge it"],
};
export const isStart = (action) => action.verb in STARTS;
// `base`: what the action is about; `run` may be unknown.
export function starters(key, base, actions, run) {
  const able = actions.filter((action) => isStart(action) && canDo(action));
  if (!able.length) return null;
  const id = key + "/start";
  const open = (action) => asking.has(id + action.verb);
  const shut = () => able.forEach((action) => asking.delete(id + action.verb));
  return h("div", { class: "starts", key: "starts" },
    h("div", { class: "buttons" }, able.map((action) => h("button", { key: action.verb, "aria-expanded": String(open(action)), onclick: () => {
      const was = open(action);
      shut();
      if (!was) asking.add(id + action.verb);
      draw();
    } }, STARTS[action.verb][0]))),
    able.filter(open).map((action) => h("div", { key: "sure-" + action.verb, class: "sure", role: "group", "aria-label": words(action.verb) },
      h("p", {}, STARTS[action.verb][1](run), " It goes on when you leave this page, and when capsule serve ends."),
      h("p", { class: "quiet" }, "Same as: ", copyable(action.command + " --detach")),
      h("div", { class: "buttons" },
        h("button", { class: "main", onclick: () => (shut(), perform(id, { ...base, verb: action.verb })) }, STARTS[action.verb][2](run)),
        h("button", { onclick: () => (shut(), draw()) }, "Leave it")))),
    outcome(id));
}

const DOES = new Set(["answer", "approve", "reject", "go_on", "retry", "merge", "pause", "abort", "tell", "lift"]);
export const canDo = (action) => DOES.has(action.verb) && store.state !== "ended" && !store.about.read_only;
export const moneyOf = (micros, missing) => (micros ? money(micros) + (missing ? "+" : "") : missing ? "not known" : "");
