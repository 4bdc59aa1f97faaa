// Two changes in the same place: both are shown, and a person chooses.

import { element } from "./dom.js";
import { joined } from "./merge.js";
import { say } from "./words.js";

/** Show what both changed and wait for a choice of each; gives `{title, text}`. */
export function choose(place, pieces, titles) {
  return new Promise((resolve) => {
    const open = pieces.filter((piece) => !piece.lines);
    const taken = new Map(open.map((piece) => [piece, "mine"]));
    let title = titles.mine;
    const rows = open.map((piece) => choice(piece.mine.join("\n"), piece.theirs.join("\n"), true, (which) => taken.set(piece, which)));
    if (titles.theirs !== titles.mine) rows.unshift(choice(titles.mine, titles.theirs, false, (which) => { title = which === "theirs" ? titles.theirs : titles.mine; }));
    const done = element("button", { type: "button", class: "go", onclick: () => {
      place.hidden = true;
      place.replaceChildren();
      resolve({ title, text: joined(pieces, (piece) => lines(piece, taken.get(piece))) });
    } }, say("notes.js.conflict_done"));
    place.replaceChildren(element("section", { class: "card tight choices", "aria-labelledby": "conflict-title" },
      element("h2", { id: "conflict-title", tabindex: "-1" }, say("notes.js.conflict_title")), element("p", {}, say("notes.js.conflict_told")), ...rows, element("div", { class: "acts" }, done)));
    place.hidden = false;
    place.querySelector("h2").focus();
    place.scrollIntoView({ block: "start" });
  });
}

const lines = (piece, which) => (which === "both" ? [...piece.mine, ...piece.theirs] : piece[which]);

function choice(mine, theirs, both, take) {
  const buttons = [["mine", "take_mine"], ["theirs", "take_theirs"], ...(both ? [["both", "take_both"]] : [])].map(([which, name]) =>
    element("button", { type: "button", "aria-pressed": String(which === "mine"), onclick: ({ currentTarget }) => {
      take(which);
      buttons.forEach((button) => button.setAttribute("aria-pressed", String(button === currentTarget)));
    } }, say(`notes.js.${name}`)));
  const side = (name, text) => element("div", { class: name }, element("h2", {}, say(`notes.js.${name}`)), element("pre", { tabindex: "0" }, text || " "));
  return element("div", { class: "choice", role: "group" }, side("mine", mine), side("theirs", theirs), element("div", { class: "acts" }, ...buttons));
}
