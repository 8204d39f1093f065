/** A pause covers images and form; its time is idle time. */

import { h } from "./dom.js";

export class Pausing {
  /** @param {{now: () => import("./stages.js").Now, onPause: () => void, onResume: () => void}} room */
  constructor(room) {
    this.room = room;
    this.paused = false;
    /** @type {(() => void)[]} */
    this.waiting = [];
    this.button = h("button", { type: "button", class: "go-on", onclick: () => this.goOn() }, "Resume", h("kbd", {}, "any key"));
    this.element = h("div", { class: "pause", role: "dialog", "aria-label": "Pause", hidden: true },
      h("div", { class: "pause-box" }, h("h2", {}, "Paused"),
        h("p", {}, "Images and form are hidden, and timing has stopped. Your entries are kept."), this.button));
  }

  pause() {
    if (this.paused || this.room.now().payload?.kind !== "item") return;
    this.paused = true;
    this.element.hidden = false;
    this.room.onPause();
    this.button.focus();
  }

  goOn() {
    if (!this.paused) return;
    this.paused = false;
    this.element.hidden = true;
    this.room.onResume();
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Resolves when nothing is covered: images under the cover have not been shown to the reader. @returns {Promise<void>} */
  over() {
    return this.paused ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }

  /** Any key resumes, and does nothing else. @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || ["Control", "Shift", "Alt", "Meta", "Tab", "CapsLock"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) this.goOn();
  }
}
