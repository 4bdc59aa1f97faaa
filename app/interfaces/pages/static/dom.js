// Elements, and HTML that this server made.

const WORKER = "/worker.js";
const policy = globalThis.trustedTypes?.createPolicy("hearth", { createHTML: (html) => html, createScriptURL: (address) => (address === WORKER ? address : "") });

/** Return the first element that a selector finds. */
export const one = (selector, within = document) => within.querySelector(selector);

/** Return all elements that a selector finds. */
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

/** Make an element: attributes as strings, `on…` as listeners, children as nodes or texts. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Make nodes of HTML that this server has sent: it was escaped or sanitised there. Never of anything else. */
export function fromServer(html) {
  const template = document.createElement("template");
  template.innerHTML = policy ? policy.createHTML(html) : html;
  return template.content;
}

/** Make what an element holds like the nodes given, and take away no more than it must: a node that goes, wherever in the page, ends what undo takes back at once. */
export function liken(shown, wanted) {
  const [before, after] = [[...shown.childNodes], [...wanted.childNodes]];
  after.forEach((next, place) => {
    const now = before[place];
    if (!now) shown.append(next);
    else if (now.nodeName !== next.nodeName) now.replaceWith(next);
    else if (next.nodeType !== Node.ELEMENT_NODE) { if (now.data !== next.data) now.data = next.data; }
    else if (!now.isEqualNode(next)) {
      for (const name of now.getAttributeNames()) if (!next.hasAttribute(name)) now.removeAttribute(name);
      for (const name of next.getAttributeNames()) now.setAttribute(name, next.getAttribute(name));
      liken(now, next);
    }
  });
  for (const left of before.slice(after.length)) left.remove();
}

/** Return whether keys are meant for what a person types in. */
export const isTyping = (target) => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target.type !== "checkbox");

/** Return a function that waits until it was not called for so many milliseconds. */
export function later(milliseconds, run) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds, ...values);
  };
}

/** Let the browser keep the shell of the home, so that it is read while the server is away. */
export const keepShell = () => navigator.serviceWorker?.register(policy ? policy.createScriptURL(WORKER) : WORKER).catch(() => {});
