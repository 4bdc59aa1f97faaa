// Today: todos are put into another field of the matrix, by hand, by a menu, by keys.

import { all, one } from "./dom.js";
import { key } from "./keys.js";
import { addMenu } from "./row_menu.js";
import { send } from "./stay.js";
import { told } from "./toasts.js";
import { say } from "./words.js";

const FIELDS = ["now", "plan", "hand_over", "let_go"];
const put = (row, field) => send(`/todos/${row.dataset.todo}/matter`, [["field", field], ["back", "/"]]).catch(told);

function prepare() {
  for (const row of all("li[data-matter]")) {
    addMenu(row, "matter-menu", say("todos.js.menu", { what: one("a", row).textContent }));
    row.draggable = true;
  }
}

let held = null;
document.addEventListener("dragstart", (event) => {
  held = event.target.closest?.("li[data-todo]");
  if (!held || !("matter" in held.dataset)) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", one("a", held).textContent);
  held.classList.add("dragged");
});
document.addEventListener("dragover", (event) => {
  if (!held) return;
  const field = event.target.closest?.("[data-field]");
  all("[data-field]").forEach((each) => each.classList.toggle("over", each === field && !each.contains(held)));
  if (field && !field.contains(held)) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const field = held && event.target.closest?.("[data-field]");
  if (!field) return;
  event.preventDefault();
  put(held, field.dataset.field);
});
document.addEventListener("dragend", () => {
  held?.classList.remove("dragged");
  held = null;
  all("[data-field].over").forEach((each) => each.classList.remove("over"));
});

FIELDS.forEach((field, place) => key(String(place + 1), say(`today.js.key_${field}`), () => {
  const row = document.activeElement?.closest?.("li[data-todo]") ?? one("li.chosen[data-todo]");
  if (row) put(row, field);
}));
addEventListener("hearth:renewed", prepare);
prepare();
