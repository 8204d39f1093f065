import { h } from "../dom.js";

/**
 * A ranked list: choose the options from first to last; choosing one again takes it out. The value is the list of
 * option ids in their order, once all are ranked.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function rankedField(field, { onChange }) {
  /** @type {any[]} */
  let order = [];
  const buttons = field.options.map((option, index) =>
    h(
      "button",
      { type: "button", class: "option rank", onclick: () => toggle(index) },
      h("span", { class: "digit", "aria-hidden": "true" }, index < 9 ? String(index + 1) : ""),
      h("span", { class: "words" }, option.text),
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
      order = (value ?? []).filter((id) => field.options.some((option) => option.id === id));
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
