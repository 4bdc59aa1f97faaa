// Todos: ticked in place, moved by a menu, by keys and by hand.

import { all, element, one } from "./dom.js";
import { listen } from "./quick_add.js";
import { key } from "./keys.js";
import { fieldsOf, send } from "./stay.js";
import { told } from "./toasts.js";
import { say } from "./words.js";

const rows = () => all("li[data-todo]");
let chosen = null;

const line = one("[data-quick-add]");
const understood = line && listen(line);

async function submitted(event) {
  const form = event.target.closest("form[data-stay]");
  if (!form) return;
  event.preventDefault();
  const kind = form.dataset.stay, button = event.submitter;
  if (form.dataset.busy) return;
  form.dataset.busy = "1";
  try {
    if (kind === "tick" && form.closest("li")) await tick(form.closest("li"));
    else if (kind === "add") await add(form);
    else if (kind === "menu") await send(`/todos/${form.dataset.id}/${button.dataset.action ?? "move"}`, fieldsOf(form, button));
    else await send(form.action, fieldsOf(form, button));
  } catch (error) {
    told(error);
  } finally {
    delete form.dataset.busy;
  }
}

async function add(form) {
  const page = await send(form.action, fieldsOf(form));
  line.value = "";
  form.elements.once.value = one("[name=once]", page)?.value ?? crypto.randomUUID();
  understood.clear();
  line.focus();
}

// The row stays where it is, so that nothing moves under the pointer.
async function tick(row) {
  const done = row.classList.contains("is-done");
  await send(`/todos/${row.dataset.todo}/${done ? "reopen" : "complete"}`, [["back", location.pathname + location.search]], { renew: false, undone: () => mark(row, done) });
  mark(row, !done);
}

function mark(row, done) {
  row.classList.toggle("is-done", done);
  one(".box", row)?.setAttribute("aria-pressed", String(done));
}

// One menu, put into the row that asks for it.
function openMenu(row) {
  const open = one(".menu");
  const before = open?.closest("li");
  closeMenu();
  if (before === row) return;
  const made = one("#todo-menu")?.content.cloneNode(true);
  if (!made) return;
  const form = one("form", made);
  form.dataset.id = row.dataset.todo;
  form.addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !form.contains(relatedTarget)) closeMenu(); });
  one(".more-button", row)?.setAttribute("aria-expanded", "true");
  row.append(made);
  one("button", form).focus();
}

function closeMenu() {
  const open = one(".menu");
  if (!open) return;
  const button = one(".more-button", open.closest("li"));
  button?.setAttribute("aria-expanded", "false");
  if (open.contains(document.activeElement)) button?.focus();
  open.remove();
}

function prepare() {
  const hasMenu = one("#todo-menu");
  for (const row of rows()) {
    if (!hasMenu || one(".more-button", row)) continue;
    const title = one("a", row).textContent;
    const button = element("button", { type: "button", class: "icon more-button", "aria-expanded": "false", "aria-label": say("todos.js.menu", { what: title }), onclick: () => openMenu(row) });
    button.append(dots());
    row.append(button);
    if (one("[data-drop]")) row.draggable = true;
  }
  if (chosen) choose(rows().find(({ dataset }) => dataset.todo === chosen) ?? null, false);
}

function dots() {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ width: 20, height: 20, viewBox: "0 0 20 20", fill: "currentColor", "aria-hidden": "true" })) svg.setAttribute(name, value);
  for (const x of [4.5, 10, 15.5]) {
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    for (const [name, value] of Object.entries({ cx: x, cy: 10, r: 1.3 })) dot.setAttribute(name, value);
    svg.append(dot);
  }
  return svg;
}

function choose(row, focus = true) {
  all(".chosen").forEach((each) => each.classList.remove("chosen"));
  chosen = row?.dataset.todo ?? null;
  row?.classList.add("chosen");
  if (focus) one("a", row)?.focus();
}

function step(by) {
  const found = rows();
  if (!found.length) return;
  const at = found.findIndex(({ dataset }) => dataset.todo === chosen);
  choose(found[at < 0 ? (by > 0 ? 0 : found.length - 1) : Math.max(0, Math.min(found.length - 1, at + by))]);
}

const withChosen = (run) => () => {
  const row = document.activeElement?.closest?.("li[data-todo]") ?? rows().find(({ dataset }) => dataset.todo === chosen);
  if (!row) return step(1);
  chosen = row.dataset.todo;
  Promise.resolve(run(row)).catch(told);
};
const act = (name, fields = []) => (row) => send(`/todos/${row.dataset.todo}/${name}`, [...fields, ["back", location.pathname + location.search]]);
const weigh = (by) => (row) => {
  const levels = [0, 1, 3, 4, 5], now = Math.min(5, Number(row.dataset.priority));
  const next = by > 0 ? levels.find((each) => each > now) : levels.findLast((each) => each < now);
  return next === undefined ? null : act("priority", [["priority", String(next)]])(row);
};

// By hand: a row is dropped on a day.
let held = null;
document.addEventListener("dragstart", (event) => {
  const row = event.target.closest?.("li[data-todo]");
  if (!row || !row.draggable) return;
  held = row;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", one("a", row).textContent);
  row.classList.add("dragged");
});
const target = (event) => held && event.target.closest?.("[data-drop]");
document.addEventListener("dragover", (event) => {
  const place = target(event);
  all(".over").forEach((each) => each.classList.toggle("over", each === place));
  if (!place || place.contains(held)) return;
  event.preventDefault();
  place.classList.add("over");
});
document.addEventListener("drop", (event) => {
  const place = target(event);
  if (!place) return;
  event.preventDefault();
  act("move", [["day", place.dataset.drop]])(held).catch(told);
});
document.addEventListener("dragend", () => {
  held?.classList.remove("dragged");
  held = null;
  all(".over").forEach((each) => each.classList.remove("over"));
});

document.addEventListener("submit", submitted);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") closeMenu(); });
document.addEventListener("click", (event) => { if (!event.target.closest(".menu, .more-button")) closeMenu(); });
// The name of a step is saved when one leaves it.
document.addEventListener("change", (event) => { if (event.target.closest(".steps .rows [data-stay]")) event.target.form.requestSubmit(); });
addEventListener("hearth:renewed", prepare);
prepare();

if (line) key("n", say("todos.js.key_add"), () => line.focus());
if (rows().length || one("#todo-menu")) {
  key("j", say("todos.js.key_down"), () => step(1));
  key("k", say("todos.js.key_up"), () => step(-1));
  key("x", say("todos.js.key_tick"), withChosen(tick));
  key("e", say("todos.js.key_open"), withChosen((row) => location.assign(one("a", row).href)));
  key("m", say("todos.js.key_menu"), withChosen(openMenu));
  key("t", say("todos.js.key_today"), withChosen(act("move", [["day", "today"]])));
  key("w", say("todos.js.key_tomorrow"), withChosen(act("move", [["day", "tomorrow"]])));
  key("+", say("todos.js.key_more"), withChosen(weigh(1)));
  key("-", say("todos.js.key_less"), withChosen(weigh(-1)));
  key("d", say("todos.js.key_delete"), withChosen(act("delete")));
}
if (one(".finder")) key("f", say("todos.js.key_find"), () => one(".finder input").focus());
