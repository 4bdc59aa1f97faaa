// Joining a team by the invite that the address of this page holds.
"use strict";

(() => {
  const token = location.pathname.split("/").filter(Boolean).pop();
  const join = document.getElementById("join");

  function offer() {
    join.hidden = false;
    join.querySelector("button").focus();
  }

  join.addEventListener("submit", async (event) => {
    event.preventDefault();
    SignIn.tell("");
    const answer = await fetch(`/api/v1/os/team/invites/${encodeURIComponent(token)}/accept`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    });
    const found = await answer.json();
    if (answer.status === 401) {
      join.hidden = true;
      SignIn.ask(offer);
    } else if (answer.ok) {
      join.hidden = true;
      document.getElementById("status").replaceChildren("You belong to ", SignIn.name(found.team.name), ` now, as ${found.role}.`);
    } else {
      SignIn.tell(found.message);
    }
  });

  fetch("/api/auth/session", { cache: "no-store", credentials: SignIn.credentials() }).then((answer) => (answer.ok ? offer() : SignIn.ask(offer)));
})();
