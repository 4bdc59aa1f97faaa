// Keeps the shell: the page that is read while the server is away, and what it is made of; opens what rings.
// VERSION and KEPT stand before this; nothing of a person is ever kept here.

const CACHE = `hearth-${VERSION}`;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(KEPT)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match("/away")));
  else if (pathname.startsWith("/static/")) event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
});

addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(event.notification.data.address, location.origin).href;
  const shown = clients.matchAll({ type: "window", includeUncontrolled: true }).then((windows) => windows.find(({ url }) => url.split(/[?#]/)[0] === address));
  event.waitUntil(shown.then((window) => window?.focus() ?? clients.openWindow(address)));
});
