// The timeline and the plan.
import { h } from "./dom.js";
import { duration, words } from "./format.js";
import { link } from "./app.js";
import { STAGE, letterOf, titleOf, toneOf, wentBack } from "./parts.js";
import { lanes } from "./run.js";

const MOST_ROWS = 300;

export function timeline(run) {
  const all = lanes(run).filter((lane) => lane.attempts.length);
  const began = Date.parse(run.started);
  const ends = [...run.attempts.map((one) => Date.parse(one.ended || "")), ...(run.marks ?? []).map((mark) => Date.parse(mark.at))].filter((ms) => ms > 0);
  const open = run.attempts.some((one) => one.running);
  const end = Math.max(began + 1000, open ? run.now_ms : 0, ...ends);
  const place = (ms) => Math.max(0, Math.min(100, (100 * (ms - began)) / (end - began)));
  const span = (from, to) => ({ left: place(from) + "%", width: Math.max(0.25, place(to) - place(from)) + "%" });
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const until = (iso) => (iso ? Date.parse(iso) : open ? run.now_ms : end);
  const bands = (task) => (run.bands ?? []).filter((band) => (band.task ?? "") === task && band.kind !== undefined);
  const roles = [...new Set(run.attempts.map((one) => one.role))];
  return h("section", { class: "card", "aria-label": "Timeline" },
    h("h2", {}, "Timeline"),
    all.length === 0 ? h("p", { class: "quiet" }, "No agent has been started yet.") : h("div", { class: "gantt" },
      h("div", { class: "axis", "aria-hidden": "true" }, ticks.map((part) => h("span", { style: { left: 100 * part + "%" }, class: part === 1 ? "last" : part === 0 ? "first" : "" }, duration(part * (end - began))))),
      h("div", { class: "shade", "aria-hidden": "true" }, bands("").map((band) => h("span", { class: "band " + band.kind, style: span(Date.parse(band.began), until(band.ended)) }))),
      h("ul", {}, all.slice(0, MOST_ROWS).map((lane) => h("li", { key: lane.id },
        h("a", { class: "lane" + (lane.task?.critical ? " critical" : ""), href: link("run", run.run, lane.kind, lane.id), "data-row": true, title: lane.title },
          lane.task?.critical && h("span", { title: "on the critical path" }, h("span", { "aria-hidden": "true" }, "◆ "), h("span", { class: "hidden" }, "critical path: ")), h("span", { class: "id" }, lane.id), lane.title && " " + lane.title),
        h("div", { class: "track" },
          bands(lane.id).map((band) => h("span", { class: "band " + band.kind, style: span(Date.parse(band.began), until(band.ended)), title: bandWords(band, until) }, h("span", { class: "hidden" }, bandWords(band, until)))),
          lane.attempts.filter((one) => one.began).map((one) => h("span", {
            key: one.agent, class: "attemptbar tone" + toneOf(one.role) + (wentBack(one) ? " back" : "") + (one.running ? " running" : ""),
            role: "img", style: span(Date.parse(one.began), one.ended ? Date.parse(one.ended) : one.running ? run.now_ms : end),
            title: titleOf(one, run.now_ms), "aria-label": titleOf(one, run.now_ms) }, h("span", { "aria-hidden": "true" }, letterOf(one.role)))),
          (run.marks ?? []).filter((mark) => mark.task === lane.id && ["merged", "refused", "asked"].includes(mark.kind)).map((mark) => h("span", {
            class: "mark " + mark.kind + (place(Date.parse(mark.at)) > 97 ? " edge" : ""), style: { left: place(Date.parse(mark.at)) + "%" }, title: words(mark.kind) }, h("span", { "aria-hidden": "true" }, { merged: "●", refused: "✕", asked: "?" }[mark.kind]), h("span", { class: "hidden" }, words(mark.kind))))))))),
    all.length > MOST_ROWS && h("p", { class: "quiet" }, "The first " + MOST_ROWS + " of " + all.length + " rows; the filter of the board finds the others."),
    h("p", { class: "legend" }, roles.map((role) => h("span", {}, h("span", { class: "chip tone" + toneOf(role), "aria-hidden": "true" }, letterOf(role)), " ", role)),
      h("span", {}, h("span", { class: "chip back", "aria-hidden": "true" }, "✕"), " sent back"),
      h("span", { class: "good" }, "● merged"),
      (run.bands ?? []).some((band) => band.kind === "person") && h("span", {}, h("span", { class: "swatch person", "aria-hidden": "true" }), " waited for a person"),
      (run.bands ?? []).some((band) => band.kind === "remediation") && h("span", {}, h("span", { class: "swatch remediation", "aria-hidden": "true" }), " remediation"),
      run.tasks.some((task) => task.critical) && h("span", {}, "◆ critical path")));
}
function bandWords(band, until) {
  const what = { person: "waited for a person", remediation: "remediation", provider: "its provider was parked", budget: "the budget was spent", disk: "the disk had too little room" }[band.kind] ?? band.kind;
  return what + ", " + duration(until(band.ended) - Date.parse(band.began));
}

// ---- Plan

const WIDTH = 190;
const HEIGHT = 52;
const GAP_X = 70;
const GAP_Y = 16;

const MOST_NODES = 400;

export function planGraph(run) {
  if (run.tasks.length > MOST_NODES) return h("section", { class: "card", "aria-label": "Plan" }, h("h2", {}, "Plan"), h("p", { class: "quiet" }, "A picture of " + run.tasks.length + " tasks would show nothing. The critical path:"),
    h("ol", {}, (run.critical_path ?? []).slice(0, MOST_NODES).map((id) => h("li", { key: id }, h("a", { href: link("run", run.run, "task", id) }, id)))));
  const waves = new Map();
  for (const task of run.tasks) {
    const wave = task.wave || 1;
    if (!waves.has(wave)) waves.set(wave, []);
    waves.get(wave).push(task);
  }
  const columns = [...waves.keys()].sort((a, b) => a - b);
  const placed = new Map();
  columns.forEach((wave, x) => waves.get(wave).forEach((task, y) => placed.set(task.number ?? 0, { x: 12 + x * (WIDTH + GAP_X), y: 34 + y * (HEIGHT + GAP_Y), task })));
  const rows = Math.max(1, ...[...waves.values()].map((list) => list.length));
  const width = 24 + columns.length * (WIDTH + GAP_X) - GAP_X;
  const height = 46 + rows * (HEIGHT + GAP_Y);
  const edges = [];
  for (const { x, y, task } of placed.values())
    for (const need of task.needs ?? []) {
      const from = placed.get(need);
      if (!from) continue;
      const critical = task.critical && from.task.critical;
      const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, x, y + HEIGHT / 2];
      edges.push(h("path", { key: need + "-" + (task.number ?? 0), class: "edge" + (critical ? " critical" : ""), d: `M${x1} ${y1} C${x1 + GAP_X / 2} ${y1} ${x2 - GAP_X / 2} ${y2} ${x2} ${y2}` }));
    }
  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  return h("section", { class: "card", "aria-label": "Plan" }, h("h2", {}, "Plan"),
    h("p", { class: "quiet" }, run.critical_path?.length ? ["Critical path: ", run.critical_path.map((id, i) => [i > 0 && " › ", h("a", { href: link("run", run.run, "task", id) }, id)])] : "No task waits for another."),
    h("div", { class: "scroll graph", tabindex: "0", role: "group", "aria-label": "Graph of the tasks, by waves" },
      h("svg", { width: String(width), height: String(height), viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Tasks and what they need" },
        columns.map((wave, x) => h("text", { class: "wave", x: String(12 + x * (WIDTH + GAP_X)), y: "20" }, "wave " + wave)),
        edges,
        [...placed.values()].map(({ x, y, task }) => svgLink(run, task, x, y, short)))),
    h("details", {}, h("summary", {}, "As a list"), h("ul", {}, run.tasks.map((task) => h("li", { key: task.id }, h("a", { href: link("run", run.run, "task", task.id) }, task.id + " " + task.title), ": ", words(task.stage),
      task.needs?.length ? ", needs " + task.needs.map((number) => placed.get(number)?.task.id).filter(Boolean).join(", ") : "", task.critical ? ", on the critical path" : "")))));
}
function svgLink(run, task, x, y, short) {
  const tone = { complete: "good", failed: "bad", blocked: "quiet", removed: "quiet" }[task.stage] ?? (task.waits?.some((wait) => wait.question) ? "warn" : "busy");
  return h("g", { key: task.id, class: "node " + tone + (task.critical ? " critical" : ""), tabindex: "0", role: "link", "aria-label": task.id + " " + task.title + ", " + words(task.stage), "data-row": true,
    onclick: () => (location.hash = link("run", run.run, "task", task.id)),
    onkeydown: (event) => event.key === "Enter" && (location.hash = link("run", run.run, "task", task.id)) },
    h("rect", { x: String(x), y: String(y), width: String(WIDTH), height: String(HEIGHT), rx: "8" }),
    h("text", { class: "nodeid", x: String(x + 12), y: String(y + 21) }, (tone === "warn" ? "?" : STAGE[task.stage] ?? "·") + " " + short(task.id, 20)),
    h("text", { class: "nodetitle", x: String(x + 12), y: String(y + 40) }, short(task.title ?? "", 25)));
}
