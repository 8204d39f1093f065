/** What some items bring with them: practice with feedback, and the revision of an earlier verdict. */

import { lines } from "./brief.js";
import { h } from "./dom.js";
import { clockTime } from "./transport.js";

/** @param {{done: number, total: number, pass_mark: number|null}} practice */
export function practiceWords({ done, total, pass_mark: mark }) {
  const needed = mark === null || mark === undefined ? "" : ` · ${Math.round(mark * 100)} % right needed`;
  return `Practice ${Math.min(done + 1, total)} of ${total}${needed}`;
}

/**
 * @param {{correct: boolean|null, lines: [string, string][]}} feedback
 * @returns {HTMLElement}
 */
export function feedbackPanel({ correct, lines: pairs }) {
  const [kind, words] = correct === true ? ["right", "✓ Right"] : correct === false ? ["not-right", "✗ Not right"] : ["open", "Saved: there is no single right answer"];
  return h("section", { class: `feedback ${kind}`, role: "status", "aria-label": "Feedback" }, h("h3", {}, words), pairs.length > 0 && lines(pairs));
}

/**
 * @param {{receipt: string, saved_at: string}} revision
 * @param {() => void} onBack
 */
export function revisionBanner({ receipt, saved_at: savedAt }, onBack) {
  return h("div", { class: "revision", role: "note" },
    h("p", {}, `You are revising the verdict of ${clockTime(savedAt)}, receipt ${receipt}. Submitting replaces it; the old one is kept on record.`),
    h("button", { type: "button", class: "plain", onclick: onBack }, "Back without a change", h("kbd", {}, "Q")));
}
