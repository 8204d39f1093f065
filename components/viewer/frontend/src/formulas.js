/**
 * Formulas within Markdown: $a$ in a line, $$a$$ in a line of its own. KaTeX makes MathML of them, which the browser draws with a font
 * of its own; it makes elements, and no text is parsed as HTML.
 */

import katex from "katex";
import { h } from "./dom.js";

const LONGEST = 2_000;
/** Nothing in a formula leads anywhere (`trust`), grows without end (`maxExpand`) or out of its place (`maxSize`, in em). */
const SETTINGS = { output: /** @type {const} */ ("mathml"), trust: false, strict: /** @type {const} */ ("ignore"), maxExpand: 200, maxSize: 20, throwOnError: true };

/**
 * A rule of markdown-it. As Pandoc reads it: no blank inside the dollars, no digit behind them, so that "$5 and $10" are prices.
 *
 * @param {any} state
 * @param {boolean} silent
 */
export function formula(state, silent) {
  const { src, pos } = state;
  if (src[pos] !== "$") return false;
  const fence = src.startsWith("$$", pos) ? "$$" : "$";
  const from = pos + fence.length;
  let end = src.indexOf(fence, from);
  while (end > 0 && src[end - 1] === "\\") end = src.indexOf(fence, end + 1);
  const content = src.slice(from, end);
  if (end < 0 || content.length > LONGEST || !content.trim()) return false;
  if (fence === "$" && (/^\s|\s$/.test(content) || /\d/.test(src[end + 1] ?? ""))) return false;
  if (!silent) {
    const token = state.push("formula", "", 0);
    token.content = content;
    token.markup = fence;
  }
  state.pos = end + fence.length;
  return true;
}

/**
 * @param {HTMLElement} parent
 * @param {{content: string, markup: string}} token
 */
export function appendFormula(parent, { content, markup }) {
  const place = h("span", { class: "formula", dir: "ltr" });
  try {
    katex.render(content, place, { ...SETTINGS, displayMode: markup === "$$" });
    // The source, which is part of the words otherwise.
    place.querySelector("annotation")?.remove();
  } catch {
    // What is no formula stands there as it was written.
    place.replaceChildren(`${markup}${content}${markup}`);
  }
  parent.append(place);
}
