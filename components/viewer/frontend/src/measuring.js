/** Distances between two points of one pane, in mm of that pane's own world. */

/** The oldest line is removed when there is one too many. */
const MOST = 4;

/**
 * @typedef {Object} Line
 * @property {number} pane
 * @property {number[]} from   mm
 * @property {number[]} to     mm
 * @property {boolean} across  its ends may lie in different slices
 * @property {string} unit     "mm"; "px" on an image without scale
 */

export class Measuring {
  constructor() {
    this.clear();
  }

  clear() {
    /** @type {Line[]} */
    this.lines = [];
    /** @type {{pane: number, mm: number[]}|null} the first end, set with a key */
    this.first = null;
    /** @type {Line|null} */
    this.drawn = null;
  }

  get empty() {
    return !this.lines.length && !this.first;
  }

  /** The first call sets one end, the second the other. @param {number} pane @param {number[]} mm @param {string} unit */
  mark(pane, mm, unit) {
    const { first } = this;
    if (first?.pane !== pane) {
      this.first = { pane, mm };
      return;
    }
    this.first = null;
    this.keep({ pane, from: first.mm, to: mm, across: true, unit });
  }

  /** A line that follows the pointer. @param {number} pane @param {number[]} mm @param {string} unit */
  begin(pane, mm, unit) {
    this.drawn = { pane, from: mm, to: mm, across: false, unit };
    this.keep(this.drawn);
  }

  /** @param {number[]} mm */
  extend(mm) {
    if (this.drawn) this.drawn.to = mm;
  }

  /** A click without a drag is not a line. @param {boolean} kept */
  end(kept) {
    if (!kept) this.lines = this.lines.filter((line) => line !== this.drawn);
    this.drawn = null;
  }

  /** @param {Line} line */
  keep(line) {
    this.lines = [...this.lines, line].slice(-MOST);
  }

  /** For screen readers, and for readers who cannot make out small print on the image. */
  words() {
    if (this.first) return "Start set at the crosshair; move the crosshair and press E again.";
    return this.lines.length ? `Distance ${this.lines.map((line) => spokenLength(line)).join(", ")}` : "";
  }
}

/** @param {Line} line @returns {number} mm */
export function lengthOf({ from, to }) {
  return Math.hypot(...from.map((mm, axis) => to[axis] - mm));
}

/** @param {Line} line */
export function spokenLength(line) {
  return `${lengthOf(line).toFixed(1)} ${line.unit}`;
}
