// Settings: time zones to choose from, a file to take in, and how far work is.

import { piece, Refused, sendFile } from "./api.js";
import { all, element, fromServer, one } from "./dom.js";
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
  const address = new URL(location);
  address.searchParams.set("piece", shown.dataset.running || "1");
  try {
    shown.replaceChildren(fromServer(await piece(address.pathname + address.search)));
  } catch (error) {
    if (error.status) return told(error);
  }
  if (one("progress", shown)) setTimeout(follow, EVERY, shown);
}

for (const running of all("[data-running]")) if (one("progress", running)) setTimeout(follow, EVERY, running);

// Whether todos ring in this browser, and what it allows.
const switched = one("#ring-on");
if (switched) {
  const { rings, letRing, permission, askPermission } = await import("./ring.js");
  const [state, allow] = [one("#ring-state"), one("#ring-allow")];
  const show = () => {
    switched.checked = rings();
    state.textContent = state.dataset[rings() ? permission() : "off"];
    allow.hidden = !rings() || permission() !== "default";
  };
  const request = () => askPermission().then(show);
  switched.disabled = false;
  switched.addEventListener("change", () => {
    letRing(switched.checked);
    show();
    if (switched.checked && permission() === "default") request();
  });
  allow.addEventListener("click", request);
  document.addEventListener("visibilitychange", show);
  show();
}
