// A todo rings when its time comes: in one tab of this browser, until somebody has dealt with it.

import { ask, askPage } from "./api.js";
import { element, later, one } from "./dom.js";
import { toast, told } from "./toasts.js";
import { say } from "./words.js";

const EVERY = 60000, SOONEST = 250, LATER = 1000, PATIENCE = 20000;
const LONGEST_AGO = 3600000, FORGOTTEN = 2 * 24 * LONGEST_AGO;
const MOST = 3;
const OFF = "hearth:ring-off", OFFERED = "hearth:ring-offered", RUNG = "hearth:rung", STANDS = "hearth:ring-stands";

const cards = new Map();
let timer = 0, looks = false, again = false, signedOut = false;

const keyOf = ({ id, due }) => `${id} ${due}`;
const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/** Return what was kept under a name in this browser, or nothing. */
function kept(name, otherwise, place = localStorage) {
  try {
    return JSON.parse(place.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function keep(name, value, place = localStorage) {
  try {
    place.setItem(name, JSON.stringify(value));
  } catch { /* a browser that keeps nothing rings once more after a reload */ }
}

/** Return whether todos ring in this browser. */
export const rings = () => !kept(OFF, false);

/** Let todos ring in this browser, or no more. */
export function letRing(on) {
  keep(OFF, !on);
  look();
}

/** Return whether the browser lets pages of Hearth notify: `granted`, `denied`, `default` (nobody was asked), `insecure` or `unknown`. */
export function permission() {
  if (!isSecureContext) return "insecure";
  return globalThis.Notification && navigator.serviceWorker ? Notification.permission : "unknown";
}

/** Have the browser ask whether it may notify; only where somebody has clicked. */
export const askPermission = () => Notification.requestPermission();

async function look() {
  clearTimeout(timer);
  if (looks) again = true;
  if (looks || signedOut) return;
  if (!rings()) return [...cards.keys()].forEach((key) => putAway(key));
  looks = true;
  let wait = EVERY;
  try {
    const response = await fetch("/due", { credentials: "same-origin", signal: AbortSignal.timeout?.(PATIENCE) });
    signedOut = response.status === 401;
    if (signedOut) [...cards.keys()].forEach((key) => putAway(key));
    if (response.ok) wait = await take(await response.json());
  } catch {
    // the server is away; it is asked again
  } finally {
    looks = false;
  }
  if (signedOut) return;
  timer = setTimeout(look, again ? SOONEST : wait);
  again = false;
}

/** Ring for what is due; gives the milliseconds until there may be something else. */
async function take({ now, isNew, todos }) {
  const moment = Date.parse(now);
  const waits = ({ due }) => Date.parse(due) - moment;
  const open = todos.map(keyOf);
  for (const key of [...cards.keys()]) if (!open.includes(key)) putAway(key);
  const stands = kept(STANDS, [], sessionStorage);
  const due = todos.filter((todo) => waits(todo) <= 0 && !cards.has(keyOf(todo)));
  due.filter((todo) => stands.includes(keyOf(todo))).forEach(show);
  const fresh = due.filter((todo) => waits(todo) >= -LONGEST_AGO && !kept(RUNG, {})[keyOf(todo)]);
  // a tab that somebody looks at comes first; and without locks, by plain http, not two at once
  if (fresh.length) await pause(document.hidden ? LATER : navigator.locks ? 0 : Math.random() * SOONEST);
  for (const todo of fresh) {
    if (cards.size >= MOST) break;
    if (!await claim(keyOf(todo))) continue;
    show(todo);
    notify(todo).catch(() => {});
  }
  if (isNew) offer();
  return Math.max(SOONEST, Math.min(EVERY, ...todos.map(waits).filter((each) => each > 0)));
}

/** Return whether this tab is the one that rings. */
function claim(key) {
  const taken = () => {
    const rung = kept(RUNG, {}), at = Date.now();
    if (rung[key]) return false;
    keep(RUNG, { ...Object.fromEntries(Object.entries(rung).filter(([, when]) => at - when < FORGOTTEN)), [key]: at });
    return true;
  };
  return navigator.locks ? navigator.locks.request("hearth ring", taken) : taken();
}

function show(todo) {
  const key = keyOf(todo);
  const button = (name, run, kind) => element("button", { type: "button", class: kind, onclick: run }, say(`shell.js.ring_${name}`));
  const acting = (run) => async () => {
    card.inert = true;
    try {
      await run();
      putAway(key);
    } catch (error) {
      card.inert = false;
      told(error);
      if (error.status === 404) putAway(key);
    }
    look();
  };
  const card = element("div", { class: "toast ring", role: "group", "aria-label": say("shell.js.ring", { what: todo.title }) },
    element("div", { class: "what" }, element("a", { href: `/todos/${todo.id}`, onclick: () => putAway(key) }, todo.title), element("time", { datetime: todo.due, class: "num" }, todo.told)),
    element("div", { class: "acts start" },
      button("done", acting(() => complete(todo)), "go"),
      button("later", acting(() => putOff(todo))),
      element("button", { type: "button", onclick: () => { putAway(key); look(); } }, say("shell.js.close"))));
  cards.set(key, card);
  keep(STANDS, [...cards.keys()], sessionStorage);
  one("#toasts").append(card);
}

function putAway(key) {
  cards.get(key)?.remove();
  cards.delete(key);
  keep(STANDS, [...cards.keys()], sessionStorage);
  notified(key).then((all) => all.forEach((each) => each.close())).catch(() => {});
}

async function complete({ id, title }) {
  const { next } = await ask("POST", `/os/todos/${id}/complete`);
  const undo = async () => {
    try {
      await ask("PATCH", `/os/todos/${id}`, { completed: false });
      if (next) await ask("DELETE", `/os/todos/${next.id}`);
    } catch (error) {
      told(error);
    }
  };
  toast([say("shell.js.ring_was_done"), " ", element("b", { title }, title)], { undo });
}

async function putOff({ id, title }) {
  const moved = await askPage("POST", `/todos/${id}/put-off`);
  toast([say("shell.js.ring_put_off", { time: moved.told }), " ", element("b", { title }, title)]);
}

const worker = async () => (permission() === "granted" ? navigator.serviceWorker.getRegistration() : undefined);
const notify = async (todo) => (await worker())?.showNotification(todo.title, { body: todo.told, tag: `hearth ${keyOf(todo)}`, requireInteraction: true, data: { address: `/todos/${todo.id}` } });
const notified = async (key) => (await (await worker())?.getNotifications({ tag: `hearth ${key}` })) ?? [];

/** Ask once, where a todo with a time was just added, whether it may be told outside of the page. */
function offer() {
  if (document.hidden || permission() !== "default" || kept(OFFERED, false)) return;
  keep(OFFERED, true);
  toast(say("shell.js.ring_offer"), { act: [say("shell.js.ring_allow"), askPermission], stays: true });
}

for (const name of ["hearth:changed", "hearth:renewed"]) addEventListener(name, later(SOONEST, look));
addEventListener("storage", ({ key }) => { if (key === OFF) look(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
look();
