// Notes as they are listed and read: keys, boxes that are ticked in place, notes dragged into folders.

import { all, fromServer, one } from "./dom.js";
import { isIdle, whenChanged } from "./changes.js";
import { ask, piece, reach } from "./api.js";
import { key } from "./keys.js";
import { say } from "./words.js";
import { toast, told } from "./toasts.js";

document.body.classList.add("scripted");
one("#sort")?.addEventListener("change", ({ target }) => target.form.submit());

const list = one(".list");
const kept = `list ${list?.querySelector("h1, h2")?.textContent} ${new URLSearchParams(location.search).get("page") ?? 1}`;
if (list) {
  list.scrollTop = Number(sessionStorage.getItem(kept) ?? 0);
  addEventListener("pagehide", () => sessionStorage.setItem(kept, String(list.scrollTop)));
  one(".notes [aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** Close menus when something else is clicked, or with Escape. */
document.addEventListener("click", ({ target }) => all("details.menu[open]").forEach((menu) => menu.contains(target) || (menu.open = false)));
document.addEventListener("keydown", ({ key: pressed }) => {
  const open = pressed === "Escape" && one("details.menu[open]");
  if (open) { open.open = false; one("summary", open).focus(); }
});

const go = (selector) => () => one(selector)?.click();
key("n", say("notes.js.key_new"), () => location.assign(one("#new-note")?.href ?? "/notes/new"));
if (list) {
  key("j", say("notes.js.key_next"), () => step(1));
  key("k", say("notes.js.key_before"), () => step(-1));
}
if (one("#edit-note")) key("e", say("notes.js.key_edit"), go("#edit-note"));
if (one("#move-note")) key("m", say("notes.js.key_move"), go("#move-note"));
if (one("#trash-note")) key("#", say("notes.js.key_trash"), () => one("#trash-note").requestSubmit());
if (one("article.note")) key("v", say("notes.js.key_history"), go(".tools a[href$='/history']"));

function step(by) {
  const links = all(".notes a");
  const focused = links.indexOf(document.activeElement);
  const at = focused >= 0 ? focused : links.findIndex((link) => link.hasAttribute("aria-current"));
  links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
}

const reading = one("#reading");
one("#edit-note")?.addEventListener("click", ({ currentTarget }) => {
  const line = scrollY > 200 && lineInSight();
  currentTarget.hash = line ? `line-${line}` : "";
});

/** Return the line of the text that stands at the top of the window: each line feed of the page is one of the text. */
function lineInSight() {
  const { left, width } = reading.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, 90)?.closest("p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, tr");
  if (!seen || !reading.contains(seen)) return 0;
  const before = document.createRange();
  before.setStart(reading, 0);
  before.setEndBefore(seen);
  return before.toString().split("\n").length - 1 + Number(reading.dataset.above ?? 0);
}

/** Show the note as others have changed it, as soon as nobody points at it. */
async function follow() {
  const response = await reach(`${location.pathname}/text?only=revision`);
  if (!response.ok || (await response.json()).revision === Number(reading.elements.revision.value)) return true;
  await waiting;
  if (!isIdle(one("main"))) {
    old ||= toast(say("notes.js.changed"), { stays: true, act: [say("notes.js.show"), () => location.reload()] });
    return false;
  }
  location.reload();
  return true;
}

let old = null;
let waiting = Promise.resolve();
if (reading) whenChanged(follow);
reading?.addEventListener("submit", (event) => {
  const box = event.submitter;
  if (!box?.classList.contains("tick")) return;
  event.preventDefault();
  show(box, box.getAttribute("aria-checked") !== "true");
  waiting = waiting.then(() => tick(box));
});

function show(box, done) {
  box.setAttribute("aria-checked", String(done));
  box.closest("li")?.classList.toggle("done", done);
}

async function tick(box) {
  const form = new URLSearchParams({ revision: reading.elements.revision.value, line: box.value });
  try {
    const response = await reach(reading.action, { method: "POST", body: form, headers: { Accept: "application/json" } });
    if (!response.ok || response.redirected) throw Object.assign(new Error(), { status: response.status });
    reading.elements.revision.value = (await response.json()).revision;
  } catch (error) {
    show(box, box.getAttribute("aria-checked") !== "true");
    if (error.status === 409) { toast(say("notes.js.tick_stale"), { bad: true }); setTimeout(() => location.reload(), 1500); } else told(error.status === 200 ? { status: 401 } : error);
  }
}

const related = one("#related");
if (related) {
  const near = new IntersectionObserver(async ([seen]) => {
    if (!seen.isIntersecting) return;
    near.disconnect();
    try { related.replaceChildren(fromServer(await piece(related.dataset.address))); } catch { /* the link that stands there leads to them too */ }
  });
  near.observe(related);
}

const listed = all(".notes a"), noteOf = (link) => link.pathname.split("/").pop();
for (const link of listed) {
  link.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/hearth-note", noteOf(link)));
}
for (const folder of all(".tree li[data-folder]")) {
  folder.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("text/hearth-note")) return;
    event.preventDefault();
    folder.classList.add("over");
  });
  folder.addEventListener("dragleave", () => folder.classList.remove("over"));
  folder.addEventListener("drop", async (event) => {
    event.preventDefault();
    folder.classList.remove("over");
    await move(event.dataTransfer.getData("text/hearth-note"), folder);
  });
}

async function move(id, folder) {
  try {
    const { note: before } = await ask("GET", `/os/notes/${id}`);
    await ask("POST", `/os/notes/${id}/move`, { folderId: Number(folder.dataset.folder) || null });
    toast(say("notes.js.moved", { folder: one("a", folder).textContent.trim() }), {
      undo: () => ask("POST", `/os/notes/${id}/move`, { folderId: before.folderId }).then(() => location.reload(), told),
    });
    listed.find((link) => noteOf(link) === id)?.closest("li").remove();
  } catch (error) { told(error); }
}
