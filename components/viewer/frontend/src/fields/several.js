import { badge } from "../digits.js";
import { h } from "../dom.js";

/**
 * Any number of answers, as check boxes.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function severalField(field, { onChange }) {
  const inputs = field.options.map(() => h("input", { type: "checkbox", onchange: () => onChange(0) }));
  const body = h(
    "div",
    { class: "options" },
    ...field.options.map((option, index) =>
      h(
        "label",
        { class: "option" },
        inputs[index],
        badge(index, field.options.length),
        h("span", { class: "words", dir: "auto" }, option.text),
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
      onChange(0);
      return true;
    },
    focus: () => inputs[0]?.focus(),
  };
}
