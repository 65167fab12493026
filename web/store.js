// What the server shows, as rows by key, kept up to date by one stream a browser: the tab that holds
// the lock listens, and tells the others.
const channel = "BroadcastChannel" in window ? new BroadcastChannel("capsule") : null;

export const store = {
  rows: new Map(),
  seq: 0,
  state: "connecting", // live, connecting, ended
  loaded: false,
  wanted: "", // the run whose rows are wanted too
  whole: new Set(), // the runs of which all rows are here
  error: "",
  about: {}, // name, project, version, read_only
  changed: () => {},
};

export async function api(path, options) {
  const response = await fetch("/api/v1/" + path, { cache: "no-store", ...options });
  const text = await response.text();
  let body = {};
  try {
    body = JSON.parse(text);
  } catch {
    body = { error: text };
  }
  if (!response.ok) {
    const error = new Error(body.error || "HTTP " + response.status);
    error.status = response.status;
    throw error;
  }
  return body;
}

export const act = (action) =>
  api("actions", { method: "POST", headers: { "Content-Type": "application/json", "X-Capsule": "1" }, body: JSON.stringify(action) });

// Whoever touches the page is there, and need not be told elsewhere that something waits.
let touched = 0;
function touch() {
  if (Date.now() - touched < 20000) return;
  touched = Date.now();
  fetch("/api/v1/about", { method: "HEAD", headers: { "X-Capsule": "1" } }).catch(() => {});
}
for (const kind of ["keydown", "pointerdown", "wheel"]) addEventListener(kind, touch, { passive: true });

function apply(message) {
  for (const { key, row } of message.rows) {
    if (row) store.rows.set(key, row);
    else store.rows.delete(key);
  }
  store.seq = Math.max(store.seq, message.seq);
}

let streamed = 0; // messages of the stream
function take(message) {
  streamed++;
  apply(message);
  store.changed();
}

// An answer that the stream overtook may hold rows that are gone: it is asked for again. A stream that never rests
// corrects most of them by itself.
async function newest(ask) {
  for (let tries = 1; ; tries++) {
    const before = streamed;
    const answer = await ask();
    if (streamed === before || tries === 10) return answer;
  }
}

const NOTHING = { rows: [], seq: 0 };
const rowsOf = (run) => api("view?run=" + encodeURIComponent(run)).catch((error) => (error.status === 404 ? NOTHING : Promise.reject(error)));

// Everything anew: the rows of all runs, and all of the one that is looked at.
export async function load() {
  const run = store.wanted;
  try {
    const [about, all, one] = await newest(() => Promise.all([api("about"), api("view"), run ? rowsOf(run) : NOTHING]));
    store.about = about;
    store.rows.clear();
    store.seq = 0; // another journal may be in the place of the one before
    apply(all);
    apply(one);
    store.whole = new Set([run]);
    store.loaded = true;
    store.error = "";
  } catch (error) {
    store.error = error.message;
    if (error.status === 403) store.state = "ended";
  }
  store.changed();
  if (store.wanted !== run) complete(); // somebody went on meanwhile
}

// The rows of the run that is looked at.
async function complete() {
  const run = store.wanted;
  if (!run) return;
  try {
    apply(await newest(() => rowsOf(run)));
    store.whole.add(run);
    store.error = "";
  } catch (error) {
    store.error = error.message;
  }
  store.changed();
}

export function want(run) {
  if (store.wanted === run) return;
  store.wanted = run;
  complete();
}

function setState(state) {
  if (store.state === state) return;
  store.state = state;
  store.changed();
  if (state === "live" && !store.whole.has(store.wanted)) complete(); // it may have failed when the server was not there
}

const PATIENCE = 5000; // ms without a server before it is said to be gone

function listen() {
  let lost = 0; // when
  const source = new EventSource("/api/v1/events?from=" + store.seq);
  const share = (kind, data) => channel?.postMessage({ kind, data });
  source.addEventListener("rows", (event) => {
    const data = JSON.parse(event.data);
    setState("live");
    take(data);
    share("rows", data);
  });
  source.addEventListener("reload", () => {
    load();
    share("reload");
  });
  source.onopen = () => {
    lost = 0;
    setState("live");
    share("state", "live");
  };
  source.onerror = () => {
    lost ||= Date.now();
    // A browser tries again for ever where nobody listens.
    const state = source.readyState === EventSource.CLOSED || Date.now() - lost > PATIENCE ? "ended" : "connecting";
    setState(state);
    share("state", state);
    // A server that was started again has another port or token; the same one may be back soon.
    if (state === "ended") setTimeout(() => source.readyState === EventSource.CLOSED && listen(), 10000);
  };
}

export async function start() {
  if (channel)
    channel.onmessage = ({ data: { kind, data } }) => {
      if (kind === "rows") take(data);
      else if (kind === "reload") load();
      else if (kind === "state") setState(data);
      else if (kind === "hello" && store.leads) channel.postMessage({ kind: "state", data: store.state });
    };
  await load();
  const lead = () => {
    store.leads = true;
    listen();
    return new Promise(() => {});
  };
  if (navigator.locks && channel) {
    channel.postMessage({ kind: "hello" });
    navigator.locks.request("capsule", lead);
  } else {
    lead();
  }
}

export function rowsBelow(prefix, rows = store.rows) {
  const found = [];
  for (const [key, row] of rows) if (key.startsWith(prefix)) found.push(row);
  return found;
}

// A run with what belongs to it, in the order of the plan or workflow.
export function wholeRun(id, rows = store.rows) {
  const run = rows.get("run/" + id);
  if (!run) return null;
  const number = (row) => row.number ?? 0;
  const attempts = rowsBelow("run/" + id + "/agent/", rows).sort((a, b) => a.agent - b.agent);
  return {
    ...run,
    tasks: rowsBelow("run/" + id + "/task/", rows).sort((a, b) => number(a) - number(b)),
    phases: rowsBelow("run/" + id + "/phase/", rows).sort((a, b) => number(a) - number(b)),
    attempts,
    byAgent: new Map(attempts.map((attempt) => [attempt.agent, attempt])),
  };
}

export const inbox = () =>
  rowsBelow("inbox/").sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || (a.since ?? "").localeCompare(b.since ?? "") || a.key.localeCompare(b.key));
export const runs = () =>
  [...store.rows.entries()].filter(([key]) => /^run\/[^/]+$/.test(key)).map(([, row]) => row).sort((a, b) => (b.started ?? "").localeCompare(a.started ?? ""));
