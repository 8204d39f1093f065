/** What defines an option, as the author of the form wrote it. */

import { h } from "./dom.js";

/** Keys of the scales whose definitions the reader has opened: they stay open from item to item. @type {Set<string>} */
const opened = new Set();

/**
 * Below the words of an option that has a line of its own.
 *
 * @param {import("../payload.js").Option} option
 */
export const meaningOf = ({ meaning }) => meaning !== undefined && h("span", { class: "meaning" }, meaning);

/**
 * Of options that lie side by side, where each has no room for its own: below them, on request.
 *
 * @param {import("./fields/registry.js").Field} field
 */
export function meaningsOf({ key, options }) {
  const defined = options.filter(({ meaning }) => meaning !== undefined);
  if (!defined.length) return null;
  const details = h("details", { class: "meanings", open: opened.has(key), ontoggle: () => {
    if (details.open) opened.add(key);
    else opened.delete(key);
  } },
    h("summary", {}, "What the steps mean"),
    h("dl", {}, ...defined.flatMap(({ text, meaning }) => [h("dt", { dir: "auto" }, text), h("dd", { dir: "auto" }, meaning)])));
  return details;
}
