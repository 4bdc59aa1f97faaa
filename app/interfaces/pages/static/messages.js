// What one does with the messages of a conversation: copy, edit, ask again.

import { copyText } from "./clipboard.js";
import { all, element, one } from "./dom.js";
import { toast } from "./toasts.js";
import { say } from "./words.js";

const SHOWN_MS = 2000;
const messages = one("#messages");
const icon = () => one("#messages .copies svg")?.cloneNode(true) ?? "";

/** Give each block of code in an answer a button of its own. */
export function dressCode(within = messages) {
  for (const block of all(".said pre", within)) {
    if (block.closest(".code")) continue;
    const before = block.previousElementSibling;
    const language = before?.tagName === "SPAN" ? before : "";
    const box = element("div", { class: "code" });
    block.replaceWith(box);
    box.append(element("div", { class: "over" }, language, element("button", { type: "button", class: "plain copies", "aria-label": say("agent.js.copy_code"), title: say("agent.js.copy_code") }, icon(), element("span", {}, say("agent.js.copy")))), block);
  }
}

/** Return a message of one's own as the server would show it. */
export function mine(words) {
  const [you, edit] = [...one("#mine").children].map((part) => part.cloneNode(true));
  return element("div", { class: "mine" }, element("div", { class: "say" }, you, element("span", { class: "words" }, words)), edit);
}

/** Return what somebody said last; empty where nothing was said yet. */
export const lastSaid = () => all(".mine .words", messages).at(-1)?.textContent ?? "";

/** Put a text into a field in place of what stands there, as if it was typed: the browser's undo takes it back. */
export function putInto(field, text) {
  field.focus();
  field.select();
  if (!document.execCommand("insertText", false, text)) field.value = text;
  field.setSelectionRange(text.length, text.length);
  field.dispatchEvent(new Event("input"));
  field.scrollTop = field.scrollHeight;
}

async function copy(button) {
  const answer = button.closest(".hear"), box = button.closest(".code");
  const code = box && one("pre", box);
  const text = code ? code.textContent.replace(/\n$/, "") : answer.dataset.markdown;
  if (!(await copyText(text))) {
    getSelection().selectAllChildren(code ?? one(".said", answer) ?? answer);
    toast(say("agent.js.copy_by_hand"));
    return;
  }
  tell(button, say("agent.js.copied"));
  setTimeout(() => tell(button, say("agent.js.copy"), ""), SHOWN_MS);
}

/** Show a word on a button, and have it read out. */
function tell(button, word, aloud = word) {
  one("span", button).textContent = word;
  one("#announced").textContent = aloud;
}

/** Make the buttons of all messages work, those that come later too. */
export function begin(field) {
  messages.classList.add("works");
  messages.addEventListener("click", (event) => {
    const button = event.target.closest(".copies, .edit");
    if (!button) return;
    event.preventDefault();
    if (button.matches(".edit")) putInto(field, one(".words", button.closest(".mine")).textContent);
    else copy(button);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowUp" || field.value || event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !lastSaid()) return;
    event.preventDefault();
    putInto(field, lastSaid());
  });
  dressCode();
}
