import { badge } from "../digits.js";
import { freshId, h } from "../dom.js";
import { meaningOf, meaningsOf } from "../meanings.js";
import { choicesOf } from "./undetermined.js";

/**
 * One of several answers, as a real radio group: yes_no, choice and ordinal. The steps of an ordinal are side by side, its ends
 * named by their anchors.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function choiceField(field, { onChange }) {
  const name = freshId("choice");
  const ordinal = field.type === "ordinal" && field.options.length <= 7;
  const numbered = field.options.every(({ id }, index) => id === String(index + 1));
  const inputs = field.options.map((option, index) =>
    h("input", { type: "radio", name, value: String(index), onchange: () => onChange(0) }),
  );
  const options = field.options.map((option, index) => {
    const { lead, rest } = ordinal ? anchored(option, numbered) : { lead: option.text, rest: "" };
    // A scale that counts from 1 shows its own digits already.
    const saysItsDigit = ordinal && option.id === String(index + 1) && (rest !== "" || lead === option.id);
    return h(
      "label",
      { class: "option" },
      inputs[index],
      !saysItsDigit && badge(index, choicesOf(field)),
      h("span", { class: "words", dir: "auto" }, h("span", { class: "lead" }, lead), rest && h("span", { class: "anchor" }, rest), !ordinal && meaningOf(option)),
    );
  });
  // Two short answers fit side by side; more than two would break within words.
  const short = !ordinal && field.options.length === 2 && field.options.every(({ text, meaning }) => text.length <= 12 && !meaning);
  const box = h("div", { class: ordinal ? "options scale" : short ? "options row" : "options" }, ...options);
  const meanings = ordinal ? meaningsOf(field) : null;
  const body = meanings ? h("div", {}, box, meanings) : box;
  return {
    body,
    group: true,
    single: true,
    radios: name,
    read() {
      const index = inputs.findIndex((input) => input.checked);
      return index < 0 ? null : field.options[index].id;
    },
    write(value) {
      inputs.forEach((input, index) => (input.checked = field.options[index].id === value));
    },
    problem: () => null,
    digit(n) {
      if (!inputs[n - 1]) return false;
      inputs[n - 1].checked = true;
      onChange(0);
      return true;
    },
    focus: () => (inputs.find((input) => input.checked) ?? inputs[0])?.focus(),
  };
}

/** Between a number and its anchor: white space, with a sign before it or without; what an anchor begins with is a letter. */
const GAP = /^\s*?[:.)\u2013\u2014-]?\s+(?=\p{L})/u;

/**
 * "1 guess" is the number 1 with the anchor "guess"; so are "1: guess", whose colon would hang above the anchor, and "guess" where
 * the steps are numbered. "1 - 3 mm" and "absent" (a) are one: no other sign of an option goes missing.
 *
 * @param {import("../../payload.js").Option} option
 * @param {boolean} numbered
 */
function anchored(option, numbered) {
  const { id } = option;
  const text = option.text.trim();
  if (text === id) return { lead: text, rest: "" };
  const gap = text.startsWith(id) ? GAP.exec(text.slice(id.length))?.[0] : undefined;
  if (gap === undefined) return numbered && !text.startsWith(id) ? { lead: id, rest: text } : { lead: text, rest: "" };
  return { lead: id, rest: text.slice(id.length + gap.length) };
}
