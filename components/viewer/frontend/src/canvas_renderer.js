/**
 * The compatibility renderer: cuts the three planes out of the voxels and paints them with Canvas2D. Needs no GPU,
 * which is what remote desktops in hospitals have.
 */

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").Tile} Tile */

/**
 * What every renderer does for one pane. Tiles are computed outside, so that all renderers put a voxel at the same
 * place.
 *
 * @typedef {Object} Renderer
 * @property {string} name                                   as it is reported with the verdict
 * @property {HTMLCanvasElement} canvas
 * @property {(width: number, height: number, ratio: number) => void} resize    CSS pixels and device pixels per CSS pixel
 * @property {(volume: Volume) => Promise<void>} load        make a volume ready; loaded ones switch without delay
 * @property {(volume: Volume, window: [number, number], tiles: Tile[], smooth: boolean) => void} draw
 * @property {() => void} clear                              black, at once
 * @property {() => void} destroy
 */

const OPAQUE_BLACK = 0xff000000;
const WHITE = 0xffffffff;

/**
 * Grey for every possible stored value, so that a pixel costs one look-up.
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

/** @implements {Renderer} */
export class CanvasRenderer {
  constructor() {
    this.name = "canvas";
    this.canvas = document.createElement("canvas");
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    this.ratio = 1;
    /** @type {Map<string, {key: string, canvas: HTMLCanvasElement, image: ImageData}>} */
    this.slices = new Map();
    /** @type {{key: string, table: Uint32Array, first: number}|null} */
    this.greys = null;
  }

  resize(width, height, ratio) {
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
  }

  async load() {
    // The voxels are drawn from where they are.
  }

  clear() {
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.fillStyle = "#000";
    this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /**
   * @param {Volume} volume
   * @param {[number, number]} window
   * @param {Tile[]} tiles
   * @param {boolean} smooth
   */
  draw(volume, window, tiles, smooth) {
    this.clear();
    const { context } = this;
    for (const tile of tiles) {
      if (tile.slice < 0 || tile.slice >= volume.shape[tile.plane.through]) continue;
      const cut = this.cut(volume, window, tile);
      context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      context.save();
      context.beginPath();
      context.rect(tile.clip.x, tile.clip.y, tile.clip.width, tile.clip.height);
      context.clip();
      context.imageSmoothingEnabled = smooth;
      // Better than "low" makes smaller copies of the slice first, which only a picture smaller than the slice needs.
      context.imageSmoothingQuality = tile.image.width * this.ratio < cut.width ? "medium" : "low";
      context.drawImage(cut, tile.image.x, tile.image.y, tile.image.width, tile.image.height);
      context.restore();
    }
  }

  /**
   * One slice as a canvas of one pixel per voxel, kept until another slice or window is wanted.
   *
   * @param {Volume} volume
   * @param {[number, number]} window
   * @param {Tile} tile
   * @returns {HTMLCanvasElement}
   */
  cut(volume, window, { plane, slice }) {
    const greyKey = `${volume.url} ${window}`;
    const key = `${greyKey} ${plane.mirrored} ${slice}`;
    const width = volume.shape[plane.across];
    const height = volume.shape[plane.down];
    let kept = this.slices.get(plane.name);
    if (kept?.key === key) return kept.canvas;
    if (!kept || kept.canvas.width !== width || kept.canvas.height !== height) {
      const canvas = document.createElement("canvas");
      canvas.width = width;
      canvas.height = height;
      kept = { key, canvas, image: new ImageData(width, height) };
      this.slices.set(plane.name, kept);
    }
    if (volume.stored instanceof Float32Array) paintScaled(volume, window, plane, slice, kept.image);
    else {
      if (this.greys?.key !== greyKey) this.greys = { key: greyKey, ...greys(volume, window) };
      paintLooked(volume, this.greys, plane, slice, kept.image);
    }
    /** @type {CanvasRenderingContext2D} */ (kept.canvas.getContext("2d")).putImageData(kept.image, 0, 0);
    kept.key = key;
    return kept.canvas;
  }

  destroy() {
    this.slices.clear();
    this.greys = null;
    this.canvas.remove();
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
  return { width, height, step, rowAt: (row) => start + (height - 1 - row) * strides[plane.down] };
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
