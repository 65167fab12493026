// Elements as values, and a keyed patch that makes the page look like them. Text only ever becomes a
// text node or an attribute, and is made harmless on the way: no string is ever read as HTML.
import { visible } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "rect", "text", "line", "circle", "title", "defs", "marker"]);

export function h(tag, props, ...kids) {
  const all = props ?? {};
  return { tag, props: all, kids: flat(kids, []), key: all.key };
}

function flat(kids, out) {
  for (const kid of kids) {
    if (Array.isArray(kid)) flat(kid, out);
    else if (kid === null || kid === undefined || kid === false || kid === true) continue;
    else out.push(typeof kid === "object" ? kid : { text: visible(String(kid)) });
  }
  return out;
}

function create(node, inSvg) {
  if (node.text !== undefined) {
    const text = document.createTextNode(node.text);
    text.was = node;
    return text;
  }
  const svg = inSvg || node.tag === "svg";
  const made = svg && SVG_TAGS.has(node.tag) ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
  update(made, { props: {}, kids: [] }, node, svg);
  return made;
}

function update(element, before, node, inSvg) {
  element.was = node;
  if (node.text !== undefined) {
    if (before.text !== node.text) element.nodeValue = node.text;
    return;
  }
  for (const name in before.props) if (!(name in node.props)) setProp(element, name, undefined);
  for (const name in node.props)
    if (before.props[name] !== node.props[name] || name === "value") setProp(element, name, node.props[name]);
  if (!node.props.own) patchKids(element, node.kids, inSvg || node.tag === "svg");
}

function setProp(element, name, value) {
  if (name === "key" || name === "own") return;
  if (name.startsWith("on")) {
    // What it returns is of no concern: "false" would keep the key or the click from doing anything.
    element[name] = value ? (event) => void value(event) : null;
  } else if (name === "style") {
    for (const part in value ?? {}) element.style.setProperty(part, value[part]);
  } else if (name === "value" || name === "checked" || name === "selected" || name === "open") {
    // What somebody is typing is theirs.
    if (value !== undefined && element[name] !== value && document.activeElement !== element) element[name] = value;
  } else if (value === undefined || value === null || value === false) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? "" : visible(String(value)));
  }
}

const same = (a, b) => a && a.tag === b.tag && (a.text === undefined) === (b.text === undefined);

function patchKids(parent, nodes, inSvg) {
  const keyed = new Map();
  const loose = [];
  for (const child of parent.childNodes) {
    if (child.was?.key !== undefined) keyed.set(child.was.key, child);
    else loose.push(child);
  }
  let next = 0;
  const chosen = nodes.map((node) => {
    let found;
    if (node.key !== undefined) {
      found = keyed.get(node.key);
      if (found && same(found.was, node)) keyed.delete(node.key);
      else found = undefined;
    } else if (next < loose.length) {
      if (same(loose[next].was, node)) {
        found = loose[next];
        loose[next] = undefined;
      }
      next++;
    }
    return found;
  });
  // What goes, goes first: then what stays need not be moved, and keeps its focus.
  for (const child of keyed.values()) child.remove();
  for (const child of loose) child?.remove();
  let at = parent.firstChild;
  nodes.forEach((node, i) => {
    const child = chosen[i];
    if (child) update(child, child.was, node, inSvg);
    const element = child ?? create(node, inSvg);
    if (element === at) at = at.nextSibling;
    else parent.insertBefore(element, at);
  });
}

export function patch(root, nodes) {
  patchKids(root, flat([nodes], []), false);
}
