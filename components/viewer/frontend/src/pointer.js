/** What mouse, pen and fingers do on one pane. */

import { trackBox } from "./annotations.js";
import { voxelUnder } from "./planes.js";
import { transform } from "./volume.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").Tile} Tile */
/** @typedef {{x: number, y: number}} Point  CSS pixels of the pane */

const PIXELS_PER_SLICE = 7;

/** A line shorter than this was a click. */
const SHORTEST_LINE = 4;

export class Pointer {
  /**
   * @param {import("./pane.js").Pane} pane
   * @param {number} index
   * @param {import("./panes.js").Panes} panes
   */
  constructor(pane, index, panes) {
    this.pane = pane;
    this.index = index;
    this.panes = panes;
    this.view = panes.view;
    /** @type {{mode: string, from: Point, at: Point, tile: Tile}|null} */
    this.drag = null;
    /** @type {Map<number, Point>} fingers that are down */
    this.fingers = new Map();
    this.rolled = 0;
    const { overlay } = pane;
    overlay.addEventListener("contextmenu", (event) => event.preventDefault());
    overlay.addEventListener("pointerdown", (event) => this.down(event));
    overlay.addEventListener("pointermove", (event) => this.move(event));
    overlay.addEventListener("pointerup", (event) => this.up(event));
    overlay.addEventListener("pointercancel", (event) => this.up(event));
    overlay.addEventListener("dblclick", (event) => this.doubleClick(event));
    overlay.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  get volume() {
    return /** @type {Volume} */ (this.pane.volume);
  }

  /** @param {MouseEvent} event @returns {Point} */
  spot(event) {
    const frame = this.pane.overlay.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  }

  /** @param {Point} point */
  tileAt({ x, y }) {
    if (!this.panes.images) return undefined;
    return this.pane.tiles.find(({ clip }) => x >= clip.x && x < clip.x + clip.width && y >= clip.y && y < clip.y + clip.height);
  }

  /** The tile as it is now: each drawing lays it out again. @param {Tile} tile */
  current({ plane }) {
    return this.panes.images ? this.pane.tiles.find((tile) => tile.plane.name === plane.name) : undefined;
  }

  /** @param {Tile} tile */
  activate(tile) {
    const { view, index } = this;
    if (view.active.pane === index && view.active.plane === tile.plane.name) return;
    view.active = { pane: index, plane: tile.plane.name };
    view.changed();
  }

  /** @param {PointerEvent} event */
  down(event) {
    const point = this.spot(event);
    const tile = this.tileAt(point);
    if (!tile) return;
    // Without this the middle button starts the browser's own scrolling; the focus must still leave the form.
    event.preventDefault();
    const focused = /** @type {Document|ShadowRoot} */ (this.pane.overlay.getRootNode()).activeElement;
    if (focused instanceof HTMLElement) focused.blur();
    this.pane.overlay.setPointerCapture(event.pointerId);
    this.activate(tile);
    if (event.pointerType === "touch") {
      this.fingers.set(event.pointerId, point);
      // A second finger turns a drag into a pinch.
      if (this.fingers.size > 1) return this.finish(false);
    }
    const onTrack = event.button === 0 && point.x >= trackBox(tile).x - 4 && this.volume.shape[tile.plane.through] > 1;
    const mode = onTrack ? "roll"
      : event.button === 2 ? "window"
      : event.button === 1 || event.shiftKey ? "pan"
      : this.view.dragMode;
    this.drag = { mode, from: point, at: point, tile };
    if (mode !== "aim") this.panes.trace?.used(mode === "measure" ? "distance" : mode);
    if (mode === "aim") this.aim(point, tile);
    if (mode === "roll") this.rollTo(point, tile);
    if (mode === "measure") this.view.measuring.begin(this.index, this.pointUnder(point, tile), this.view.unitIn(this.index));
  }

  /** @param {PointerEvent} event */
  move(event) {
    const point = this.spot(event);
    if (this.fingers.has(event.pointerId) && this.fingers.size > 1) return this.pinch(event.pointerId, point);
    const { drag } = this;
    if (!drag) {
      const under = this.fingers.size ? undefined : this.tileAt(point);
      if (under) this.activate(under);
      return;
    }
    const dx = point.x - drag.at.x;
    const dy = point.y - drag.at.y;
    const tile = this.current(drag.tile);
    if (!tile) return;
    drag.at = point;
    if (drag.mode === "aim") this.aim(point, tile);
    else if (drag.mode === "roll") this.rollTo(point, tile);
    else if (drag.mode === "window") this.view.moveWindow(-dy / 400, dx / 200);
    else if (drag.mode === "scroll") this.roll(-dy, PIXELS_PER_SLICE);
    else if (drag.mode === "measure") {
      this.view.measuring.extend(this.pointUnder(point, tile));
      this.view.changed();
    } else this.view.pan(tile, this.volume, dx, dy);
  }

  /** @param {PointerEvent} event */
  up(event) {
    this.fingers.delete(event.pointerId);
    if (this.drag) this.finish(Math.hypot(this.drag.at.x - this.drag.from.x, this.drag.at.y - this.drag.from.y) >= SHORTEST_LINE);
  }

  /** @param {boolean} kept  whether a distance that was drawn stays */
  finish(kept) {
    if (this.drag?.mode === "measure") {
      this.view.measuring.end(kept);
      this.view.changed();
    }
    this.drag = null;
    this.rolled = 0;
  }

  /** Two fingers: apart enlarges, together shrinks, and the image moves along. @param {number} id @param {Point} point */
  pinch(id, point) {
    const spread = () => {
      const [a, b] = this.fingers.values();
      return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)) };
    };
    const before = spread();
    this.fingers.set(id, point);
    const after = spread();
    const tile = this.tileAt(before);
    if (!tile) return;
    this.panes.trace?.used("zoom");
    this.view.pan(tile, this.volume, after.x - before.x, after.y - before.y);
    this.view.zoomAt(tile, this.volume, after.apart / before.apart, after);
  }

  /** @param {MouseEvent} event */
  doubleClick(event) {
    const tile = this.tileAt(this.spot(event));
    if (!tile || event.button !== 0 || this.view.dragMode === "measure") return;
    this.activate(tile);
    this.panes.trace?.used("maximised");
    this.view.maximise();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const point = this.spot(event);
    const tile = this.tileAt(point);
    if (!tile) return;
    this.activate(tile);
    if (event.ctrlKey) {
      this.panes.trace?.used("zoom");
      return this.view.zoomAt(tile, this.volume, Math.exp(-event.deltaY / 400), point);
    }
    // A mouse wheel clicks in large steps, one slice each; a touch pad glides in small ones that add up.
    if (Math.abs(event.deltaY) >= 50 || event.deltaMode !== 0) {
      this.rolled = 0;
      return this.view.scroll(event.deltaY < 0 ? 1 : -1);
    }
    this.roll(-event.deltaY, 30);
  }

  /** Small movements add up to slices. @param {number} distance @param {number} perSlice */
  roll(distance, perSlice) {
    this.rolled += distance;
    const slices = Math.trunc(this.rolled / perSlice);
    this.rolled -= slices * perSlice;
    if (slices) this.view.scroll(slices);
  }

  /** @param {Point} point @param {Tile} tile */
  aim(point, tile) {
    const { volume, index } = this;
    const { plane } = tile;
    const under = voxelUnder(volume, tile, point.x, point.y);
    const position = transform(volume.inverse, this.view.crosshairIn(index));
    /** @param {number} value @param {number} axis */
    const bounded = (value, axis) => Math.min(volume.shape[axis] - 1, Math.max(0, value));
    position[plane.across] = bounded(under.across, plane.across);
    position[plane.down] = bounded(under.down, plane.down);
    this.view.moveCrosshair(transform(volume.affine, position), index);
  }

  /** The mm point on the shown slice. @param {Point} point @param {Tile} tile */
  pointUnder(point, tile) {
    const { plane } = tile;
    const under = voxelUnder(this.volume, tile, point.x, point.y);
    const position = [0, 0, 0];
    position[plane.across] = under.across;
    position[plane.down] = under.down;
    position[plane.through] = tile.slice;
    return transform(this.volume.affine, position);
  }

  /** @param {Point} point @param {Tile} tile */
  rollTo({ y }, tile) {
    const { volume, index } = this;
    const track = trackBox(tile);
    const axis = tile.plane.through;
    const share = 1 - Math.min(1, Math.max(0, (y - track.y) / track.height));
    const position = transform(volume.inverse, this.view.crosshairIn(index));
    position[axis] = Math.round(share * (volume.shape[axis] - 1));
    this.view.moveCrosshair(transform(volume.affine, position), index);
  }
}
