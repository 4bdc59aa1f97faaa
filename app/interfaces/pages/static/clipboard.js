// Putting a text on the clipboard, also on a page that came over plain HTTP.

import { element } from "./dom.js";

/** Copy a text; gives false where the browser lets no page do so. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Copy as somebody does by hand, which browsers let every page do at a click. */
function copySelected(text) {
  const before = document.activeElement;
  const area = element("textarea", { class: "hidden", readonly: true, tabindex: "-1", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.focus({ preventScroll: true });
  area.setSelectionRange(0, text.length);
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    before?.focus({ preventScroll: true });
  }
}
