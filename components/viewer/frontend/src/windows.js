/** Which intensities are shown, per sequence: shares of a volume's default window, or intensities as stored. */

const NARROWEST = 0.02;

/** @typedef {import("../payload.js").VolumePayload} Spec */

export class Windows {
  constructor() {
    /** @type {Map<string, {absolute: boolean, from: number, to: number}>} by the label of the sequence */
    this.chosen = new Map();
  }

  clear() {
    this.chosen.clear();
  }

  /** @param {Spec} spec @returns {[number, number]} shown intensities */
  of({ label, window: [low, high] }) {
    const { absolute, from, to } = this.chosen.get(label) ?? { absolute: false, from: 0, to: 1 };
    return absolute ? [from, to] : [low + from * (high - low), low + to * (high - low)];
  }

  /** @param {Spec} spec @param {[number, number]} fractions  of the default window */
  set({ label }, [from, to]) {
    this.chosen.set(label, { absolute: false, ...atLeast(from, to, NARROWEST) });
  }

  /** @param {Spec} spec @param {[number, number]} intensities */
  setAbsolute({ label, window: [low, high] }, [from, to]) {
    this.chosen.set(label, { absolute: true, ...atLeast(from, to, NARROWEST * (high - low)) });
  }

  /**
   * @param {Spec} spec
   * @param {number} level  shift of the middle, as a share of the default window's width
   * @param {number} width  change of the width, likewise
   */
  move(spec, level, width) {
    const { absolute, from, to } = this.chosen.get(spec.label) ?? { absolute: false, from: 0, to: 1 };
    const unit = absolute ? spec.window[1] - spec.window[0] : 1;
    /** @type {[number, number]} */
    const moved = [from + (level - width / 2) * unit, to + (level + width / 2) * unit];
    if (absolute) this.setAbsolute(spec, moved);
    else this.set(spec, moved);
  }

  /** For the trace: "0.25 0.75", or "absolute 0 80". @param {Spec} spec */
  words(spec) {
    const { absolute, from, to } = this.chosen.get(spec.label) ?? { absolute: false, from: 0, to: 1 };
    return absolute ? `absolute ${Number(from.toPrecision(4))} ${Number(to.toPrecision(4))}` : `${from.toFixed(2)} ${to.toFixed(2)}`;
  }
}

/** @param {number} from @param {number} to @param {number} width */
function atLeast(from, to, width) {
  const half = Math.max(width, to - from) / 2;
  const middle = (from + to) / 2;
  return { from: middle - half, to: middle + half };
}
