// The page that is read while the server is away: it looks for it, and tells what waits in this browser.

import { element, one } from "./dom.js";

const EVERY = 3000;

async function look() {
  try {
    if ((await fetch("/healthz", { cache: "no-store" })).ok && location.pathname !== "/away") return location.reload();
  } catch {
    // still away
  }
  setTimeout(look, EVERY);
}

const kept = Object.keys(localStorage).filter((key) => key.startsWith("hearth:draft:"));
if (kept.length) {
  const told = one("#kept");
  told.append(element("p", {}, (kept.length === 1 ? told.dataset.one : told.dataset.other).replace("{n}", kept.length)));
}
one("#again").addEventListener("click", () => location.reload());
setTimeout(look, EVERY);
