// What was typed and is not saved yet, kept in this browser (IndexedDB), by person and note.

const STORE = "drafts";
let opened;

/** Keep a draft: `{base, text, title, tags, revision, …}` under its name. */
export function keepDraft(name, draft) {
  mark(name, true);
  return within("readwrite", (store) => store.put({ ...draft, at: Date.now() }, name));
}

/** Return a draft, or nothing. */
export const findDraft = (name) => within("readonly", (store) => store.get(name));

/** Forget a draft. */
export function dropDraft(name) {
  mark(name, false);
  return within("readwrite", (store) => store.delete(name));
}

/** Note that a draft is kept, for the page that is shown while the server is away. */
function mark(name, kept) {
  try {
    if (kept) localStorage.setItem(`hearth:draft:${name}`, "1");
    else localStorage.removeItem(`hearth:draft:${name}`);
  } catch { /* the draft is kept all the same */ }
}

/** Hold a draft as long as this page is open, so that no other tab takes it for left behind. */
export const holdDraft = (name) => navigator.locks?.request(`hearth ${name}`, () => new Promise(() => {}));

/** Return name and draft of a note that was begun and never saved, and that no open tab writes. */
export async function findBegun(person) {
  const names = (await within("readonly", (store) => store.getAllKeys())) ?? [];
  const held = (await navigator.locks?.query())?.held.map((lock) => lock.name);
  for (const name of names.filter((each) => each.startsWith(`${person}/new-`))) {
    const draft = await findDraft(name);
    // Without locks (a page that came over plain HTTP) one of the last minute may be another tab's.
    if (draft && (held ? !held.includes(`hearth ${name}`) : Date.now() - draft.at > 60000)) return { name, draft };
  }
  return null;
}

function open() {
  opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open("hearth", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  return opened;
}

async function within(mode, run) {
  try {
    const database = await open();
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const asked = run(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(asked.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } catch {
    // A browser that keeps nothing (private, full) still saves to the server.
    return undefined;
  }
}
