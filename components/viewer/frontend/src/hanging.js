/** How a pane is filled: which planes it shows, where they lie and how large they are. */

import { layTile } from "./planes.js";
import { transform } from "./volume.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").PlaneName} PlaneName */
/** @typedef {import("./planes.js").Tile} Tile */

/** @type {PlaneName[]} */
export const ORDER = ["axial", "coronal", "sagittal"];
const GAP = 2;
const FILL = 0.97;

/**
 * The tiles of a pane, ready to be drawn.
 *
 * @param {{width: number, height: number}} size  of the pane
 * @param {Volume} volume
 * @param {import("./view.js").View} view
 * @param {number[]} base  mm point in the middle of the picture, before it is moved
 * @returns {Tile[]}
 */
export function tilesOf(size, volume, view, base) {
  const boxes = layout(size, view.extent, view.maximised, view.planes);
  return ORDER.filter((name) => boxes[name]).map((name) => {
    const plane = view.planes[name];
    const { zoom, pan } = view.frames[name];
    const clip = boxes[name];
    const fit = Math.min(clip.width / view.extent[plane.across], clip.height / view.extent[plane.down]) * FILL;
    const centre = base.map((mm, axis) => mm + pan[axis]);
    return layTile(volume, plane, clip, centre, fit * zoom, view.crosshair);
  });
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
 * Where the three planes lie in a pane: the axial one large, the others beside or below it, whichever shows more.
 *
 * @param {{width: number, height: number}} size
 * @param {number[]} extent  mm along R, A, S
 * @param {PlaneName|null} maximised
 * @param {Record<PlaneName, import("./planes.js").Plane>} planes
 * @returns {Record<string, import("./planes.js").Box>}
 */
export function layout(size, extent, maximised, planes) {
  const { width, height } = size;
  if (maximised) return { [maximised]: { x: 0, y: 0, width, height } };
  const shown = (name, box) => {
    const { across, down } = planes[name];
    const scale = Math.min(box.width / extent[across], box.height / extent[down]);
    return scale * scale * extent[across] * extent[down];
  };
  let best = { score: -1, boxes: /** @type {Record<string, import("./planes.js").Box>} */ ({}) };
  for (const beside of [true, false]) {
    for (let share = 0.5; share <= 0.68; share += 0.02) {
      const main = Math.round((beside ? width : height) * share);
      const rest = (beside ? width : height) - main - GAP;
      const half = Math.floor(((beside ? height : width) - GAP) / 2);
      const boxes = beside
        ? {
            axial: { x: 0, y: 0, width: main, height },
            coronal: { x: main + GAP, y: 0, width: rest, height: half },
            sagittal: { x: main + GAP, y: half + GAP, width: rest, height: half },
          }
        : {
            axial: { x: 0, y: 0, width, height: main },
            coronal: { x: 0, y: main + GAP, width: half, height: rest },
            sagittal: { x: half + GAP, y: main + GAP, width: half, height: rest },
          };
      const score = 1.2 * shown("axial", boxes.axial) + shown("coronal", boxes.coronal) + shown("sagittal", boxes.sagittal);
      if (score > best.score) best = { score, boxes };
    }
  }
  return best.boxes;
}
