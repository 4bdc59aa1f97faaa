// Saves what is typed: soon after a pause, again when the server is back, and merged with what others wrote.

import { dropDraft, keepDraft } from "./drafts.js";
import { ask, askPage } from "./api.js";

const PAUSE = 900;
const LONGEST = 5000;
/** Of a text in parts all is written and indexed anew with each save: that takes a second or two. */
const LONG_PAUSE = 4000;
const DRAFT_PAUSE = 200;
const RETRIES = [1000, 2000, 4000, 8000, 15000];

/**
 * Keeps a note saved. `read()` gives `{title, tags, text}` as they are typed, `write()` puts merged ones in their place, `tell(state, more)` shows how it stands,
 * `choose(pieces, more)` asks a person where both changed the same lines. `saved` is how they stood as the page came: what was typed before this script was there is not saved. `note` is the state of the page: id, revision, start, end, part, crlf, person.
 */
export class Autosave {
  constructor({ note, saved, read, write, tell, choose, made }) {
    Object.assign(this, { note, saved, read, write, tell, choose, made });
    this.pending = null;
    this.stopped = false;
    this.tries = 0;
    this.since = 0;
    this.keep = false;
    this.channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("hearth-notes") : null;
    this.channel?.addEventListener("message", ({ data }) => this.heard(data));
    addEventListener("online", () => this.again());
    addEventListener("focus", () => this.again());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.flush() : this.look()));
    addEventListener("pagehide", () => this.keepNow());
  }

  get name() { return `${this.note.person}/${this.note.id ?? `new-${this.note.draft}`}${this.note.part ? `/${this.note.part}` : ""}`; }

  /** Return whether something is typed that is not saved. */
  get isDirty() {
    const now = this.read();
    return now.text !== this.saved.text || now.title !== this.saved.title || now.tags !== this.saved.tags;
  }

  /** Hear that something was typed. */
  typed() {
    clearTimeout(this.draftTimer);
    this.draftTimer = setTimeout(() => this.keepNow(), DRAFT_PAUSE);
    if (this.stopped) return;
    this.tell(this.tries && this.state !== "failed" ? this.state : "unsaved");
    if (this.pending || (this.tries && this.state !== "failed")) return;
    this.since ||= Date.now();
    const [pause, longest] = this.note.part ? [LONG_PAUSE, 5 * LONG_PAUSE] : [PAUSE, LONGEST];
    this.soon(Math.min(pause, Math.max(0, this.since + longest - Date.now())));
  }

  /** Keep what is typed in this browser. */
  keepNow() {
    clearTimeout(this.draftTimer);
    if (!this.isDirty) return;
    return keepDraft(this.name, { ...this.read(), base: this.saved, revision: this.note.revision, folder: this.note.folder, start: this.note.start, end: this.note.end, making: this.making ?? null });
  }

  /** Save now, and wait until it is done; gives whether everything is saved. */
  async flush({ keep = false } = {}) {
    this.keep ||= keep;
    clearTimeout(this.timer);
    if (this.pending) await this.pending;
    if (this.isDirty && !this.stopped) await this.save();
    return !this.isDirty;
  }

  /** Try once more, after the server was away. */
  again() { if (this.tries && !this.pending && !this.stopped) this.soon(0); else this.look(); }

  soon(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), milliseconds);
  }

  save() {
    this.pending ??= this.send().finally(() => {
      this.pending = null;
      if (this.isDirty && !this.stopped && !this.tries) this.typed();
    });
    return this.pending;
  }

  async send() {
    if (this.stopped || !this.isDirty) return;
    const now = this.read();
    this.since = 0;
    this.tell("saving");
    try {
      if (this.note.id) await this.change(now);
      else if (now.text.trim() || now.title.trim()) await this.create(now);
      else return;
      this.tries = 0;
      this.keep = false;
      if (this.isDirty) await this.keepNow();
      else { await dropDraft(this.name); this.tell("saved"); }
    } catch (error) {
      await this.keepNow();
      if (error.status === 409 && error.code === "revision_conflict") await this.meet(now);
      else this.wait(error);
    }
  }

  async change(now) {
    const { note, saved } = this;
    const body = { ifRevision: note.revision, keep: this.keep };
    if (now.title !== saved.title) body.title = titleOf(now, note);
    if (now.tags !== saved.tags) body.tags = tagsOf(now.tags);
    if (now.text !== saved.text) {
      body.content = this.ended(now.text);
      if (note.part) Object.assign(body, { start: note.start, end: note.end, base: this.ended(saved.text) });
    }
    const done = await askPage("POST", `/notes/${note.id}/save`, body, timed());
    this.took(now, done.revision, done.updatedAt);
    if (note.part && "content" in body) { note.start = done.start; note.end = done.end; }
  }

  async create(now) {
    const { note } = this;
    const named = this.name;
    // After a lost answer the very same is sent once more under its key, from the draft as well, so that no second note is made.
    this.making ??= {
      now, key: `${note.draft}-${Math.random().toString(36).slice(2)}`,
      body: { title: titleOf(now, note), content: now.text, tags: tagsOf(now.tags), ...(note.folder ? { folderId: note.folder } : {}) },
    };
    await this.keepNow();
    try {
      const done = await ask("POST", "/os/notes", this.making.body, timed({ key: this.making.key }));
      note.id = done.result.note.id;
      await dropDraft(named);
      this.took(this.making.now, done.result.note.revision, done.result.note.createdAt);
      this.making = null;
      this.made?.(note.id);
      if (this.isDirty) await this.change(this.read());
    } catch (error) {
      if (error.status >= 400 && error.status < 500 && error.status !== 401) this.making = null;
      throw error;
    }
  }

  took(now, revision, at) {
    this.saved = now;
    this.note.revision = revision;
    this.note.changed = at;
    this.channel?.postMessage({ id: this.note.id, revision });
  }

  ended(text) { return this.note.crlf ? text.replaceAll("\n", "\r\n") : text; }

  /** Merge with what others have saved meanwhile. */
  async meet(now) {
    if (this.note.part) { this.stop("conflict", { part: true }); return; }
    try {
      const { isClear, joined, merge } = await import("./merge.js");
      const theirs = await this.theirs();
      const pieces = merge(this.saved.text, now.text, theirs.text);
      const title = now.title === this.saved.title ? theirs.title : now.title;
      const tags = now.tags === this.saved.tags ? theirs.tags : now.tags;
      const bothTitles = title !== theirs.title && theirs.title !== this.saved.title;
      if (isClear(pieces) && !bothTitles) return await this.settle({ title, tags, text: joined(pieces) }, theirs, now);
      this.stopped = true;
      this.tell("conflict");
      const chosen = await this.choose(pieces, { mine: now.title, theirs: bothTitles ? theirs.title : now.title });
      this.stopped = false;
      await this.settle({ title: chosen.title, tags, text: chosen.text }, theirs, now, true);
    } catch (error) { this.stopped = false; this.wait(error); }
  }

  /** Take what was merged as what is typed now, on top of what others saved. */
  async settle(merged, theirs, now, chosen = false) {
    const { joined, merge } = await import("./merge.js");
    const typed = this.read();
    if (typed.text !== now.text) merged.text = joined(merge(now.text, typed.text, merged.text));
    this.write(merged);
    this.saved = { title: theirs.title, tags: theirs.tags, text: theirs.text };
    this.note.revision = theirs.revision;
    this.keep = true;
    if (!chosen) this.tell("merged");
    await this.keepNow();
    if (this.isDirty) await this.send(); else { await dropDraft(this.name); this.tell("saved"); }
  }

  async theirs() {
    const note = await askPage("GET", `/notes/${this.note.id}/text`, null, timed());
    return { title: note.title, tags: note.tags.join(", "), text: note.markdown.replaceAll("\r\n", "\n"), revision: note.revision, at: note.updatedAt };
  }

  /** Look whether somebody else has saved, and take it over where nothing is typed here. */
  async look() {
    if (!this.note.id || this.note.part || this.stopped || this.pending || this.tries || document.hidden) return;
    try {
      const theirs = await this.theirs();
      if (theirs.revision === this.note.revision || this.pending || this.stopped) return;
      if (this.isDirty) { this.soon(0); return; }
      this.write(theirs);
      this.saved = this.read();
      this.note.revision = theirs.revision;
      this.note.changed = theirs.at;
      this.tell("saved");
    } catch (error) { if (error.status === 404) this.stop("gone"); }
  }

  heard({ id, revision }) { if (id === this.note.id && revision > this.note.revision) this.look(); }

  /** Wait for the server, or for the person, and try again. */
  wait(error) {
    const { status } = error;
    if (status === 404 && this.note.id) { this.stop("gone"); return; }
    if (status === 413) { this.tell("too_large"); return; }
    this.state = status === 0 || status >= 500 && status !== 507 ? "offline" : status === 401 ? "signed_out" : "failed";
    this.tell(this.state, error.message);
    const pause = RETRIES[Math.min(this.tries, RETRIES.length - 1)];
    this.tries += 1;
    this.soon(status === 429 ? Math.max(pause, 5000) : pause);
  }

  stop(state, more) {
    this.stopped = true;
    clearTimeout(this.timer);
    this.tell(state, more);
  }
}

/** Return the tags of a line in which commas part them. */
const tagsOf = (line) => line.split(",").map((tag) => tag.trim().replace(/^#+/, "").trim()).filter(Boolean);

/** Return a title: what was written, else the first line of the text that says something; `title_of` of edit_page.py makes the same. */
export function titleOf({ title, text }, { untitled, titleMost }) {
  const said = plain(title) || text.split("\n").map((line) => plain(line).replace(/^[#>*\-_` ]+|[#>*\-_` ]+$/g, "")).find(Boolean) || untitled;
  return [...said].slice(0, titleMost).join("").replace(/ $/, "");
}

/** Return a line with one space for each run of blanks and control characters; empty where no letter, digit or sign is in it. */
const plain = (line) => (/[\p{L}\p{N}\p{P}\p{S}]/u.test(line) ? line.replace(/[\p{Z}\p{Cc}]+/gu, " ").replace(/^ | $/g, "") : "");

/** A request that hangs for so long has failed. */
const timed = (options) => ({ ...options, signal: AbortSignal.timeout(60000) });
