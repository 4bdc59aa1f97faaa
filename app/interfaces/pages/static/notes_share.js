// Copies the link to a note.

import { all } from "./dom.js";
import { say } from "./words.js";
import { toast } from "./toasts.js";

for (const button of all(".copy-link")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.from).textContent.trim());
    toast(say("notes.js.copied"));
  });
}
