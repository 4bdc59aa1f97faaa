// The API of this server, asked with the session of the page.

/** What the server refused: `code` as in the contract, `field` where one is at fault, `status` 0 where nothing answered. */
export class Refused extends Error {
  constructor(status, body) {
    super(body.message ?? "");
    this.status = status;
    this.code = body.error ?? "";
    this.field = body.field;
    this.body = body;
  }
}

let reachable = true;
const tell = (now) => {
  if (now === reachable) return;
  reachable = now;
  dispatchEvent(new CustomEvent("hearth:reach", { detail: now }));
};

/** Ask the API, such as `ask("PATCH", "/os/todos/3", {completed: true})`, and return the body of its answer. Throws Refused. */
export const ask = (method, path, body, options) => askPage(method, `/api/v1${path}`, body, options);

/** Ask what stands behind a page and answers in JSON, as `ask` asks the API. Throws Refused, 401 where the session has ended. */
export async function askPage(method, address, body, { signal, key } = {}) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  const response = await reach(address, { method, headers, signal, body: method === "GET" ? undefined : JSON.stringify(body ?? {}) });
  const isJson = response.headers.get("Content-Type")?.includes("json");
  if (isSignedOut(response) || response.ok && !isJson && response.status !== 204) throw new Refused(401, {});
  const answer = isJson ? await response.json().catch(cutOff) : {};
  if (!response.ok) throw new Refused(response.status, await inOwnWords(answer));
  return answer;
}

const isSignedOut = (response) => response.redirected && response.url.includes("/auth/sign-in");

/** Return an answer of the API, which says in English why it refuses something, with its message in the person's language. */
export async function inOwnWords(answer) {
  if (document.documentElement.lang === "en" || !answer.message) return answer;
  const { said } = await fetch(`/said?${new URLSearchParams({ text: answer.message.slice(0, 2000) })}`).then((found) => found.json()).catch(() => ({}));
  return { ...answer, message: said ?? answer.message };
}

/** Ask a page of this server for a piece of HTML. Throws Refused. */
export async function piece(address, { form, signal } = {}) {
  const response = await reach(address, { method: form ? "POST" : "GET", signal, body: form && new URLSearchParams(form) });
  const html = await response.text();
  if (!response.ok || isSignedOut(response)) throw new Refused(isSignedOut(response) ? 401 : response.status, {});
  return html;
}

/** Do what fetch does, and tell the page whether the server answers at all. */
export async function reach(address, options = {}) {
  try {
    const response = await fetch(address, { credentials: "same-origin", ...options });
    tell(true);
    return response;
  } catch (error) {
    return cutOff(error);
  }
}

function cutOff(error) {
  if (error.name === "AbortError") throw error;
  tell(false);
  throw new Refused(0, { error: "unreachable", message: "" });
}

/** Send a file and hear how much of it has gone, from 0 to 1, which fetch cannot say; gives `{status, text}`. Throws Refused where nothing answers. */
export function sendFile(address, file, hear) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.upload.addEventListener("progress", ({ loaded, total }) => hear(total ? loaded / total : 1));
    request.addEventListener("load", () => { tell(true); done({ status: request.status, text: request.responseText }); });
    request.addEventListener("error", () => { tell(false); failed(new Refused(0, { error: "unreachable", message: "" })); });
    request.send(file);
  });
}
