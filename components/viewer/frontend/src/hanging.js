/** How a pane is filled: which planes it shows, where they lie and how large they are. */

import { layTile } from "./planes.js";
import { transform } from "./volume.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").PlaneName} PlaneName */
/** @typedef {import("./planes.js").Box} Box */
/** @typedef {import("./planes.js").Tile} Tile */

/** @type {PlaneName[]} */
export const ORDER = ["axial", "coronal", "sagittal"];
const GAP = 2;
const FILL = 0.97;

/**
 * Whether a pane is not co-registered with the first one.
 *
 * @param {import("../payload.js").ImagesPayload} images
 * @param {number} index
 */
export function liesApart(images, index) {
  return index > 0 && !images.panes[index].coregistered;
}

/**
 * Whether a pane shows a picture from a file beside images that lie in a patient: its pixels are not in their mm.
 *
 * @param {import("../payload.js").ImagesPayload} images
 * @param {number} index
 */
export function isAlone(images, index) {
  const [picture, ...others] = [images.panes[index], ...images.panes].map(({ volumes }) => !volumes[0].placed);
  return picture && others.includes(false);
}

/** The axis along which a volume is one voxel thick, so that it is an image of one plane; -1 when there is none. @param {Volume} volume */
export function flatAxis({ shape }) {
  return shape.filter((n) => n === 1).length === 1 ? shape.indexOf(1) : -1;
}

/**
 * The planes of a volume, the large one first.
 *
 * @param {Volume} volume
 * @param {PlaneName[]} wanted
 * @returns {PlaneName[]}
 */
export function planesShown(volume, wanted) {
  const flat = flatAxis(volume);
  return flat < 0 ? wanted : [/** @type {PlaneName} */ (["sagittal", "coronal", "axial"][flat])];
}

/**
 * The tiles of a pane, ready to be drawn.
 *
 * @param {{width: number, height: number}} size  of the pane
 * @param {Volume} volume
 * @param {import("./view.js").View} view
 * @param {number} pane
 * @returns {Tile[]}
 */
export function tilesOf(size, volume, view, pane) {
  const names = planesShown(volume, view.wanted);
  const flat = flatAxis(volume) >= 0;
  // A single image fills its pane; sections of heads keep one scale in all panes.
  const extent = flat ? sizeOf(volume) : view.extent;
  const base = flat ? middleOf(volume) : view.centres[pane];
  const alone = names.includes(/** @type {any} */ (view.maximised)) ? [/** @type {PlaneName} */ (view.maximised)] : names;
  const boxes = layout(size, extent, view.maximised ? alone.slice(0, 1) : names, view.planes);
  const crosshair = view.crosshairIn(pane);
  return names.filter((name) => boxes[name]).map((name) => {
    const plane = view.planes[name];
    const { zoom, pan } = view.frames.of(name);
    const clip = boxes[name];
    const fit = Math.min(clip.width / extent[plane.across], clip.height / extent[plane.down]) * FILL;
    const centre = base.map((mm, axis) => mm + pan[axis]);
    const tile = layTile(volume, plane, clip, centre, fit * zoom, crosshair);
    return flat ? { ...tile, slice: 0 } : tile;
  });
}

/** Millimetres along R, A and S. @param {Volume} volume */
export function sizeOf({ shape, spacing }) {
  return shape.map((n, axis) => n * spacing[axis]);
}

/** Device pixels per CSS pixel; above two, more pixels cost time and show nothing. */
export function pixelRatio() {
  return Math.min(window.devicePixelRatio || 1, 2);
}

/**
 * The mm point in the middle voxel of a volume.
 *
 * @param {Volume} volume
 */
export function middleOf(volume) {
  return transform(volume.affine, volume.shape.map((n) => Math.floor(n / 2)));
}

/**
 * Where the planes lie in a pane: the first one large, the others beside or below it, whichever shows them larger.
 *
 * @param {{width: number, height: number}} size
 * @param {number[]} extent  mm along R, A, S
 * @param {PlaneName[]} names  one to three
 * @param {Record<PlaneName, import("./planes.js").Plane>} planes
 * @returns {Record<string, Box>}
 */
export function layout({ width, height }, extent, names, planes) {
  const [first, ...others] = names;
  if (!others.length) return { [first]: { x: 0, y: 0, width, height } };
  /** @param {PlaneName} name @param {Box} box */
  const shown = (name, box) => {
    const { across, down } = planes[name];
    const scale = Math.min(box.width / extent[across], box.height / extent[down]);
    return scale * scale * extent[across] * extent[down];
  };
  let best = { score: -1, boxes: /** @type {Record<string, Box>} */ ({}) };
  for (const beside of [true, false]) {
    for (let share = 0.5; share <= 0.68; share += 0.02) {
      const main = Math.round((beside ? width : height) * share);
      const rest = (beside ? width : height) - main - GAP;
      const each = Math.floor(((beside ? height : width) - GAP * (others.length - 1)) / others.length);
      /** @type {Record<string, Box>} */
      const boxes = { [first]: beside ? { x: 0, y: 0, width: main, height } : { x: 0, y: 0, width, height: main } };
      others.forEach((name, i) => {
        const along = i * (each + GAP);
        boxes[name] = beside
          ? { x: main + GAP, y: along, width: rest, height: each }
          : { x: along, y: main + GAP, width: each, height: rest };
      });
      const score = 1.2 * shown(first, boxes[first]) + others.reduce((sum, name) => sum + shown(name, boxes[name]), 0);
      if (score > best.score) best = { score, boxes };
    }
  }
  return best.boxes;
}
