/** Windows over the room: one at a time, closed with Escape, the focus goes back to where it was. */

import { DigitEntry } from "./digits.js";
import { h } from "./dom.js";
import { keyTables } from "./help.js";

export class Dialogs {
  /**
   * @param {{now: () => import("./stages.js").Now, focused: () => HTMLElement|null, focus: () => void, onBehind: (behind: boolean) => void}} room
   *   `onBehind`: the room lies behind a window now, or no longer
   */
  constructor(room) {
    this.room = room;
    this.heading = h("h2", {});
    this.content = h("div", { class: "dialog-body" });
    this.closer = h("button", { type: "button", class: "quiet", onclick: () => this.close() }, "Close", h("kbd", {}, "Esc"));
    this.element = h("div", { class: "dialog", role: "dialog", "aria-modal": "true", hidden: true },
      h("div", { class: "dialog-head" }, this.heading, this.closer), this.content);
    this.element.addEventListener("keydown", (event) => this.keepFocus(event));
    this.entry = new DigitEntry();
    /** @type {string|null} */
    this.open = null;
  }

  /** Press the numbered entry of the window, where it has some. @param {number} digit */
  digit(digit) {
    const entries = /** @type {NodeListOf<HTMLElement>} */ (this.content.querySelectorAll(".entry"));
    const n = entries.length ? this.entry.take({ box: this.content, count: entries.length }, digit) : Number.NaN;
    if (n) entries[n - 1].click();
    return !Number.isNaN(n);
  }

  takeBack() {
    return this.entry.forget();
  }

  escape() {
    if (!this.entry.forget()) this.close();
  }

  /**
   * @param {string} name
   * @param {string} title
   * @param {...(Node|string)} content
   */
  show(name, title, ...content) {
    if (!this.open) this.before = this.room.focused();
    this.open = name;
    this.heading.textContent = title;
    this.element.setAttribute("aria-label", title);
    this.element.dataset.name = name;
    this.entry.forget();
    this.content.replaceChildren(...content);
    this.element.hidden = false;
    this.room.onBehind(true);
    this.closer.focus();
  }

  close() {
    if (!this.open) return;
    this.open = null;
    this.element.hidden = true;
    this.content.replaceChildren();
    this.room.onBehind(false);
    if (this.before?.isConnected) this.before.focus({ preventScroll: true });
    else this.room.focus();
  }

  toggleHelp() {
    if (this.open === "help") return this.close();
    this.show("help", "Keyboard and mouse", keyTables(this.without()));
  }

  /** Actions whose keys do nothing for this item. @returns {Set<string>} */
  without() {
    const { payload, item } = this.room.now();
    const { fields } = item?.form ?? { fields: [] };
    const has = {
      earlier: payload?.revisable !== null,
      overlays: item?.images?.panes.some(({ overlays }) => overlays.length),
      takePoint: fields.some(({ type }) => type === "point"),
      begin: fields.some(({ type }) => type === "number"),
      abstain: fields.some(({ undetermined }) => undetermined),
    };
    return new Set(Object.entries(has).flatMap(([action, does]) => (does ? [] : [action])));
  }

  /** Tab cycles within the window. @param {KeyboardEvent} event */
  keepFocus(event) {
    if (event.key !== "Tab") return;
    const stops = [...this.element.querySelectorAll("button:not(:disabled), a[href], summary")];
    const last = event.shiftKey ? stops[0] : stops.at(-1);
    const { activeElement } = /** @type {Document|ShadowRoot} */ (this.element.getRootNode());
    if (activeElement !== last) return;
    event.preventDefault();
    /** @type {HTMLElement} */ (event.shiftKey ? stops.at(-1) : stops[0]).focus();
  }
}
