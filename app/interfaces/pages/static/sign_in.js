// A link with a code in its fragment signs in by itself: the fragment never leaves the browser.
// The form also says in which time zone that is, for whoever has chosen none.

const form = document.querySelector("form");
if (form) form.elements.timezone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
const code = new URLSearchParams(location.hash.slice(1)).get("code");
if (code && form) {
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.secret.value = code;
  form.requestSubmit();
}
