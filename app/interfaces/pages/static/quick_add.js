// The line that adds a todo says what it understood while somebody types.

import { all, element, fromServer, later, one } from "./dom.js";
import { piece } from "./api.js";

/** Let a line tell what it understood, as chips that can be dismissed. */
export function listen(line) {
  const form = line.form, place = one(".understood", form), hint = [...place.childNodes];
  let asked = null;
  const ask = async () => {
    asked?.abort();
    if (!line.value.trim()) return place.replaceChildren(...hint);
    asked = new AbortController();
    const kept = all("[name=keep], [name=due]:enabled", form).map(({ name, value }) => [name, value]);
    try {
      const html = await piece("/todos/quick-add", { form: [["line", line.value], ...kept], signal: asked.signal });
      place.replaceChildren(fromServer(html));
    } catch { /* The line is sent as it is; what it means is found out again then. */ }
  };
  line.addEventListener("input", later(120, ask));
  place.addEventListener("click", ({ target }) => {
    const chip = target.closest(".chip");
    if (!chip) return;
    if (chip.dataset.keep) place.append(element("input", { type: "hidden", name: "keep", value: chip.dataset.keep }));
    else form.elements.due.disabled = true;
    line.focus();
    ask();
  });
  // A list that is pasted becomes steps: an input would run its lines together.
  line.addEventListener("paste", (event) => {
    const [first, ...rest] = event.clipboardData.getData("text/plain").split(/\r?\n/).map((row) => row.replace(/^\s*(?:[-*+•]|\d+[.)])?\s*(?:\[[ x]\]\s*)?/i, "").trim()).filter(Boolean);
    if (!rest.length) return;
    event.preventDefault();
    line.setRangeText(rest.length > 1 ? `${first}: ${rest.join("; ")}` : `${first} ${rest[0]}`, line.selectionStart, line.selectionEnd, "end");
    line.dispatchEvent(new Event("input"));
  });
  return {
    clear() {
      asked?.abort();
      if (form.elements.due) form.elements.due.disabled = false;
      place.replaceChildren(...hint);
    },
  };
}
