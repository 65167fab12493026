// Words and numbers for people.

// Controls, bidirectional marks and invisible characters show themselves, and do nothing.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u115f\u1160\u3164\uffa0]|\udb40[\udc00-\udc7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const shown = (text) => text.replace(/\r\n/g, "\n").replace(HIDDEN, (c) => "⟨" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩");
let long = { text: "", shown: "" }; // a transcript is drawn again and again
export function visible(text) {
  if (text.length < 65536) return shown(text);
  if (text !== long.text) long = { text, shown: shown(text) };
  return long.shown;
}

export function duration(ms) {
  if (!(ms >= 0)) return "";
  const s = Math.floor(ms / 1000);
  if (ms < 1000) return Math.round(ms) + "ms";
  if (s < 60) return (ms < 10000 ? (ms / 1000).toFixed(1) : s) + "s";
  if (s < 3600) return Math.floor(s / 60) + "m " + String(s % 60).padStart(2, "0") + "s";
  if (s < 86400) return Math.floor(s / 3600) + "h " + String(Math.floor(s / 60) % 60).padStart(2, "0") + "m";
  return Math.floor(s / 86400) + "d " + (Math.floor(s / 3600) % 24) + "h";
}

export const time = (iso) => (iso ? Date.parse(iso) : NaN);
export const between = (began, ended, now) => duration((ended ? time(ended) : now) - time(began));
export function ago(iso, now) {
  const ms = now - time(iso);
  if (!(ms >= 0)) return "";
  if (ms < 60000) return "just now";
  return duration(ms).replace(/ \d+s$/, "") + " ago";
}
export const clock = (iso) => (iso ? new Date(iso).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }) : "");
export const money = (micros) => (micros ? "$" + (micros / 1e6).toFixed(micros < 1e4 ? 4 : 2) : "");
export function count(n) {
  if (!n) return "0";
  if (n < 10000) return String(n);
  if (n < 1e6) return (n / 1e3).toFixed(n < 1e5 ? 1 : 0) + "k";
  return (n / 1e6).toFixed(1) + "M";
}
// Ids of commits are as long as nobody reads them.
export const shortened = (text) => (text ?? "").replace(/\b[0-9a-f]{40}([0-9a-f]{24})?\b/g, (id) => id.slice(0, 10));
export const words = (name) => (name ?? "").replaceAll("_", " ");
export const plural = (n, noun) => n + " " + noun + (n === 1 ? "" : "s");
