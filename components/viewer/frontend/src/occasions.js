/** What only some items have: practice with feedback, and the revision of an earlier verdict. */

import { h } from "./dom.js";
import { clockTime } from "./transport.js";
import { wordsIn } from "./words.js";

/** @param {import("../payload.js").PracticePayload} practice */
export function practiceWords({ done, total, pass_mark: mark }) {
  return `Practice item ${Math.min(done + 1, total)} of ${total} · ${Math.round(mark * 100)} % correct to pass`;
}

/** How the lines of a feedback are set, by their names. @type {Record<string, import("../payload.js").TextKind>} */
const SET_AS = { Reference: "reference", Explanation: "explanation" };

/**
 * What the feedback says in all: of the fields that its lines are about or, where they name none, of the answer.
 *
 * @param {import("../payload.js").FeedbackPayload} feedback
 */
function headOf({ correct, fields }) {
  if (fields && fields.right > 0 && fields.right < fields.judged) return ["open", `${fields.right} of ${fields.judged} answers correct`];
  const all = fields ? fields.right > 0 : correct;
  if (all === null) return ["open", "Saved: there is no single correct answer"];
  return all ? ["right", "✓ Correct"] : ["not-right", "✗ Incorrect"];
}

/**
 * @param {import("../payload.js").FeedbackPayload} feedback
 * @param {import("../payload.js").AnyItemPayload["text"]} text
 * @returns {HTMLElement}
 */
export function feedbackPanel(feedback, text) {
  const pairs = feedback.lines;
  const [kind, words] = headOf(feedback);
  return h("section", { class: `feedback ${kind}`, role: "status", "aria-label": "Feedback" }, h("h3", {}, words),
    pairs.length > 0 && h("dl", { class: "facts" }, ...pairs.flatMap(([name, value]) =>
      [h("dt", {}, name), h("dd", { dir: "auto" }, wordsIn(value, "explained", text[SET_AS[name]]))])));
}

/**
 * One line, so that the prompt keeps its place; the rest of it is in the head.
 *
 * @param {import("../payload.js").RevisionPayload} revision
 * @param {() => void} onBack
 */
export function revisionBanner({ saved_at: savedAt }, onBack) {
  return h("div", { class: "revision", role: "note" },
    h("p", {}, `You are revising your verdict of ${clockTime(savedAt)}`),
    h("button", { type: "button", class: "plain", title: "Back without changes (Q)", "aria-label": "Back without changes", onclick: onBack }, "Back", h("kbd", {}, "Q")));
}

/** @param {import("../payload.js").RevisionPayload} revision */
export function revisionWords({ receipt }) {
  return `Submitting replaces ${receipt}, which is kept on record.`;
}
