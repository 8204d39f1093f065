/**
 * The image side: one to four panes of three planes each, all following one crosshair in world mm. Owns what is shown
 * (crosshair, windows, zoom, which sequence); the renderers only paint.
 */

import { h } from "./dom.js";
import { drawOverlay, trackBox } from "./overlay.js";
import { layTile, planesOf, voxelUnder } from "./planes.js";
import { VolumeError, transform } from "./volume.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").PlaneName} PlaneName */
/** @typedef {import("./planes.js").Tile} Tile */
/** @typedef {import("./canvas_renderer.js").Renderer} Renderer */

/** @type {PlaneName[]} */
const ORDER = ["axial", "coronal", "sagittal"];
const GAP = 2;
const FILL = 0.97;
const MOST_ZOOM = 16;

/**
 * @typedef {Object} Pane
 * @property {HTMLElement} element
 * @property {HTMLElement} stage
 * @property {HTMLCanvasElement} overlay
 * @property {HTMLElement} title
 * @property {HTMLElement} sequences
 * @property {HTMLElement} wait
 * @property {Renderer} renderer
 * @property {any} spec           of the payload
 * @property {number} chosen      which of the spec's volumes
 * @property {Volume|null} volume the one on the screen
 * @property {Tile[]} tiles
 * @property {{width: number, height: number}} size
 */

export class Panes {
  /**
   * @param {{shelf: import("./volume.js").VolumeShelf, makeRenderer: () => Renderer,
   *          onRead: () => void, onTrouble: (error: Error, renderer: Renderer) => void}} room
   */
  constructor(room) {
    this.room = room;
    this.element = h("div", { class: "panes" });
    /** @type {Pane[]} */
    this.panes = [];
    /** @type {any} */
    this.images = null;
    this.trace = /** @type {import("./trace.js").Trace|null} */ (null);
    this.turn = 0;
    this.frame = 0;
    this.planes = planesOf("radiological");
    this.showsCrosshair = true;
    this.windowMode = false;
    this.resetView();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
  }

  resetView() {
    /** @type {PlaneName|null} */
    this.maximised = null;
    /** @type {Record<string, {zoom: number, pan: number[]}>} */
    this.views = Object.fromEntries(ORDER.map((name) => [name, { zoom: 1, pan: [0, 0, 0] }]));
    /** @type {Map<string, [number, number]>} */
    this.windows = new Map();
  }

  /** Black, at once. */
  clear() {
    this.turn += 1;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.images = null;
    for (const pane of this.panes) {
      pane.volume = null;
      pane.tiles = [];
      pane.wait.hidden = true;
      pane.renderer.clear();
      drawOverlay(pane, this, -1);
    }
  }

  /**
   * Show the images of an item: nothing of them is visible before every pane has its first volume.
   *
   * @param {any} images  payload.images
   * @param {import("./trace.js").Trace} trace
   * @returns {Promise<boolean>} false when another item came in between
   */
  async show(images, trace) {
    this.clear();
    const turn = this.turn;
    this.planes = planesOf(images.convention);
    this.trace = trace;
    this.prepare(images);
    const empty = images.panes.find((pane) => !pane.volumes.length);
    if (empty) throw new VolumeError(`There is no image for “${empty.title}”.`);
    const volumes = await Promise.all(images.panes.map((pane) => this.room.shelf.get(pane.volumes[0].url)));
    if (turn !== this.turn) return false;
    await Promise.all(volumes.map((volume, i) => this.load(this.panes[i], volume)));
    if (turn !== this.turn) return false;
    this.images = images;
    this.resetView();
    this.active = { pane: 0, plane: /** @type {PlaneName} */ ("axial") };
    this.centres = volumes.map((volume) => middleOf(volume));
    if (images.coregistered) this.centres = volumes.map(() => this.centres[0]);
    this.extent = [0, 1, 2].map((axis) => Math.max(...volumes.map((v) => v.shape[axis] * v.spacing[axis])));
    this.crosshair = middleOf(volumes[0]);
    volumes.forEach((volume, i) => (this.panes[i].volume = volume));
    this.resize();
    this.drawNow();
    return true;
  }

  /** Fetch the sequences that are not on the screen yet, so that switching costs nothing. */
  async fetchRest() {
    const { images, turn } = this;
    for (const [i, pane] of (images?.panes ?? []).entries()) {
      for (const { url } of pane.volumes.slice(1)) {
        const volume = await this.room.shelf.get(url);
        if (turn !== this.turn) return;
        await this.load(this.panes[i], volume);
      }
    }
  }

  /**
   * Fetch a volume of the next item and make it ready, as far as that can be done while another is on the screen.
   *
   * @param {string} url
   */
  async prepareAhead(url) {
    const { turn } = this;
    const volume = await this.room.shelf.get(url);
    if (turn === this.turn && this.images) await this.load(this.panes[0], volume);
  }

  prepare(images) {
    while (this.panes.length < images.panes.length) this.panes.push(this.makePane(this.panes.length));
    this.element.dataset.count = String(images.panes.length);
    this.panes.forEach((pane, i) => {
      const spec = images.panes[i];
      pane.element.hidden = !spec;
      if (!spec) return;
      pane.spec = spec;
      pane.chosen = 0;
      const alone = images.panes.length === 1 && !spec.badge;
      const away = !images.coregistered && i > 0 && !spec.badge && h("span", { class: "badge warn" }, "Not co-registered");
      pane.title.replaceChildren(
        ...[h("span", { class: alone ? "name alone" : "name" }, spec.title), spec.badge && h("span", { class: "badge" }, spec.badge), away].filter(Boolean),
      );
      pane.sequences.replaceChildren(
        ...spec.volumes.map((volume, n) =>
          h("button", { type: "button", class: "sequence", "aria-pressed": String(n === 0), onclick: () => this.choose(i, n) }, volume.label)),
      );
    });
  }

  /** @returns {Pane} */
  makePane(index) {
    const overlay = h("canvas", { class: "overlay", "aria-hidden": "true" });
    const wait = h("div", { class: "pane-wait", hidden: true });
    const renderer = this.room.makeRenderer();
    const stage = h("div", { class: "stage" }, renderer.canvas, overlay, wait);
    const title = h("div", { class: "pane-title" });
    const sequences = h("div", { class: "sequences", role: "group", "aria-label": "Sequence" });
    const element = h("section", { class: "pane" }, h("header", {}, title, sequences), stage);
    this.element.append(element);
    const pane = {
      element, stage, overlay, title, sequences, wait, renderer,
      spec: null, chosen: 0, volume: null, tiles: [], size: { width: 0, height: 0 },
    };
    this.listen(pane, index);
    return pane;
  }

  /** Replace every renderer by another kind, with the same picture. */
  async changeRenderer() {
    const turn = this.turn;
    const ready = [];
    for (const pane of this.panes) {
      const renderer = this.room.makeRenderer();
      renderer.canvas.style.visibility = "hidden";
      pane.stage.prepend(renderer.canvas);
      renderer.resize(pane.size.width, pane.size.height, pixelRatio());
      if (pane.volume) await renderer.load(pane.volume);
      ready.push(renderer);
    }
    this.panes.forEach((pane, i) => this.replace(pane, ready[i]));
    // Another item came in between: its own drawing loads what it needs.
    if (turn === this.turn) this.drawNow();
  }

  /**
   * Make a volume ready in a pane, whichever renderer the pane has by then.
   *
   * @param {Pane} pane
   * @param {Volume} volume
   */
  async load(pane, volume) {
    for (let renderer; renderer !== pane.renderer; ) {
      renderer = pane.renderer;
      try {
        await renderer.load(volume);
      } catch (error) {
        if (renderer.name === "canvas") throw error;
        this.room.onTrouble(/** @type {Error} */ (error), renderer);
        if (pane.renderer === renderer) this.replace(pane, this.room.makeRenderer());
      }
    }
  }

  /**
   * @param {Pane} pane
   * @param {Renderer} renderer
   */
  replace(pane, renderer) {
    pane.renderer.destroy();
    pane.renderer = renderer;
    pane.stage.prepend(renderer.canvas);
    renderer.resize(pane.size.width, pane.size.height, pixelRatio());
    renderer.canvas.style.visibility = "visible";
  }

  resize() {
    const ratio = pixelRatio();
    for (const pane of this.panes) {
      const { clientWidth: width, clientHeight: height } = pane.stage;
      if (!width || !height || (pane.size.width === width && pane.size.height === height)) continue;
      pane.size = { width, height };
      pane.overlay.width = Math.round(width * ratio);
      pane.overlay.height = Math.round(height * ratio);
      pane.renderer.resize(width, height, ratio);
    }
    if (this.images) this.drawNow();
  }

  /** Draw with the next frame; calls in between are one drawing. */
  schedule() {
    if (this.frame || !this.images) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.drawNow();
    });
  }

  drawNow() {
    if (!this.images) return;
    this.images.panes.forEach((spec, i) => {
      const pane = this.panes[i];
      const { volume } = pane;
      if (!volume || !pane.size.width) return;
      pane.tiles = this.tilesOf(pane, volume, this.centres[i]);
      const shown = spec.volumes[pane.chosen];
      try {
        pane.renderer.draw(volume, this.windowOf(shown), pane.tiles, true);
      } catch (error) {
        this.room.onTrouble(/** @type {Error} */ (error), pane.renderer);
        return;
      }
      this.trace?.saw(i, shown.label, volume, pane.tiles);
      drawOverlay(pane, this, i);
    });
    this.room.onRead();
  }

  /** @returns {Tile[]} */
  tilesOf(pane, volume, base) {
    const boxes = layout(pane.size, this.extent, this.maximised, this.planes);
    return ORDER.filter((name) => boxes[name]).map((name) => {
      const plane = this.planes[name];
      const view = this.views[name];
      const clip = boxes[name];
      const fit = Math.min(clip.width / this.extent[plane.across], clip.height / this.extent[plane.down]) * FILL;
      const centre = base.map((mm, axis) => mm + view.pan[axis]);
      return layTile(volume, plane, clip, centre, fit * view.zoom, this.crosshair);
    });
  }

  /**
   * Shown intensities of a volume: its default window, moved as the reader moved that sequence's window.
   *
   * @param {any} spec
   * @returns {[number, number]}
   */
  windowOf(spec) {
    const [low, high] = spec.window;
    const [from, to] = this.windows.get(spec.label) ?? [0, 1];
    return [low + from * (high - low), low + to * (high - low)];
  }

  /** The volume description that the tools act on. */
  activeSpec() {
    const pane = this.panes[this.active.pane];
    return pane.spec.volumes[pane.chosen];
  }

  /** @param {[number, number]|null} fractions  of the default window; null is the default */
  preset(fractions) {
    if (!this.images) return;
    for (const pane of this.images.panes) {
      for (const { label } of pane.volumes) this.setWindow(label, fractions ?? [0, 1]);
    }
    this.schedule();
  }

  setWindow(label, [from, to]) {
    const width = Math.max(0.02, to - from);
    const middle = (from + to) / 2;
    /** @type {[number, number]} */
    const fractions = [middle - width / 2, middle + width / 2];
    this.windows.set(label, fractions);
    this.trace?.windowed(label, fractions);
  }

  /**
   * Move the window of the active sequence.
   *
   * @param {number} level  shift of the middle, as a share of the default window's width
   * @param {number} width  change of the width, likewise
   */
  moveWindow(level, width) {
    if (!this.images) return;
    const { label } = this.activeSpec();
    const [from, to] = this.windows.get(label) ?? [0, 1];
    this.setWindow(label, [from + level - width / 2, to + level + width / 2]);
    this.schedule();
  }

  /** @param {number[]} mm */
  moveCrosshair(mm) {
    if (!this.images) return;
    this.crosshair = mm;
    this.schedule();
  }

  /** @param {number} slices  of the active plane */
  scroll(slices) {
    if (!this.images) return;
    const { volume } = this.panes[this.active.pane];
    const axis = this.planes[this.active.plane].through;
    const position = transform(volume.inverse, this.crosshair);
    const next = Math.round(position[axis]) + slices;
    position[axis] = Math.min(volume.shape[axis] - 1, Math.max(0, next));
    this.moveCrosshair(transform(volume.affine, position));
  }

  /** @param {number} step  +1 next plane, -1 previous */
  nextPlane(step) {
    if (!this.images) return;
    const at = ORDER.indexOf(this.active.plane);
    this.active.plane = ORDER[(at + step + ORDER.length) % ORDER.length];
    if (this.maximised) this.maximised = this.active.plane;
    this.schedule();
  }

  nextPane() {
    if (!this.images) return;
    this.active.pane = (this.active.pane + 1) % this.images.panes.length;
    this.schedule();
  }

  maximise() {
    if (!this.images) return;
    this.maximised = this.maximised ? null : this.active.plane;
    this.schedule();
  }

  /** @param {number} step  to the next sequence, in every pane that has it */
  nextSequence(step) {
    if (!this.images) return;
    const { volumes } = this.panes[this.active.pane].spec;
    const { label } = volumes[(this.panes[this.active.pane].chosen + step + volumes.length) % volumes.length];
    this.images.panes.forEach((spec, i) => {
      const n = spec.volumes.findIndex((volume) => volume.label === label);
      if (n >= 0) this.choose(i, n);
    });
  }

  /**
   * Put one of its volumes into a pane. Fetched already: at once; else the pane says what it waits for.
   *
   * @param {number} index
   * @param {number} n
   */
  async choose(index, n) {
    const pane = this.panes[index];
    const { turn } = this;
    if (!this.images) return;
    pane.chosen = n;
    [...pane.sequences.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === n)));
    const { url, label } = pane.spec.volumes[n];
    const here = this.room.shelf.peek(url);
    try {
      if (!here) {
        pane.wait.textContent = `Loading ${label} …`;
        pane.wait.hidden = false;
      }
      const volume = here ?? (await this.room.shelf.get(url));
      await this.load(pane, volume);
      if (turn !== this.turn || pane.chosen !== n) return;
      pane.volume = volume;
      pane.wait.hidden = true;
      this.drawNow();
    } catch (error) {
      if (turn === this.turn && pane.chosen === n) {
        pane.wait.textContent = `${label} could not be loaded. Choose it again to retry.`;
        pane.wait.hidden = false;
      }
    }
  }

  /** @param {number} factor @param {PlaneName} [plane] */
  zoom(factor, plane = this.active.plane) {
    if (!this.images) return;
    const view = this.views[plane];
    view.zoom = Math.min(MOST_ZOOM, Math.max(1, view.zoom * factor));
    if (view.zoom === 1) view.pan = [0, 0, 0];
    this.schedule();
  }

  reset() {
    if (!this.images) return;
    this.resetView();
    this.crosshair = middleOf(/** @type {Volume} */ (this.panes[0].volume));
    this.schedule();
  }

  toggleCrosshair() {
    this.showsCrosshair = !this.showsCrosshair;
    this.schedule();
  }

  listen(pane, index) {
    const { overlay } = pane;
    /** @type {{mode: string, x: number, y: number, tile: Tile}|null} */
    let drag = null;
    let rolled = 0;

    const spot = (event) => {
      const frame = overlay.getBoundingClientRect();
      return { x: event.clientX - frame.left, y: event.clientY - frame.top };
    };
    const tileAt = ({ x, y }) => pane.tiles.find(({ clip }) =>
      x >= clip.x && x < clip.x + clip.width && y >= clip.y && y < clip.y + clip.height);
    const activate = (tile) => {
      if (this.active.pane === index && this.active.plane === tile.plane.name) return;
      this.active = { pane: index, plane: tile.plane.name };
      this.schedule();
    };
    const aim = ({ x, y }, tile) => {
      const volume = /** @type {Volume} */ (pane.volume);
      const under = voxelUnder(volume, tile, x, y);
      const position = transform(volume.inverse, this.crosshair);
      const bounded = (value, axis) => Math.min(volume.shape[axis] - 1, Math.max(0, value));
      position[tile.plane.across] = bounded(under.across, tile.plane.across);
      position[tile.plane.down] = bounded(under.down, tile.plane.down);
      this.moveCrosshair(transform(volume.affine, position));
    };
    const rollTo = ({ y }, tile) => {
      const track = trackBox(tile);
      const axis = tile.plane.through;
      const volume = /** @type {Volume} */ (pane.volume);
      const share = 1 - Math.min(1, Math.max(0, (y - track.y) / track.height));
      const position = transform(volume.inverse, this.crosshair);
      position[axis] = Math.round(share * (volume.shape[axis] - 1));
      this.moveCrosshair(transform(volume.affine, position));
    };

    overlay.addEventListener("contextmenu", (event) => event.preventDefault());
    overlay.addEventListener("pointerdown", (event) => {
      const point = spot(event);
      const tile = tileAt(point);
      if (!tile || !this.images) return;
      // Without this the middle button starts the browser's own scrolling; the focus must still leave the form.
      event.preventDefault();
      const focused = /** @type {Document|ShadowRoot} */ (overlay.getRootNode()).activeElement;
      if (focused instanceof HTMLElement) focused.blur();
      overlay.setPointerCapture(event.pointerId);
      activate(tile);
      const onTrack = event.button === 0 && point.x >= trackBox(tile).x - 4;
      const mode = onTrack ? "roll"
        : event.button === 2 || (event.button === 0 && this.windowMode) ? "window"
        : event.button === 1 || event.shiftKey ? "pan"
        : "aim";
      drag = { mode, x: point.x, y: point.y, tile };
      if (mode === "aim") aim(point, tile);
      if (mode === "roll") rollTo(point, tile);
    });
    overlay.addEventListener("pointermove", (event) => {
      const point = spot(event);
      if (!drag) {
        const tile = tileAt(point);
        if (tile && this.images) activate(tile);
        return;
      }
      const dx = point.x - drag.x;
      const dy = point.y - drag.y;
      drag.x = point.x;
      drag.y = point.y;
      const tile = pane.tiles.find(({ plane }) => plane.name === drag?.tile.plane.name);
      if (!tile || !this.images) return;
      if (drag.mode === "aim") aim(point, tile);
      else if (drag.mode === "roll") rollTo(point, tile);
      else if (drag.mode === "window") this.moveWindow(-dy / 400, dx / 200);
      else this.pan(tile, /** @type {Volume} */ (pane.volume), dx, dy);
    });
    const end = () => (drag = null);
    overlay.addEventListener("pointerup", end);
    overlay.addEventListener("pointercancel", end);
    overlay.addEventListener("dblclick", (event) => {
      const tile = tileAt(spot(event));
      if (!tile || event.button !== 0) return;
      activate(tile);
      this.maximise();
    });
    overlay.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const tile = tileAt(spot(event));
        if (!tile || !this.images) return;
        activate(tile);
        if (event.ctrlKey) return this.zoom(Math.exp(-event.deltaY / 400));
        // A mouse wheel clicks in large steps, one slice each; a touch pad glides in small ones that add up.
        if (Math.abs(event.deltaY) >= 50 || event.deltaMode !== 0) {
          rolled = 0;
          return this.scroll(event.deltaY < 0 ? 1 : -1);
        }
        rolled -= event.deltaY;
        const slices = Math.trunc(rolled / 30);
        rolled -= slices * 30;
        if (slices) this.scroll(slices);
      },
      { passive: false },
    );
  }

  /** Move the picture of a plane with the pointer. */
  pan(tile, volume, dx, dy) {
    const { across, down, mirrored } = tile.plane;
    const perPixelAcross = (volume.shape[across] * volume.spacing[across]) / tile.image.width;
    const perPixelDown = (volume.shape[down] * volume.spacing[down]) / tile.image.height;
    const { pan } = this.views[tile.plane.name];
    pan[across] += (mirrored ? dx : -dx) * perPixelAcross;
    pan[down] += dy * perPixelDown;
    this.schedule();
  }

  destroy() {
    this.clear();
    this.observer.disconnect();
    for (const pane of this.panes) pane.renderer.destroy();
    this.element.remove();
  }
}

/** Device pixels per CSS pixel; above two, more pixels cost time and show nothing. */
function pixelRatio() {
  return Math.min(window.devicePixelRatio || 1, 2);
}

/**
 * The mm point in the middle voxel of a volume.
 *
 * @param {Volume} volume
 */
function middleOf(volume) {
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
