import { inLatinDigits } from "../digits.js";
import { freshId, h } from "../dom.js";

/** "1,500" and "1.500" are 1500 to some and 1.5 to others, also with zeros before them or an exponent; "0,500" has one reading. */
const TWO_READINGS = /^[+-]?(?:0*[1-9]\d{0,2}|00+)[.,]\d{3}(?:e[+-]?\d+)?$/i;

const WAYS_ON = "press Backspace to go on in it, or Esc to leave it";

/**
 * A number with its unit and range. A plain text input: the wheel must not change it, and both 3.5 and 3,5 are read.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function numberField(field, { onChange, typingDelay, refuse }) {
  const id = freshId("number");
  const input = h("input", {
    id,
    type: "text",
    inputMode: "decimal",
    autocomplete: "off",
    class: "number",
    // Only so that the style sheet can tell an empty box.
    placeholder: " ",
    /** @param {InputEvent} event */
    oninput(event) {
      // What an input method composes cannot be prevented, only undone.
      if (event.inputType === "insertCompositionText" && (ended || objects())) {
        input.value = stood;
        return ended ? hold() : objectAgain();
      }
      object(false);
      goOn();
      onChange(typingDelay);
    },
    /** @param {InputEvent} event */
    onbeforeinput(event) {
      if (event.inputType === "insertText" && refuses()) event.preventDefault();
    },
    onpointerdown() {
      object(false);
      goOn();
    },
    /** @param {KeyboardEvent} event */
    onkeydown(event) {
      const back = ["Backspace", "Delete"].includes(event.key);
      if (!back && !["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
      // The first one takes back what was refused, and leaves the number.
      if (goOn() && back) event.preventDefault();
    },
    onblur() {
      // What was refused stays said. A window over the room gives the focus back to where digits are still held back.
      if (lost === null) onChange(0);
    },
  });
  const range = rangeOf(field);
  const body = h(
    "div",
    { class: "measure" },
    input,
    field.unit && h("span", { class: "unit" }, field.unit),
    range && h("span", { class: "range" }, range),
    h("span", { class: "leave" }, h("kbd", {}, "Esc"), " to the next field", h("span", { class: "takes-back" }, h("kbd", {}, "⌫"), " clears it")),
  );
  /**
   * A number with a problem, to which the room and not the reader has brought the focus: what is typed then may be meant for another
   * field, and must neither be added to the number nor replace it, before the reader clears it or puts the cursor into it.
   *
   * @param {boolean} on
   */
  const object = (on) => {
    body.classList.toggle("objected", on);
    if (on) stood = input.value;
  };
  const objects = () => body.classList.contains("objected");
  const objectAgain = () => {
    input.select();
    refuse(`still reads “${input.value.trim().slice(0, 30)}”: clear it with Backspace, then type the number`);
  };
  /** Whether a key that is not part of a number followed what is typed here; digits after that may be meant for anything. */
  let ended = false;
  /** What was not added to the number, in words; null for nothing. @type {string|null} */
  let lost = null;
  let stood = "";
  /** Take digits again. @returns {boolean} whether any were refused */
  const goOn = () => {
    const refused = lost !== null;
    ended = false;
    lost = null;
    // Not as if something had been typed: A still points to this number.
    if (refused) onChange(0);
    return refused;
  };
  const stands = () => (input.value.trim() ? `reads “${input.value.trim().slice(0, 30)}”` : "is empty");
  const hold = () => {
    lost ??= `${stands()}, and what was typed after another key was not added; ${WAYS_ON}`;
    refuse(lost);
  };
  /** Whether what is typed now is refused; if so, the reader sees why. */
  const refuses = () => {
    const whole = input.selectionStart === 0 && input.selectionEnd === input.value.length;
    // What is typed over all of it is another number.
    if (ended && !(whole && input.value)) {
      hold();
      return true;
    }
    if (!objects() || !whole) return false;
    objectAgain();
    return true;
  };
  const parsed = () => {
    const text = plain(input.value);
    if (TWO_READINGS.test(text)) return Number.NaN;
    return text === "" ? null : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  };

  function problem() {
    const value = parsed();
    if (lost !== null) return lost;
    if (value === null) return null;
    const text = input.value.trim();
    if (TWO_READINGS.test(plain(text))) {
      const large = plain(text).replace(".", "").replace(/^([+-]?)0+(?=\d)/, "$1");
      const small = Number(plain(text));
      return `could mean ${large} or ${small}; write ${large} without a separator, or ${oneReading(small)}`;
    }
    if (Number.isNaN(value)) return `takes a number, such as 12 or 3.5, not “${text.slice(0, 30)}”`;
    if (field.minimum !== undefined && value < field.minimum) return `must be ${range}`;
    if (field.maximum !== undefined && value > field.maximum) return `must be ${range}`;
    if (!isHeld(text, value)) return `cannot be stored as “${text.slice(0, 30)}”; write at most 15 significant digits and an exponent from -300 to 300`;
    return null;
  }

  function focus() {
    input.focus();
    const wrong = problem();
    if (wrong === null) return;
    if (lost !== null) return refuse(lost);
    object(true);
    input.select();
    refuse(wrong);
  }

  return {
    body,
    labelFor: id,
    read() {
      const value = parsed();
      return value === null || Number.isNaN(value) || !isHeld(input.value, value) ? null : value;
    },
    draft: () => (/\d$/.test(input.value) && input.value === String(parsed()) ? parsed() : input.value.trim() || null),
    write(value) {
      object(false);
      ended = false;
      lost = null;
      input.value = value === null || value === undefined ? "" : typeof value === "number" ? oneReading(value) : String(value);
    },
    problem,
    refused: () => lost,
    /** What is typed while the focus is elsewhere begins the number, or a new one in its place. @param {string} beginning @param {boolean} anew */
    typed(beginning, anew) {
      if (ended && !anew) {
        hold();
        return true;
      }
      if (problem() !== null || (input.value.trim() && !anew)) {
        focus();
        return true;
      }
      ended = false;
      input.focus();
      input.value = beginning;
      onChange(typingDelay);
      return true;
    },
    /**
     * A key was pressed that is not part of a number.
     *
     * @param {string} key
     * @param {boolean} idle     it does nothing elsewhere either
     * @param {boolean} ofDigit  it is the key of a digit, which other keyboards write there
     */
    strayed(key, idle, ofDigit) {
      if (!idle && !input.value.trim()) return;
      ended = true;
      stood = input.value;
      if (!idle) return;
      const sign = key === "Dead" ? "This key" : `“${key}”`;
      const why = ofDigit ? `${sign} is not a digit on this keyboard: use Shift or the number pad` : `${sign} is not part of a number`;
      lost = `${stands()}: ${why}; ${WAYS_ON}`;
      refuse(lost);
    },
    goOn,
    focus,
  };
}

/** @param {number} number @returns {string} as it is typed so that it means nothing else: 1.2340, where 1.234 could be 1234 */
function oneReading(number) {
  const text = String(number);
  return TWO_READINGS.test(text) ? text.replace(/(?=e|$)/, "0") : text;
}

/**
 * Whether what is stored says the same as what was written: a number in the computer ends near 1e308, becomes 0 below 1e-323, and keeps
 * every digit of a text only up to the fifteenth.
 *
 * @param {string} text    a number as it was typed
 * @param {number} value   what it is read as
 */
function isHeld(text, value) {
  return Number.isFinite(value) && digitsOf(String(value)) === digitsOf(plain(text));
}

/** @param {string} text  as it was typed or pasted @returns {string} with a point for the comma, a hyphen for the minus sign of typography, and digits from 0 to 9 */
const plain = (text) => inLatinDigits(text.trim()).replace(/[,٫]/, ".").replaceAll("−", "-");

/** @param {string} text  a number @returns {string} the same for every way to write one size: its digits as an integer, and the power of ten */
function digitsOf(text) {
  const [mantissa, power = "0"] = text.toLowerCase().split("e");
  const [whole, fraction = ""] = mantissa.replace(/^[+-]/, "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  return significant && `${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

/** @param {import("./registry.js").Field} field */
function rangeOf({ minimum, maximum }) {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${minimum} or more`;
  if (maximum !== undefined) return `at most ${maximum}`;
  return "";
}
