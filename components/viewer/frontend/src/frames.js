/** How far each plane is zoomed, and how far its image is moved from the middle of the pane. */

import { ORDER } from "./hanging.js";

/** @typedef {import("./planes.js").PlaneName} PlaneName */
/** @typedef {import("./planes.js").Tile} Tile */
/** @typedef {import("./volume.js").Volume} Volume */

const MOST_ZOOM = 16;

export class Frames {
  constructor() {
    this.clear();
  }

  clear() {
    /** @type {Record<string, {zoom: number, pan: number[]}>} pan in mm along R, A, S */
    this.planes = Object.fromEntries(ORDER.map((name) => [name, { zoom: 1, pan: [0, 0, 0] }]));
  }

  /** @param {PlaneName} plane */
  of(plane) {
    return this.planes[plane];
  }

  /** @param {PlaneName} plane @param {number} factor @returns {number} the factor that was left for it */
  zoom(plane, factor) {
    const frame = this.planes[plane];
    const before = frame.zoom;
    frame.zoom = Math.min(MOST_ZOOM, Math.max(1, before * factor));
    if (frame.zoom === 1) frame.pan = [0, 0, 0];
    return frame.zoom / before;
  }

  /**
   * Zoom so that what is under a point stays there.
   *
   * @param {Tile} tile
   * @param {Volume} volume
   * @param {number} factor
   * @param {{x: number, y: number}} point  CSS pixels of the pane
   */
  zoomAt(tile, volume, factor, { x, y }) {
    const { clip, plane } = tile;
    const done = this.zoom(plane.name, factor);
    if (this.planes[plane.name].zoom === 1) return;
    const share = (1 - done) / done;
    this.pan(tile, volume, share * (x - clip.x - clip.width / 2), share * (y - clip.y - clip.height / 2));
  }

  /**
   * Move the image of a plane with the pointer.
   *
   * @param {Tile} tile
   * @param {Volume} volume
   * @param {number} dx  CSS pixels
   * @param {number} dy
   */
  pan(tile, volume, dx, dy) {
    const { across, down, mirrored } = tile.plane;
    const perPixelAcross = (volume.shape[across] * volume.spacing[across]) / tile.image.width;
    const perPixelDown = (volume.shape[down] * volume.spacing[down]) / tile.image.height;
    const { pan } = this.planes[tile.plane.name];
    pan[across] += (mirrored ? dx : -dx) * perPixelAcross;
    pan[down] += dy * perPixelDown;
  }
}
