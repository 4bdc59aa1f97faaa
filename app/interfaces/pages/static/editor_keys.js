// Keys of the editor: lists that continue, indents, brackets in pairs, marks.

import { changeLines, lineAt, linesAt, replace, surround } from "./editor.js";

const ITEM = /^([ \t]*)((?:>[ \t]?)*)(?:([-*+])|(\d{1,9})([.)]))([ \t]+)(\[[ xX]\][ \t]+)?/;
const QUOTE = /^([ \t]*(?:>[ \t]?)+)/;
const PAIRS = { "(": ")", "[": "]", "{": "}", '"': '"', "`": "`", "*": "*", "~": "~", "„": "“", "“": "”", "«": "»" };
const ONLY_AROUND = new Set(['"', "*", "~", "„", "“", "«"]);
const INDENT = "    ";

/** Let the keys of a textarea do what a writer of Markdown expects. */
export function listenToKeys(area) {
  let leaving = false;
  area.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const { key, shiftKey, altKey } = event;
    const mod = event.ctrlKey || event.metaKey;
    let done = false;
    if (key === "Tab" && !mod && !altKey && !leaving) done = indent(area, shiftKey);
    else if (key === "Enter" && !mod && !altKey) done = shiftKey ? false : goOn(area);
    else if (key === "Backspace" && !mod && !altKey) done = eraseMark(area);
    else if (mod && !altKey) done = mark(area, key.toLowerCase(), shiftKey);
    else if (altKey && !mod && (key === "ArrowUp" || key === "ArrowDown")) done = moveLines(area, key === "ArrowUp" ? -1 : 1);
    else if (!mod && key.length === 1) done = pair(area, key);
    leaving = key === "Escape" || (leaving && key === "Shift");
    if (done) { event.preventDefault(); event.stopPropagation(); }
  });
  area.addEventListener("blur", () => { leaving = false; });
}

/** Do what a button of the toolbar says. */
export function applyMark(area, name) {
  if (name === "bold") surround(area, "**");
  else if (name === "italic") surround(area, "*");
  else if (name === "code") code(area);
  else if (name === "link") link(area);
  else if (name === "heading") changeLines(area, heading);
  else if (name === "list") changeLines(area, (line) => toggled(line, "- "));
  else if (name === "task") changeLines(area, (line) => toggled(line, "- [ ] "));
  else if (name === "quote") changeLines(area, (line) => (line.startsWith("> ") ? line.slice(2) : `> ${line}`));
}

/** Make the selection a link; with an address in it, the text is asked for. */
export function link(area, address = "") {
  const { selectionStart: start, selectionEnd: end, value } = area;
  const text = value.slice(start, end);
  if (!address && /^(https?:|mailto:)\S+$/.test(text)) replace(area, start, end, `[](${text})`, start + 1);
  else if (address) replace(area, start, end, `[${text}](${address})`);
  else replace(area, start, end, `[${text}]()`, text ? start + text.length + 3 : start + 1);
  return true;
}

function mark(area, key, shift) {
  if (key === "b" && !shift) surround(area, "**");
  else if (key === "i" && !shift) surround(area, "*");
  else if (key === "e" && !shift) code(area);
  else if (key === "x" && shift) surround(area, "~~");
  // Without a selection this key finds anything, as everywhere.
  else if (key === "k" && !shift && area.selectionStart !== area.selectionEnd) link(area);
  else if (shift && (key === "8" || key === "*" || key === "(")) applyMark(area, "list");
  else if (shift && (key === "9" || key === ")")) applyMark(area, "task");
  else if (key === "]" && !shift) indent(area, false);
  else if (key === "[" && !shift) indent(area, true);
  else return false;
  return true;
}

function code(area) {
  const text = area.value.slice(area.selectionStart, area.selectionEnd);
  if (text.includes("\n")) surround(area, "```\n", "\n```");
  else surround(area, "`");
}

function heading(line) {
  const found = /^(#{1,6})\s+/.exec(line);
  if (!found) return `## ${line}`;
  return found[1].length >= 4 ? line.slice(found[0].length) : `#${line}`;
}

function toggled(line, wanted) {
  const found = ITEM.exec(line);
  const space = /^[ \t]*/.exec(line)[0];
  if (!found) return space + wanted + line.slice(space.length);
  const rest = line.slice(found[0].length);
  const now = line.slice(space.length, found[0].length);
  return space + (now.replace(/\[[xX]\]/, "[ ]") === wanted ? "" : wanted) + rest;
}

/** Let the next line of a list begin as this one does; an item without a word ends the list. */
function goOn(area) {
  const { value, selectionStart: at, selectionEnd: until } = area;
  const { start, end } = lineAt(value, at);
  const line = value.slice(start, end);
  const found = ITEM.exec(line);
  if (found && at - start >= found[0].length) {
    if (!line.slice(found[0].length).trim() && at === until) {
      // An item that is indented goes out by one level first.
      if (found[1].length) return indent(area, true);
      replace(area, start, end, found[2]);
      return true;
    }
    const [, space, quotes, bullet, number, sign, gap, box] = found;
    const next = `${space}${quotes}${bullet ?? Number(number) + 1 + (sign ?? "")}${gap}${box ? "[ ] " : ""}`;
    replace(area, at, until, `\n${next}`);
    if (number) renumber(area);
    return true;
  }
  const quote = QUOTE.exec(line);
  if (quote && at - start >= quote[0].length) {
    if (line.trim() === quote[0].trim() && at === until) replace(area, start, end, "");
    else replace(area, at, until, `\n${quote[0]}`);
    return true;
  }
  const space = /^[ \t]+/.exec(line);
  if (space && at - start >= space[0].length && line.trim()) { replace(area, at, until, `\n${space[0]}`); return true; }
  return false;
}

/** Number the items below the caret's anew, as far as they count on from it. */
function renumber(area) {
  const { value, selectionStart: at } = area;
  const first = lineAt(value, at);
  const [, space, , , number, sign] = ITEM.exec(value.slice(first.start, first.end)) ?? [];
  if (!number) return;
  let count = Number(number);
  let place = first.end + 1;
  let text = "";
  while (place < value.length) {
    const { start, end } = lineAt(value, place);
    const line = value.slice(start, end);
    const found = ITEM.exec(line);
    const deeper = /^[ \t]*/.exec(line)[0].length > space.length;
    if (found && found[1] === space && found[4] && found[5] === sign && Number(found[4]) === count) {
      count += 1;
      text += `\n${space}${count}${line.slice(space.length + found[4].length)}`;
    } else if (deeper && line.trim()) text += `\n${line}`;
    else break;
    place = end + 1;
  }
  if (text) replace(area, first.end, Math.min(place - 1, value.length), text, at);
}

/** Move the selected lines in or out by a level; a caret in other text gets spaces. */
function indent(area, out) {
  const { value, selectionStart: at, selectionEnd: until } = area;
  const { start, end } = linesAt(area);
  const several = value.slice(at, until).includes("\n");
  if (!out && !several && !ITEM.test(value.slice(start, end)) && at === until) {
    replace(area, at, until, INDENT.slice((at - start) % INDENT.length));
    return true;
  }
  changeLines(area, (line) => (out ? line.replace(/^(?:\t| {1,4})/, "") : line && INDENT + line));
  return true;
}

/** Take away the mark of an item, or an empty pair, as one. */
function eraseMark(area) {
  const { value, selectionStart: at, selectionEnd: until } = area;
  if (at !== until) return false;
  const { start } = lineAt(value, at);
  const found = ITEM.exec(value.slice(start, at));
  if (found && found[0].length === at - start) {
    replace(area, start, at, found[7] ? value.slice(start, at - found[7].length) : found[1] + found[2]);
    return true;
  }
  const before = value[at - 1];
  if (PAIRS[before] === value[at] && "([{`".includes(before)) { replace(area, at - 1, at + 1, ""); return true; }
  return false;
}

/** Close a bracket with the one that opens it, put a pair around a selection, and step over one that is there. */
function pair(area, key) {
  const { value, selectionStart: at, selectionEnd: until } = area;
  const other = PAIRS[key];
  if (other && at !== until && !value.slice(at, until).includes("\n\n")) {
    replace(area, at, until, key + value.slice(at, until) + other, at + 1, until + 1);
    return true;
  }
  if (at === until && value[at] === key && ")]}`".includes(key) && (key !== "`" || value[at - 1] !== "`")) {
    area.setSelectionRange(at + 1, at + 1);
    return true;
  }
  const free = /^[\s)\]}.,;:!?]?$/.test(value[at] ?? "");
  if (!other || at !== until || ONLY_AROUND.has(key) || !free) return false;
  if (key === "`" && (value[at - 1] === "`" || /\w/.test(value[at - 1] ?? ""))) return false;
  replace(area, at, at, key + other, at + 1);
  return true;
}

/** Move the selected lines up or down past their neighbour. */
function moveLines(area, by) {
  const { value, selectionStart: from, selectionEnd: to } = area;
  const { start, end } = linesAt(area);
  if (by < 0 ? start === 0 : end === value.length) return true;
  const lines = value.slice(start, end);
  const other = by < 0 ? lineAt(value, start - 1) : lineAt(value, end + 1);
  const beside = value.slice(other.start, other.end);
  const moved = by < 0 ? -(beside.length + 1) : beside.length + 1;
  const text = by < 0 ? `${lines}\n${beside}` : `${beside}\n${lines}`;
  replace(area, Math.min(start, other.start), Math.max(end, other.end), text, from + moved, to + moved);
  return true;
}
