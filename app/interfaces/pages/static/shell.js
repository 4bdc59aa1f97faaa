// What every page of the home has: keys, the palette, what rings, and word when the server is away.

import { keepShell, one } from "./dom.js";
import { toast } from "./toasts.js";
import { key, showKeys } from "./keys.js";
import { say } from "./words.js";

const SENDING = 3000;
const PLACES = { t: "today", n: "notes", o: "todos", s: "search", a: "agent", h: "heartbeat", p: "people", ",": "settings" };

/** Return a function that gives a module once it is needed. A browser remembers that an address did not come: each further try has another. */
function loader(path) {
  let tries = 0, module = null;
  return () => module ??= import(tries++ ? `${path}?${tries}` : path).catch((error) => {
    module = null;
    throw error;
  });
}

const loadPalette = loader("./palette.js");
const openPalette = async (options) => {
  try {
    (await loadPalette()).palette(options);
  } catch {
    toast(say("shell.js.offline"), { bad: true });
  }
};
key("Mod+k", say("shell.js.key_palette"), () => openPalette());
addEventListener("keydown", (event) => { if (event.ctrlKey || event.metaKey) loadPalette().catch(() => {}); });
key("q", say("shell.js.key_add"), () => {
  const line = one("[data-quick-add]");
  if (line) line.focus();
  else openPalette({ adds: true });
});
key("?", say("shell.js.key_help"), showKeys);
for (const [letter, name] of Object.entries(PLACES)) key(`g ${letter}`, say(`shell.js.key_${name}`), () => location.assign(name === "today" ? "/" : `/${name}`));

let away = null;
addEventListener("hearth:reach", ({ detail: reachable }) => {
  away?.();
  away = reachable ? (toast(say("shell.js.online")), null) : toast(say("shell.js.offline"), { bad: true, stays: true });
});

// what cannot be taken back is asked first
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
}, true);

// a second click while the answer is on its way sends nothing twice
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "1";
  setTimeout(() => { delete form.dataset.sent; }, SENDING);
});

// where the server is away as the page is made, it rings from when it is back
const loadRing = loader("./ring.js");
const ring = () => loadRing().catch(() => {});
addEventListener("hearth:reach", ({ detail: reachable }) => { if (reachable) ring(); });
addEventListener("load", () => {
  keepShell();
  ring();
});
