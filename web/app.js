// The frame around every page: where we are, what is drawn, keys, theme.
import { h, patch } from "./dom.js";
import { inbox, start, store, want } from "./store.js";
import { costPage, inboxPage, runsPage } from "./pages.js";

const root = document.getElementById("app");
const told = document.getElementById("told");

export const ui = { route: [], now: Date.now(), help: false, filter: "" };

const NAV = [
  ["inbox", "Inbox", "i"],
  ["runs", "Runs", "r"],
  ["cost", "Cost", "c"],
];
const KEYS = [
  ["i", "inbox"],
  ["r", "runs"],
  ["c", "cost"],
  ["b", "board of the run"],
  ["t", "timeline of the run"],
  ["p", "plan of the run"],
  ["l", "ledger of the run"],
  ["1 – 4", "evidence, diff, transcript, facts of a task"],
  ["j k", "next and previous row"],
  ["Enter", "open the row"],
  ["/", "filter, or find in a transcript"],
  ["Esc", "back"],
  ["d", "dark or light"],
  ["?", "these keys"],
];

// Modules that the first page does without are fetched when something of them is first shown.
const modules = {};
const fetching = new Set();
export function later(name, show) {
  if (modules[name]) return show(modules[name]);
  if (!fetching.has(name)) {
    fetching.add(name);
    import("./" + name + ".js").then((module) => ((modules[name] = module), draw()), () => {}).finally(() => fetching.delete(name));
  }
  return h("p", { class: "start" }, "Reading the page …");
}

export const link = (...parts) => "#/" + parts.map(encodeURIComponent).join("/");
export function draw() {
  ui.now = Date.now();
  patch(root, frame());
}
store.changed = () => {
  announce();
  draw();
};

let known = null;
function announce() {
  const items = inbox();
  const keys = new Set(items.map((item) => item.key));
  const fresh = known && items.filter((item) => !known.has(item.key));
  if (fresh?.length) told.textContent = "New in the inbox: " + fresh.map((item) => item.title || item.name).join(", ");
  if (store.loaded) known = keys;
  document.title = (keys.size ? "(" + keys.size + ") " : "") + (store.about.name ? store.about.name + " – " : "") + "Capsule";
}

// Where a filter counts: in one list, which is that of the runs or of one run.
const listOf = (route) => route.slice(0, route[0] === "run" ? 2 : 1).join("/");

function readRoute() {
  const before = ui.route.slice(0, 3).join("/");
  const list = listOf(ui.route);
  ui.route = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  if (listOf(ui.route) !== list) ui.filter = "";
  want(ui.route[0] === "run" ? ui.route[1] ?? "" : "");
  draw();
  if (before !== ui.route.slice(0, 3).join("/")) {
    window.scrollTo(0, 0);
    document.getElementById("main")?.focus({ preventScroll: true });
  }
}

function frame() {
  const items = inbox();
  const page = ui.route[0] ?? "inbox";
  const current = page === "run" ? "runs" : page;
  return [
    h("a", { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), document.getElementById("main").focus()) }, "Skip to content"),
    h("header", { class: "top" },
      h("a", { class: "brand", href: "#/inbox", "aria-label": "Capsule, to the inbox" }, h("span", { class: "logo", "aria-hidden": "true" }), "Capsule"),
      h("nav", { "aria-label": "Pages" },
        NAV.map(([name, words, key]) =>
          h("a", { key: name, href: "#/" + name, "aria-current": current === name ? "page" : undefined, title: "Key " + key },
            words,
            name === "inbox" && items.length > 0 && h("span", { class: "badge" }, items.length, h("span", { class: "hidden" }, " need you")))),
      ),
      store.about.name && h("span", { class: "where quiet", title: store.about.project }, store.about.name, store.about.read_only && " (read-only)"),
      h("span", { class: "stream " + store.state, role: "status" },
        h("span", { class: "dot", "aria-hidden": "true" }),
        h("span", { class: "livewords" }, { live: "live", connecting: "connecting", ended: "not connected" }[store.state])),
      h("button", { class: "icon", onclick: switchTheme, "aria-label": "Dark or light", title: "Dark or light (d)" }, h("span", { "aria-hidden": "true" }, "◐")),
      h("button", { class: "icon wide", onclick: toggleHelp, "aria-label": "Keys", title: "Keys (?)" }, h("span", { "aria-hidden": "true" }, "?")),
    ),
    store.state === "ended" && h("p", { class: "banner", role: "alert" },
      "The page is no longer connected: ", h("code", {}, "capsule serve"), " has ended, or this address is used up. What is shown is old; runs go on."),
    store.about.trouble && h("p", { class: "banner", role: "alert" }, "The journal cannot be read: ", store.about.trouble),
    h("main", { id: "main", tabindex: "-1", key: "main" }, content(page, items)),
    ui.help && help(),
  ];
}

function content(page, items) {
  if (!store.loaded) return h("p", { class: "start" }, store.error || "Reading the journal …");
  if (page === "inbox") return inboxPage(items);
  if (page === "runs") return runsPage();
  if (page === "cost") return costPage();
  if (page === "run" && ui.route[1]) return later("run", (run) => run.runPage(ui.route[1], ui.route[2] ?? "board", ui.route.slice(3)));
  return [h("h1", {}, "There is no such page"), h("p", {}, h("a", { href: "#/inbox" }, "To the inbox"))];
}

function help() {
  return h("div", { class: "veil", onclick: toggleHelp },
    h("div", { class: "dialog", role: "dialog", "aria-modal": "true", "aria-labelledby": "keys", onclick: (event) => event.stopPropagation() },
      h("h2", { id: "keys" }, "Keys"),
      h("dl", { class: "keys" }, KEYS.map(([key, words]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, words)))),
      h("button", { id: "help-close", onclick: toggleHelp }, "Close")));
}
let beforeHelp = null;
function toggleHelp() {
  ui.help = !ui.help;
  if (ui.help) beforeHelp = document.activeElement;
  draw();
  if (ui.help) document.getElementById("help-close").focus();
  else beforeHelp?.focus?.();
}

function switchTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("theme", document.documentElement.dataset.theme);
  } catch {}
}
try {
  const theme = localStorage.getItem("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {}

function moveRow(step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length) return;
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + step))];
  (next.matches("a, button, input, textarea") ? next : next.querySelector("a, button, input, textarea") ?? next).focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches?.("input:not([type=range]), textarea, select");
  if (event.key === "Escape") {
    if (ui.help) return toggleHelp();
    if (typing) return event.target.blur();
    if (ui.route[0] === "run") location.hash = ui.route[3] ? link("run", ui.route[1], "board") : "#/runs";
    else location.hash = "#/inbox";
    return;
  }
  if (ui.help && event.key === "Tab") {
    event.preventDefault();
    return document.getElementById("help-close").focus();
  }
  if (typing || ui.help && event.key !== "?") return;
  const inRun = ui.route[0] === "run";
  const go = { i: "#/inbox", r: "#/runs", c: "#/cost" }[event.key];
  const within = inRun && { b: "board", t: "timeline", p: "plan", l: "ledger" }[event.key];
  const tab = inRun && ui.route[3] && { 1: "evidence", 2: "diff", 3: "transcript", 4: "facts" }[event.key];
  if (go) location.hash = go;
  else if (within) location.hash = link("run", ui.route[1], within);
  else if (tab) location.hash = link("run", ui.route[1], ui.route[2], ui.route[3], tab);
  else if (event.key === "j" || event.key === "k") moveRow(event.key === "j" ? 1 : -1);
  else if (event.key === "/") document.querySelector("input[type=search]")?.focus();
  else if (event.key === "d") switchTheme();
  else if (event.key === "?") toggleHelp();
  else return;
  event.preventDefault();
});

window.addEventListener("hashchange", readRoute);
// Times grow only while somebody looks at something that runs.
setInterval(() => {
  if (document.visibilityState === "visible" && store.loaded && document.querySelector("[data-ticks]")) draw();
}, 1000);
readRoute();
start();
