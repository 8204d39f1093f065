/**
 * Where things lie on a plane: which voxel axes run across and down, which way round, and how voxels become pixels.
 * Both renderers and the pointer use these functions, so that what is drawn and what is clicked cannot differ.
 */

import { transform } from "./volume.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("../payload.js").Plane} PlaneName */

/** To which side a positive and a negative number of mm lead, along x, y and z. The server writes points with the same letters. */
export const SIDES = [["R", "L"], ["A", "P"], ["S", "I"]];

/**
 * @typedef {Object} Plane
 * @property {PlaneName} name
 * @property {string} title
 * @property {number} across    voxel axis that runs along a row of pixels (0 = R, 1 = A, 2 = S)
 * @property {number} down      voxel axis that runs along a column of pixels
 * @property {number} through   voxel axis that is scrolled
 * @property {boolean} mirrored true where growing voxel index goes to the left of the screen
 * @property {{left: string, right: string, top: string, bottom: string}} letters
 */

/**
 * The three planes in a convention. Sagittals have the nose on the left in both; rows always run from the top
 * (superior, or anterior in the axial plane) downwards, against the voxel index.
 *
 * @param {"radiological"|"neurological"} convention
 * @returns {Record<PlaneName, Plane>}
 */
export function planesOf(convention) {
  const radiological = convention !== "neurological";
  const [[rightward, leftward], [front, back], [up, below]] = SIDES;
  const [left, right] = radiological ? [rightward, leftward] : [leftward, rightward];
  return {
    axial: {
      name: "axial", title: "Axial", across: 0, down: 1, through: 2, mirrored: radiological,
      letters: { left, right, top: front, bottom: back },
    },
    coronal: {
      name: "coronal", title: "Coronal", across: 0, down: 2, through: 1, mirrored: radiological,
      letters: { left, right, top: up, bottom: below },
    },
    sagittal: {
      name: "sagittal", title: "Sagittal", across: 1, down: 2, through: 0, mirrored: true,
      letters: { left: front, right: back, top: up, bottom: below },
    },
  };
}

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/**
 * @typedef {Object} Tile      one plane of one pane, ready to be drawn
 * @property {Plane} plane
 * @property {Box} clip        CSS pixels within the pane; nothing is drawn outside
 * @property {Box} image       CSS pixels that the whole slice, edge to edge, covers
 * @property {number} slice    voxel index along `plane.through`; may lie outside the volume: then nothing is drawn
 */

/**
 * Lay a slice of a volume into a tile.
 *
 * @param {Volume} volume
 * @param {Plane} plane
 * @param {Box} clip
 * @param {number[]} centre    mm point that is to lie in the middle of the tile
 * @param {number} scale       CSS pixels per mm
 * @param {number[]} crosshair mm point that the slice goes through
 * @returns {Tile}
 */
export function layTile(volume, plane, clip, centre, scale, crosshair) {
  const middle = transform(volume.inverse, centre);
  const perAcross = scale * volume.spacing[plane.across];
  const perDown = scale * volume.spacing[plane.down];
  const width = volume.shape[plane.across] * perAcross;
  const height = volume.shape[plane.down] * perDown;
  // Voxel centres are whole numbers, so the slice reaches from -0.5 to n - 0.5.
  const before = plane.mirrored ? volume.shape[plane.across] - 0.5 - middle[plane.across] : middle[plane.across] + 0.5;
  const above = volume.shape[plane.down] - 0.5 - middle[plane.down];
  return {
    plane,
    clip,
    image: {
      x: clip.x + clip.width / 2 - before * perAcross,
      y: clip.y + clip.height / 2 - above * perDown,
      width,
      height,
    },
    slice: Math.round(transform(volume.inverse, crosshair)[plane.through]),
  };
}

/**
 * Voxel position (across and down, fractional) under a pixel of the pane.
 *
 * @param {Volume} volume
 * @param {Tile} tile
 * @param {number} x
 * @param {number} y
 * @returns {{across: number, down: number}}
 */
export function voxelUnder(volume, tile, x, y) {
  const { plane, image } = tile;
  const fx = ((x - image.x) / image.width) * volume.shape[plane.across];
  const fy = ((y - image.y) / image.height) * volume.shape[plane.down];
  return {
    across: plane.mirrored ? volume.shape[plane.across] - 0.5 - fx : fx - 0.5,
    down: volume.shape[plane.down] - 0.5 - fy,
  };
}

/**
 * Pixel of the pane at which a voxel position lies: the inverse of `voxelUnder`.
 *
 * @param {Volume} volume
 * @param {Tile} tile
 * @param {number[]} position
 * @returns {{x: number, y: number}}
 */
export function pixelOf(volume, tile, position) {
  const { plane, image } = tile;
  const nx = volume.shape[plane.across];
  const ny = volume.shape[plane.down];
  const fx = plane.mirrored ? nx - 0.5 - position[plane.across] : position[plane.across] + 0.5;
  const fy = ny - 0.5 - position[plane.down];
  return { x: image.x + (fx / nx) * image.width, y: image.y + (fy / ny) * image.height };
}

/**
 * A point of an image that has no place in a patient: "column 120  row 45", counted from the upper left.
 *
 * @param {Volume} volume
 * @param {Plane} plane
 * @param {number[]} mm
 * @returns {string}
 */
export function spokenPixel(volume, plane, mm) {
  const position = transform(volume.inverse, mm).map(Math.round);
  const across = plane.mirrored ? volume.shape[plane.across] - position[plane.across] : position[plane.across] + 1;
  return `column ${across}  row ${volume.shape[plane.down] - position[plane.down]}`;
}

/**
 * A mm point in the words of a reader: "R 12.0  A 3.5  S 40.0 mm".
 *
 * @param {number[]} mm
 * @returns {string}
 */
export function spokenPoint(mm) {
  const parts = mm.map((value, axis) => `${SIDES[axis][value < -0.05 ? 1 : 0]} ${Math.abs(value).toFixed(1)}`);
  return `${parts.join("  ")} mm`;
}
