// Changes to the text of a textarea that its own undo takes back.

/** Put a text in the place of another, such that undo knows of it; the caret goes to `caret`, or selects up to `until`. */
export function replace(area, start, end, text, caret = start + text.length, until = caret) {
  area.focus();
  area.setSelectionRange(start, end);
  // Of all ways to change a textarea only this one is in the browser's undo.
  const command = text ? document.execCommand("insertText", false, text) : start === end || document.execCommand("delete");
  if (!command) {
    area.setRangeText(text, start, end, "end");
    area.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
  }
  area.setSelectionRange(caret, until);
}

/** Change a text into another by its differing middle alone: caret and undo stay. */
export function become(area, text) {
  const old = area.value;
  if (old === text) return;
  let start = 0;
  while (start < old.length && start < text.length && old[start] === text[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < text.length - start && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
  const { selectionStart, selectionEnd, scrollTop } = area;
  const focused = document.activeElement;
  const by = text.length - old.length;
  const moved = (place) => (place <= start ? place : place >= old.length - end ? place + by : Math.min(place, text.length - end));
  replace(area, start, old.length - end, text.slice(start, text.length - end), moved(selectionStart), moved(selectionEnd));
  area.scrollTop = scrollTop;
  if (focused !== area) focused?.focus();
}

/** Return where the line of a place begins and ends. */
export function lineAt(text, place) {
  const start = text.lastIndexOf("\n", place - 1) + 1;
  const end = text.indexOf("\n", place);
  return { start, end: end < 0 ? text.length : end };
}

/** Return where the lines that are selected begin and end. */
export function linesAt(area) {
  const { value, selectionStart, selectionEnd } = area;
  // A selection that ends at the beginning of a line does not mean that line.
  const last = selectionEnd > selectionStart && value[selectionEnd - 1] === "\n" ? selectionEnd - 1 : selectionEnd;
  return { start: lineAt(value, selectionStart).start, end: lineAt(value, last).end };
}

/** Put marks around the selection, or take them away where they are; without one, around the word at the caret. */
export function surround(area, mark, after = mark) {
  let { selectionStart: start, selectionEnd: end, value } = area;
  if (start === end) {
    const word = /[\p{L}\p{N}_'’-]/u;
    while (start > 0 && word.test(value[start - 1])) start -= 1;
    while (end < value.length && word.test(value[end])) end += 1;
  }
  // What is selected by a double click may hold a space at its end.
  while (end > start && /\s/.test(value[end - 1])) end -= 1;
  while (end > start && /\s/.test(value[start])) start += 1;
  const text = value.slice(start, end);
  const around = value.slice(start - mark.length, start) === mark && value.slice(end, end + after.length) === after && !(mark === "*" && value.slice(start - 2, start) === "**" && value.slice(start - 3, start) !== "***");
  if (around) return replace(area, start - mark.length, end + after.length, text, start - mark.length, end - mark.length);
  if (text.length >= mark.length + after.length && text.startsWith(mark) && text.endsWith(after)) {
    const bare = text.slice(mark.length, -after.length);
    return replace(area, start, end, bare, start, start + bare.length);
  }
  return replace(area, start, end, mark + text + after, start + mark.length, start + mark.length + text.length);
}

/** Give each selected line what a function makes of it, and keep the lines selected. */
export function changeLines(area, change) {
  const { start, end } = linesAt(area);
  const before = area.value.slice(start, end).split("\n");
  const after = before.map(change);
  const text = after.join("\n");
  const alone = before.length === 1;
  const by = after[0].length - before[0].length;
  if (alone && area.selectionStart === area.selectionEnd) {
    return replace(area, start, end, text, Math.max(start, area.selectionStart + by));
  }
  return replace(area, start, end, text, alone ? Math.max(start, area.selectionStart + by) : start, alone ? Math.max(start, area.selectionEnd + by) : start + text.length);
}
