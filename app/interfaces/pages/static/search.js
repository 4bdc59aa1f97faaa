// Search as somebody types: the results come from the server, the address follows.

import { piece } from "./api.js";
import { all, fromServer, later, one } from "./dom.js";
import { key } from "./keys.js";
import { told } from "./toasts.js";
import { say } from "./words.js";

const PAUSE = 90;
const form = one(".searching");
const results = one("#results");
let asked = null;

async function search() {
  const query = new URLSearchParams(new FormData(form)).toString();
  asked?.abort();
  asked = new AbortController();
  try {
    const html = await piece(`/search/results?${query}`, { signal: asked.signal });
    results.replaceChildren(fromServer(html));
    history.replaceState(null, "", `/search?${query}`);
  } catch (error) {
    told(error);
  }
}

function step(by) {
  const links = all("#results section a, .lines h2 a");
  links[Math.max(0, Math.min(links.length - 1, links.indexOf(document.activeElement) + by))]?.focus();
}

if (form) {
  form.addEventListener("input", later(PAUSE, search));
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
}
key("j", say("search.js.key_next"), () => step(1));
key("k", say("search.js.key_before"), () => step(-1));
key("/", say("search.js.key_focus"), () => one("#q, #pattern")?.select());
