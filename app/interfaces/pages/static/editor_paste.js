// Paste and drop: HTML becomes Markdown, pictures and files are sent and linked.

import { reach, Refused } from "./api.js";
import { lineAt, replace } from "./editor.js";
import { link } from "./editor_keys.js";
import { say } from "./words.js";
import { toast } from "./toasts.js";

const LARGEST = 20 * 1024 * 1024;
const TELLING = /<(?:a\s|b>|strong|em>|i>|h[1-6]|ul|ol|li|table|blockquote|pre|code|img\s)/i;
const FROM_CODE = /data-vscode|vscode-|<meta[^>]+(?:jetbrains|IntelliJ)|class="(?:highlight|CodeMirror)/i;
const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/;
let count = 0;

/** Let a textarea take what is pasted into it and dropped on it. */
export function takePasted(area) {
  let plain = false;
  area.addEventListener("keydown", ({ key, shiftKey, ctrlKey, metaKey }) => { plain = shiftKey && (ctrlKey || metaKey) && key.toLowerCase() === "v"; });
  area.addEventListener("paste", (event) => {
    const { clipboardData: data } = event;
    const [html, text, files] = [data.getData("text/html"), data.getData("text/plain"), [...data.files]];
    if (plain) return;
    if (files.length && !text.trim()) {
      event.preventDefault();
      sendFiles(area, files);
    } else if (ADDRESS.test(text.trim()) && area.selectionStart !== area.selectionEnd) {
      event.preventDefault();
      link(area, text.trim());
    } else if (html && TELLING.test(html) && !FROM_CODE.test(html) && !inCode(area)) {
      event.preventDefault();
      pasteHtml(area, html, text);
    }
  });
  const over = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    area.form.classList.add("dropping");
  };
  area.addEventListener("dragenter", over);
  area.addEventListener("dragover", over);
  area.addEventListener("dragleave", () => area.form.classList.remove("dropping"));
  area.addEventListener("drop", (event) => {
    area.form.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    sendFiles(area, [...event.dataTransfer.files]);
  });
}

/** Send files, and put links to them where the caret is; pictures are shown. */
async function sendFiles(area, files) {
  for (const file of files) {
    if (file.size > LARGEST) {
      toast(say("notes.js.upload_large", { name: file.name }), { bad: true });
      continue;
    }
    count += 1;
    // A placeholder holds the place while one goes on typing.
    const waiting = `[${say("notes.js.uploading", { name: nameOf(file) })}](#${count})`;
    const { selectionStart: at, selectionEnd: until, value } = area;
    const own = lineAt(value, at).start === at || file.type.startsWith("image/") === false ? "" : "\n\n";
    replace(area, at, until, own + waiting);
    await send(area, file, waiting);
  }
}

async function send(area, file, waiting) {
  let text = "";
  try {
    const response = await reach(`/notes/files?name=${encodeURIComponent(nameOf(file))}`, { method: "POST", body: file, headers: { "Content-Type": file.type || "application/octet-stream", Accept: "application/json" } });
    const body = await response.json().catch(() => ({}));
    if (!response.ok) throw new Refused(response.status, body);
    const { id, name, mediaType } = body.attachment;
    text = `${mediaType.startsWith("image/") ? "!" : ""}[${name.replace(/[[\]\\]/g, " ")}](/os/attachments/${id})`;
  } catch (error) {
    toast(say("notes.js.upload_failed", { name: nameOf(file), message: error.message || say("shell.js.offline") }), { bad: true });
  }
  const at = area.value.indexOf(waiting);
  if (at < 0) return;
  const { selectionStart: caret, selectionEnd: until } = area;
  const moved = (place) => (place <= at ? place : Math.max(at + text.length, place + text.length - waiting.length));
  replace(area, at, at + waiting.length, text, moved(caret), moved(until));
}

async function pasteHtml(area, html, text) {
  const { selectionStart: at, selectionEnd: until } = area;
  let markdown = text;
  try {
    const response = await reach("/notes/markdown", { method: "POST", body: fragment(html), headers: { "Content-Type": "text/plain; charset=utf-8", Accept: "application/json" } });
    if (response.ok && response.headers.get("Content-Type")?.includes("json")) markdown = (await response.json()).markdown.trim() || text;
  } catch { /* the plain text is better than nothing */ }
  replace(area, at, until, markdown);
}

/** Return what was copied, without what browsers put around it. */
function fragment(html) {
  const inner = /<!--StartFragment-->([\s\S]*?)<!--EndFragment-->/.exec(html)?.[1] ?? html;
  return inner.replace(/<(style|script|head)[\s\S]*?<\/\1>/gi, "");
}

function nameOf(file) {
  const ending = file.type.split("/")[1]?.replace("jpeg", "jpg").replace("svg+xml", "svg") ?? "bin";
  return (file.name || `file.${ending}`).slice(-255);
}

/** Return whether the caret stands between fences. */
function inCode(area) {
  const fences = area.value.slice(0, area.selectionStart).match(/^[ \t]*(?:```|~~~)/gm);
  return (fences?.length ?? 0) % 2 === 1;
}

/** Let a button choose files to send. */
export function chooseFiles(area, input) {
  input.addEventListener("change", async () => {
    const files = [...input.files];
    input.value = "";
    await sendFiles(area, files);
  });
  return () => input.click();
}
