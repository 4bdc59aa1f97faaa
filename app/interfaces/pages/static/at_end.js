// A page that grows stays at its end, until somebody scrolls away from it.

import { one } from "./dom.js";

const NEAR = 48;
const left = () => document.documentElement.scrollHeight - innerHeight - scrollY;
const button = one("#newest");
const messages = one("#messages");
let stays = true;
let before = scrollY;

function look() {
  if (left() < 2) stays = true;
  else if (scrollY < before) stays = false;
  else if (left() < NEAR) stays = true;
  before = scrollY;
  show();
}

function show() {
  button.hidden = left() < NEAR || !messages.childElementCount;
}

/** Go to the end of the page, and stay there. */
export function toEnd() {
  stays = true;
  scrollTo({ top: document.documentElement.scrollHeight });
  show();
}

/** Show the end of a page that has grown, to whoever was there. */
export function follow() {
  if (stays) toEnd();
  else show();
}

/** Leave the page where it is. */
export function stayHere() {
  stays = false;
  show();
}

// before the page has moved, or what grows meanwhile would take it back
addEventListener("wheel", ({ deltaY }) => { if (deltaY < 0) stays = false; }, { passive: true });
addEventListener("scroll", look, { passive: true });
addEventListener("resize", show);
