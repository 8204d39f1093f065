import { freshId, h } from "../dom.js";

/**
 * Free text; its title shows the key that enters or leaves it.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function textField(field, { onChange, typingDelay }) {
  const id = freshId("text");
  const area = h("textarea", {
    id,
    dir: "auto",
    rows: 3,
    maxLength: 4000,
    oninput: () => onChange(typingDelay),
    onblur: () => onChange(0),
  });
  return {
    body: writing(area),
    labelFor: id,
    read: () => (area.value.trim() === "" ? null : area.value),
    write: (value) => (area.value = value ?? ""),
    problem: () => null,
    focus: () => area.focus(),
  };
}

/** A text area with the key that leads into it or out of it. @param {HTMLElement} area */
export const writing = (area) =>
  h("div", { class: "writing" }, area, h("span", { class: "lead-in" }, h("kbd", {}, "A"), " to write"), h("span", { class: "leave" }, h("kbd", {}, "Esc"), " leaves the field"));
