// Search as somebody types: the results come from the server, the address follows.

import { piece } from "./api.js";
import { fromServer, later, one } from "./dom.js";
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

if (form) {
  form.addEventListener("input", later(PAUSE, search));
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
}
key("/", say("search.js.key_focus"), () => one("#q, #pattern")?.select());
