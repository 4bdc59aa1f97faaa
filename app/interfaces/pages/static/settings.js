// Settings: time zones to choose from, a file to take in, and how far work is.

import { piece, reach, Refused } from "./api.js";
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
    const response = await reach(`/settings/data/import?${query}`, { method: "POST", body: file, headers: { "Content-Type": file.type || "application/octet-stream" } });
    if (!response.ok) throw new Refused(response.status, { message: await words(response) });
    location.assign((await response.json()).address);
  } catch (error) {
    told(error);
    progress.hidden = true;
    button.disabled = false;
  }
});

/** Read what a page says of a failure. */
async function words(response) {
  const page = fromServer(await response.text());
  return one("main p", page)?.textContent ?? "";
}

async function follow(shown) {
  try {
    shown.replaceChildren(fromServer(await piece(`${location.pathname}?piece=1`)));
  } catch (error) {
    if (error.status) return told(error);
  }
  if (one("progress", shown)) setTimeout(follow, EVERY, shown);
}

const job = one("#job[data-running]");
if (job) setTimeout(follow, EVERY, job);
