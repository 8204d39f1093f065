/** What is read and acknowledged before the first item, drawn as the reading room draws the texts of an item. */

import sheet from "./acknowledged.css";
import { h } from "./dom.js";
import words from "./words.css";
import { wordsIn } from "./words.js";

/** @typedef {{heading: string, text: string}} Section  without words in its heading, it has none */

/**
 * Streamlit calls again with every rerun. Which host has its texts, and since when, is written on it: nothing is to be agreed to before.
 *
 * @param {Element} parent
 * @param {Section[]} sections
 */
export function drawSections(parent, sections) {
  const texts = sections.flatMap(({ heading, text }) => [heading && h("h2", { dir: "auto" }, heading), wordsIn(text, "text", "markdown", true)]);
  parent.replaceChildren(h("style", {}, words, sheet), h("div", { class: "acknowledged" }, ...texts));
  const root = parent.getRootNode();
  const host = root instanceof ShadowRoot ? root.host : parent;
  host.setAttribute("data-drawn", String(performance.now()));
}
