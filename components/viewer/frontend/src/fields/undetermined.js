/**
 * "Undetermined" beside any type of field: one more choice, apart from the options and equal to none of them, however these
 * are called. An answer takes it back, and it takes back the answer.
 */

import { badge } from "../digits.js";
import { h } from "../dom.js";

/** As it is sent and stored in place of an answer. */
const UNDETERMINED = { abstention: "undetermined" };

/** @param {any} value */
export const isUndetermined = (value) => value?.abstention === UNDETERMINED.abstention;

/**
 * How many choices a field has that digits choose.
 *
 * @param {import("./registry.js").Field} field
 */
export const choicesOf = (field) => field.options.length + (field.undetermined ? 1 : 0);

/**
 * @param {import("./registry.js").FieldMaker} make
 * @param {import("./registry.js").Field} field
 * @param {import("./registry.js").FieldContext} context
 * @returns {import("./registry.js").FieldParts}
 */
export function withUndetermined(make, field, context) {
  const parts = make(field, {
    ...context,
    onChange(delay) {
      if (parts.read() !== null || (parts.draft?.() ?? null) !== null) input.checked = false;
      context.onChange(delay);
    },
  });
  const input = h("input", {
    type: parts.radios ? "radio" : "checkbox",
    name: parts.radios ?? "",
    onchange() {
      if (input.checked) parts.write(null);
      context.onChange(0);
    },
  });
  const body = h("div", {}, parts.body,
    h("div", { class: "options apart" },
      h("label", { class: "option" }, input, parts.digit && badge(field.options.length, choicesOf(field)), h("span", { class: "words" }, "Undetermined"))));

  /** @param {boolean} chosen */
  function set(chosen) {
    if (chosen) parts.write(null);
    input.checked = chosen;
    context.onChange(0);
    return true;
  }

  return {
    ...parts,
    body,
    read: () => (input.checked ? { ...UNDETERMINED } : parts.read()),
    write(value) {
      parts.write(isUndetermined(value) ? null : value);
      input.checked = isUndetermined(value);
    },
    problem: () => (input.checked ? null : parts.problem()),
    refused: () => (input.checked ? null : parts.refused?.() ?? null),
    digit: parts.digit && ((n) => (n === choicesOf(field) ? set(Boolean(parts.radios) || !input.checked) : parts.digit?.(n) ?? false)),
    abstain: () => set(!input.checked),
    focus: () => (input.checked ? input.focus() : parts.focus()),
  };
}
