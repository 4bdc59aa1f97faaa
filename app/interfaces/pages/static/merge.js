// Three versions of a text made into one, line by line (diff3).

const MOST_EDITS = 1500;

/** Merge what I and others made of a base. Gives pieces of lines: `{lines}` where it is clear, `{mine, theirs}` where both changed the same. */
export function merge(base, mine, theirs) {
  const [old, left, right] = [base, mine, theirs].map((text) => text.split("\n"));
  const [ours, others] = [changes(old, left), changes(old, right)];
  const pieces = [];
  let at = 0;
  const keep = (end) => { if (end > at) pieces.push({ lines: old.slice(at, end) }); };
  while (ours.length || others.length) {
    const { start, end, taken } = next(ours, others);
    keep(start);
    const [mineNow, theirsNow] = [made(left, taken[0], old, start, end), made(right, taken[1], old, start, end)];
    if (!taken[1].length || same(mineNow, theirsNow)) pieces.push({ lines: mineNow });
    else if (!taken[0].length) pieces.push({ lines: theirsNow });
    else pieces.push({ mine: mineNow, theirs: theirsNow });
    at = end;
  }
  keep(old.length);
  return pieces;
}

/** Return whether a merge left nothing to choose. */
export const isClear = (pieces) => pieces.every((piece) => piece.lines);

/** Return the text of pieces; where there is a choice, the lines that `choose` gives. */
export const joined = (pieces, choose = (piece) => piece.mine) => pieces.flatMap((piece) => piece.lines ?? choose(piece)).join("\n");

const same = (some, others) => some.length === others.length && some.every((line, place) => line === others[place]);

/** Take the next change off the lists, with all of either side that meet it. */
function next(ours, others) {
  const first = (one, other) => !other || (one && (one.start < other.start || (one.start === other.start && one.end <= other.end)));
  const taken = [[], []];
  const mine = first(ours[0], others[0]);
  const one = (mine ? ours : others).shift();
  taken[mine ? 0 : 1].push(one);
  const { start } = one;
  let { end } = one;
  for (let more = true; more;) {
    more = false;
    for (const [side, list] of [ours, others].entries()) {
      const other = list[0];
      // Lines that are put in at one place by both meet there, too.
      if (!other || !(other.start < end || (other.start === start && other.end === start && end === start))) continue;
      taken[side].push(list.shift());
      end = Math.max(end, other.end);
      more = true;
    }
  }
  return { start, end, taken };
}

/** Return what one side made of some lines of the base. */
function made(side, taken, old, start, end) {
  const lines = [];
  let at = start;
  for (const one of taken) {
    lines.push(...old.slice(at, one.start), ...side.slice(one.from, one.to));
    at = one.end;
  }
  return [...lines, ...old.slice(at, end)];
}

/** Return which lines of the old text were replaced by which of the new. */
function changes(old, now) {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const a = old.slice(head, old.length - tail);
  const b = now.slice(head, now.length - tail);
  if (!a.length && !b.length) return [];
  const found = (a.length && b.length && edits(a, b)) || [{ start: 0, end: a.length, from: 0, to: b.length }];
  return found.map(({ start, end, from, to }) => ({ start: start + head, end: end + head, from: from + head, to: to + head }));
}

/** Return the fewest edits from one list of lines to another (Myers); nothing where they are too many. */
function edits(a, b) {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  const middle = most + 1;
  const far = new Int32Array(2 * most + 3);
  const trace = [];
  for (let d = 0; d <= most; d += 1) {
    trace.push(far.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && far[middle + k - 1] < far[middle + k + 1]) ? far[middle + k + 1] : far[middle + k - 1] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      far[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return back(trace, a.length, b.length);
    }
  }
  return null;
}

/** Walk the way back from the end, and join edits that touch. */
function back(trace, x, y) {
  const found = [];
  for (let d = trace.length - 1; d > 0; d -= 1) {
    const reached = (k) => trace[d][k + d + 1];
    const k = x - y;
    const before = k === -d || (k !== d && reached(k - 1) < reached(k + 1)) ? k + 1 : k - 1;
    const [startX, startY] = [reached(before), reached(before) - before];
    const down = before === k + 1;
    const one = { start: startX, end: startX + (down ? 0 : 1), from: startY, to: startY + (down ? 1 : 0) };
    const after = found[0];
    if (after && after.start === one.end && after.from === one.to) Object.assign(after, { start: one.start, from: one.from });
    else found.unshift(one);
    [x, y] = [startX, startY];
  }
  return found;
}
