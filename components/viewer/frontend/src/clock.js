/** Active and idle time of one item: idle is a hidden tab, a pause, or more than 60 s after the last input. */

const IDLE_AFTER = 60_000;

export class ItemClock {
  /**
   * @param {{active_ms: number, idle_ms: number}|null|undefined} kept  of the same item, from before a reload of the tab
   * @param {() => number} now  milliseconds, monotonic
   */
  constructor(kept, now = () => performance.now()) {
    this.now = now;
    this.active = kept?.active_ms ?? 0;
    this.idle = kept?.idle_ms ?? 0;
    this.running = false;
    this.paused = false;
    this.hidden = document.hidden;
    this.last = this.touched = now();
  }

  start() {
    this.running = true;
    this.last = this.touched = this.now();
    this.hidden = document.hidden;
  }

  /** Count the time since the last call; a tab that slept for an hour is counted correctly at once. */
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

  times() {
    this.advance();
    return { active_ms: Math.round(this.active), idle_ms: Math.round(this.idle) };
  }
}
