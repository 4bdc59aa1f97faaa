// The page on which a note is written.

import { all, element, liken, one } from "./dom.js";
import { ask } from "./api.js";
import { Autosave } from "./autosave.js";
import { become, replace } from "./editor.js";
import { chooseFiles, takePasted } from "./editor_paste.js";
import { applyMark, listenToKeys } from "./editor_keys.js";
import { whenChanged } from "./changes.js";
import { caretPlace, completeLinks } from "./editor_links.js";
import { dropDraft, findBegun, findDraft, holdDraft } from "./drafts.js";
import { key } from "./keys.js";
import { previewOf } from "./editor_preview.js";
import { say } from "./words.js";
import { toast, told } from "./toasts.js";

const form = one("#editor");
const [title, area, tags, state] = ["#title", "#content", "#tags", "#state"].map((name) => one(name));
const note = JSON.parse(one("#note-state").textContent);
note.draft = sessionDraft();
const opened = note.id ? title.defaultValue : "";
const untyped = { title: title.defaultValue, tags: tags.defaultValue, text: area.defaultValue };

const autosave = new Autosave({
  note,
  saved: { ...untyped },
  read: () => ({ title: title.value, tags: tags.value, text: area.value }),
  write: ({ title: named, tags: tagged, text }) => {
    if (document.activeElement !== title || title.value === autosave.saved.title) title.value = named;
    tags.value = tagged;
    become(area, text);
  },
  tell,
  choose: async (pieces, titles) => {
    const { choose } = await import("./conflict.js");
    const chosen = await choose(one("#conflict"), pieces, titles);
    area.focus();
    return chosen;
  },
  made: (id) => {
    history.replaceState(null, "", `/notes/${id}/edit`);
    form.action = `/notes/${id}/edit`;
    one(".way .back").href = `/notes/${id}`;
    sessionStorage.removeItem("hearth-new");
  },
});

/** Show how the text stands: what is told comes with a colour, and with what one can do. */
function tell(is, more) {
  if (is === "merged") { toast(say("notes.js.merged")); return; }
  state.dataset.is = is;
  const words = { failed: () => say("notes.js.failed", { message: more || "" }) }[is]?.() ?? say(`notes.js.${more?.part ? "part_conflict" : is}`);
  const next = element("p", {}, words);
  if (is === "signed_out") next.append(element("a", { href: "/auth/sign-in", target: "_blank" }, say("notes.js.sign_in")));
  if (is === "gone" || more?.part) next.append(element("button", { type: "button", class: "link" }, say("notes.js.save_as_new")));
  liken(state, next);
}
state.addEventListener("click", ({ target }) => { if (target.closest("button")) saveAsNew(); });

async function saveAsNew() {
  const kept = autosave.name;
  Object.assign(note, { id: null, part: 0, revision: 0, start: 0, end: 0, draft: String(Date.now()) });
  autosave.saved = { title: "", tags: "", text: "" };
  autosave.making = null;
  autosave.stopped = false;
  autosave.tries = 0;
  if (await autosave.flush()) await dropDraft(kept);
}

/** Bring back what was typed here and not saved; another's changes meanwhile are merged when it is saved. */
async function bringBack() {
  let name = autosave.name;
  let draft = await findDraft(name);
  if (!draft && !note.id && !area.value) ({ name, draft } = (await findBegun(note.person)) ?? { name });
  if (!draft) return;
  const same = draft.text === area.value && draft.title === title.value && draft.tags === tags.value;
  const other = area.value !== untyped.text || title.value !== untyped.title;
  if (same || other) { if (same) await dropDraft(name); return; }
  if (note.id && draft.revision !== note.revision) {
    autosave.saved = draft.base;
    note.revision = draft.revision;
    if (note.part) Object.assign(note, { start: draft.start, end: draft.end });
  }
  [title.value, tags.value] = [draft.title, draft.tags];
  replace(area, 0, area.value.length, draft.text);
  if (draft.folder && one("#folder")) { one("#folder").value = draft.folder; note.folder = draft.folder; }
  autosave.making = draft.making;
  await autosave.keepNow();
  if (name !== autosave.name) await dropDraft(name);
  toast(say("notes.js.kept_found"));
  autosave.typed();
}

function sessionDraft() {
  const kept = sessionStorage.getItem("hearth-new") ?? `${Date.now()}${Math.floor(Math.random() * 1000)}`;
  if (!note.id) sessionStorage.setItem("hearth-new", kept);
  return kept;
}

form.addEventListener("input", ({ target }) => {
  if (target.id === "folder") { moveTo(Number(target.value) || null); return; }
  if (!target.closest("#conflict")) autosave.typed();
});
title.addEventListener("keydown", (event) => {
  if (event.isComposing || (event.key !== "Enter" && event.key !== "ArrowDown")) return;
  if (event.key === "ArrowDown" && title.selectionStart < title.value.length) return;
  event.preventDefault();
  area.focus();
});
title.addEventListener("input", () => { if (title.value.includes("\n")) title.value = title.value.replace(/\s*\n\s*/g, " "); });

/** Choose the folder of a new note; one that was saved already is moved. */
async function moveTo(folder) {
  note.folder = folder;
  await autosave.pending;
  if (!note.id) return;
  try {
    await autosave.flush();
    note.revision = (await ask("POST", `/os/notes/${note.id}/move`, { folderId: folder })).note.revision;
  } catch (error) { told(error); }
}

/** Save and go on to an address; what cannot be saved now stays here, and is told. */
async function leave(address) {
  if (await autosave.flush()) location.assign(address());
  else if (!note.id && !area.value.trim() && !title.value.trim()) location.assign(address());
}
const read = () => {
  if (!note.id) return "/notes";
  const asked = new URLSearchParams(note.part > 1 ? { part: note.part } : {});
  if (opened && autosave.saved.title !== opened) asked.set("was", opened);
  return `/notes/${note.id}${asked.size ? `?${asked}` : ""}`;
};
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (autosave.stopped && state.dataset.is === "conflict") { one("#conflict").scrollIntoView(); return; }
  leave(read);
});
for (const link of all(".way a, .turn a, .rail a")) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !autosave.isDirty) return;
    event.preventDefault();
    leave(() => link.href);
  });
}
addEventListener("beforeunload", (event) => {
  if (!autosave.isDirty) return;
  autosave.keepNow();
  if (!autosave.tries && !autosave.stopped) autosave.flush();
  // It is kept here either way; only a text that this browser could not keep is worth asking.
  if (area.value.length > 2_000_000) event.preventDefault();
});

new ResizeObserver(([{ target }]) => document.documentElement.style.setProperty("--head", `${target.offsetHeight}px`)).observe(one(".note-bar"));
completeLinks(area);
listenToKeys(area);
takePasted(area);
const showPreview = previewOf(area, one("#preview"), one("#show-preview"));
const pick = chooseFiles(area, one("#file"));
one(".marks").hidden = false;
one("#leave").hidden = false;
for (const button of all(".marks [data-mark]")) {
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", () => (button.dataset.mark === "file" ? pick() : applyMark(area, button.dataset.mark)));
}
key("Mod+s", say("notes.js.key_save"), () => autosave.flush({ keep: true }).then((done) => done && tell("saved")));
key("Mod+enter", say("notes.js.key_done"), () => leave(read));
key("Mod+.", say("notes.js.key_preview"), () => showPreview());
// The three work in the text alone, where editor_keys hears them first.
for (const letter of ["b", "i"]) key(`Mod+${letter}`, say(`notes.js.key_${{ b: "bold", i: "italic" }[letter]}`), () => area.focus());

/** Let a textarea be as high as its text, where the browser does not do so itself. */
function grow(each) {
  if (CSS.supports("field-sizing", "content")) return;
  const fit = () => {
    each.style.height = "auto";
    each.style.height = `${each.scrollHeight + 2}px`;
  };
  each.addEventListener("input", fit);
  fit();
}

/** Go on at the line that was read, which the address names. */
function goToLine() {
  const line = Number(/^#line-(\d{1,7})$/.exec(location.hash)?.[1]);
  if (!line) return;
  history.replaceState(null, "", location.pathname + location.search);
  let place = 0;
  for (let count = 0; count < line && place >= 0; count += 1) place = area.value.indexOf("\n", place) + 1 || -1;
  if (place < 0) return;
  area.focus({ preventScroll: true });
  area.setSelectionRange(place, place);
  scrollTo(0, scrollY + area.getBoundingClientRect().top + caretPlace(area).top - innerHeight / 4);
}

grow(title);
grow(area);
if (note.id) tell("saved");
if (autosave.isDirty) autosave.typed();
whenChanged(() => autosave.look());
goToLine();
await bringBack();
if (!note.id) holdDraft(autosave.name);
