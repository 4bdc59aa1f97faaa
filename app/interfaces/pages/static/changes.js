// Word of what others have changed: one small question now and then while the page is looked at.

const EVERY = 4000;
let mark = document.body.dataset.mark;

/** Call `run` after something was stored since the page was made, and again until it does not give false. */
export function whenChanged(run) {
  let due = false, asks = false;
  const look = async () => {
    if (document.hidden || asks) return;
    asks = true;
    try {
      const response = await fetch("/changes", { credentials: "same-origin" });
      if (!response.ok) return;
      const now = await response.text();
      if (now !== mark) dispatchEvent(new CustomEvent("hearth:changed"));
      due ||= now !== mark;
      mark = now;
      if (due) due = (await run()) === false;
    } catch {
      // the server is away; it is asked again
    } finally {
      asks = false;
    }
  };
  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
}

/** Return whether nobody points at a part of the page, types or chooses in it, so that it may move. */
export const isIdle = (part) => !part.matches(":hover") && !part.contains(document.activeElement) && !document.querySelector("dialog[open], details[open] > summary:focus, .dragged") && getSelection().isCollapsed;
