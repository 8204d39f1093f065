import { badge } from "../digits.js";
import { h } from "../dom.js";
import { meaningOf } from "../meanings.js";
import { choicesOf } from "./undetermined.js";

/**
 * Any number of answers, as check boxes.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function severalField(field, { onChange, refuse }) {
  const inputs = field.options.map((_, index) => h("input", { type: "checkbox", onchange: () => took(index) }));

  /** Refuse one too many. @param {number} index */
  function took(index) {
    const most = field.at_most ?? Infinity;
    if (inputs.filter((input) => input.checked).length <= most) return onChange(0);
    inputs[index].checked = false;
    refuse(`takes at most ${most}: clear another one first`);
  }

  const body = h(
    "div",
    { class: "options" },
    ...field.options.map((option, index) =>
      h(
        "label",
        { class: "option" },
        inputs[index],
        badge(index, choicesOf(field)),
        h("span", { class: "words", dir: "auto" }, h("span", { class: "lead" }, option.text), meaningOf(option)),
      ),
    ),
  );
  return {
    body,
    group: true,
    many: true,
    read() {
      const chosen = field.options.filter((option, index) => inputs[index].checked).map((option) => option.id);
      return chosen.length ? chosen : null;
    },
    write(value) {
      inputs.forEach((input, index) => (input.checked = (value ?? []).includes(field.options[index].id)));
    },
    problem: () => null,
    digit(n) {
      if (!inputs[n - 1]) return false;
      inputs[n - 1].checked = !inputs[n - 1].checked;
      took(n - 1);
      return true;
    },
    focus: () => inputs[0]?.focus(),
  };
}
