/** What is drawn over the images, the same for every renderer: overlays, crosshair, distances, letters, slice numbers. */

import { spokenLength } from "./measuring.js";
import { pixelOf } from "./planes.js";
import { transform } from "./volume.js";

/** @typedef {import("./planes.js").Tile} Tile */
/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./overlays.js").DrawnOverlay} DrawnOverlay */
/** @typedef {import("./pane.js").Pane} Pane */
/** @typedef {import("./view.js").View} View */
/** @typedef {CanvasRenderingContext2D} Context */

const TEXT = "#e8e8e8";
const QUIET = "#b4b4b4";
const CROSS = "#ffd34d";
const RULER = "#7fe3ff";
const ACTIVE = "#4da3ff";
const TRACK = 6;
/** Width of a tile, in CSS pixels, below which there is no room for whole words. */
const NARROW = 170;
const LARGE = "600 15px system-ui, sans-serif";
/** With serifs, or the I of "inferior" is one more line beside the crosshair's. */
const LETTER = "700 16px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
/** Side of the dark square behind a letter, in CSS pixels: on bright bone an outline alone is not read. */
const PLATE = 20;
const SMALL = "12px system-ui, sans-serif";

/**
 * The scroll bar of a tile, in CSS pixels.
 *
 * @param {Tile} tile
 */
export function trackBox({ clip }) {
  return { x: clip.x + clip.width - TRACK - 4, y: clip.y + 28, width: TRACK, height: clip.height - 56 };
}

/**
 * @param {Pane} pane
 * @param {View} view
 * @param {number} index  of the pane; -1 draws nothing
 * @param {DrawnOverlay[]} [overlays]
 */
export function drawAnnotations(pane, view, index, overlays = []) {
  // Text is slow to draw without a graphics card, and another window changes nothing here.
  const volume = index < 0 ? null : pane.volume;
  const drawn = volume ? stateOf(pane, volume, view, index, overlays) : "";
  if (drawn === pane.drawn) return;
  pane.drawn = drawn;
  const context = /** @type {CanvasRenderingContext2D} */ (pane.overlay.getContext("2d"));
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, pane.overlay.width, pane.overlay.height);
  if (!volume) return;
  const ratio = pane.overlay.width / pane.size.width;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  for (const tile of pane.tiles) {
    context.save();
    context.beginPath();
    context.rect(tile.clip.x, tile.clip.y, tile.clip.width, tile.clip.height);
    context.clip();
    for (const overlay of overlays) pane.overlays.draw(context, overlay, volume, tile);
    const cross = view.crosshairOn(index);
    if (cross) crosshair(context, volume, tile, cross);
    distances(context, volume, tile, view.measuring, index);
    labels(context, volume, tile, pane.placed);
    scrollBar(context, volume, tile);
    const active = view.active.pane === index && view.active.plane === tile.plane.name;
    if (active) {
      context.strokeStyle = ACTIVE;
      context.lineWidth = 1;
      context.strokeRect(tile.clip.x + 0.5, tile.clip.y + 0.5, tile.clip.width - 1, tile.clip.height - 1);
    }
    context.restore();
  }
}

/** Everything that the overlay shows, as one text. @param {Pane} pane @param {Volume} volume @param {View} view @param {number} index @param {DrawnOverlay[]} overlays */
function stateOf(pane, volume, view, index, overlays) {
  const { measuring } = view;
  return JSON.stringify([volume.url, pane.placed, pane.overlay.width, pane.overlay.height,
    pane.tiles.map(({ plane, clip, image, slice }) => [plane.name, plane.letters.left, clip, image, slice]),
    view.crosshairOn(index), view.active.pane === index && view.active.plane,
    measuring.lines.filter((line) => line.pane === index), measuring.first, overlays.map(({ voxels, style, colour, opacity }) => [voxels.url, style, colour, opacity])]);
}

/** @param {Context} context @param {Volume} volume @param {Tile} tile @param {number[]} mm */
function crosshair(context, volume, tile, mm) {
  const { x, y } = pixelOf(volume, tile, transform(volume.inverse, mm));
  const { clip } = tile;
  const hole = 9;
  context.strokeStyle = CROSS;
  context.globalAlpha = 0.75;
  context.lineWidth = 1;
  context.beginPath();
  // The middle stays open: a small finding must not lie under the lines.
  for (const [x0, y0, x1, y1] of [
    [clip.x, y, x - hole, y],
    [x + hole, y, clip.x + clip.width, y],
    [x, clip.y, x, y - hole],
    [x, y + hole, x, clip.y + clip.height],
  ]) {
    context.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
    context.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  }
  context.stroke();
  context.globalAlpha = 1;
}

/**
 * Lines that lie in the slice; one whose ends lie in different slices is projected, and dashed.
 *
 * @param {Context} context
 * @param {Volume} volume
 * @param {Tile} tile
 * @param {import("./measuring.js").Measuring} measuring
 * @param {number} index  of the pane
 */
function distances(context, volume, tile, measuring, index) {
  const { through } = tile.plane;
  /** @param {number[]} mm */
  const place = (mm) => {
    const position = transform(volume.inverse, mm);
    return { ...pixelOf(volume, tile, position), within: Math.abs(position[through] - tile.slice) <= 0.5 };
  };
  /** @param {Path2D} path @param {number} width @param {string} colour */
  const strokes = (path, width, colour) => {
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.stroke(path);
  };
  /** @param {Path2D} path @param {{x: number, y: number}} at */
  const end = (path, { x, y }) => {
    path.moveTo(x - 5, y - 5);
    path.lineTo(x + 5, y + 5);
    path.moveTo(x - 5, y + 5);
    path.lineTo(x + 5, y - 5);
  };
  const { first } = measuring;
  if (first?.pane === index) {
    const at = place(first.mm);
    const path = new Path2D();
    end(path, at);
    context.globalAlpha = at.within ? 1 : 0.5;
    strokes(path, 3, "rgba(0, 0, 0, 0.7)");
    strokes(path, 1.5, RULER);
    context.globalAlpha = 1;
  }
  for (const line of measuring.lines) {
    if (line.pane !== index) continue;
    const from = place(line.from);
    const to = place(line.to);
    const within = from.within && to.within;
    if (!within && !line.across) continue;
    const path = new Path2D();
    path.moveTo(from.x, from.y);
    path.lineTo(to.x, to.y);
    context.setLineDash(within ? [] : [5, 4]);
    strokes(path, 3.5, "rgba(0, 0, 0, 0.7)");
    strokes(path, 1.5, RULER);
    context.setLineDash([]);
    const ends = new Path2D();
    end(ends, from);
    end(ends, to);
    strokes(ends, 1.5, RULER);
    write(context, spokenLength(line), Math.max(from.x, to.x) + 8, from.x > to.x ? from.y : to.y, "left", "middle", LARGE, RULER);
  }
}

/**
 * @param {Context} context
 * @param {string} text
 * @param {number} x  CSS pixels
 * @param {number} y
 * @param {CanvasTextAlign} align
 * @param {CanvasTextBaseline} baseline
 * @param {string} font
 * @param {string} colour
 */
function write(context, text, x, y, align, baseline, font, colour) {
  context.font = font;
  context.textAlign = align;
  context.textBaseline = baseline;
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = "rgba(0, 0, 0, 0.85)";
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

/** A letter of orientation on its plate. @param {Context} context @param {string} letter @param {number} x  of its middle @param {number} y */
function orientation(context, letter, x, y) {
  context.fillStyle = "rgba(0, 0, 0, 0.6)";
  context.beginPath();
  context.roundRect(x - PLATE / 2, y - PLATE / 2, PLATE, PLATE, 4);
  context.fill();
  // Capitals sit above the middle of a line that has room for descenders.
  write(context, letter, x, y + 1, "center", "middle", LETTER, TEXT);
}

/** @param {Context} context @param {Volume} volume @param {Tile} tile @param {boolean} placed  whether it lies somewhere in a patient */
function labels(context, volume, tile, placed) {
  const { clip, plane, slice } = tile;
  const { letters } = plane;
  const middleX = clip.x + clip.width / 2;
  const middleY = clip.y + clip.height / 2;
  const of = volume.shape[plane.through];
  if (placed) {
    const inset = 3 + PLATE / 2;
    orientation(context, letters.left, clip.x + inset, middleY);
    orientation(context, letters.right, clip.x + clip.width - TRACK - 4 - inset, middleY);
    orientation(context, letters.top, middleX, clip.y + inset);
    orientation(context, letters.bottom, middleX, clip.y + clip.height - inset);
  }
  if (of === 1) return;
  // The letter is between the name and the number.
  const narrow = clip.width < NARROW;
  write(context, narrow ? plane.title.slice(0, 3) : plane.title, clip.x + 7, clip.y + 6, "left", "top", SMALL, QUIET);
  const number = narrow ? String(slice + 1) : `${slice + 1} / ${of}`;
  write(context, slice >= 0 && slice < of ? number : narrow ? "outside" : "outside the image", clip.x + clip.width - 7, clip.y + 6, "right", "top", SMALL, QUIET);
}

/** @param {Context} context @param {Volume} volume @param {Tile} tile */
function scrollBar(context, volume, tile) {
  const box = trackBox(tile);
  const of = volume.shape[tile.plane.through];
  if (of < 2 || box.height < 20) return;
  const share = Math.min(1, Math.max(0, tile.slice / (of - 1)));
  const knob = Math.max(18, box.height / of);
  context.fillStyle = "rgba(255, 255, 255, 0.14)";
  context.fillRect(box.x, box.y, box.width, box.height);
  context.fillStyle = "rgba(255, 255, 255, 0.55)";
  context.fillRect(box.x, box.y + (1 - share) * (box.height - knob), box.width, knob);
}
