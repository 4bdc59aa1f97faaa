// Settings: time zones to choose from, a file to take in, and how far work is.

import { piece, Refused, sendFile } from "./api.js";
import { element, fromServer, one } from "./dom.js";
import { told } from "./toasts.js";

const EVERY = 700;

const zones = one("#zones");
if (zones) zones.append(...(Intl.supportedValuesOf?.("timeZone") ?? []).map((name) => element("option", { value: name })));

one(".sections [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

const form = one("#import-form");
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = form.elements.file.files[0];
  if (!file) return;
  const progress = one("#import-progress");
  const button = one("button", form);
  progress.hidden = false;
  button.disabled = true;
  try {
    const query = new URLSearchParams({ name: file.name, dry: form.elements.dry.checked ? "1" : "0" });
    const { status, text } = await sendFile(`/settings/data/import?${query}`, file, (part) => { progress.value = part; });
    if (status !== 200) throw new Refused(status, { message: words(text) });
    location.assign(JSON.parse(text).address);
  } catch (error) {
    told(error);
    progress.hidden = true;
    button.disabled = false;
  }
});

/** Read what a page says of a failure. */
const words = (html) => one("main p", fromServer(html))?.textContent ?? "";

async function follow(shown) {
  shown.classList.remove("late");
  try {
    shown.replaceChildren(fromServer(await piece(`${location.pathname}?piece=1`)));
  } catch (error) {
    if (error.status) return told(error);
  }
  if (one("progress", shown)) setTimeout(follow, EVERY, shown);
}

const running = one("[data-running]");
if (running && one("progress", running)) setTimeout(follow, EVERY, running);
