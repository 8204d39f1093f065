/**
 * The compatibility renderer: cuts the three planes out of the voxels and paints them with Canvas2D. Needs no GPU,
 * which is what remote desktops in hospitals have.
 */

import { h } from "./dom.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").Tile} Tile */

/**
 * What every renderer does for one pane. Tiles are computed outside, so that all renderers put a voxel at the same
 * place.
 *
 * @typedef {Object} Renderer
 * @property {string} name                                   as it is reported with the verdict
 * @property {HTMLElement} element                           what is put into the pane
 * @property {(width: number, height: number, ratio: number) => void} resize    CSS pixels and device pixels per CSS pixel
 * @property {(volume: Volume) => Promise<void>} load        make a volume ready; loaded ones switch without delay
 * @property {(volume: Volume, window: [number, number], tiles: Tile[], smooth: boolean) => void} draw
 * @property {() => void} clear                              black, at once
 * @property {() => void} destroy
 */

const OPAQUE_BLACK = 0xff000000;
const WHITE = 0xffffffff;

/**
 * Grey for every possible stored value, so that a pixel takes one look-up.
 *
 * @param {Volume} volume
 * @param {[number, number]} window  lowest and highest shown intensity
 * @returns {{table: Uint32Array, first: number}}
 */
function greys(volume, [low, high]) {
  const first = volume.stored instanceof Int16Array ? -32768 : 0;
  const size = volume.stored instanceof Uint8Array ? 256 : 65536;
  const table = new Uint32Array(size);
  const factor = 255 / Math.max(high - low, 1e-9);
  // Most stored values lie outside the window: they are filled in, only those within are computed.
  const ends = [low, high].map((intensity) => (intensity - volume.inter) / volume.slope - first);
  const from = Math.min(size, Math.max(0, Math.floor(Math.min(...ends))));
  const to = Math.min(size, Math.max(from, Math.ceil(Math.max(...ends)) + 1));
  const rising = volume.slope > 0;
  table.fill(rising ? OPAQUE_BLACK : WHITE, 0, from);
  table.fill(rising ? WHITE : OPAQUE_BLACK, to);
  for (let i = from; i < to; i += 1) {
    const grey = ((i + first) * volume.slope + volume.inter - low) * factor;
    const level = grey <= 0 ? 0 : grey >= 255 ? 255 : Math.round(grey);
    table[i] = OPAQUE_BLACK | (level << 16) | (level << 8) | level;
  }
  return { table, first };
}

/**
 * One plane: a canvas of one pixel per voxel behind a frame of the tile's size. The browser scales it when it puts the page
 * together, which it does anyway; scaling it here first would only cost that twice.
 */
class SliceView {
  constructor() {
    this.canvas = h("canvas", {});
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    this.frame = h("div", { class: "slice" }, this.canvas);
    this.image = new ImageData(1, 1);
    /** What is painted and where, so that nothing is done twice. */
    this.painted = "";
    this.placed = "";
  }

  /**
   * @param {Tile} tile
   * @param {boolean} smooth
   */
  place({ clip, image }, smooth) {
    const left = Math.round(clip.x);
    const top = Math.round(clip.y);
    const size = `width: ${Math.round(clip.x + clip.width) - left}px; height: ${Math.round(clip.y + clip.height) - top}px`;
    const { width, height } = this.canvas;
    const scale = `matrix(${image.width / width}, 0, 0, ${image.height / height}, ${image.x - left}, ${image.y - top})`;
    const placed = `${left} ${top} ${size} ${scale} ${smooth}`;
    if (placed === this.placed) return;
    this.placed = placed;
    this.frame.style.cssText = `left: ${left}px; top: ${top}px; ${size}`;
    this.canvas.style.cssText = `transform: ${scale}; image-rendering: ${smooth ? "auto" : "pixelated"}`;
  }

  /** @param {number} width @param {number} height  in voxels */
  resize(width, height) {
    if (this.image.width === width && this.image.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.image = new ImageData(width, height);
    this.painted = this.placed = "";
  }
}

/** @implements {Renderer} */
export class CanvasRenderer {
  constructor() {
    this.name = "canvas";
    this.element = h("div", { class: "slices" });
    /** @type {Map<string, SliceView>} by plane */
    this.views = new Map();
    /** @type {{key: string, table: Uint32Array, first: number}|null} */
    this.greys = null;
  }

  resize() {
    // Tiles say where slices lie, and the browser scales them.
  }

  async load() {
    // The voxels are drawn from where they are already.
  }

  clear() {
    this.element.style.visibility = "hidden";
  }

  /**
   * @param {Volume} volume
   * @param {[number, number]} window
   * @param {Tile[]} tiles
   * @param {boolean} smooth
   */
  draw(volume, window, tiles, smooth) {
    const shown = new Set();
    for (const tile of tiles) {
      const { plane, slice } = tile;
      if (slice < 0 || slice >= volume.shape[plane.through]) continue;
      const view = this.viewOf(plane.name);
      shown.add(view);
      view.resize(volume.shape[plane.across], volume.shape[plane.down]);
      this.paint(view, volume, window, tile);
      view.place(tile, smooth);
    }
    for (const view of this.views.values()) view.frame.hidden = !shown.has(view);
    this.element.style.visibility = "";
  }

  /** @param {string} name */
  viewOf(name) {
    let view = this.views.get(name);
    if (!view) {
      view = new SliceView();
      this.views.set(name, view);
      this.element.append(view.frame);
    }
    return view;
  }

  /**
   * @param {SliceView} view
   * @param {Volume} volume
   * @param {[number, number]} window
   * @param {Tile} tile
   */
  paint(view, volume, window, { plane, slice }) {
    const greyKey = `${volume.url} ${window}`;
    const painted = `${greyKey} ${plane.mirrored} ${slice}`;
    if (view.painted === painted) return;
    if (volume.stored instanceof Float32Array) paintScaled(volume, window, plane, slice, view.image);
    else {
      if (this.greys?.key !== greyKey) this.greys = { key: greyKey, ...greys(volume, window) };
      paintLooked(volume, this.greys, plane, slice, view.image);
    }
    view.context.putImageData(view.image, 0, 0);
    view.painted = painted;
  }

  destroy() {
    this.views.clear();
    this.greys = null;
    this.element.remove();
  }
}

/**
 * Steps through the stored voxels in the order of the pixels.
 *
 * @param {Volume} volume
 * @param {import("./planes.js").Plane} plane
 * @param {number} slice
 */
function walk(volume, plane, slice) {
  const strides = [1, volume.shape[0], volume.shape[0] * volume.shape[1]];
  const width = volume.shape[plane.across];
  const height = volume.shape[plane.down];
  const step = plane.mirrored ? -strides[plane.across] : strides[plane.across];
  const start = slice * strides[plane.through] + (plane.mirrored ? (width - 1) * strides[plane.across] : 0);
  return { width, height, step, rowAt: (/** @type {number} */ row) => start + (height - 1 - row) * strides[plane.down] };
}

/**
 * @param {Volume} volume
 * @param {{table: Uint32Array, first: number}} greyOf
 * @param {import("./planes.js").Plane} plane
 * @param {number} slice
 * @param {ImageData} image
 */
function paintLooked(volume, { table, first }, plane, slice, image) {
  const pixels = new Uint32Array(image.data.buffer);
  const { width, height, step, rowAt } = walk(volume, plane, slice);
  const { stored } = volume;
  let pixel = 0;
  for (let row = 0; row < height; row += 1) {
    let at = rowAt(row);
    for (let column = 0; column < width; column += 1, at += step) pixels[pixel++] = table[stored[at] - first];
  }
}

/**
 * @param {Volume} volume
 * @param {[number, number]} window
 * @param {import("./planes.js").Plane} plane
 * @param {number} slice
 * @param {ImageData} image
 */
function paintScaled(volume, [low, high], plane, slice, image) {
  const pixels = new Uint32Array(image.data.buffer);
  const { width, height, step, rowAt } = walk(volume, plane, slice);
  const factor = 255 / Math.max(high - low, 1e-9);
  let pixel = 0;
  for (let row = 0; row < height; row += 1) {
    let at = rowAt(row);
    for (let column = 0; column < width; column += 1, at += step) {
      const grey = (volume.stored[at] * volume.slope + volume.inter - low) * factor;
      const level = grey <= 0 ? 0 : grey >= 255 ? 255 : Math.round(grey);
      pixels[pixel++] = OPAQUE_BLACK | (level << 16) | (level << 8) | level;
    }
  }
}
