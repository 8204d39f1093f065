/**
 * The image side: one to four panes, side by side or one at a time, all following one crosshair in world mm. Owns which
 * volumes are shown; how they are looked at is in the view; the renderers only paint.
 */

import { h } from "./dom.js";
import { pixelRatio, tilesOf } from "./hanging.js";
import { misfit } from "./overlays.js";
import { drawAnnotations } from "./annotations.js";
import { Pane } from "./pane.js";
import { Pointer } from "./pointer.js";
import { View } from "./view.js";
import { VolumeError } from "./volume.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./canvas_renderer.js").Renderer} Renderer */

export class Panes {
  /**
   * @param {{shelf: import("./volume.js").VolumeShelf, makeRenderer: () => Renderer, act: (action: string, value?: any) => void,
   *          onRead: () => void, onTrouble: (error: Error, renderer: Renderer) => void, onRefused: (error: Error, label: string) => void}} room
   */
  constructor(room) {
    this.room = room;
    this.element = h("div", { class: "panes" });
    /** @type {Pane[]} */
    this.panes = [];
    /** @type {import("../payload.js").ImagesPayload|null} */
    this.images = null;
    this.trace = /** @type {import("./trace.js").Trace|null} */ (null);
    this.generation = 0;
    this.frame = 0;
    this.showsOverlays = false;
    this.view = new View(this);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
  }

  /** Black, at once. */
  clear() {
    this.generation += 1;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.images = null;
    this.view.cine.stop();
    for (const pane of this.panes) {
      pane.volume = null;
      pane.tiles = [];
      pane.wait.hidden = true;
      pane.readout.hidden = true;
      pane.renderer.clear();
      drawAnnotations(pane, this.view, -1);
    }
  }

  /**
   * Show the images of an item: none is visible before every pane has its first volume.
   *
   * @param {import("../payload.js").ImagesPayload} images
   * @param {import("./trace.js").Trace} trace
   * @returns {Promise<boolean>} false when another item was opened meanwhile
   */
  async show(images, trace) {
    this.clear();
    const generation = this.generation;
    this.trace = trace;
    this.showsOverlays = false;
    this.hang(images);
    const empty = images.panes.find((pane) => !pane.volumes.length);
    if (empty) throw new VolumeError(`There is no image for “${empty.title}”.`);
    const volumes = await Promise.all(images.panes.map(({ volumes: offered, opens_on: first }) => {
      const { url, sha256 } = offered[first];
      return this.room.shelf.get(url, sha256);
    }));
    if (generation !== this.generation) return false;
    await Promise.all(volumes.map((volume, i) => this.load(this.panes[i], volume)));
    if (generation !== this.generation) return false;
    this.images = images;
    this.view.begin(images, volumes, trace.offsets);
    volumes.forEach((volume, i) => {
      this.panes[i].volume = volume;
      this.panes[i].readout.hidden = false;
    });
    this.resize();
    this.drawNow();
    return true;
  }

  /** Fetch what is offered and not on the screen yet, so that showing it costs nothing. */
  async fetchRest() {
    const { images, generation } = this;
    for (const [i, pane] of (images?.panes ?? []).entries()) {
      for (const { url, sha256 } of pane.volumes.filter((_, n) => n !== pane.opens_on)) {
        const volume = await this.room.shelf.get(url, sha256);
        if (generation !== this.generation) return;
        await this.load(this.panes[i], volume);
      }
      for (const { url, sha256 } of pane.overlays) {
        await this.room.shelf.get(url, sha256);
        if (generation !== this.generation) return;
      }
    }
  }

  /**
   * Fetch a volume of the next item and make it ready, as far as that can be done while another is on the screen.
   *
   * @param {string} url
   */
  async prepareAhead(url) {
    const { generation } = this;
    const volume = await this.room.shelf.get(url);
    if (generation === this.generation && this.images) await this.load(this.panes[0], volume);
  }

  /** @param {import("../payload.js").ImagesPayload} images */
  hang(images) {
    while (this.panes.length < images.panes.length) this.addPane();
    this.element.dataset.count = String(images.panes.length);
    this.element.dataset.layout = images.layout;
    this.panes.forEach((pane, i) => {
      pane.element.classList.remove("behind");
      pane.hang(images, i, { choose: (n) => this.choose(i, n), switchTo: (other) => this.view.nextPane(other), act: this.room.act });
    });
  }

  addPane() {
    const pane = new Pane(this.room.makeRenderer());
    this.element.append(pane.element);
    new Pointer(pane, this.panes.length, this);
    this.panes.push(pane);
  }

  /** Replace every renderer by another kind, with the same image. */
  async changeRenderer() {
    const generation = this.generation;
    /** @type {Renderer[]} */
    const ready = [];
    for (const pane of this.panes) {
      const renderer = this.room.makeRenderer();
      renderer.element.style.visibility = "hidden";
      pane.stage.prepend(renderer.element);
      renderer.resize(pane.size.width, pane.size.height, pixelRatio());
      if (pane.volume) await renderer.load(pane.volume);
      ready.push(renderer);
    }
    this.panes.forEach((pane, i) => this.replace(pane, ready[i]));
    // Another item was opened meanwhile: its own drawing loads what it needs.
    if (generation === this.generation) this.drawNow();
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
    pane.stage.prepend(renderer.element);
    renderer.resize(pane.size.width, pane.size.height, pixelRatio());
    renderer.element.style.visibility = "";
  }

  resize() {
    const ratio = pixelRatio();
    for (const pane of this.panes) {
      const { clientWidth: width, clientHeight: height } = pane.stage;
      if (!width || !height || (pane.size.width === width && pane.size.height === height)) continue;
      pane.size = { width, height };
      pane.overlay.width = Math.round(width * ratio);
      pane.overlay.height = Math.round(height * ratio);
      // Setting its size empties a canvas.
      pane.drawn = null;
      pane.renderer.resize(width, height, ratio);
    }
    if (this.images) this.drawNow();
  }

  /** Draw with the next frame; calls before that make one drawing. */
  schedule() {
    if (this.frame || !this.images) return;
    this.frame = requestAnimationFrame(() => this.drawNow());
  }

  /** @param {number} index @returns {boolean} whether the pane is on the screen */
  visible(index) {
    return !this.view.switched || this.view.active.pane === index;
  }

  drawNow() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.images) return;
    const { view } = this;
    /** @type {{pane: number, n: number, volume: Volume, tiles: import("./planes.js").Tile[]}[]} */
    const shown = [];
    let overlaid = false;
    this.images.panes.forEach((spec, i) => {
      const pane = this.panes[i];
      const { volume } = pane;
      pane.element.classList.toggle("behind", !this.visible(i));
      if (!volume || !pane.size.width || !this.visible(i)) return;
      pane.tiles = tilesOf(pane.size, volume, view, i);
      try {
        pane.renderer.draw(volume, view.windowOf(spec.volumes[pane.shown]), pane.tiles, view.smooth);
      } catch (error) {
        this.room.onTrouble(/** @type {Error} */ (error), pane.renderer);
        return;
      }
      shown.push({ pane: i, n: pane.shown, volume, tiles: pane.tiles });
      const overlays = this.overlaysOf(spec, pane, volume);
      overlaid ||= overlays.length > 0;
      drawAnnotations(pane, view, i, overlays);
      pane.read(view, i, overlays.length > 0);
    });
    this.trace?.shows(shown, overlaid);
    this.room.onRead();
  }

  // ---------------------------------------------------------------- overlays

  get offersOverlays() {
    return (this.images?.panes ?? []).reduce((sum, { overlays }) => sum + overlays.length, 0);
  }

  /**
   * The overlays to be drawn now; of one that does not fit the image, the pane says why.
   *
   * @param {import("../payload.js").PanePayload} spec
   * @param {Pane} pane
   * @param {Volume} volume  the one on the screen
   * @returns {import("./overlays.js").DrawnOverlay[]}
   */
  overlaysOf(spec, pane, volume) {
    if (!this.showsOverlays) return pane.misfits("");
    const arrived = spec.overlays.flatMap(({ url, sha256, ...look }) => {
      const arrivedVolume = this.room.shelf.peek(url, sha256);
      return arrivedVolume ? [{ ...look, voxels: arrivedVolume }] : [];
    });
    const misfits = arrived.map(({ label, voxels }) => (pane.placed ? null : misfit(label, voxels, volume)));
    pane.misfits(misfits.filter(Boolean).join(" "));
    return arrived.filter((_, i) => !misfits[i]);
  }

  /** All overlays on or off; they are fetched when they are not here yet. */
  async toggleOverlays() {
    const { generation, images } = this;
    if (!images || !this.offersOverlays) return;
    this.showsOverlays = !this.showsOverlays;
    this.drawNow();
    if (!this.showsOverlays) return;
    await Promise.all(images.panes.map(async ({ overlays }, i) => {
      const { wait } = this.panes[i];
      const missing = overlays.filter(({ url, sha256 }) => !this.room.shelf.peek(url, sha256));
      if (!missing.length) return;
      wait.textContent = "Loading the overlay …";
      wait.hidden = false;
      const arrived = await Promise.all(missing.map(({ url, sha256 }) => this.room.shelf.get(url, sha256))).catch((error) => {
        if (generation === this.generation) this.room.onRefused(error, "The overlay");
        return null;
      });
      if (generation !== this.generation) return;
      wait.hidden = arrived !== null;
      wait.textContent = arrived ? "" : "The overlay could not be loaded. Switch it off and on (V) to try again.";
    }));
    if (generation === this.generation) this.drawNow();
  }

  // ---------------------------------------------------------------- sequences

  /** The description of the volume that a pane shows. @param {number} index */
  shownIn(index) {
    return this.panes[index].offered;
  }

  /** @param {number} step  to the next sequence, in every pane that has it */
  nextSequence(step) {
    if (!this.images) return;
    const active = this.panes[this.view.active.pane];
    const volumes = active.spec?.volumes ?? [];
    const { label } = volumes[(active.chosen + step + volumes.length) % volumes.length];
    this.images.panes.forEach((spec, i) => {
      const n = spec.volumes.findIndex((volume) => volume.label === label);
      if (n >= 0) this.choose(i, n);
    });
  }

  /**
   * Put one of its volumes into a pane. At once if it is fetched already; else the pane says what it is waiting for.
   *
   * @param {number} index
   * @param {number} n
   */
  async choose(index, n) {
    const pane = this.panes[index];
    const { generation } = this;
    if (!this.images || !pane.spec) return;
    pane.choose(n);
    const { url, sha256, label } = pane.spec.volumes[n];
    const here = this.room.shelf.peek(url, sha256);
    try {
      if (!here) {
        pane.wait.textContent = `Loading ${label} …; still showing ${this.shownIn(index).label}.`;
        pane.wait.hidden = false;
      }
      const volume = here ?? (await this.room.shelf.get(url, sha256));
      await this.load(pane, volume);
      if (generation !== this.generation || pane.chosen !== n) return;
      pane.volume = volume;
      pane.shown = n;
      pane.wait.hidden = true;
      this.drawNow();
    } catch (error) {
      if (generation === this.generation && pane.chosen === n) {
        pane.wait.textContent = `${label} could not be loaded; this is still ${this.shownIn(index).label}. Choose ${label} again to retry.`;
        pane.wait.hidden = false;
        this.room.onRefused(/** @type {Error} */ (error), label);
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
