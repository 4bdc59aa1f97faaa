// The history of a note: J and K go through its versions.

import { all, one } from "./dom.js";
import { key } from "./keys.js";
import { say } from "./words.js";

function step(by) {
  const links = all(".versions a");
  const at = links.findIndex((link) => link.hasAttribute("aria-current"));
  links[at + by]?.click();
}
key("j", say("notes.js.key_next"), () => step(1));
key("k", say("notes.js.key_before"), () => step(-1));
one(".versions [aria-current]")?.scrollIntoView({ block: "nearest" });
