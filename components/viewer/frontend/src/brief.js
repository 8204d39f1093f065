/** What a reader needs to know before answering: context, prompt, opinions; reference and candidate where they are shown. */

import { h } from "./dom.js";

/**
 * The words of an item: beside the images, or as cards in their place.
 *
 * @param {any} payload
 * @returns {{brief: HTMLElement[], cards: HTMLElement[]}}
 */
export function wordsOf(payload) {
  const facts = payload.context?.facts ?? [];
  const vignette = payload.context?.vignette;
  const lines = (pairs) => h("dl", { class: "facts" }, ...pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  const prompt = h("p", { class: "prompt" }, payload.prompt);
  const opinions = payload.opinions?.length ? opinionTable(payload.own ?? [], payload.opinions) : null;
  const context = [facts.length > 0 && lines(facts), vignette && h("p", { class: "vignette" }, vignette)];
  const present = (nodes) => nodes.filter(Boolean);
  if (payload.images) return { brief: present([...context, prompt, opinions]), cards: [] };
  const card = (title, ...content) => h("article", { class: "card" }, h("h3", {}, title), ...content);
  const accepted = payload.reference;
  const cards = [
    card("Prompt", ...present([...context, prompt])),
    h("div", { class: "pair" },
      accepted && card(accepted.length > 1 ? "Reference (any of these is right)" : "Reference",
        ...accepted.map((answer) => h("p", { class: "answer" }, answer))),
      payload.candidate !== null && payload.candidate !== undefined && card("Candidate's answer", h("p", { class: "answer" }, payload.candidate))),
    opinions,
  ];
  return { brief: [], cards: present(cards) };
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
        ...columns.map(({ lines }) => h("td", {}, said(lines, label) || "–")))))),
    ...wide.flatMap((label) => columns.filter(({ lines }) => said(lines, label)).map(({ title, lines }) =>
      h("p", {}, h("strong", {}, `${title}, ${label.toLowerCase()}: `), said(lines, label)))));
}
