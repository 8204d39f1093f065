/** Shows the slices of a plane one after the other, round and round. */

const RATES = [2, 4, 6, 8, 10, 15, 20, 30];

/** Frames come a little early or late. */
const SLACK = 4;

export class Cine {
  /** @param {import("./view.js").View} view */
  constructor(view) {
    this.view = view;
    this.rate = 10;
    this.frame = 0;
  }

  get playing() {
    return this.frame !== 0;
  }

  /** Start in the active plane, which stays the same one while the mouse moves on, or stop. */
  toggle() {
    if (this.playing) return this.stop();
    const { pane, plane } = this.view.active;
    if (this.view.slicesIn(pane, plane) < 2) return;
    let last = performance.now();
    /** @param {number} now */
    const tick = (now) => {
      this.frame = requestAnimationFrame(tick);
      if (now - last < 1000 / this.rate - SLACK) return;
      // Drawn at once: where drawing is slow, it plays slower, and leaves no slice out.
      last = now;
      this.view.step(pane, plane, 1, true);
      this.view.panes.drawNow();
    };
    this.frame = requestAnimationFrame(tick);
    this.view.changed();
  }

  stop() {
    if (!this.playing) return;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.view.changed();
  }

  /** @param {number} direction  +1 faster, -1 slower */
  change(direction) {
    const at = RATES.indexOf(this.rate) + direction;
    this.rate = RATES[Math.min(RATES.length - 1, Math.max(0, at))];
    this.view.changed();
  }
}
