// A key for everything. `?` lists them all.

import { element, isTyping } from "./dom.js";
import { say } from "./words.js";

const known = [];
let before = "";
let timer = 0;

/** Give a key something to do: `"g n"` is g, then n; `"Mod+k"` is Ctrl or ⌘ with k and works while typing too. Where `when` says no, the key is the browser's. */
export function key(combination, told, run, when = () => true) {
  known.push({ combination, told, run, when });
}

function pressed(event) {
  const modified = event.ctrlKey || event.metaKey;
  if (event.altKey || event.isComposing || (!modified && isTyping(event.target)) || document.querySelector("dialog[open]") && !modified) return;
  const now = modified ? `Mod+${event.key.toLowerCase()}` : event.key === " " ? "Space" : event.key;
  const find = (wanted) => known.find(({ combination, when }) => combination === wanted && when());
  const found = find(before ? `${before} ${now}` : now) ?? find(now);
  clearTimeout(timer);
  before = "";
  if (found) {
    event.preventDefault();
    found.run(event);
  } else if (!modified && known.some(({ combination }) => combination.startsWith(`${now} `))) {
    before = now;
    timer = setTimeout(() => { before = ""; }, 1200);
  }
}

/** List the keys of this page. */
export function showKeys() {
  const rows = known.flatMap(({ combination, told }) => [
    element("dt", {}, ...combination.replace("Mod+", /Mac|iP/.test(navigator.platform) ? "⌘ " : "Ctrl ").split(" ").map((each) => element("kbd", {}, each))),
    element("dd", {}, told),
  ]);
  const dialog = element("dialog", { "aria-labelledby": "keys-title", onclose: () => dialog.remove() },
    element("h2", { id: "keys-title" }, say("shell.js.keys")), element("dl", { class: "keys" }, ...rows),
    element("form", { method: "dialog", class: "acts" }, element("button", {}, say("shell.js.close"))));
  document.body.append(dialog);
  dialog.showModal();
}

document.addEventListener("keydown", pressed);
