/**
 * The image side: one to four panes of three planes each, all following one crosshair in world mm. Owns which volumes
 * are shown; how they are looked at stands in the view; the renderers only paint.
 */

import { h } from "./dom.js";
import { middleOf, pixelRatio, tilesOf } from "./hanging.js";
import { drawOverlay } from "./overlay.js";
import { planesOf } from "./planes.js";
import { listenToPointer } from "./pointer.js";
import { View } from "./view.js";
import { VolumeError } from "./volume.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").PlaneName} PlaneName */
/** @typedef {import("./planes.js").Tile} Tile */
/** @typedef {import("./canvas_renderer.js").Renderer} Renderer */

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
    this.view = new View(this);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
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
      drawOverlay(pane, this.view, -1);
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
    this.view.planes = planesOf(images.convention);
    this.trace = trace;
    this.prepare(images);
    const empty = images.panes.find((pane) => !pane.volumes.length);
    if (empty) throw new VolumeError(`There is no image for “${empty.title}”.`);
    const volumes = await Promise.all(images.panes.map((pane) => this.room.shelf.get(pane.volumes[0].url)));
    if (turn !== this.turn) return false;
    await Promise.all(volumes.map((volume, i) => this.load(this.panes[i], volume)));
    if (turn !== this.turn) return false;
    this.images = images;
    this.view.begin(volumes);
    this.centres = volumes.map((volume) => middleOf(volume));
    if (images.coregistered) this.centres = volumes.map(() => this.centres[0]);
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
    listenToPointer(pane, index, this);
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
      pane.tiles = tilesOf(pane.size, volume, this.view, this.centres[i]);
      const shown = spec.volumes[pane.chosen];
      try {
        pane.renderer.draw(volume, this.view.windowOf(shown), pane.tiles, true);
      } catch (error) {
        this.room.onTrouble(/** @type {Error} */ (error), pane.renderer);
        return;
      }
      this.trace?.saw(i, shown.label, volume, pane.tiles);
      drawOverlay(pane, this.view, i);
    });
    this.room.onRead();
  }

  /** @param {number} step  to the next sequence, in every pane that has it */
  nextSequence(step) {
    if (!this.images) return;
    const active = this.panes[this.view.active.pane];
    const { volumes } = active.spec;
    const { label } = volumes[(active.chosen + step + volumes.length) % volumes.length];
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

  destroy() {
    this.clear();
    this.observer.disconnect();
    for (const pane of this.panes) pane.renderer.destroy();
    this.element.remove();
  }
}
