// The text as it will be read, beside it or in its place, as the server renders it.

import { fromServer, later, liken, one } from "./dom.js";
import { reach } from "./api.js";
import { replace } from "./editor.js";

const PAUSE = 120;
const BOX = /\[([ xX])\]/;

/** Show a textarea's text as it will be read; gives what shows or hides it. */
export function previewOf(area, pane, button) {
  const prose = one(".prose", pane);
  let asking = null;
  let shown = null;

  const render = async () => {
    if (pane.hidden || area.value === shown) return;
    const text = area.value;
    asking?.abort();
    asking = new AbortController();
    try {
      const response = await reach("/notes/preview", { method: "POST", body: text, headers: { "Content-Type": "text/plain; charset=utf-8" }, signal: asking.signal });
      if (!response.ok) return;
      const at = pane.scrollTop;
      liken(prose, fromServer(await response.text()));
      pane.scrollTop = at;
      shown = text;
      follow();
    } catch { /* what was shown last stays */ }
  };
  /** Keep the paragraph at the caret in sight. */
  const follow = () => {
    if (pane.hidden || document.activeElement !== area) return;
    const share = area.selectionStart / Math.max(1, area.value.length);
    const wanted = share * prose.scrollHeight;
    if (wanted < pane.scrollTop + 40 || wanted > pane.scrollTop + pane.clientHeight - 80) pane.scrollTop = wanted - pane.clientHeight / 2;
  };
  const toggle = (show = pane.hidden) => {
    pane.hidden = !show;
    area.form.classList.toggle("both", show);
    button.setAttribute("aria-pressed", String(show));
    try { localStorage.setItem("hearth-preview", show ? "yes" : ""); } catch { /* it is shown all the same */ }
    render();
  };

  area.addEventListener("input", later(PAUSE, render));
  pane.addEventListener("click", (event) => {
    const box = event.target.closest(".tick");
    if (!box) return;
    event.preventDefault();
    tick(area, Number(box.value));
    render();
  });
  button.addEventListener("click", () => toggle());
  button.hidden = false;
  let wanted = "";
  try { wanted = localStorage.getItem("hearth-preview"); } catch { /* none */ }
  if (wanted && matchMedia("(min-width: 68.8125em)").matches) toggle(true);
  return toggle;
}

/** Tick the box in a line, or take its tick away. */
function tick(area, line) {
  let start = 0;
  for (let count = 0; count < line && start >= 0; count += 1) start = area.value.indexOf("\n", start) + 1;
  const end = area.value.indexOf("\n", start);
  const found = BOX.exec(area.value.slice(start, end < 0 ? undefined : end));
  if (!found) return;
  const at = start + found.index + 1;
  const { selectionStart, selectionEnd } = area;
  replace(area, at, at + 1, found[1] === " " ? "x" : " ", selectionStart, selectionEnd);
}
