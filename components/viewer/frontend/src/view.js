/** What the reader has set: crosshair, windows, zoom and position, the active plane. Paints nothing. */

import { Cine } from "./cine.js";
import { Frames } from "./frames.js";
import { ORDER, flatAxis, isAlone, liesApart, middleOf, planesShown, sizeOf } from "./hanging.js";
import { Measuring } from "./measuring.js";
import { planesOf } from "./planes.js";
import { transform } from "./volume.js";
import { Windows } from "./windows.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").PlaneName} PlaneName */
/** @typedef {import("./planes.js").Tile} Tile */
/** @typedef {"aim"|"scroll"|"window"|"pan"|"measure"} DragMode */

export class View {
  /** @param {import("./panes.js").Panes} panes  that are drawn from it */
  constructor(panes) {
    this.panes = panes;
    this.planes = planesOf("radiological");
    this.cine = new Cine(this);
    this.measuring = new Measuring();
    this.windows = new Windows();
    this.frames = new Frames();
    this.showsCrosshair = true;
    this.smooth = true;
    /** @type {DragMode} what the left button and a single finger do; stays from item to item */
    this.dragMode = "aim";
    this.switched = false;
    /** @type {PlaneName[]} the large one first */
    this.wanted = ORDER;
    /** @type {{pane: number, plane: PlaneName}} */
    this.active = { pane: 0, plane: "axial" };
    /** the pane in which the reader set the crosshair last, or went to with a key: a point is taken in its world */
    this.aimed = 0;
    /** @type {number[]} mm in the world of the first pane */
    this.crosshair = [0, 0, 0];
    /** where it is at the beginning of the item */
    this.start = this.crosshair;
    /** @type {number[][]} mm from the crosshair to the matching point of each pane's own world */
    this.offsets = [];
    /** @type {number[][]} of the image on which each pane opens */
    this.middles = [];
    /** @type {Map<number, number[]>} the crosshair of pictures that share no world with the other panes */
    this.own = new Map();
    /** @type {number|null} the pane in which the crosshair was set since the beginning: over a picture it is drawn from then on */
    this.setIn = null;
    /** @type {number|null} the pane that moves on its own while the reader looks for the matching point */
    this.unlinked = null;
    /** @type {number[]} mm along R, A, S that every pane must have room for */
    this.extent = [1, 1, 1];
    /** @type {number[][]} mm point in the middle of each pane, before it is moved */
    this.centres = [];
    /** called when the crosshair is set, or another pane is aimed at */
    this.onAim = () => {};
    this.clear();
  }

  clear() {
    this.cine.stop();
    this.measuring.clear();
    this.windows.clear();
    /** @type {PlaneName|null} */
    this.maximised = null;
    this.frames.clear();
  }

  /**
   * Set everything as the study wants it at the beginning of an item.
   *
   * @param {import("../payload.js").ImagesPayload} images
   * @param {Volume[]} volumes  the one that each pane opens on
   * @param {Record<string, number[]>} offsets  with which the reader linked panes of this item before, by title
   */
  begin(images, volumes, offsets) {
    this.clear();
    this.aimed = 0;
    this.planes = planesOf(images.convention);
    this.wanted = images.planes;
    this.switched = images.layout === "switched" && volumes.length > 1;
    this.active = { pane: 0, plane: planesShown(volumes[0], this.wanted)[0] };
    const sections = volumes.filter((volume) => flatAxis(volume) < 0);
    this.extent = [0, 1, 2].map((axis) => Math.max(1, ...sections.map((volume) => sizeOf(volume)[axis])));
    this.centres = volumes.map((volume, i) => middleOf(images.panes[i].coregistered ? volumes[0] : volume));
    const inPatient = volumes.findIndex((_, i) => images.panes[i].volumes[0].placed);
    this.start = (isAlone(images, 0) ? null : images.start) ?? middleOf(volumes[Math.max(0, inPatient)]);
    this.crosshair = this.start;
    this.middles = volumes.map(middleOf);
    this.unset(images);
    this.offsets = images.panes.map(({ title }, i) => (liesApart(images, i) && offsets[title]) || [0, 0, 0]);
    this.unlinked = null;
  }

  get images() {
    return this.panes.images;
  }

  changed() {
    this.panes.schedule();
  }

  /** @param {number} pane @returns {Volume} the one on the screen */
  volumeIn(pane) {
    return /** @type {Volume} */ (this.panes.panes[pane].volume);
  }

  /** @param {number} pane @param {PlaneName} plane */
  slicesIn(pane, plane) {
    return this.volumeIn(pane)?.shape[this.planes[plane].through] ?? 0;
  }

  /** @param {number} pane @returns {string} what a distance in it is given in */
  unitIn(pane) {
    return this.panes.panes[pane].placed ? "mm" : "px";
  }

  // ---------------------------------------------------------------- windows

  /** @param {import("../payload.js").VolumePayload} spec @returns {[number, number]} shown intensities */
  windowOf(spec) {
    return this.windows.of(spec);
  }

  /** @param {import("../payload.js").PresetPayload} preset */
  preset(preset) {
    if (!this.images) return;
    for (const { volumes } of this.images.panes) {
      for (const spec of volumes) {
        if (preset.absolute) this.windows.setAbsolute(spec, preset.absolute);
        else this.windows.set(spec, preset.window ?? [0, 1]);
        this.panes.trace?.windowed(spec.label, this.windows.words(spec));
      }
    }
    this.changed();
  }

  /**
   * Move the window of the active sequence.
   *
   * @param {number} level  shift of the middle, as a share of the default window's width
   * @param {number} width  change of the width, likewise
   */
  moveWindow(level, width) {
    if (!this.images) return;
    const spec = this.panes.shownIn(this.active.pane);
    this.windows.move(spec, level, width);
    this.panes.trace?.windowed(spec.label, this.windows.words(spec));
    this.changed();
  }

  // ---------------------------------------------------------------- crosshair and slices

  /** @param {number} pane @returns {number[]} the crosshair in the world of a pane */
  crosshairIn(pane) {
    if (this.images && isAlone(this.images, pane)) return this.own.get(pane) ?? this.middles[pane];
    const offset = this.offsets[pane] ?? [0, 0, 0];
    return this.crosshair.map((mm, axis) => mm + offset[axis]);
  }

  /** The crosshair has not been moved since the item began. @param {import("../payload.js").ImagesPayload} images */
  unset(images) {
    this.own.clear();
    if (images.start && isAlone(images, 0)) this.own.set(0, images.start);
    this.setIn = images.start ? 0 : null;
  }

  /**
   * The crosshair that is drawn in a pane, if any. Sections go through it from the beginning. On a picture, of which there is
   * one alone, it would cover the middle and mean nothing: there it is drawn once the reader has set it.
   *
   * @param {number} pane
   * @returns {number[]|null}
   */
  crosshairOn(pane) {
    if (!this.showsCrosshair || !this.images) return null;
    return this.panes.panes[pane].placed || this.isSetOn(pane) ? this.crosshairIn(pane) : null;
  }

  /** @param {number} pane  with a picture @returns {boolean} whether the reader set it there, or in a pane that this one follows */
  isSetOn(pane) {
    if (!this.images) return false;
    if (isAlone(this.images, pane)) return this.own.has(pane);
    const from = this.setIn;
    if (from === null || from === pane) return from === pane;
    const { panes } = this.images;
    const together = this.linkOf(pane) === "linked" || (panes[pane].coregistered && panes[from].coregistered);
    return together && !panes[from].volumes[0].placed;
  }

  /**
   * Move the crosshair of a pane; the linked ones follow.
   *
   * @param {number} pane
   * @param {number[]} mm  in the world of that pane
   */
  place(pane, mm) {
    if (!this.images) return;
    const before = this.crosshairIn(pane);
    this.setIn = pane;
    if (isAlone(this.images, pane)) {
      this.own.set(pane, mm);
    } else if (pane === this.unlinked) {
      this.setOffset(pane, mm.map((value, axis) => value - this.crosshair[axis]));
    } else {
      this.crosshair = mm.map((value, axis) => value - this.offsets[pane][axis]);
      if (this.unlinked !== null) {
        const still = this.offsets[this.unlinked];
        this.setOffset(this.unlinked, still.map((value, axis) => value - (mm[axis] - before[axis])));
      }
    }
    this.changed();
    this.onAim();
  }

  /** @param {number} pane @param {number[]} mm */
  setOffset(pane, mm) {
    this.offsets[pane] = mm;
    if (this.images) this.panes.trace?.linked(this.images.panes[pane].title, mm);
  }

  /** Moved by the reader, which ends a running cine. @param {number[]} mm @param {number} [pane] */
  moveCrosshair(mm, pane = 0) {
    this.cine.stop();
    this.aimed = pane;
    this.place(pane, mm);
  }

  /** @param {number} slices  of the active plane */
  scroll(slices) {
    if (!this.images) return;
    this.cine.stop();
    this.aimed = this.active.pane;
    this.step(this.active.pane, this.active.plane, slices, false);
  }

  /**
   * @param {number} pane
   * @param {PlaneName} plane
   * @param {number} slices
   * @param {boolean} round  continues at the other end
   */
  step(pane, plane, slices, round) {
    if (!this.images) return;
    const volume = this.volumeIn(pane);
    const axis = this.planes[plane].through;
    const count = volume.shape[axis];
    const position = transform(volume.inverse, this.crosshairIn(pane));
    const next = Math.round(position[axis]) + slices;
    position[axis] = round ? ((next % count) + count) % count : Math.min(count - 1, Math.max(0, next));
    this.place(pane, transform(volume.affine, position));
  }

  /** Move the crosshair within the active plane by a voxel. @param {{x: number, y: number}} by  to the right and down */
  nudge({ x, y }) {
    if (!this.images) return;
    const { pane, plane } = this.active;
    const volume = this.volumeIn(pane);
    const { across, down, mirrored } = this.planes[plane];
    const position = transform(volume.inverse, this.crosshairIn(pane));
    /** @param {number} value @param {number} axis */
    const bounded = (value, axis) => Math.min(volume.shape[axis] - 1, Math.max(0, value));
    position[across] = bounded(position[across] + (mirrored ? -x : x), across);
    position[down] = bounded(position[down] - y, down);
    this.moveCrosshair(transform(volume.affine, position), pane);
  }

  /** @param {number} step  +1 next plane, -1 previous */
  nextPlane(step) {
    if (!this.images) return;
    const names = planesShown(this.volumeIn(this.active.pane), this.wanted);
    const at = names.indexOf(this.active.plane);
    this.active.plane = names[(at + step + names.length) % names.length];
    if (this.maximised) this.maximised = this.active.plane;
    this.changed();
  }

  /** @param {number} [pane]  the next one, if none is named */
  nextPane(pane = (this.active.pane + 1) % (this.images?.panes.length ?? 1)) {
    if (!this.images) return;
    const names = planesShown(this.volumeIn(pane), this.wanted);
    this.active = { pane, plane: names.includes(this.active.plane) ? this.active.plane : names[0] };
    this.aimed = pane;
    this.changed();
    this.onAim();
  }

  // ---------------------------------------------------------------- panes that are not co-registered

  /** Let a pane be moved on its own; again: link it where it is now. @param {number} [pane] */
  toggleLink(pane = this.active.pane) {
    if (!this.images) return;
    if (this.unlinked !== null) {
      this.unlinked = null;
      return this.changed();
    }
    // The first pane is the one that the others are linked to.
    const apart = this.panes.panes.map((one, i) => (one.apart ? i : -1)).filter((i) => i > 0);
    if (!apart.length) return;
    this.unlinked = apart.includes(pane) ? pane : apart[0];
    this.nextPane(this.unlinked);
    this.changed();
  }

  /** Back to the same mm in every pane. */
  dropOffsets() {
    if (!this.images) return;
    this.unlinked = null;
    this.offsets.forEach((_, pane) => this.setOffset(pane, [0, 0, 0]));
    this.changed();
  }

  /** @param {number} pane @returns {""|"unlinked"|"linked"} what the reader did to it */
  linkOf(pane) {
    if (pane === this.unlinked) return "unlinked";
    return this.offsets[pane]?.some((mm) => mm !== 0) ? "linked" : "";
  }

  // ---------------------------------------------------------------- zoom, position, the rest

  maximise() {
    if (!this.images) return;
    this.maximised = this.maximised ? null : this.active.plane;
    this.changed();
  }

  /** @param {number} factor */
  zoom(factor) {
    if (!this.images) return;
    this.frames.zoom(this.active.plane, factor);
    this.changed();
  }

  /**
   * Zoom so that what is under a point stays there.
   *
   * @param {Tile} tile
   * @param {Volume} volume
   * @param {number} factor
   * @param {{x: number, y: number}} point  CSS pixels of the pane
   */
  zoomAt(tile, volume, factor, point) {
    if (!this.images) return;
    this.frames.zoomAt(tile, volume, factor, point);
    this.changed();
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
    this.frames.pan(tile, volume, dx, dy);
    this.changed();
  }

  reset() {
    if (!this.images) return;
    this.clear();
    this.crosshair = this.start;
    this.unset(this.images);
    this.changed();
  }

  toggleCrosshair() {
    this.showsCrosshair = !this.showsCrosshair;
    this.changed();
  }

  /** Interpolate between voxels, or show each as a block. */
  toggleSmooth() {
    this.smooth = !this.smooth;
    this.changed();
  }

  /** @param {DragMode} mode  or back to the crosshair */
  toggleDrag(mode) {
    this.dragMode = this.dragMode === mode ? "aim" : mode;
    this.changed();
  }

  /** One end of a distance at the crosshair. */
  markDistance() {
    if (!this.images) return;
    this.measuring.mark(this.active.pane, this.crosshairIn(this.active.pane), this.unitIn(this.active.pane));
    this.changed();
  }
}
