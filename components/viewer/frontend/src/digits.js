/**
 * Choosing by digits. Up to nine choices have a digit each. Of more, each has as many digits as the number of the last one, so that
 * the last digit chooses at once, nothing waits for a pause in the typing, and no choice is another one's beginning.
 */

import { h } from "./dom.js";

/**
 * @typedef {Object} Choices
 * @property {HTMLElement} box        that holds the badges
 * @property {number} count
 */

/** @param {number} count */
function widthOf(count) {
  return String(count).length;
}

/**
 * The number of a choice, as it is typed.
 *
 * @param {number} index  from 0
 * @param {number} count  of all choices
 */
export function badge(index, count) {
  return h("span", { class: "digit", "aria-hidden": "true" }, String(index + 1).padStart(widthOf(count), "0"));
}

/** The digits of a number that is not complete yet; what they leave open is marked on the badges. */
export class DigitEntry {
  constructor() {
    this.typed = "";
    /** @type {HTMLElement|null} */
    this.box = null;
  }

  /**
   * @param {Choices} choices
   * @param {number} digit
   * @returns {number|null} the number that is complete now, from 1, and 0 for nothing but zeros; null while a digit is missing;
   *   NaN where no choice has such a number
   */
  take({ box, count }, digit) {
    if (this.box !== box) this.forget();
    const typed = this.typed + digit;
    const width = widthOf(count);
    const open = Array.from({ length: count + 1 }, (_, n) => String(n).padStart(width, "0")).some((number) => number.startsWith(typed));
    if (!open) return Number.NaN;
    if (typed.length < width) {
      this.typed = typed;
      this.box = box;
      this.paint();
      return null;
    }
    this.forget();
    return Number(typed);
  }

  /** @returns {boolean} whether there was a number without its end */
  forget() {
    if (!this.typed) return false;
    this.typed = "";
    this.paint();
    this.box = null;
    return true;
  }

  paint() {
    for (const number of this.box?.querySelectorAll(".digit") ?? []) {
      number.classList.toggle("out", !(number.textContent ?? "").startsWith(this.typed));
    }
    this.box?.classList.toggle("half-typed", this.typed !== "");
  }
}

/** A text with the digits 0 to 9 for those of any script: each script has its ten in a row, from zero. @param {string} text */
export function inLatinDigits(text) {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = /** @type {number} */ (digit.codePointAt(0));
    let before = 0;
    while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
    return String(before % 10);
  });
}
