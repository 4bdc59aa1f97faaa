// Signing in on the page of a share link, with a key or with a code of the command line.

import { say } from "./words.js";

/** What the page of guests needs to let people sign in, and to say what went wrong. */
export const SignIn = {
  framed: window.top !== window,

  // In a frame no cookie is used, so that the page around it cannot act as whoever is signed in here.
  credentials() {
    return SignIn.framed ? "omit" : "same-origin";
  },

  async with(secret) {
    const isCode = /^[0-9A-Za-z]{4}([- ]?)[0-9A-Za-z]{4}\1[0-9A-Za-z]{4}$/.test(secret);
    const answer = await fetch("/api/auth/sign-in", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(isCode ? { code: secret } : { key: secret }),
    });
    if (!answer.ok) {
      const body = await answer.json();
      const words = {
        unauthorized: say("guest.js.unknown_secret"),
        insufficient_scope: say("guest.js.narrow_secret"),
        rate_limited: say("guest.js.attempts"),
      };
      throw new Error(words[body.error] || body.message);
    }
  },

  // Show the form and call `then` once somebody has signed in.
  ask(then) {
    const form = document.getElementById("sign-in");
    const field = document.getElementById("secret");
    if (SignIn.framed) {
      document.getElementById("out").href = location.href;
      document.getElementById("framed").hidden = false;
      return;
    }
    form.hidden = false;
    field.focus();
    form.onsubmit = async (event) => {
      event.preventDefault();
      try {
        await SignIn.with(field.value.trim());
        field.value = "";
        form.hidden = true;
        SignIn.tell("");
        await then();
      } catch (error) {
        SignIn.tell(error.message);
        field.focus();
      }
    };
  },

  // A name that somebody chose, isolated: whatever direction it is written in, the words around it stay where they are.
  name(text) {
    const made = document.createElement("bdi");
    made.textContent = text;
    return made;
  },

  // Say what went wrong, or nothing any more.
  tell(text) {
    const notice = document.getElementById("notice");
    notice.textContent = text;
    notice.hidden = !text;
  },
};
