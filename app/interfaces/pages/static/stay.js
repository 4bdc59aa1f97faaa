// Forms that do their work without leaving the page: the answer is the page as it is then.

import { all, element, fromServer, one } from "./dom.js";
import { Refused, reach } from "./api.js";
import { isIdle } from "./changes.js";
import { toast, told } from "./toasts.js";

const rowsOf = (page) => one("#live", page)?.innerHTML;
/** The rows as the server made them last, before any script touched them. */
let made = rowsOf(document);

/** The change before, done or not: one waits for the other, or an older page could come last and stay. */
let last = Promise.resolve();

/** Send a form's fields to an address, show the live part of the page that comes back, and say what was done. Gives the page. */
export function send(address, fields, options) {
  const sent = last.then(() => sendNow(address, fields, options));
  last = sent.catch(() => {});
  return sent;
}

async function sendNow(address, fields, { renew = true, undone } = {}) {
  const response = await reach(address, { method: "POST", body: new URLSearchParams(fields) });
  const page = fromServer(await response.text());
  if (response.status === 401 || response.redirected && response.url.includes("/auth/sign-in")) throw new Refused(401, {});
  if (!response.ok && !one("#live", page)) throw new Refused(response.status, { message: one("main p", page)?.textContent ?? "" });
  const did = one(".did", page);
  show(page, { renew, sent: fields });
  if (did) {
    const undo = one("form", did)?.getAttribute("action");
    toast(sentenceOf(did), { undo: undo && (() => send(undo, [["back", location.pathname + location.search]]).then(undone).catch(told)) });
  }
  return page;
}

/** Return what was done as it is told in a toast, where a title takes one line at most. */
function sentenceOf(did) {
  const [text, { what }] = [one("span", did).textContent, did.dataset];
  const at = what ? text.indexOf(what) : -1;
  return at < 0 ? [text] : [text.slice(0, at), element("b", { title: what }, what), text.slice(at + what.length)];
}

/** Put the live part of a page in the place of what is shown, and its counts on the rail; without `renew` the counts alone. */
export function show(page, { renew = true, sent = [], quiet = false } = {}) {
  made = rowsOf(page);
  const now = one("#live"), next = one("#live", page);
  const at = document.activeElement?.id;
  if (renew && now && next) {
    keepTyped(now, next, sent);
    now.replaceWith(next);
  }
  for (const each of all("[data-live]")) {
    const fresh = page.getElementById(each.id);
    if (fresh) each.replaceWith(fresh);
  }
  const rail = one(".rail"), counted = one(".rail", page);
  if (rail && counted) all(".item", rail).forEach((item, place) => {
    const [old, fresh] = [one(".count", item), one(".count", all(".item", counted)[place] ?? counted)];
    old?.remove();
    if (fresh) item.append(fresh);
  });
  if (!quiet) one(".did")?.remove();
  if (!renew) return;
  if (at) document.getElementById(at)?.focus();
  dispatchEvent(new CustomEvent("hearth:renewed"));
}

/** Carry what somebody has begun to type meanwhile into the fields of the same names. */
function keepTyped(now, next, sent) {
  const known = [...new URLSearchParams(sent).values()];
  for (const field of all("input[type=text], input:not([type]), textarea", now)) {
    if (!field.name || field.value === field.defaultValue || field !== document.activeElement || known.includes(field.value)) continue;
    const same = field.id ? one(`#${CSS.escape(field.id)}`, next) : one(`form[action="${CSS.escape(field.form?.getAttribute("action") ?? "")}"] [name="${CSS.escape(field.name)}"]`, next);
    if (same) same.value = field.value;
  }
}

/** Show the page as it is now. */
export async function renew() {
  const response = await reach(location.href);
  if (response.ok) show(fromServer(await response.text()));
}

/** Show what others have changed: its counts at once, its rows as soon as nobody points at them. Gives false until then. */
export async function follow() {
  const page = fromServer(await (await reach(location.href)).text());
  const before = made, now = one("#live");
  if (!one("#live", page) || rowsOf(page) === before) return true;
  const renew = isIdle(now);
  show(page, { renew, quiet: true });
  if (!renew) made = before;
  return renew;
}

/** Return the fields of a form as they would be sent, with the button that sends it. */
export function fieldsOf(form, button) {
  const fields = [...new FormData(form)].filter(([, value]) => typeof value === "string");
  if (button?.name) fields.push([button.name, button.value]);
  if (!fields.some(([name]) => name === "back")) fields.push(["back", location.pathname + location.search]);
  return fields;
}
