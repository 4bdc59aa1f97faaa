// Talking with the agent behind a share link. All that others wrote goes in as text, never as markup.

import { SignIn } from "./guest_sign_in.js";
import { say, sayWith } from "./words.js";

const token = location.pathname.split("/").filter(Boolean).pop();
const endpoint = "/api/chat/guest-v04";
const kept = `guest ${token}`;
const POLL_MS = 4000;
const element = (id) => document.getElementById(id);
const messages = element("messages");
const form = element("write");
const field = element("text");
let agent = say("guest.js.the_agent");
let key = recall();
let last = 0;
let busy = false;

function recall() {
  try {
    return sessionStorage.getItem(kept);
  } catch {
    return null; // a frame may have no storage; then the session ends with the page
  }
}

function keep(value) {
  key = value;
  try {
    if (value === null) {
      sessionStorage.removeItem(kept);
    } else {
      sessionStorage.setItem(kept, value);
    }
  } catch {
    // as above
  }
}

function ask(query) {
  const text = new URLSearchParams({ token, ...query });
  return fetch(`${endpoint}?${text}`, { credentials: SignIn.credentials(), cache: "no-store" });
}

async function refusal(answer) {
  const body = await answer.json().catch(() => ({}));
  const words = {
    message_limit_reached: say("guest.js.full"),
    not_found: say("guest.js.closed"),
    rate_limited: say("guest.js.fast"),
    budget_exceeded: say("guest.js.not_now"),
  };
  return { code: body.error, message: words[body.error] || body.message || say("guest.js.failed") };
}

function add(role, text) {
  const item = document.createElement("li");
  const who = SignIn.name(role === "user" ? say("guest.js.you") : agent);
  const said = document.createElement("span");
  item.className = role === "user" ? "mine" : "theirs";
  who.className = "who";
  said.className = "said";
  said.dir = "auto";
  write(said, text, role);
  item.append(who, said);
  messages.append(item);
  messages.scrollTop = messages.scrollHeight;
  return { item, said };
}

// What a guest wrote stays as it is; of the agent's Markdown quotes, lists, bold words and links are shown, all made of text.
function write(said, text, role) {
  said.replaceChildren();
  if (role === "user") {
    said.textContent = text;
    return;
  }
  for (const line of text.split("\n")) {
    const quoted = line.match(/^> ?(.*)$/);
    const listed = line.match(/^[-*] (.*)$/);
    const block = document.createElement(quoted ? "blockquote" : "div");
    if (!line) block.className = "gap";
    inline(block, quoted ? quoted[1] : listed ? `• ${listed[1]}` : line.replace(/^#{1,6} /, ""));
    said.append(block);
  }
}

function inline(block, text) {
  let rest = text;
  for (let found; (found = rest.match(/\*\*([^*\n]+)\*\*|\[([^\]\n]*)\]\(([^()\s]*)\)/)); rest = rest.slice(found.index + found[0].length)) {
    block.append(rest.slice(0, found.index));
    block.append(found[1] === undefined ? link(found[2], found[3]) : bold(found[1]));
  }
  block.append(rest || (block.childNodes.length ? "" : "\u200b"));
}

function bold(text) {
  const made = document.createElement("strong");
  made.textContent = text;
  return made;
}

function link(text, address) {
  if (!/^https?:\/\//i.test(address)) {
    return document.createTextNode(text);
  }
  const made = document.createElement("a");
  made.textContent = text || address;
  made.href = address;
  made.target = "_blank";
  made.rel = "noopener noreferrer nofollow";
  return made;
}

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) {
      yield JSON.parse(part);
    }
  }
}

async function open() {
  const answer = await ask({ meta: "true" });
  if (!answer.ok) {
    SignIn.tell((await refusal(answer)).message);
    return;
  }
  const found = await answer.json();
  agent = found.agentName;
  document.title = agent;
  element("agent").replaceChildren(SignIn.name(agent));
  element("about").replaceChildren(...sayWith("guest.js.about", { owner: SignIn.name(found.ownerName), most: found.messageLimit }));
  if (found.requireSignIn && !(await isSignedIn())) {
    SignIn.ask(begin);
    return;
  }
  await begin();
}

async function isSignedIn() {
  if (SignIn.framed) {
    return false;
  }
  return (await fetch("/api/auth/session", { cache: "no-store" })).ok;
}

async function begin() {
  form.hidden = false;
  element("naming").hidden = key !== null;
  if (key !== null) {
    await fetchLater();
  }
  field.focus();
}

// Show what has been said since the last look; where the session is gone, begin a new one.
async function fetchLater() {
  const answer = await ask({ sessionKey: key, after: String(last) });
  if (answer.status === 404) {
    keep(null);
    element("naming").hidden = false;
  } else if (answer.ok) {
    for (const message of (await answer.json()).messages) {
      add(message.role, message.content);
      last = message.id;
    }
  }
}

async function send(text) {
  add("user", text);
  const { item, said } = add("assistant", "");
  item.classList.add("waiting");
  element("status").replaceChildren(...sayWith("guest.js.answering", { agent: SignIn.name(agent) }));
  const name = element("name").value.trim();
  const body = { token, message: text, mode: "agent", stream: true };
  if (key !== null) {
    body.sessionKey = key;
  } else if (name) {
    body.visitorName = name;
  }
  const answer = await fetch(endpoint, {
    method: "POST",
    credentials: SignIn.credentials(),
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) {
    const why = await refusal(answer);
    fail(item, said, why.message);
    if (answer.status === 401) {
      SignIn.ask(begin);
    } else if (why.code === "not_found" || why.code === "message_limit_reached") {
      form.hidden = true;
    }
    return why.code === "rate_limited" || why.code === "budget_exceeded" || answer.status === 401 ? text : "";
  }
  await read(answer, item, said);
  return "";
}

async function read(answer, item, said) {
  let text = "";
  for await (const event of lines(answer.body)) {
    if (event.type === "session") {
      keep(event.sessionKey);
      element("naming").hidden = true;
    } else if (event.type === "text-delta") {
      text += event.textDelta;
      write(said, text, "assistant");
      messages.scrollTop = messages.scrollHeight;
    } else if (event.type === "finish") {
      await finish(event, item, said);
      return;
    }
  }
  fail(item, said, say("guest.js.broke_off_again"));
}

async function finish(event, item, said) {
  if (event.pending) {
    item.remove();
    await waitForAnswer();
    return;
  }
  item.classList.remove("waiting");
  if (event.finishReason === "error") {
    fail(item, said, said.textContent ? say("guest.js.broke_off") : say("guest.js.no_answer"));
    return;
  }
  element("status").replaceChildren(SignIn.name(agent), `: ${said.textContent}`);
  last = Math.max(last, await newest());
}

async function newest() {
  const answer = await ask({ sessionKey: key, after: String(last) });
  const found = answer.ok ? (await answer.json()).messages : [];
  return found.length ? found[found.length - 1].id : 0;
}

// The owner's own machine answers later: look until it has.
async function waitForAnswer() {
  SignIn.tell("");
  element("status").replaceChildren(...sayWith("guest.js.later", { agent: SignIn.name(agent) }));
  messages.replaceChildren();
  last = 0;
  await fetchLater();
  while (key !== null && messages.lastElementChild.className !== "theirs") {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    await fetchLater();
  }
  element("status").textContent = messages.lastElementChild.textContent;
}

function fail(item, said, why) {
  item.classList.remove("waiting");
  item.classList.add("failed");
  said.append(said.textContent ? ` — ${why}` : why);
  element("status").textContent = why;
}

async function submit() {
  const text = field.value.trim();
  if (busy || !text) {
    return;
  }
  busy = true;
  element("send").setAttribute("aria-disabled", "true");
  field.value = "";
  try {
    field.value = await send(text);
  } catch {
    field.value = text;
    SignIn.tell(say("guest.js.unreached_kept"));
  } finally {
    busy = false;
    element("send").removeAttribute("aria-disabled");
    field.focus();
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  SignIn.tell("");
  submit();
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
open().catch(() => SignIn.tell(say("guest.js.unreached")));
