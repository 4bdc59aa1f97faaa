// People: messages come and go while a thread is open, the inbox follows, addresses are copied.

import { ask, piece } from "./api.js";
import { copyText } from "./clipboard.js";
import { all, element, fromServer, one } from "./dom.js";
import { key } from "./keys.js";
import { told, toast } from "./toasts.js";
import { say } from "./words.js";

const THREAD_MS = 4000;
const INBOX_MS = 10_000;
const messages = one(".messages[data-news]");
const write = one("form.write");
let asking = null;

const isAtEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 160;
const toEnd = () => scrollTo({ top: document.documentElement.scrollHeight });

/** Put messages below the others, each once, and follow them when the end was in sight. */
function show(html) {
  const follow = isAtEnd();
  for (const item of [...fromServer(html).children]) {
    const id = Number(item.dataset.id ?? 0);
    if (id && id <= Number(messages.dataset.last)) continue;
    if (id) messages.dataset.last = id;
    messages.append(item);
  }
  if (write) write.elements.after.value = messages.dataset.last;
  if (follow) toEnd();
}

async function fetchNews() {
  asking ??= piece(`${messages.dataset.news}?after=${messages.dataset.last}`).then(show).finally(() => { asking = null; });
  return asking;
}

async function refresh(list) {
  if (list.matches(":hover, :focus-within")) return;
  const found = fromServer(await piece(list.dataset.refresh));
  if (found.textContent.trim() !== list.textContent.trim()) list.replaceChildren(found);
}

function every(milliseconds, run) {
  const again = async () => {
    if (document.visibilityState === "visible") await run().catch(() => {});
    setTimeout(again, milliseconds);
  };
  setTimeout(again, milliseconds);
}

const bubble = (kind, text) => element("li", { class: `message begins ${kind}` }, element("p", { class: "said", dir: "auto" }, text));

async function send() {
  const field = write.elements.message;
  const text = field.value.trim();
  if (!text) return;
  const passing = [bubble("mine sending", text)];
  if (write.dataset.agent) passing.push(bubble("waiting", say("people.js.answering", { name: write.dataset.agent })));
  messages.append(...passing);
  field.value = "";
  keep("");
  toEnd();
  try {
    const sent = await ask("POST", "/agent/message", { to: write.dataset.to, message: text }, { key: keyOf(text) });
    unsent = {};
    if (sent.availability === "paused" || sent.availability === "budget_spent") toast(say("people.js.later", { name: sent.agentName }));
  } catch (error) {
    // What was refused is asked anew; only what may have arrived keeps its key.
    if (error.status) unsent = {};
    field.value ||= text;
    keep(field.value);
    told(error);
  }
  for (const each of passing) each.remove();
  await fetchNews().catch(() => {});
  toEnd();
  field.focus();
}

// What is sent again after a lost answer comes once; the same words meant twice come twice.
let unsent = {};
function keyOf(text) {
  if (unsent.text !== text) unsent = { text, key: crypto.randomUUID?.() ?? String(Math.random()) };
  return unsent.key;
}

function keep(text) {
  try {
    const name = `draft ${location.pathname}`;
    if (text) localStorage.setItem(name, text);
    else localStorage.removeItem(name);
  } catch {
    // without storage a draft lasts as long as its page
  }
}

if (messages) {
  toEnd();
  every(THREAD_MS, fetchNews);
  addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") fetchNews().catch(() => {}); });
}
if (write && messages) {
  const field = write.elements.message;
  try {
    field.value ||= localStorage.getItem(`draft ${location.pathname}`) ?? "";
  } catch {
    // as above
  }
  field.addEventListener("input", () => {
    keep(field.value);
    if (CSS.supports("field-sizing", "content")) return;
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + 2}px`;
  });
  write.addEventListener("submit", (event) => { event.preventDefault(); send(); });
  key("r", say("people.js.key_write"), () => field.focus());
}
for (const list of all("[data-refresh]")) every(INBOX_MS, () => refresh(list));
for (const form of all("form.write, form[data-sends]")) {
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
}
for (const button of all("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (await copyText(button.dataset.copy)) toast(say("people.js.copied"));
    else getSelection().selectAllChildren(one(".copy", button.parentElement));
  });
}
one(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

/** Move the focus among the conversations, from the open one on. */
function step(by) {
  const links = all(".talks a").filter((link) => link.checkVisibility());
  const here = links.findIndex((link) => link === document.activeElement);
  const from = here < 0 ? links.findIndex((link) => link.ariaCurrent === "page") : here;
  links[from < 0 ? 0 : Math.max(0, Math.min(links.length - 1, from + by))]?.focus();
}

if (one(".talks")) {
  key("j", say("people.js.key_next"), () => step(1));
  key("k", say("people.js.key_before"), () => step(-1));
}
key("w", say("people.js.key_new"), () => location.assign("/people/new"));
key("/", say("people.js.key_find"), () => one("#q")?.select());
