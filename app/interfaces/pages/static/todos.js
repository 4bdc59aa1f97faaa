// Todos: ticked in place, moved by a menu, by keys and by hand.

import { all, element, one } from "./dom.js";
import { whenChanged } from "./changes.js";
import { listen } from "./quick_add.js";
import { key } from "./keys.js";
import { addMenu, openMenu } from "./row_menu.js";
import { fieldsOf, follow, renew, send } from "./stay.js";
import { told } from "./toasts.js";
import { say } from "./words.js";

const rows = () => all("li[data-todo]:not([data-matter])");
let chosen = null, place = 0;

if (one("#live:not([data-todo])")) whenChanged(follow);

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
    else await send(button?.getAttribute("formaction") ?? form.action, fieldsOf(form, button));
  } catch (error) {
    told(error);
    // What a card or a row showed does not hold any more; nothing was typed there.
    if (error.status >= 404 && ["tick", "menu", "approval", "suggestion"].includes(kind)) renew().catch(told);
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

function prepare() {
  for (const row of rows()) {
    addMenu(row, "todo-menu", say("todos.js.menu", { what: one("a", row).textContent }));
    row.draggable = one("#todo-menu") !== null;
  }
  for (const each of all("[data-step]")) each.draggable = true;
  // Where the chosen one is gone, the one that has taken its place is chosen.
  if (chosen) choose(rows().find(({ dataset }) => dataset.todo === chosen) ?? rows()[Math.min(place, rows().length - 1)] ?? null, false);
}

function choose(row, focus = true) {
  all(".chosen").forEach((each) => each.classList.remove("chosen"));
  chosen = row?.dataset.todo ?? null;
  row?.classList.add("chosen");
  if (row) place = rows().indexOf(row);
  if (focus) one("a", row)?.focus();
}

function step(by) {
  const found = rows();
  if (!found.length) return;
  const at = found.findIndex(({ dataset }) => dataset.todo === chosen);
  choose(found[at < 0 ? (by > 0 ? 0 : found.length - 1) : Math.max(0, Math.min(found.length - 1, at + by))]);
}

const withChosen = (run) => () => {
  const row = document.activeElement?.closest?.("li[data-todo]:not([data-matter])") ?? rows().find(({ dataset }) => dataset.todo === chosen);
  if (!row) return step(1);
  choose(row, false);
  Promise.resolve(run(row)).catch(told);
};
const act = (name, fields = []) => (row) => send(`/todos/${row.dataset.todo}/${name}`, [...fields, ["back", location.pathname + location.search]]);
const weigh = (by) => (row) => {
  const levels = [0, 1, 3, 4, 5], now = Math.min(5, Number(row.dataset.priority));
  const next = by > 0 ? levels.find((each) => each > now) : levels.findLast((each) => each < now);
  return next === undefined ? null : act("priority", [["priority", String(next)]])(row);
};

// Steps are put before each other by hand; the buttons beside them do the same.
let moved = null;
document.addEventListener("dragstart", (event) => { moved = event.target.closest?.("[data-step]"); });
document.addEventListener("dragover", (event) => { if (moved && event.target.closest?.("[data-order]")) event.preventDefault(); });
document.addEventListener("drop", (event) => {
  const on = moved && event.target.closest?.("[data-step]");
  if (!on || on === moved) return;
  event.preventDefault();
  send(one("form", moved).action, [["do", "to"], ["step", moved.dataset.step], ["to", String(all("[data-step]").indexOf(on))]]).catch(told);
});
document.addEventListener("dragend", () => { moved = null; });

// By hand: a row is dropped on a day.
let held = null;
document.addEventListener("dragstart", (event) => {
  const row = event.target.closest?.("li[data-todo]:not([data-matter])");
  if (!row || !row.draggable) return;
  held = row;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", one("a", row).textContent);
  row.classList.add("dragged");
  // Only then: a browser ends a drag whose page changes as it begins.
  if (!one(".week")) setTimeout(showDays);
});

// The days of the menu, at the edge of the page, for as long as something is held.
function showDays() {
  if (held) document.body.append(element("div", { class: "days" }, ...all("#todo-menu [name=day]:not([value=date])").map(({ value, textContent }) => element("div", { "data-drop": value }, textContent))));
}
const target = (event) => held && event.target.closest?.("[data-drop]");
document.addEventListener("dragover", (event) => {
  const over = target(event);
  all(".over").forEach((each) => each.classList.toggle("over", each === over));
  if (!over || over.contains(held)) return;
  event.preventDefault();
  over.classList.add("over");
});
document.addEventListener("drop", (event) => {
  const day = target(event);
  if (!day) return;
  event.preventDefault();
  act("move", [["day", day.dataset.drop]])(held).catch(told);
});
document.addEventListener("dragend", () => {
  held?.classList.remove("dragged");
  held = null;
  one(".days")?.remove();
  all(".over").forEach((each) => each.classList.remove("over"));
});

document.addEventListener("submit", submitted);
// A title wraps, and is one line all the same.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.target.id !== "title") return;
  event.preventDefault();
  event.target.form.requestSubmit();
});
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
  key("m", say("todos.js.key_menu"), withChosen((row) => openMenu(row, "todo-menu")));
  key("t", say("todos.js.key_today"), withChosen(act("move", [["day", "today"]])));
  key("w", say("todos.js.key_tomorrow"), withChosen(act("move", [["day", "tomorrow"]])));
  key("+", say("todos.js.key_more"), withChosen(weigh(1)));
  key("-", say("todos.js.key_less"), withChosen(weigh(-1)));
  key("#", say("todos.js.key_delete"), withChosen(act("delete")));
}
if (one(".finder")) key("f", say("todos.js.key_find"), () => one(".finder input").focus());
