// Several rows of a list selected: by Shift and Ctrl or ⌘, by keys, by a long press. Boxes and bar work without this.

import { all, one } from "./dom.js";
import { key } from "./keys.js";
import { say } from "./words.js";

const LONG_PRESS = 500;
const boxes = () => all(".selectable .pick input");
const boxOf = (target) => { const row = target?.closest?.(".selectable li"); return row && one(":scope > .pick input", row); };
const anyChecked = () => boxes().some(({ checked }) => checked);
let last = null;

function count() {
  const found = boxes(), selected = found.filter(({ checked }) => checked).length;
  if (!selected) last = null;
  for (const told of all(".many output")) told.textContent = say("shell.js.selected", { n: selected });
  for (const button of all(".many [data-all]")) button.hidden = selected === found.length;
}

function set(box, checked) {
  box.checked = checked;
  last = box.value;
  count();
}

/** Select what lies between the row that was selected last and this one. */
function reach(box) {
  const found = boxes(), from = found.findIndex(({ value }) => value === last), to = found.indexOf(box);
  for (const each of found.slice(Math.min(from < 0 ? to : from, to), Math.max(from, to) + 1)) each.checked = true;
  set(box, true);
}

let pressed = null, held = false;
document.addEventListener("click", (event) => {
  const box = boxOf(event.target);
  if (held) { held = false; event.preventDefault(); return; }
  if (!box || event.target.closest(".box, .more-button, .menu")) return;
  const onBox = event.target === box, byTouch = event.pointerType === "touch" && anyChecked();
  if (event.shiftKey) reach(box);
  else if (onBox) { set(box, box.checked); return; }
  else if (event.target.closest("a") && (event.ctrlKey || event.metaKey || byTouch)) set(box, !box.checked);
  else return;
  if (!onBox) event.preventDefault();
}, true);
document.addEventListener("mousedown", (event) => { if (event.shiftKey && boxOf(event.target)) event.preventDefault(); });

document.addEventListener("pointerdown", (event) => {
  held = false;
  const box = event.pointerType === "touch" && boxOf(event.target);
  if (box) pressed = setTimeout(() => { held = true; set(box, !box.checked); navigator.vibrate?.(10); }, LONG_PRESS);
});
for (const ended of ["pointerup", "pointercancel", "pointermove", "scroll"]) document.addEventListener(ended, (event) => { if (ended !== "pointermove" || Math.abs(event.movementX) + Math.abs(event.movementY) > 6) clearTimeout(pressed); }, true);
document.addEventListener("contextmenu", (event) => { if (held) event.preventDefault(); });

/** Return the box of the row that the keys are on. */
const here = () => boxOf(document.activeElement) ?? boxOf(one(".selectable li.chosen")) ?? boxOf(one(".selectable li > a[aria-current]"));
const toggle = () => { const box = here(); if (box) set(box, !box.checked); };
const every = () => { boxes().forEach((box) => { box.checked = true; }); count(); };

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-all]")) every();
  for (const open of all(".drop[open]")) if (!open.contains(target)) open.open = false;
});
document.addEventListener("reset", ({ target }) => { if (target.id === "many") setTimeout(count); });
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  const open = one(".drop[open]");
  if (open) { open.open = false; one("summary", open).focus(); } else if (anyChecked()) one("#many").reset();
});
addEventListener("hearth:renewed", count);
addEventListener("pageshow", count);

key("Space", say("shell.js.key_select"), toggle, () => here() !== null && !document.activeElement.matches("button, summary, input"));
if (!one(".rows.todos")) key("x", say("shell.js.key_select"), toggle, () => here() !== null);
key("Mod+a", say("shell.js.key_all"), every, anyChecked);
