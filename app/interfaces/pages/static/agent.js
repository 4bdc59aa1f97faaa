// Talking with the agent: what it says arrives as it is said.

import { ask, piece, reach, Refused } from "./api.js";
import { element, fromServer, one } from "./dom.js";
import { key } from "./keys.js";
import { toast, told } from "./toasts.js";
import { say } from "./words.js";

const talk = one("#talk");
const messages = one("#messages");
const form = one("#ask");
const field = form.elements.message;
let running = null;

/** Read the lines of a stream, each a JSON object. */
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = done ? "" : lines.pop();
    for (const line of lines) if (line.trim()) yield JSON.parse(line);
    if (done) return;
  }
}

class Answer {
  constructor() {
    this.steps = element("ul", { class: "steps" });
    this.text = element("div", { class: "growing" });
    this.shown = element("div", { class: "hear", "aria-busy": "true" }, this.steps, this.text);
    this.calls = new Map();
    messages.append(this.shown);
    // nothing is shown of a wait under 300 ms
    this.waiting = setTimeout(() => this.step("", say("agent.js.thinking")), 300);
  }

  step(id, words) {
    const row = element("li", { class: "going" }, words);
    this.calls.set(id, row);
    this.steps.append(row);
  }

  take(event) {
    clearTimeout(this.waiting);
    this.calls.get("")?.remove();
    this[event.type]?.(event);
    follow();
  }

  "conversation-start"({ conversationId }) {
    if (talk.dataset.id) return;
    talk.dataset.id = form.elements.talk.value = conversationId;
    history.replaceState(null, "", `/agent/talks/${conversationId}`);
  }

  "text-delta"({ textDelta }) {
    this.text.append(textDelta);
  }

  "tool-call-start"({ toolCallId, toolName }) {
    const words = say(`agent.js.tool.${toolName}`);
    this.step(toolCallId, words.startsWith("agent.") ? toolName.replaceAll("_", " ") : words);
  }

  "tool-call-result"({ toolCallId, ok }) {
    this.calls.get(toolCallId)?.setAttribute("class", ok ? "" : "bad");
  }

  escalation({ escalationId, summary }) {
    this.steps.after(element("div", { class: "card tight" }, element("div", {}, summary ?? say("agent.js.waits")),
      element("div", { class: "acts" }, element("a", { class: "button go", href: `/#waits-${escalationId}` }, say("agent.js.decide")))));
  }

  error({ message }) {
    this.text.append(element("p", { class: "notice", role: "alert" }, say("agent.js.failed", { message })));
  }

  async completion({ metadata }) {
    const html = await piece(`/agent/talks/${metadata.conversationId}/answer/${metadata.messageId}`);
    const whole = fromServer(html);
    this.text.replaceWith(one(".said", whole) ?? this.text);
    if (metadata.citations?.length) this.shown.append(sources(metadata.citations));
    ask("POST", `/conversations/${metadata.conversationId}/read`).catch(() => {});
  }

  end() {
    clearTimeout(this.waiting);
    this.calls.get("")?.remove();
    this.shown.removeAttribute("aria-busy");
    if (!this.shown.textContent.trim()) this.shown.remove();
  }
}

/** Links that open the very passage: the browser scrolls to the text after `:~:text=`. */
function sources(citations) {
  const passage = (quote) => encodeURIComponent(quote.split(/\s+/).slice(0, 12).join(" ")).replaceAll("-", "%2D");
  const links = citations.map(({ noteId, title, quote }) => element("a", { href: `/notes/${noteId}#:~:text=${passage(quote)}` }, title));
  return element("div", { class: "sources" }, element("span", { class: "soft" }, say("agent.js.sources")), ...links);
}

function follow() {
  const low = document.documentElement.scrollHeight - innerHeight - scrollY < 240;
  if (low) scrollTo({ top: document.documentElement.scrollHeight });
}

async function send() {
  const message = field.value.trim();
  if (!message || running) return;
  const before = field.value;
  const mine = element("div", { class: "say" }, message);
  one("#beginning")?.remove();
  messages.append(mine);
  field.value = "";
  grow();
  scrollTo({ top: document.documentElement.scrollHeight });
  const answer = new Answer();
  running = new AbortController();
  turn(true);
  try {
    const response = await reach("/api/v1/chat", { method: "POST", signal: running.signal, headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ message, conversationId: Number(talk.dataset.id) || undefined, model: form.elements.model?.value || undefined, userTimezone: Intl.DateTimeFormat().resolvedOptions().timeZone }) });
    if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
    let ended = null;
    for await (const event of events(response)) {
      if (event.type === "completion") ended = event;
      else answer.take(event);
    }
    if (ended) await answer.completion(ended);
  } catch (error) {
    if (error.name === "AbortError") answer.text.append(element("p", { class: "small soft" }, say("agent.js.stopped")));
    else {
      mine.remove();
      field.value = before;
      grow();
      if (error.status === 0) toast(say("agent.js.away"), { bad: true });
      else told(error);
    }
  } finally {
    answer.end();
    running = null;
    turn(false);
    follow();
  }
}

function turn(on) {
  one("#send").hidden = on;
  one("#stop").hidden = !on;
  if (!on) field.focus();
}

function grow() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

form.addEventListener("submit", (event) => { event.preventDefault(); send(); });
field.addEventListener("input", grow);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    send();
  }
});
one("#stop").addEventListener("click", () => running?.abort());
one("#beginning")?.addEventListener("click", (event) => {
  const example = event.target.closest(".examples a");
  if (!example) return;
  event.preventDefault();
  field.value = example.textContent;
  grow();
  field.focus();
});
key("c", say("agent.js.key_new"), () => location.assign("/agent"));
key("i", say("agent.js.key_write"), () => field.focus());
if (Number(talk.dataset.unread)) ask("POST", `/conversations/${talk.dataset.id}/read`).catch(() => {});
if (talk.dataset.id) scrollTo({ top: document.documentElement.scrollHeight });
grow();
