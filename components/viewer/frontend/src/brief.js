/** What a reader needs to know before answering: context, prompt, opinions; reference and candidate where they are shown. */

import { h } from "./dom.js";
import { inOneRun, linesIn, wordsIn } from "./words.js";

/** @typedef {import("../payload.js").Line} Line */
/** @typedef {import("../payload.js").TextSetting} TextSetting */

/** A longer history shows this much at once, the rest on request: the form must stay in sight. */
const HISTORY_AT_ONCE = 5;

/**
 * The words of an item: beside the images, or as cards in their place.
 *
 * @param {import("../payload.js").AnyItemPayload} payload
 * @returns {{brief: HTMLElement[], cards: HTMLElement[]}}
 */
export function wordsOf(payload) {
  const { text, turns, opinions: given, own, reference: accepted } = payload;
  const { facts, vignette, history } = payload.context;
  const prompt = wordsIn(payload.prompt, "prompt", text.prompt);
  const opinions = given?.length || own?.length ? opinionTable(payload.form.fields.map(({ label }) => label), own ?? [], given ?? []) : null;
  const context = [facts.length > 0 && inOneLine(facts, text.question), vignette && wordsIn(vignette, "vignette", text.vignette),
    history.length > 0 && historyOf(history), turns.length > 0 && earlierTurns(turns, text.prompt)];
  /** @param {(HTMLElement|string|false|null)[]} nodes @returns {HTMLElement[]} */
  const present = (nodes) => nodes.filter((node) => node instanceof HTMLElement);
  const reference = accepted && card(accepted.length > 1 ? "Reference (any of these is correct)" : "Reference",
    ...accepted.map((answer) => wordsIn(answer, "answer", text.reference)));
  const candidate = payload.candidate !== null && card("Answer", wordsIn(payload.candidate, "answer", text.candidate));
  const two = "sides" in payload && payload.sides ? sidesOf(payload.sides, text.candidate) : null;
  if ("question" in payload) {
    // What the reader is asked is above the form; what the answer was given to, beside the images.
    const task = present([payload.prompt !== "" && prompt, ...context]);
    const others = Boolean(given?.length);
    const brief = present([payload.question !== "" && wordsIn(payload.question, "prompt"), !others && opinions]);
    return { brief, cards: present([task.length > 0 && card(vignette || history.length ? "Case and question" : "Question", ...task), reference, candidate, two,
      others && opinions && card("What others answered", opinions)]) };
  }
  if (payload.images) return { brief: present([...context, prompt, opinions]), cards: [] };
  const cards = [card("Task", ...present([...context, prompt])),
    two ? reference : h("div", { class: "pair" }, reference, candidate), two,
    opinions && given?.length && !own?.length ? card("What others answered", opinions) : opinions];
  return { brief: [], cards: present(cards) };
}

/**
 * Two answers that are compared, each scrolled by itself: nothing but the letter tells one side from the other.
 *
 * @param {string[]} sides
 * @param {TextSetting} [setting]
 */
function sidesOf(sides, setting) {
  return h("div", { class: "sides" }, ...sides.map((words, place) => {
    const name = "AB"[place];
    const side = card(name, wordsIn(words, "answer", setting));
    side.setAttribute("aria-label", `Answer ${name}`);
    return side;
  }));
}

/** @param {string} title @param {...HTMLElement} content */
function card(title, ...content) {
  return h("article", { class: "card" }, h("h3", {}, title), ...content);
}

/** @param {Line[]} pairs @returns {HTMLElement} */
export function factList(pairs) {
  return h("dl", { class: "facts" }, ...pairs.flatMap(([name, value]) => [h("dt", { dir: "auto" }, name), h("dd", { dir: "auto" }, value)]));
}

/**
 * As long as there is room for them.
 *
 * @param {Line[]} pairs
 * @param {TextSetting} [setting]  of a question that is one of them
 */
function inOneLine(pairs, setting) {
  return h("dl", { class: "facts run-on" }, ...pairs.map(([name, value]) =>
    h("div", {}, h("dt", { dir: "auto" }, name), h("dd", { dir: "auto" }, setting === "markdown" ? wordsIn(value, "question", setting) : value))));
}

/** @param {Line[]} entries */
function historyOf(entries) {
  const rest = entries.slice(HISTORY_AT_ONCE);
  return h("section", { class: "history", "aria-label": "History" }, h("h3", {}, "History"), factList(entries.slice(0, HISTORY_AT_ONCE)),
    rest.length > 0 && h("details", {}, h("summary", {}, `${rest.length} more`), factList(rest)));
}

/**
 * What was asked and answered before in the same conversation; it cannot be changed here.
 *
 * @param {import("../payload.js").TurnPayload[]} turns
 * @param {TextSetting} [setting]  of prompts
 */
function earlierTurns(turns, setting) {
  return h("ol", { class: "turns", "aria-label": "Earlier questions and your answers" }, ...turns.map((turn) => {
    const run = inOneRun(turn.prompt, setting);
    return h("li", {}, h("p", { dir: run.dir }, run), factList(turn.lines));
  }));
}

/**
 * Merge lists that leave out different parts of one order: what is new comes before what follows it in its list, or last.
 *
 * @param {string[][]} lists
 */
function inOneOrder(lists) {
  /** @type {string[]} */
  const merged = [];
  for (const list of lists) {
    list.forEach((label, place) => {
      const next = list.slice(place + 1).find((other) => merged.includes(other));
      if (!merged.includes(label)) merged.splice(next === undefined ? merged.length : merged.indexOf(next), 0, label);
    });
  }
  return merged;
}

/** Longer texts than this go below the table, where they have the full width. */
const CELL = 24;
/** So does a row whose longest words have no room beside each other. */
const ROW = 40;

/**
 * Own first read and opinions side by side, one row for each label, with all that was said under it: two fields of a form may have the same.
 *
 * Rows are in the order of the form: a line that one column lacks is where another column has it.
 *
 * @param {string[]} asked  labels of the form beside it, as it asks them
 * @param {Line[]} own
 * @param {import("../payload.js").OpinionPayload[]} opinions
 */
function opinionTable(asked, own, opinions) {
  // Of many, the names alone fit side by side; the cell before them says what they are.
  const many = opinions.length > 2;
  const columns = [...(own.length ? [{ title: opinions.length ? "Own first read" : "Your answer", head: many ? "Own" : "", lines: own }] : []),
    ...opinions.map(({ name, lines }) => ({ title: `Opinion ${name}`, head: many ? name : "", lines }))];
  const there = new Set(columns.flatMap(({ lines }) => lines.map(([label]) => label)));
  const labels = inOneOrder([asked.filter((label) => there.has(label)), ...columns.map(({ lines }) => lines.map(([label]) => label))]);
  /** @param {Line[]} lines @param {string} label */
  const said = (lines, label) => lines.filter(([other, words]) => other === label && words).map(([, words]) => words);
  /** @param {string[]} texts */
  const longest = (texts) => Math.max(0, ...texts.flatMap((words) => words.split(/\s+/)).map((word) => word.length));
  const wide = labels.filter((label) => columns.some(({ lines }) => said(lines, label).some((words) => words.length > CELL))
    || columns.reduce((all, { title, head, lines }) => all + longest([head || title, ...said(lines, label)]), longest([label])) > ROW);
  const rows = labels.filter((label) => !wide.includes(label));
  /** @param {string[]} words */
  const cell = (words) => h("td", {}, ...(words.length ? words : ["–"]).map((line) => h("div", { dir: "auto" }, line)));
  return h("div", { class: "opinions" },
    h("table", {},
      h("thead", {}, h("tr", {}, h("td", {}, many && "Opinion"), ...columns.map(({ title, head }) => h("th", { scope: "col", "aria-label": title }, head || title)))),
      h("tbody", {}, ...rows.map((label) => h("tr", {}, h("th", { scope: "row" }, label), ...columns.map(({ lines }) => cell(said(lines, label))))))),
    ...wide.flatMap((label) => columns.flatMap(({ title, lines }) => said(lines, label).map((words) =>
      h("p", {}, h("strong", {}, `${title}, ${label.toLowerCase()}: `), ...linesIn(words))))));
}
