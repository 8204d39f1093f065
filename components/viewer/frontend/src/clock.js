/** Active and idle time of one item: idle is a hidden tab, a pause, or more than 60 s after the last input. */

const IDLE_AFTER = 60_000;
const KEPT = "blindread.clock";

export class ItemClock {
  /**
   * @param {string} assignment
   * @param {() => number} now  milliseconds that never go back
   */
  constructor(assignment, now = () => performance.now()) {
    this.assignment = assignment;
    this.now = now;
    this.active = 0;
    this.idle = 0;
    this.running = false;
    this.paused = false;
    this.hidden = document.hidden;
    this.last = this.touched = now();
    this.recall();
  }

  start() {
    this.running = true;
    this.last = this.touched = this.now();
    this.hidden = document.hidden;
  }

  /** Book the time since the last call; a tab that slept for an hour is booked right in one go. */
  advance() {
    const now = this.now();
    if (this.running) {
      const until = this.hidden || this.paused ? this.last : Math.min(now, this.touched + IDLE_AFTER);
      const active = Math.max(0, until - this.last);
      this.active += active;
      this.idle += now - this.last - active;
    }
    this.last = now;
    return now;
  }

  touch() {
    this.touched = this.advance();
  }

  visibility() {
    this.advance();
    this.hidden = document.hidden;
    if (!this.hidden) this.touched = this.last;
  }

  /** @param {boolean} paused */
  pause(paused) {
    this.advance();
    this.paused = paused;
    if (!paused) this.touched = this.last;
  }

  stop() {
    this.advance();
    this.running = false;
  }

  reading() {
    this.advance();
    return { active_ms: Math.round(this.active), idle_ms: Math.round(this.idle) };
  }

  /** Keep the time over a reload of this tab, and while an earlier item is revised. */
  keep() {
    const { active_ms, idle_ms } = this.reading();
    try {
      sessionStorage.setItem(`${KEPT} ${this.assignment}`, JSON.stringify({ active_ms, idle_ms }));
    } catch {
      // Storage can be switched off; then the time starts anew after a reload.
    }
  }

  recall() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(`${KEPT} ${this.assignment}`) ?? "null");
      sessionStorage.removeItem(`${KEPT} ${this.assignment}`);
      if (!kept) return;
      this.active = kept.active_ms;
      this.idle = kept.idle_ms;
    } catch {
      // See above.
    }
  }
}
