/**
 * Overlays over the images: on the slice that is shown, each point takes the value of the overlay's nearest voxel, found
 * through both affines. Drawn on the overlay canvas, so that it looks the same with every renderer.
 */

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").Tile} Tile */

/** @typedef {Omit<import("../payload.js").OverlayPayload, "url"|"sha256"> & {voxels: Volume}} DrawnOverlay  an overlay that has arrived */

const FINEST = 4;

/**
 * @typedef {Object} Cut
 * @property {number} width    points across the slice
 * @property {number} height
 * @property {Uint8Array} inside   1 where the overlay is not 0, in the order of the pixels on the screen
 */

/**
 * The overlay on one slice of a volume, at the volume's own voxels or, where the overlay is finer, at 2 to 4 points of each.
 *
 * @param {Volume} overlay
 * @param {Volume} volume
 * @param {import("./planes.js").Plane} plane
 * @param {number} slice
 * @returns {Cut}
 */
export function cutOverlay(overlay, volume, plane, slice) {
  const { across, down, through, mirrored } = plane;
  const fine = Math.min(FINEST, Math.max(1, Math.ceil(Math.max(volume.spacing[across], volume.spacing[down]) / Math.min(...overlay.spacing) - 1e-3)));
  const width = volume.shape[across] * fine;
  const height = volume.shape[down] * fine;
  const inside = new Uint8Array(width * height);
  const matrix = compose(overlay.inverse, volume.affine);
  const [nx, ny, nz] = overlay.shape;
  const nothing = (0 - overlay.inter) / overlay.slope;
  const place = [0, 0, 0];
  place[through] = slice;
  for (let row = 0; row < height; row += 1) {
    place[down] = volume.shape[down] - 0.5 - (row + 0.5) / fine;
    for (let column = 0; column < width; column += 1) {
      const along = (column + 0.5) / fine;
      place[across] = mirrored ? volume.shape[across] - 0.5 - along : along - 0.5;
      const [a, b, c] = place;
      const x = Math.round(matrix[0] * a + matrix[1] * b + matrix[2] * c + matrix[3]);
      const y = Math.round(matrix[4] * a + matrix[5] * b + matrix[6] * c + matrix[7]);
      const z = Math.round(matrix[8] * a + matrix[9] * b + matrix[10] * c + matrix[11]);
      if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz) continue;
      if (overlay.stored[x + nx * (y + ny * z)] !== nothing) inside[row * width + column] = 1;
    }
  }
  return { width, height, inside };
}

/**
 * Why an overlay cannot be laid over an image without scale, in one sentence; null when it can. Neither has millimetres that would
 * place one on the other: they can only be matched pixel by pixel.
 *
 * @param {string} label
 * @param {Volume} overlay
 * @param {Volume} image
 * @returns {string|null}
 */
export function misfit(label, overlay, image) {
  /** @param {Volume} volume */
  const pixels = ({ shape }) => shape.filter((n) => n > 1).join(" × ");
  if (overlay.shape.every((n, axis) => n === image.shape[axis])) return null;
  return `The overlay “${label}” is not drawn: it has ${pixels(overlay)} pixels, the image ${pixels(image)}.`;
}

/** Draws overlays, and caches their cuts as long as the same slices are shown. */
export class OverlayPainter {
  constructor() {
    /** @type {Map<string, {key: string, fill: HTMLCanvasElement|null, edge: Path2D|null, width: number, height: number}>} */
    this.kept = new Map();
  }

  /**
   * @param {CanvasRenderingContext2D} context  in CSS pixels of the pane, clipped to the tile
   * @param {DrawnOverlay} overlay
   * @param {Volume} volume  the one on the screen
   * @param {Tile} tile
   */
  draw(context, { voxels, colour, style, opacity }, volume, tile) {
    const { plane, slice, image } = tile;
    if (slice < 0 || slice >= volume.shape[plane.through]) return;
    const place = `${voxels.url} ${plane.name}`;
    const key = `${volume.url} ${plane.mirrored} ${slice} ${style} ${colour}`;
    let cut = this.kept.get(place);
    if (cut?.key !== key) {
      const points = cutOverlay(voxels, volume, plane, slice);
      const filled = style === "fill";
      cut = { key, width: points.width, height: points.height, fill: filled ? fillOf(points, colour) : null, edge: filled ? null : edgeOf(points) };
      this.kept.set(place, cut);
    }
    context.save();
    context.globalAlpha = opacity;
    if (cut.fill) {
      context.imageSmoothingEnabled = false;
      context.drawImage(cut.fill, image.x, image.y, image.width, image.height);
    } else if (cut.edge) {
      const path = new Path2D();
      path.addPath(cut.edge, new DOMMatrix([image.width / cut.width, 0, 0, image.height / cut.height, image.x, image.y]));
      context.strokeStyle = colour;
      context.lineWidth = 1.5;
      context.stroke(path);
    }
    context.restore();
  }

  clear() {
    this.kept.clear();
  }
}

/** @param {Cut} cut @param {string} colour */
function fillOf({ width, height, inside }, colour) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = new ImageData(width, height);
  for (let i = 0; i < inside.length; i += 1) image.data[4 * i + 3] = inside[i] ? 255 : 0;
  context.putImageData(image, 0, 0);
  context.globalCompositeOperation = "source-in";
  context.fillStyle = colour;
  context.fillRect(0, 0, width, height);
  return canvas;
}

/** The sides between points inside and outside, joined along rows and columns. @param {Cut} cut */
function edgeOf({ width, height, inside }) {
  const path = new Path2D();
  /** @param {number} column @param {number} row */
  const at = (column, row) => column >= 0 && row >= 0 && column < width && row < height && inside[row * width + column];
  for (let row = 0; row <= height; row += 1) {
    for (let column = 0, from = -1; column <= width; column += 1) {
      const side = column < width && Boolean(at(column, row)) !== Boolean(at(column, row - 1));
      if (side && from < 0) from = column;
      if (side || from < 0) continue;
      path.moveTo(from, row);
      path.lineTo(column, row);
      from = -1;
    }
  }
  for (let column = 0; column <= width; column += 1) {
    for (let row = 0, from = -1; row <= height; row += 1) {
      const side = row < height && Boolean(at(column, row)) !== Boolean(at(column - 1, row));
      if (side && from < 0) from = row;
      if (side || from < 0) continue;
      path.moveTo(column, from);
      path.lineTo(column, row);
      from = -1;
    }
  }
  return path;
}

/** @param {number[]} a  4x4, row by row @param {number[]} b @returns {number[]} a times b */
function compose(a, b) {
  return a.map((_, i) => [0, 1, 2, 3].reduce((sum, k) => sum + a[4 * Math.floor(i / 4) + k] * b[4 * k + (i % 4)], 0));
}
