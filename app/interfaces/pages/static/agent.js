// Talking with the agent: what it says arrives as it is said.

import { ask, inOwnWords, piece, reach, Refused } from "./api.js";
import { showCard } from "./approvals.js";
import { follow, stayHere, toEnd } from "./at_end.js";
import { all, element, fromServer, one } from "./dom.js";
import { key } from "./keys.js";
import { begin, dressCode, lastSaid, mine } from "./messages.js";
import { say, sayWith } from "./words.js";

const talk = one("#talk");
const messages = one("#messages");
const form = one("#ask");
const field = form.elements.message;
const beginning = one("#beginning");
const trouble = one("#trouble");
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
    this.hasBegun = this.hasSaid = this.hasFailed = false;
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
    this.hasBegun = true;
    if (talk.dataset.id) return;
    talk.dataset.id = form.elements.talk.value = conversationId;
    history.replaceState(null, "", `/agent/talks/${conversationId}`);
  }

  "text-delta"({ textDelta }) {
    this.hasSaid = true;
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
    const card = element("div", { class: "card tight" }, element("div", {}, summary ?? say("agent.js.waits")),
      element("div", { class: "acts" }, element("a", { class: "button go", href: `/#waits-${escalationId}` }, say("agent.js.decide"))));
    this.steps.after(card);
    showCard(escalationId, card).catch(() => {});
  }

  async error({ message }) {
    this.hasFailed = true;
    const notice = this.notice();
    notice.textContent = say("agent.js.failed", await inOwnWords({ message }));
    follow();
  }

  /** Say that nobody hears the rest: the message has arrived, and is not to be sent again. */
  cutOff() {
    this.notice(...sayWith("agent.js.cut", { look: element("a", { href: `/agent/talks/${talk.dataset.id}` }, say("agent.js.look")) }));
  }

  notice(...words) {
    const shown = element("p", { class: "notice", role: "alert" }, ...words);
    this.text.after(shown);
    return shown;
  }

  async completion({ metadata }) {
    const whole = fromServer(await piece(`/agent/talks/${metadata.conversationId}/answer/${metadata.messageId}`).catch(() => ""));
    const answer = one(".hear", whole);
    if (answer) {
      // where nothing was said, what is stored repeats why it failed
      if (this.hasFailed && !this.hasSaid) this.text.remove();
      else this.text.replaceWith(one(".said", answer));
      this.shown.id = answer.id;
      this.shown.dataset.markdown = answer.dataset.markdown;
      this.shown.append(one(".does", answer));
      dressCode(this.shown);
    }
    if (metadata.citations?.length) one(".does", this.shown)?.before(sources(metadata.citations));
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

/** Send a message, from the field or once more, and show its answer as it comes. */
async function send(message, typed = "") {
  if (!message || running) return;
  running = new AbortController();
  turn(true);
  if (typed) field.value = "";
  grow();
  trouble.hidden = true;
  for (const button of all(".again", messages)) button.hidden = true;
  await showNewest();
  const said = mine(message);
  if (beginning) beginning.hidden = true;
  messages.append(said);
  const answer = new Answer();
  toEnd();
  try {
    await hear(answer, message);
  } catch (error) {
    if (error.name === "AbortError") answer.text.append(element("p", { class: "small soft" }, say("agent.js.stopped")));
    else if (answer.hasBegun) answer.cutOff();
    else {
      said.remove();
      refused(error, typed);
    }
  } finally {
    answer.end();
    dispatchEvent(new CustomEvent("hearth:changed"));
    running = null;
    turn(false);
    follow();
  }
}

async function hear(answer, message) {
  const response = await reach("/api/v1/chat", { method: "POST", signal: running.signal, headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ message, conversationId: Number(talk.dataset.id) || undefined, model: form.elements.model?.value || undefined, userTimezone: Intl.DateTimeFormat().resolvedOptions().timeZone }) });
  if (!response.ok) throw new Refused(response.status, await inOwnWords(await response.json().catch(() => ({}))));
  let ended = null;
  for await (const event of events(response)) {
    if (event.type === "completion") ended = event;
    else answer.take(event);
  }
  if (ended) await answer.completion(ended);
  else answer.cutOff();
}

/** Put what could not be sent back into the field, before what was begun there since, and say why. */
function refused(error, typed) {
  if (beginning && !talk.dataset.id) beginning.hidden = false;
  if (typed) field.value = [typed, field.value].filter(Boolean).join("\n");
  grow();
  for (const button of all(".again", messages)) button.hidden = false;
  trouble.textContent = error.status === 0 ? say("agent.js.away") : error.status === 401 ? say("shell.js.signed_out") : say("agent.js.not_sent", { message: error.message });
  trouble.hidden = false;
}

/** Show the newest messages where the page shows older ones: what is said now comes after them. */
async function showNewest() {
  if (!("later" in talk.dataset)) return;
  const page = fromServer(await piece(`/agent/talks/${talk.dataset.id}`).catch(() => ""));
  const newest = one("#messages", page);
  if (!newest) return;
  messages.replaceChildren(...newest.childNodes);
  for (const button of all(".again", messages)) button.hidden = true;
  dressCode();
  for (const link of all("#earlier, #later")) link.remove();
  messages.before(one("#earlier", page) ?? "");
  delete talk.dataset.later;
  history.replaceState(null, "", `/agent/talks/${talk.dataset.id}`);
}

function turn(on) {
  one("#send").hidden = on;
  one("#stop").hidden = !on;
  // unless somebody has gone elsewhere meanwhile
  if (!on && !document.activeElement?.matches(":not(body, #stop)")) field.focus();
}

function grow() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

const sendTyped = () => send(field.value.trim(), field.value);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter?.name === "again") send(lastSaid());
  else sendTyped();
});
field.addEventListener("input", grow);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    sendTyped();
  }
});
one("#stop").addEventListener("click", () => running?.abort());
beginning?.addEventListener("click", (event) => {
  const example = event.target.closest(".examples a");
  if (!example) return;
  event.preventDefault();
  field.value = example.textContent;
  grow();
  field.focus();
});
key("c", say("agent.js.key_new"), () => location.assign("/agent"));
key("i", say("agent.js.key_write"), () => field.focus());
// the field hears it itself; here it is only told of
key("↑", say("agent.js.key_edit"), () => {});
one("#newest").addEventListener("click", () => ("later" in talk.dataset ? location.assign(`/agent/talks/${talk.dataset.id}`) : toEnd()));
if (Number(talk.dataset.unread) && !("later" in talk.dataset)) ask("POST", `/conversations/${talk.dataset.id}/read`).catch(() => {});
begin(field);
grow();
if (location.hash && one(`#${CSS.escape(location.hash.slice(1))}`, messages)) stayHere();
else if (talk.dataset.id) toEnd();
