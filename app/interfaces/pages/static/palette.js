// The palette: notes, folders, todos and tags by their names, people, places and commands.

import { ask } from "./api.js";
import { element, later, one } from "./dom.js";
import { showKeys } from "./keys.js";
import { send } from "./stay.js";
import { told } from "./toasts.js";
import { say } from "./words.js";

const PAUSE = 60;
const MOST = 12;
const PLACES = { today: "/", notes: "/notes", todos: "/todos", search: "/search", agent: "/agent", heartbeat: "/heartbeat", people: "/people", settings: "/settings" };
const ADDRESS = {
  note: (found) => `/notes/${found.id}`,
  folder: (found) => `/notes/folder/${found.id}`,
  todo: (found) => `/todos/${found.id}`,
  tag: (found) => `/notes?tag=${encodeURIComponent(found.name)}`,
};

let people = null;
let open = null;

/** Open the palette, or close it when it is open; with `adds` it takes a todo and nothing else. */
export function palette({ adds = false } = {}) {
  if (open) return open.close();
  open = new Palette(adds, () => { open = null; });
}

class Palette {
  constructor(adds, closed) {
    this.adds = adds;
    const name = say(adds ? "search.js.add_a_todo" : "search.js.palette");
    this.list = element("ul", { id: "palette-list", role: "listbox", "aria-label": name });
    this.input = element("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", "aria-label": name, placeholder: say(adds ? "search.js.add_example" : "search.js.palette_example"), autocomplete: "off", spellcheck: "false", autofocus: true });
    this.dialog = element("dialog", { class: "palette", "aria-label": name, onclose: () => { this.dialog.remove(); closed(); } }, this.input, this.list);
    this.input.addEventListener("input", later(PAUSE, () => this.find()));
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.close(); });
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.rows = [];
    this.find();
  }

  close() {
    this.dialog.close();
  }

  async find() {
    const query = this.input.value.trim();
    if (this.adds) return this.show(query ? [adding(query)] : []);
    this.asked?.abort();
    this.asked = new AbortController();
    try {
      const [names, known] = await Promise.all([
        ask("GET", `/os/find?limit=${MOST}&q=${encodeURIComponent(query)}`, null, { signal: this.asked.signal }),
        this.people(),
      ]);
      if (this.input.value.trim() !== query) return;
      const all = commands(query), called = all.filter(({ title }) => query.length > 2 && title.toLowerCase().startsWith(query.toLowerCase()));
      this.show([...called, ...names.results.map(named), ...matching(known, query), ...all.filter((row) => !called.includes(row))]);
    } catch (error) {
      if (error.status === 0) this.show(commands(query));
      else told(error);
    }
  }

  async people() {
    people ??= ask("GET", "/network/contacts?limit=200").then((found) => found.contacts).catch(() => []);
    return people;
  }

  show(rows) {
    this.rows = rows;
    this.list.replaceChildren(...rows.map((row, number) => element("li", { role: "option", id: `palette-${number}`, "aria-selected": "false", onclick: () => this.take(number), onpointermove: () => this.choose(number) },
      element("span", {}, ...marked(row.title, row.marks ?? [])), row.path ? element("span", { class: "path" }, row.path) : null, element("span", { class: "kind" }, row.kind))));
    if (!rows.length && !this.adds) this.list.replaceChildren(element("li", { class: "nothing" }, say("search.js.palette_nothing")));
    this.choose(0);
  }

  choose(number) {
    this.chosen = Math.max(0, Math.min(number, this.rows.length - 1));
    for (const [each, row] of [...this.list.children].entries()) row.setAttribute("aria-selected", String(each === this.chosen));
    const row = this.list.children[this.chosen];
    row?.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", row?.id ?? "");
  }

  pressed(event) {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      this.choose(this.chosen + step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.take(this.chosen, event.ctrlKey || event.metaKey);
    }
  }

  async take(number, beside = false) {
    const row = this.rows[number];
    if (!row) return;
    this.close();
    if (row.run) return row.run();
    if (beside) window.open(row.address, "_blank", "noopener");
    else location.assign(row.address);
  }
}

const named = (found) => ({ title: found.alias ?? found.title, marks: found.marks, path: (found.alias ? found.title : found.path) ?? "", kind: say(`search.js.${found.kind}`), address: ADDRESS[found.kind](found) });

function matching(known, query) {
  const wanted = query.toLowerCase();
  return wanted ? known.filter(({ username, name }) => `${name ?? ""} ${username}`.toLowerCase().includes(wanted)).slice(0, 4)
    .map(({ username, name }) => ({ title: name || username, kind: say("search.js.person"), address: `/people/@${encodeURIComponent(username)}` })) : [];
}

function commands(query) {
  const wanted = query.toLowerCase();
  const command = say("search.js.command");
  const places = Object.entries(PLACES).map(([name, address]) => ({ title: say(`shell.js.place_${name}`), kind: say("search.js.page"), address }));
  const fixed = [
    { title: say("search.js.new_note"), kind: command, address: "/notes/new" },
    { title: say("search.js.keys"), kind: command, run: showKeys },
    { title: say("search.js.sign_out"), kind: command, run: signOut },
  ];
  const fitting = [...places, ...fixed].filter(({ title }) => title.toLowerCase().includes(wanted));
  const typed = encodeURIComponent(query);
  return query ? [...fitting,
    { title: say("search.js.search_for", { query }), kind: command, address: `/search?q=${typed}` },
    adding(query),
    { title: say("search.js.new_note_called", { query }), kind: command, address: `/notes/new?title=${typed}` },
    { title: say("search.js.ask_agent", { query }), kind: command, address: `/agent?say=${typed}` },
    { title: say("search.js.lines_of", { query }), kind: command, address: `/search/lines?pattern=${typed}` },
  ] : fitting;
}

const adding = (query) => ({ title: say("search.js.add_todo", { query }), kind: say("search.js.command"), run: () => addTodo(query) });

/** Add a todo as the line on its page does: days and times in it are understood, and it can be taken back. */
async function addTodo(title) {
  const renew = one("#live") !== null;
  try {
    await send("/todos/add", [["title", title], ["back", renew ? location.pathname + location.search : "/todos"]], { renew });
  } catch (error) {
    told(error);
  }
}

async function signOut() {
  await fetch("/api/auth/sign-out", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  location.assign("/");
}

function marked(text, marks) {
  // marks count characters as Python does; surrogate pairs are one there
  const letters = [...text];
  const nodes = [];
  let at = 0;
  for (const [start, end] of marks) {
    nodes.push(letters.slice(at, start).join(""), element("mark", {}, letters.slice(start, end).join("")));
    at = end;
  }
  return [...nodes, letters.slice(at).join("")];
}
