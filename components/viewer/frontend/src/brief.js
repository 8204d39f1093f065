/** What a reader needs to know before answering: context, prompt, opinions; reference and candidate where they are shown. */

import { h } from "./dom.js";
import { inOneRun, wordsIn } from "./words.js";

/** A longer history shows this much at once, the rest on request: the form must stay in sight. */
const HISTORY_AT_ONCE = 5;

/**
 * The words of an item: beside the images, or as cards in their place.
 *
 * @param {any} payload
 * @returns {{brief: HTMLElement[], cards: HTMLElement[]}}
 */
export function wordsOf(payload) {
  const { facts = [], vignette, history = [] } = payload.context ?? {};
  const text = payload.text ?? {};
  const prompt = wordsIn(payload.prompt, "prompt", text.prompt);
  const opinions = payload.opinions?.length ? opinionTable(payload.own ?? [], payload.opinions) : null;
  const context = [facts.length > 0 && inOneLine(facts, text.question), vignette && wordsIn(vignette, "vignette", text.vignette),
    history.length > 0 && historyOf(history), payload.turns?.length > 0 && earlierTurns(payload.turns, text.prompt)];
  const present = (nodes) => nodes.filter(Boolean);
  if (payload.images) return { brief: present([...context, prompt, opinions]), cards: [] };
  const card = (title, ...content) => h("article", { class: "card" }, h("h3", {}, title), ...content);
  const accepted = payload.reference;
  const cards = [
    card("Prompt", ...present([...context, prompt])),
    h("div", { class: "pair" },
      accepted && card(accepted.length > 1 ? "Reference (any of these is right)" : "Reference",
        ...accepted.map((answer) => wordsIn(answer, "answer", text.reference))),
      payload.candidate !== null && payload.candidate !== undefined && card("Candidate's answer", wordsIn(payload.candidate, "answer", text.candidate))),
    opinions,
  ];
  return { brief: [], cards: present(cards) };
}

/** @param {[string, string][]} pairs @returns {HTMLElement} */
export function lines(pairs) {
  return h("dl", { class: "facts" }, ...pairs.flatMap(([name, value]) => [h("dt", { dir: "auto" }, name), h("dd", { dir: "auto" }, value)]));
}

/**
 * As long as there is room for them.
 *
 * @param {[string, string][]} pairs
 * @param {string} [setting]  of a question that stands among them
 */
function inOneLine(pairs, setting) {
  return h("dl", { class: "facts run-on" }, ...pairs.map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", { dir: "auto" }, setting === "markdown" ? wordsIn(value, "question", setting) : value))));
}

/** @param {[string, string][]} entries */
function historyOf(entries) {
  const rest = entries.slice(HISTORY_AT_ONCE);
  return h("section", { class: "history", "aria-label": "History" }, h("h3", {}, "History"), lines(entries.slice(0, HISTORY_AT_ONCE)),
    rest.length > 0 && h("details", {}, h("summary", {}, `${rest.length} more`), lines(rest)));
}

/**
 * What was asked and answered before in the same conversation; it cannot be changed here.
 *
 * @param {{prompt: string, lines: [string, string][]}[]} turns
 * @param {string} [setting]  of prompts
 */
function earlierTurns(turns, setting) {
  return h("ol", { class: "turns", "aria-label": "Earlier questions and your answers" }, ...turns.map((turn) =>
    h("li", {}, h("p", { dir: "auto" }, inOneRun(turn.prompt, setting)), lines(turn.lines))));
}

/** Longer words than these stand below the table, where they have the whole width. */
const CELL = 24;

/**
 * Own first read and opinions side by side, one row for each thing that was said.
 *
 * @param {[string, string][]} own
 * @param {{name: string, lines: [string, string][]}[]} opinions
 */
function opinionTable(own, opinions) {
  const columns = [...(own.length ? [{ title: "Own first read", lines: own }] : []),
    ...opinions.map(({ name, lines }) => ({ title: `Opinion ${name}`, lines }))];
  const labels = [...new Set(columns.flatMap(({ lines }) => lines.map(([label]) => label)))];
  const said = (lines, label) => lines.find(([other]) => other === label)?.[1] ?? "";
  const wide = labels.filter((label) => columns.some(({ lines }) => said(lines, label).length > CELL));
  const rows = labels.filter((label) => !wide.includes(label));
  return h("div", { class: "opinions" },
    h("table", {},
      h("thead", {}, h("tr", {}, h("td", {}), ...columns.map(({ title }) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, ...rows.map((label) => h("tr", {}, h("th", { scope: "row" }, label),
        ...columns.map(({ lines }) => h("td", { dir: "auto" }, said(lines, label) || "–")))))),
    ...wide.flatMap((label) => columns.filter(({ lines }) => said(lines, label)).map(({ title, lines }) =>
      h("p", {}, h("strong", {}, `${title}, ${label.toLowerCase()}: `), h("bdi", {}, said(lines, label))))));
}
