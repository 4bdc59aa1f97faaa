// The card of what waits for a yes, in a page that is not loaded again: a talk with the agent.

import { fromServer } from "./dom.js";
import { piece } from "./api.js";
import { fieldsOf } from "./stay.js";
import { told } from "./toasts.js";

/** Put the card of an escalation in the place of an element; once it is decided, what came of it. */
export async function showCard(id, place) {
  const made = fromServer(await piece(`/approvals/${id}`));
  const card = made.querySelector("article");
  place.replaceWith(card);
  card.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    if (form.dataset.busy) return;
    form.dataset.busy = "1";
    piece(form.action, { form: fieldsOf(form, event.submitter) })
      .catch(told).then(() => showCard(id, card)).catch(told);
  });
}
