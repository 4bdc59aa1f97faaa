// A menu in a row: one form for all rows of a kind, put into the row that asks for it.

import { element, one } from "./dom.js";

/** Give a row a button that opens a copy of a hidden form, whose addresses hold `{id}`. */
export function addMenu(row, menu, name) {
  if (!document.getElementById(menu) || one(".more-button", row)) return;
  const button = element("button", { type: "button", class: "icon more-button", "aria-expanded": "false", "aria-label": name, onclick: () => openMenu(row, menu) });
  button.append(dots());
  row.append(button);
}

/** Open the menu of a row, or close it where it is open. */
export function openMenu(row, menu) {
  const before = one("li .menu")?.closest("li");
  closeMenu();
  const found = document.getElementById(menu);
  if (before === row || !found) return;
  const form = found.cloneNode(true);
  form.removeAttribute("id");
  form.hidden = false;
  form.setAttribute("action", form.dataset.action.replace("{id}", row.dataset.todo));
  for (const button of form.querySelectorAll("[formaction]")) button.setAttribute("formaction", button.getAttribute("formaction").replace("{id}", row.dataset.todo));
  form.addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !form.contains(relatedTarget)) closeMenu(); });
  one(".more-button", row)?.setAttribute("aria-expanded", "true");
  row.append(form);
  one("button", form).focus({ preventScroll: true });
  form.scrollIntoView({ block: "nearest" });
}

function closeMenu() {
  const open = one("li .menu");
  if (!open) return;
  const button = one(".more-button", open.closest("li"));
  button?.setAttribute("aria-expanded", "false");
  if (open.contains(document.activeElement)) button?.focus();
  open.remove();
}

function dots() {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ width: 20, height: 20, viewBox: "0 0 20 20", "aria-hidden": "true" })) svg.setAttribute(name, value);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", "M4 9.5h1v1H4zM9.5 9.5h1v1h-1zM15 9.5h1v1h-1z");
  svg.append(path);
  return svg;
}


document.addEventListener("keydown", (event) => { if (event.key === "Escape") closeMenu(); });
document.addEventListener("click", (event) => { if (!event.target.closest(".menu, .more-button")) closeMenu(); });
