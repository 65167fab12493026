// Inbox, runs and cost.
import { h } from "./dom.js";
import { ago, between, count, duration, money, plural, words } from "./format.js";
import { inbox, runs, store } from "./store.js";
import { draw, link, ui } from "./app.js";
import { KIND, canDo, copyable, figure, lifeOf, moneyOf, outcome, perform, progress, starters, told } from "./parts.js";

// ---- Inbox

export function inboxPage(items) {
  const working = runs().filter((run) => run.life === "working");
  const recent = (working.length ? working : runs()).slice(0, 6);
  return [
    h("h1", {}, items.length ? plural(items.length, "thing") + (items.length === 1 ? " needs you" : " need you") : "Nothing needs you"),
    items.length === 0 && h("p", { class: "lead" },
      working.length ? plural(working.length, "run") + (working.length === 1 ? " works" : " work") + " by itself. " : "No run is at work. ",
      "Looked at the journal up to fact " + store.seq + (store.state === "live" ? ", and listening." : ".")),
    h("div", { class: items.length ? "inbox" : "" },
      items.length > 0 && h("div", { class: "items" }, items.map(item)),
      recent.length > 0 && h("section", { class: "beside", "aria-label": working.length ? "At work" : "Newest runs" }, h("h2", {}, working.length ? "At work" : "Newest runs"), recent.map(runCard))),
  ];
}

function runCard(run) {
  return h("a", { key: run.run, class: "card runcard", href: link("run", run.run), "data-row": true },
    h("span", { class: "runtitle" }, run.title || run.name), lifeOf(run),
    h("span", { class: "nowrap" }, progress(run), " ", (run.done ?? 0) + "/" + (run.all ?? 0)),
    h("span", { class: "quiet", "data-ticks": run.life === "working" }, [run.at_work ? run.at_work + " at work" : "", run.life === "working" ? between(run.started, run.ended, ui.now) : ago(run.ended || run.started, ui.now), moneyOf(run.usage?.cost_micros)].filter(Boolean).join(" · ")));
}

function item(row) {
  const [symbol, kind] = KIND[row.kind] ?? ["·", words(row.kind)];
  const id = "item-" + row.key;
  const result = told(row.key);
  const settled = row.answered || (result?.said && row.question);
  return h("article", { key: row.key, class: "card item " + row.kind, "aria-labelledby": id, "data-row": true },
    h("header", {},
      h("span", { class: "kind" }, h("span", { class: "symbol", "aria-hidden": "true" }, symbol), " ", kind, row.question ? " " + row.question : ""),
      h("a", { href: row.task ? link("run", row.run, "task", row.task) : link("run", row.run) }, row.task || row.name, row.title && row.title !== row.name ? " · " + row.title : ""),
      h("span", { class: "when quiet", "data-ticks": true }, ago(row.since, ui.now))),
    h("h2", { id }, row.text || row.reason),
    row.context && h("pre", { class: "context", tabindex: "0", "aria-label": "Context" }, row.context),
    h("p", { class: "quiet" }, row.reason, row.until ? " · goes on by itself at " + new Date(row.until * 1000).toLocaleString() : ""),
    settled ? h("p", { class: "good", role: "status" }, "✓ " + (result?.said ?? "Answered; the run takes it up when it goes on.")) : controls(row),
    // Without the answer it would stop again.
    (settled || !row.question) && starters(row.key, { run: row.run, task: row.task ?? "", question: row.question ?? 0 }, row.actions ?? [], runs().find((run) => run.run === row.run)),
    commands(row));
}

function controls(row) {
  const possible = (row.actions ?? []).filter(canDo);
  const verbs = new Set(possible.map((action) => action.verb));
  const base = { run: row.run, task: row.task ?? "", question: row.question ?? 0 };
  const key = row.key;
  if (verbs.has("answer") && row.options?.length)
    return [h("div", { class: "buttons", role: "group", "aria-label": "Your decision" }, row.options.map((option, i) =>
      h("button", { class: i === 0 ? "main" : "", onclick: () => perform(key, { ...base, verb: "answer", text: option }) }, words(option)))), outcome(key)];
  if (verbs.has("answer")) return [form(key, "Your answer", "Answer", (text) => ({ ...base, verb: "answer", text })), outcome(key)];
  if (verbs.has("approve"))
    return [
      h("div", { class: "buttons" }, h("button", { class: "main", onclick: () => perform(key, { ...base, question: row.question ?? 0, verb: "approve" }) }, "Approve")),
      verbs.has("reject") && form(key, "What has to be different", "Reject", (text) => ({ ...base, verb: "reject", text })),
      outcome(key)];
  if (verbs.has("lift")) return [h("div", { class: "buttons" }, h("button", { class: "main", onclick: () => perform(key, { ...base, verb: "lift", item: key }) }, "Let it start again")), outcome(key)];
  if (verbs.has("tell")) return [form(key, "Words for the agent", "Tell", (text) => ({ ...base, verb: "tell", text })), outcome(key)];
  return outcome(key);
}

export function form(key, label, button, make) {
  const id = "text-" + button + "-" + key;
  const send = (element) => {
    const text = element.elements.text.value.trim();
    if (text) perform(key, make(text), element);
    else element.elements.text.focus();
  };
  // Keyed: what somebody has typed stays, whatever comes and goes beside it.
  return h("form", { key: id, class: "say", onsubmit: (event) => (event.preventDefault(), send(event.target)) },
    h("label", { for: id, class: "hidden" }, label),
    h("textarea", { id, name: "text", rows: "1", placeholder: label, autocomplete: "off", spellcheck: "true",
      onkeydown: (event) => {
        if (event.key === "Enter" && !event.shiftKey) (event.preventDefault(), send(event.target.form));
      },
      oninput: (event) => {
        event.target.style.height = "auto";
        event.target.style.height = Math.min(event.target.scrollHeight + 2, 300) + "px";
      } }),
    h("button", { class: button === "Reject" ? "" : "main" }, button));
}

function commands(row) {
  const list = (row.actions ?? []).filter((action) => !row.options?.length || action.verb !== "answer");
  const first = list[0];
  if (!first) return null;
  return h("details", { class: "commands" },
    h("summary", {}, "In a terminal"),
    h("ul", {}, list.map((action) => h("li", {}, h("span", { class: "quiet" }, words(action.verb), " "), copyable(action.command)))));
}

// ---- Runs

export function runsPage() {
  const all = runs();
  const filter = ui.filter.toLowerCase();
  const shown = all.filter((run) => (run.title + " " + run.name + " " + run.workflow + " " + run.life + " " + (run.outcome ?? "")).toLowerCase().includes(filter));
  return [
    h("div", { class: "head" }, h("h1", {}, "Runs"),
      all.length > 0 && h("input", { type: "search", "aria-label": "Filter runs", placeholder: "Filter ( / )", value: ui.filter, oninput: (event) => ((ui.filter = event.target.value), draw()) })),
    all.length === 0
      ? h("p", { class: "lead" }, "No runs yet. Start one in a terminal: ", h("code", {}, "capsule run BEAD"), " or ", h("code", {}, "capsule deliver PLAN.md"), ".")
      : shown.length ? runTable(shown) : h("p", { class: "lead" }, "No run matches the filter."),
  ];
}

const MOST_ROWS = 300;
function runTable(list) {
  return [
    h("div", { class: "card scroll" }, h("table", { class: "rows stack" },
      h("thead", {}, h("tr", {}, ["Run", "State", "Progress", "Time", "Cost"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, list.slice(0, MOST_ROWS).map((run) =>
        h("tr", { key: run.run, "data-row": true, class: run.superseded ? "old" : "" },
          h("td", {}, h("a", { class: "rowlink", href: link("run", run.run) }, run.title || run.name), h("span", { class: "sub quiet" }, run.workflow, " · ", run.name)),
          h("td", {}, lifeOf(run), run.now && run.life !== "ended" && h("span", { class: "sub quiet" }, run.now)),
          h("td", { class: "nowrap" }, progress(run), " ", (run.done ?? 0) + "/" + (run.all ?? 0), run.at_work > 0 && h("span", { class: "sub quiet" }, run.at_work + " at work")),
          h("td", { class: "nowrap", "data-ticks": !run.ended && run.life === "working" }, run.ended || run.life === "working" ? between(run.started, run.ended, ui.now) : "", h("span", { class: "sub quiet" }, ago(run.ended || run.started, ui.now))),
          h("td", { class: "nowrap", "data-label": "cost " }, moneyOf(run.usage?.cost_micros, run.usage?.calls_without_cost))))))),
    list.length > MOST_ROWS && h("p", { class: "quiet" }, "The newest " + MOST_ROWS + " of " + list.length + "; the filter finds the others."),
  ];
}

// ---- Cost

export function costPage() {
  const all = runs();
  const days = (store.rows.get("project")?.days ?? []).slice(-30);
  const most = Math.max(1, ...days.map((day) => day.cost_micros || 0));
  const mostTokens = Math.max(1, ...days.map((day) => day.tokens || 0));
  const byCost = days.some((day) => day.cost_micros);
  const sums = store.rows.get("project")?.usage ?? {};
  const missing = sums.calls_without_cost ?? 0;
  return [
    h("h1", {}, "Cost"),
    h("div", { class: "figures" }, figure("spent", moneyOf(sums.cost_micros, missing) || "nothing"), figure("runs of agents", String(sums.agent_runs ?? 0)), figure("of agents' time", duration(sums.ms ?? 0)), figure("of checks", duration(sums.checks_ms ?? 0))),
    missing > 0 && h("p", { class: "quiet" }, "Of " + plural(missing, "call") + " nobody knows the cost: their client does not tell, and no price is configured."),
    days.some((day) => day.cost_micros || day.tokens) && h("section", { class: "card" }, h("h2", {}, byCost ? "By day" : "Tokens by day"),
      h("table", { class: "bars" }, h("tbody", {}, days.map((day) =>
        h("tr", { key: day.day }, h("th", { scope: "row" }, day.day),
          h("td", { class: "barcell" }, h("span", { class: "bar", style: { width: Math.max(0.5, byCost ? (100 * (day.cost_micros || 0)) / most : (100 * (day.tokens || 0)) / mostTokens) + "%" } })),
          h("td", {}, byCost ? money(day.cost_micros) || "–" : count(day.tokens)), h("td", { class: "quiet" }, plural(day.calls ?? 0, "call"))))))),
    h("section", { class: "card scroll", tabindex: "0", "aria-label": "By run" }, h("h2", {}, "By run"), h("table", { class: "rows" },
      h("thead", {}, h("tr", {}, ["Run", "Agents", "Time", "Tokens in", "out", "Cost"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, all.slice(0, MOST_ROWS).map((run) => {
        const use = run.usage ?? {};
        const tokens = use.tokens ?? {};
        return h("tr", { key: run.run, "data-row": true }, h("td", {}, h("a", { class: "rowlink", href: link("run", run.run, "ledger") }, run.title || run.name)),
          h("td", {}, use.agent_runs ?? 0), h("td", { class: "nowrap" }, duration(use.ms ?? 0)),
          h("td", {}, tokens.tokens_known ? count((tokens.input ?? 0) + (tokens.cache_read ?? 0) + (tokens.cache_written ?? 0)) : "–"), h("td", {}, tokens.tokens_known ? count(tokens.output) : "–"),
          h("td", {}, moneyOf(use.cost_micros, use.calls_without_cost) || "–"));
      }))),
      all.length > MOST_ROWS && h("p", { class: "quiet" }, "The newest " + MOST_ROWS + " of " + all.length + "; ", h("code", {}, "capsule cost"), " has them all, and so have the sums above.")),
  ];
}
