/**
 * Points as answers: `[x, y, z]` in mm. Where an item's panes lie in several worlds, the same mm mean different places, so
 * the title of the pane that the point was taken in follows: `[x, y, z, "Prior"]`.
 */

import { liesApart } from "./hanging.js";
import { spokenPoint } from "./planes.js";

/** @typedef {number[]|[number, number, number, string]} Point */

export class Points {
  /**
   * @param {import("./panes.js").Panes} panes
   * @param {import("../payload.js").ImagesPayload|null} images
   */
  constructor(panes, images) {
    this.panes = panes;
    this.specs = images?.panes ?? [];
    const apart = this.specs.map((_, i) => i).filter((i) => images && liesApart(images, i));
    /** one pane of each world; none where there is but one world @type {number[]} */
    this.worlds = apart.length ? [0, ...apart] : [];
    /** @type {(() => void)[]} */
    this.watching = [];
    panes.view.onAim = () => this.watching.forEach((paint) => paint());
  }

  /** @param {() => void} paint  called when the crosshair is set, or another pane is aimed at */
  watch(paint) {
    this.watching.push(paint);
  }

  /** @param {number} [pane] @returns {boolean} whether there is a crosshair to be taken */
  canTake(pane = this.panes.view.aimed) {
    return Boolean(this.specs[pane]?.volumes[0].placed) || this.panes.view.isSetOn(pane);
  }

  /** @returns {{pane: number, title: string}[]} where a point can be taken, when it makes a difference */
  places() {
    return this.worlds.map((pane) => ({ pane, title: this.specs[pane].title }));
  }

  /** @returns {boolean} whether there are only pictures, on which no crosshair is drawn before the reader clicks */
  onPictures() {
    return this.specs.length > 0 && this.specs.every(({ volumes }) => !volumes[0].placed);
  }

  /**
   * Take the crosshair as a point. On a picture it is drawn only once the reader has set it; before that, a place that nobody
   * chose would be stored.
   *
   * @param {number} [pane]  without it, the one in which the reader set the crosshair
   * @returns {Point|null}  null where the crosshair was not set yet
   */
  take(pane = this.panes.view.aimed) {
    const { images, panes, view } = this.panes;
    if (!images || (!panes[pane].placed && !view.isSetOn(pane))) return null;
    const mm = view.crosshairIn(pane).map((value) => Math.round(value * 100) / 100);
    return this.worlds.length ? [mm[0], mm[1], mm[2], this.specs[pane].title] : mm;
  }

  /** Put the crosshair there. @param {Point} point */
  show(point) {
    if (!this.panes.images) return;
    const { view } = this.panes;
    const pane = this.paneOf(point);
    if (view.active.pane !== pane) view.nextPane(pane);
    view.moveCrosshair(this.mm(point), pane);
  }

  /** @param {Point} point @returns {string} */
  say(point) {
    const mm = this.mm(point);
    const pane = this.paneOf(point);
    const words = this.panes.images ? this.panes.panes[pane].spoken(mm) : spokenPoint(mm);
    return this.worlds.length ? `${this.specs[pane].title}: ${words}` : words;
  }

  /** @param {Point} point */
  paneOf(point) {
    return Math.max(0, this.specs.findIndex(({ title }) => title === point[3]));
  }

  /** @param {Point} point @returns {number[]} */
  mm(point) {
    return /** @type {number[]} */ (point.slice(0, 3));
  }
}
