// A link with a code in its fragment signs in by itself: the fragment never leaves the browser.

const form = document.querySelector("form");
const code = new URLSearchParams(location.hash.slice(1)).get("code");
if (code && form) {
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.secret.value = code;
  form.requestSubmit();
}
