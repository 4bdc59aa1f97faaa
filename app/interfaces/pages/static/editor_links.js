// `[[` finds notes by their name as one types, and links the one that is taken.

import { ask } from "./api.js";
import { element } from "./dom.js";
import { replace } from "./editor.js";
import { say } from "./words.js";

const MOST = 8;
const STYLES = ["fontFamily", "fontSize", "fontWeight", "lineHeight", "letterSpacing", "padding", "border", "boxSizing", "tabSize", "textIndent", "wordSpacing"];

/** Let `[[` in a textarea offer the notes there are. */
export function completeLinks(area) {
  const told = element("p", { class: "hidden", role: "status" });
  const list = element("ul", { class: "suggest", id: "suggest", role: "listbox", "aria-label": say("notes.js.found"), hidden: true });
  area.after(list, told);
  area.setAttribute("aria-autocomplete", "list");
  area.setAttribute("aria-controls", "suggest");
  let found = [];
  let at = -1;
  let asking = null;

  const close = () => {
    asking?.abort();
    list.hidden = true;
    found = [];
    area.removeAttribute("aria-activedescendant");
  };
  const choose = (index) => {
    at = index;
    [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === index)));
    list.children[index]?.scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", `suggest-${index}`);
  };
  const take = (index) => {
    const open = openLink(area);
    if (!open) return close();
    const { title, plain, alias } = found[index];
    const closed = area.value.startsWith("]]", area.selectionStart) ? 2 : 0;
    close();
    replace(area, open.start, area.selectionStart + closed, alias ? `[[${plain}|${alias}]]` : `[[${plain ?? title}]]`);
  };
  const look = async () => {
    const open = openLink(area);
    if (!open) return close();
    asking?.abort();
    asking = new AbortController();
    try {
      const asked = `/os/find?kinds=note&limit=${MOST}&q=${encodeURIComponent(open.typed.slice(0, 200))}`;
      const { results } = await ask("GET", asked, undefined, { signal: asking.signal });
      if (!openLink(area)) return close();
      const names = results.map((one) => one.title);
      found = results.map((one) => ({ ...one, plain: names.filter((name) => name === one.title).length > 1 && one.path ? `${one.path}/${one.title}` : one.title }));
      const every = [...names, ...results.map((one) => one.alias ?? "")];
      if (open.typed.trim() && !every.some((name) => name.toLowerCase() === open.typed.trim().toLowerCase())) found.push({ title: open.typed.trim(), isNew: true });
      show(area, list, found, take);
      told.textContent = say("notes.js.suggestions", { n: results.length });
      if (found.length) choose(0); else close();
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  };

  area.addEventListener("input", look);
  // whoever has come back meanwhile goes on
  area.addEventListener("blur", () => setTimeout(() => document.activeElement === area || close(), 150));
  area.addEventListener("click", close);
  area.addEventListener("keydown", (event) => {
    if (list.hidden || event.isComposing) return;
    if (event.key === "ArrowDown") choose((at + 1) % found.length);
    else if (event.key === "ArrowUp") choose((at - 1 + found.length) % found.length);
    else if (event.key === "Enter" || event.key === "Tab") take(at);
    else if (event.key === "Escape") close();
    else {
      if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) close();
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  });
}

/** Return the link that is being typed at the caret: where it begins, and what is typed of it. */
function openLink(area) {
  const { value, selectionStart: at, selectionEnd } = area;
  if (at !== selectionEnd) return null;
  const start = value.lastIndexOf("[[", at - 1);
  if (start < 0 || at - start > 202 || at < start + 2) return null;
  const typed = value.slice(start + 2, at);
  return /[\n\[\]|]/.test(typed) ? null : { start, typed };
}

function show(area, list, found, take) {
  list.replaceChildren(...found.map((one, index) => element("li", { role: "option", id: `suggest-${index}`, "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); take(index); } },
    one.isNew ? say("notes.js.link_new", { title: one.title }) : one.alias ?? one.title, one.alias || one.path ? element("small", {}, one.alias ? one.title : one.path) : null)));
  list.hidden = false;
  const { left, top, height } = caretPlace(area);
  const room = area.clientWidth - list.offsetWidth;
  list.style.left = `${area.offsetLeft + Math.max(0, Math.min(left, room))}px`;
  list.style.top = `${area.offsetTop + top + height + 4}px`;
}

/** Return where the caret stands in a textarea, by a copy of it that can be measured. */
export function caretPlace(area) {
  const style = getComputedStyle(area);
  const copy = element("div", { "aria-hidden": "true" }, area.value.slice(0, area.selectionStart));
  for (const name of STYLES) copy.style[name] = style[name];
  Object.assign(copy.style, { position: "absolute", visibility: "hidden", whiteSpace: "pre-wrap", overflowWrap: "anywhere", width: `${area.clientWidth}px`, top: "0", left: "0" });
  const caret = element("span", {}, "​");
  copy.append(caret);
  area.parentElement.append(copy);
  const place = { left: caret.offsetLeft, top: caret.offsetTop - area.scrollTop, height: caret.offsetHeight };
  copy.remove();
  return place;
}
