// Short words about what was done, with a way back.

import { element, one } from "./dom.js";
import { say } from "./words.js";

const SECONDS = 8;

/** Show a line, of texts and elements, for some seconds; `undo` is a function that takes back what was done, `act` a word and what is done by it instead. */
export function toast(line, { undo, act = undo && [say("shell.js.undo"), undo], bad = false, stays = false } = {}) {
  const shown = element("div", { class: bad ? "toast bad" : "toast" }, element("span", {}, ...[line].flat()));
  const away = () => shown.remove();
  if (act) shown.append(element("button", { type: "button", onclick: async () => { away(); await act[1](); } }, act[0]));
  shown.append(element("button", { type: "button", class: "icon", "aria-label": say("shell.js.close"), onclick: away }, "×"));
  one("#toasts").append(shown);
  if (!stays) {
    let timer = setTimeout(away, SECONDS * 1000);
    shown.addEventListener("pointerenter", () => clearTimeout(timer));
    shown.addEventListener("pointerleave", () => { timer = setTimeout(away, SECONDS * 1000); });
  }
  return away;
}

/** Say why something failed, in words. */
export function told(error) {
  if (error.name === "AbortError") return;
  if (error.status === 401) toast(say("shell.js.signed_out"), { bad: true, stays: true });
  else if (error.status !== 0) toast(say("shell.js.failed", { message: error.message }), { bad: true });
}
