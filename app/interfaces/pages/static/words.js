// The words of scripts, in the person's language: app/interfaces/languages, the tables `js`.

const sentences = {};

/** Take the sentences of a page; the module that brings them stands before all that say them. */
export function learn(more) {
  Object.assign(sentences, more);
}

/** Return a sentence (`part.js.name`) with its values in place; one that counts takes `n`. */
export function say(name, values = {}) {
  let sentence = sentences[name] ?? name;
  if (typeof sentence === "object") sentence = values.n === 1 ? sentence.one : sentence.other;
  for (const [key, value] of Object.entries(values)) sentence = sentence.replaceAll(`{${key}}`, value);
  return sentence;
}

/** Return a sentence as pieces for `append`, with text or elements in its places. */
export function sayWith(name, values) {
  return say(name).split(/\{(\w+)\}/).map((piece, at) => (at % 2 ? values[piece] : piece));
}
