import { badge } from "../digits.js";
import { freshId, h } from "../dom.js";

/**
 * A ranked list: choose the options from first to last; choosing one again takes it out. The value is the list of
 * option ids in their order, once all are ranked.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function rankedField(field, context) {
  return field.options.length ? rankedOptions(field, context) : rankedLines(context);
}

/**
 * Without options the list is written: one answer a line, the first line first.
 *
 * @param {import("./registry.js").FieldContext} context
 * @returns {import("./registry.js").FieldParts}
 */
function rankedLines({ onChange, typingDelay }) {
  const id = freshId("lines");
  const area = h("textarea", {
    id,
    dir: "auto",
    rows: 4,
    maxLength: 4000,
    oninput: () => onChange(typingDelay),
    onblur: () => onChange(0),
  });
  area.setAttribute("placeholder", "One per line, most likely first");
  const lines = () => area.value.split("\n").map((line) => line.trim()).filter(Boolean);
  return {
    body: area,
    labelFor: id,
    read: () => (lines().length ? lines() : null),
    write: (value) => (area.value = (value ?? []).join("\n")),
    problem: () => null,
    focus: () => area.focus(),
  };
}

/**
 * @param {import("./registry.js").Field} field
 * @param {import("./registry.js").FieldContext} context
 * @returns {import("./registry.js").FieldParts}
 */
function rankedOptions(field, { onChange }) {
  /** @type {string[]} */
  let order = [];
  const buttons = field.options.map((option, index) =>
    h(
      "button",
      { type: "button", class: "option rank", onclick: () => toggle(index) },
      badge(index, field.options.length),
      h("span", { class: "words", dir: "auto" }, option.text),
      h("span", { class: "place" }),
    ),
  );
  const body = h("div", { class: "options" }, ...buttons);

  function paint() {
    field.options.forEach((option, index) => {
      const place = order.indexOf(option.id);
      buttons[index].setAttribute("aria-pressed", String(place >= 0));
      const words = place < 0 ? "" : `rank ${place + 1}`;
      /** @type {HTMLElement} */ (buttons[index].querySelector(".place")).textContent = words;
    });
  }

  /** @param {number} index */
  function toggle(index) {
    const { id } = field.options[index];
    order = order.includes(id) ? order.filter((other) => other !== id) : [...order, id];
    paint();
    onChange(0);
  }

  paint();
  return {
    body,
    group: true,
    many: true,
    read: () => (order.length ? [...order] : null),
    write(value) {
      order = (value ?? []).filter((/** @type {string} */ id) => field.options.some((option) => option.id === id));
      paint();
    },
    problem() {
      const left = field.options.length - order.length;
      return order.length && left ? `still has ${left} of ${field.options.length} to be ranked` : null;
    },
    digit(n) {
      if (!buttons[n - 1]) return false;
      toggle(n - 1);
      return true;
    },
    focus: () => buttons[0]?.focus(),
  };
}
