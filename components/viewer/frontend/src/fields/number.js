import { freshId, h } from "../dom.js";

/** "1,500" and "1.500" are 1500 to some hands and 1.5 to others; "0,500" has one reading. */
const TWO_READINGS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

/**
 * A number with its unit and range. A plain text input: the wheel must not change it, and both 3.5 and 3,5 are read.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function numberField(field, { onChange, typingDelay }) {
  const id = freshId("number");
  const input = h("input", {
    id,
    type: "text",
    inputMode: "decimal",
    autocomplete: "off",
    class: "number",
    oninput: () => onChange(typingDelay),
    onblur: () => onChange(0),
  });
  const range = rangeOf(field);
  const body = h(
    "div",
    { class: "measure" },
    input,
    field.unit && h("span", { class: "unit" }, field.unit),
    range && h("span", { class: "range" }, range),
    h("span", { class: "leave" }, h("kbd", {}, "Esc"), " to the next field"),
  );
  const parsed = () => {
    const text = input.value.trim().replace(",", ".");
    if (TWO_READINGS.test(text)) return Number.NaN;
    return text === "" ? null : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  };
  return {
    body,
    labelFor: id,
    read() {
      const value = parsed();
      return value === null || Number.isNaN(value) ? null : value;
    },
    draft: () => (/\d$/.test(input.value) && input.value === String(parsed()) ? parsed() : input.value.trim() || null),
    write: (value) => (input.value = value === null || value === undefined ? "" : typeof value === "number" ? oneReading(value) : String(value)),
    problem() {
      const value = parsed();
      if (value === null) return null;
      const text = input.value.trim();
      if (TWO_READINGS.test(text)) {
        const [large, small] = [text.replace(/[.,]/, ""), Number(text.replace(",", "."))];
        return `could mean ${large} or ${small}; write ${large} without a separator, or ${oneReading(small)}`;
      }
      if (Number.isNaN(value)) return `takes a number, such as 12 or 3.5, and not “${input.value.trim().slice(0, 30)}”`;
      if (field.minimum !== undefined && value < field.minimum) return `must be ${range}`;
      if (field.maximum !== undefined && value > field.maximum) return `must be ${range}`;
      return null;
    },
    /** A digit that comes while the focus is elsewhere begins the number. @param {number} digit */
    typed(digit) {
      input.focus();
      input.value += String(digit);
      onChange(typingDelay);
      return true;
    },
    focus: () => input.focus(),
  };
}

/** @param {number} number @returns {string} as it is typed so that it means nothing else: 1.2340, where 1.234 could be 1234 */
function oneReading(number) {
  const text = String(number);
  return TWO_READINGS.test(text) ? `${text}0` : text;
}

/** @param {import("./registry.js").Field} field */
function rangeOf({ minimum, maximum }) {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${minimum} or more`;
  if (maximum !== undefined) return `at most ${maximum}`;
  return "";
}
