/** Between two parts of the work: what is done, and what comes next, with how much it is and about how long it takes. */

import { h } from "./dom.js";

/**
 * @param {import("../payload.js").NextPayload} next
 * @param {(() => void)|string} way  what its button does, or where it leads
 */
export function nextPart({ title, about }, way) {
  const words = [title, h("kbd", {}, "Enter")];
  const button = typeof way === "string"
    ? h("a", { class: "submit way-on", href: way }, ...words)
    : h("button", { type: "button", class: "submit way-on", onclick: way }, ...words);
  return h("div", { class: "next-part" }, button, about && h("p", { class: "note" }, about));
}
