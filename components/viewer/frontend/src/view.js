/** What the reader has set: crosshair, windows, zoom and position, the active plane. Paints nothing. */

import { ORDER, middleOf } from "./hanging.js";
import { planesOf } from "./planes.js";
import { transform } from "./volume.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").PlaneName} PlaneName */

const MOST_ZOOM = 16;

export class View {
  /** @param {import("./panes.js").Panes} panes  that are drawn from it */
  constructor(panes) {
    this.panes = panes;
    this.planes = planesOf("radiological");
    this.showsCrosshair = true;
    this.windowMode = false;
    /** @type {{pane: number, plane: PlaneName}} */
    this.active = { pane: 0, plane: "axial" };
    /** @type {number[]} mm */
    this.crosshair = [0, 0, 0];
    /** @type {number[]} mm along R, A, S that every pane must have room for */
    this.extent = [1, 1, 1];
    this.clear();
  }

  clear() {
    /** @type {PlaneName|null} */
    this.maximised = null;
    /** @type {Record<string, {zoom: number, pan: number[]}>} */
    this.frames = Object.fromEntries(ORDER.map((name) => [name, { zoom: 1, pan: [0, 0, 0] }]));
    /** @type {Map<string, [number, number]>} */
    this.windows = new Map();
  }

  /** @param {Volume[]} volumes  the first one of each pane */
  begin(volumes) {
    this.clear();
    this.active = { pane: 0, plane: "axial" };
    this.extent = [0, 1, 2].map((axis) => Math.max(...volumes.map((v) => v.shape[axis] * v.spacing[axis])));
    this.crosshair = middleOf(volumes[0]);
  }

  get images() {
    return this.panes.images;
  }

  changed() {
    this.panes.schedule();
  }

  /**
   * Shown intensities of a volume: its default window, moved as the reader moved that sequence's window.
   *
   * @param {any} spec
   * @returns {[number, number]}
   */
  windowOf(spec) {
    const [low, high] = spec.window;
    const [from, to] = this.windows.get(spec.label) ?? [0, 1];
    return [low + from * (high - low), low + to * (high - low)];
  }

  /** @param {[number, number]|null} fractions  of the default window; null is the default */
  preset(fractions) {
    if (!this.images) return;
    for (const pane of this.images.panes) {
      for (const { label } of pane.volumes) this.setWindow(label, fractions ?? [0, 1]);
    }
    this.changed();
  }

  setWindow(label, [from, to]) {
    const width = Math.max(0.02, to - from);
    const middle = (from + to) / 2;
    /** @type {[number, number]} */
    const fractions = [middle - width / 2, middle + width / 2];
    this.windows.set(label, fractions);
    this.panes.trace?.windowed(label, fractions);
  }

  /**
   * Move the window of the active sequence.
   *
   * @param {number} level  shift of the middle, as a share of the default window's width
   * @param {number} width  change of the width, likewise
   */
  moveWindow(level, width) {
    if (!this.images) return;
    const pane = this.panes.panes[this.active.pane];
    const { label } = pane.spec.volumes[pane.chosen];
    const [from, to] = this.windows.get(label) ?? [0, 1];
    this.setWindow(label, [from + level - width / 2, to + level + width / 2]);
    this.changed();
  }

  /** @param {number[]} mm */
  moveCrosshair(mm) {
    if (!this.images) return;
    this.crosshair = mm;
    this.changed();
  }

  /** @param {number} slices  of the active plane */
  scroll(slices) {
    if (!this.images) return;
    const volume = /** @type {Volume} */ (this.panes.panes[this.active.pane].volume);
    const axis = this.planes[this.active.plane].through;
    const position = transform(volume.inverse, this.crosshair);
    const next = Math.round(position[axis]) + slices;
    position[axis] = Math.min(volume.shape[axis] - 1, Math.max(0, next));
    this.moveCrosshair(transform(volume.affine, position));
  }

  /** @param {number} step  +1 next plane, -1 previous */
  nextPlane(step) {
    if (!this.images) return;
    const at = ORDER.indexOf(this.active.plane);
    this.active.plane = ORDER[(at + step + ORDER.length) % ORDER.length];
    if (this.maximised) this.maximised = this.active.plane;
    this.changed();
  }

  nextPane() {
    if (!this.images) return;
    this.active.pane = (this.active.pane + 1) % this.images.panes.length;
    this.changed();
  }

  maximise() {
    if (!this.images) return;
    this.maximised = this.maximised ? null : this.active.plane;
    this.changed();
  }

  /** @param {number} factor @param {PlaneName} [plane] */
  zoom(factor, plane = this.active.plane) {
    if (!this.images) return;
    const frame = this.frames[plane];
    frame.zoom = Math.min(MOST_ZOOM, Math.max(1, frame.zoom * factor));
    if (frame.zoom === 1) frame.pan = [0, 0, 0];
    this.changed();
  }

  /**
   * Move the picture of a plane with the pointer.
   *
   * @param {import("./planes.js").Tile} tile
   * @param {Volume} volume
   * @param {number} dx  CSS pixels
   * @param {number} dy
   */
  pan(tile, volume, dx, dy) {
    const { across, down, mirrored } = tile.plane;
    const perPixelAcross = (volume.shape[across] * volume.spacing[across]) / tile.image.width;
    const perPixelDown = (volume.shape[down] * volume.spacing[down]) / tile.image.height;
    const { pan } = this.frames[tile.plane.name];
    pan[across] += (mirrored ? dx : -dx) * perPixelAcross;
    pan[down] += dy * perPixelDown;
    this.changed();
  }

  reset() {
    if (!this.images) return;
    this.clear();
    this.crosshair = middleOf(/** @type {Volume} */ (this.panes.panes[0].volume));
    this.changed();
  }

  toggleCrosshair() {
    this.showsCrosshair = !this.showsCrosshair;
    this.changed();
  }
}
