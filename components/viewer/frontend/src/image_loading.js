/** Brings an item's images to the screen, or says why it cannot and what to do; and fetches ahead. Owns everything that images need. */

import { h } from "./dom.js";
import { painted } from "./painted.js";
import { Panes } from "./panes.js";
import { Renderers } from "./renderers.js";
import { Refusal, waitOnline } from "./transport.js";
import { DamagedVolume, VolumeError, VolumeShelf } from "./volume.js";
import { VolumeFiles } from "./volume_files.js";

/**
 * What loading needs from the room, and reports to it.
 *
 * @typedef {object} Surroundings
 * @property {import("./transport.js").Transport} transport
 * @property {() => import("./stages.js").Now} now
 * @property {() => Pick<import("./screen.js").Screen, "cover"|"uncover"|"say"|"paintRenderer">} screen
 * @property {() => import("./trace.js").Trace|null} trace
 * @property {(action: string, value?: any) => void} act
 * @property {() => void} onRead  a read-out of the images has changed
 * @property {(generation: number) => void} onDisplayed  all of the item is on the screen
 * @property {() => void} onFailed  nothing of it is
 * @property {() => void} onSignedOut
 * @property {(refusal: Refusal, again: () => void) => void} onRefused
 * @property {(next: import("../payload.js").Payload|null) => void} goOver
 */

/** Milliseconds after which images are fetched again when there was no answer; then the reader is asked. */
const FETCH_AGAIN = [1000, 2000, 4000, 8000];

export class ImageLoading {
  /** @param {Surroundings} room */
  constructor(room) {
    this.room = room;
    /** the item's images cannot be shown: its form stays shut */
    this.failing = false;
    this.files = new VolumeFiles({ transport: room.transport, now: room.now });
    this.shelf = new VolumeShelf((url, signal, anew) => this.files.bytes(url, signal, anew));
    this.renderers = new Renderers((error) => this.rendererFailed(error, "niivue"));
    this.panes = new Panes({
      shelf: this.shelf,
      makeRenderer: () => this.renderers.make(),
      act: room.act,
      onRead: room.onRead,
      onTrouble: (error, renderer) => this.rendererFailed(error, renderer.name),
      onRefused: (error, label) => this.refused(error, label),
    });
  }

  destroy() {
    this.panes.destroy();
    this.shelf.close();
  }

  /** Another item, about which nothing is known yet. */
  begin() {
    this.failing = false;
  }

  /** @param {number} generation @param {number} [attempt] */
  async load(generation, attempt = 0) {
    const { room } = this;
    const screen = room.screen();
    const { item } = room.now();
    const trace = room.trace();
    if (!item?.images || !trace) return;
    const urls = item.images.panes.flatMap(({ volumes, overlays }) => [...volumes, ...overlays].map(({ url }) => url));
    this.shelf.tidy([...urls, ...item.prefetch]);
    if (!attempt) screen.cover("Loading the images …");
    let drawn;
    try {
      drawn = await this.panes.show(item.images, trace);
    } catch (error) {
      if (generation !== room.now().generation) return;
      if (!(error instanceof Refusal) || ![0, 503].includes(error.status) || attempt >= FETCH_AGAIN.length) {
        this.failed(generation, /** @type {Error} */ (error));
        return;
      }
      screen.cover("The server is not responding; trying again …");
      await waitOnline(FETCH_AGAIN[attempt]);
      if (generation === room.now().generation) this.load(generation, attempt + 1);
      return;
    }
    if (!drawn || generation !== room.now().generation) return;
    this.failing = false;
    screen.uncover();
    await painted();
    if (generation === room.now().generation) room.onDisplayed(generation);
  }

  /** @param {number} generation @param {Error} error */
  failed(generation, error) {
    const { room } = this;
    const { item } = room.now();
    this.failing = true;
    room.onFailed();
    if (error instanceof DamagedVolume) this.files.reportDamage(error.url);
    if (error instanceof Refusal && error.status === 401) {
      room.screen().cover("The images will reappear once you have signed in again.");
      return room.onSignedOut();
    }
    const told = error instanceof Refusal || error instanceof VolumeError;
    const why = told ? error.message : "The browser could not display them.";
    if (!told) console.error(error);
    const buttons = [h("button", { type: "button", class: "main", onclick: () => this.load(generation) }, "Try again")];
    // The address of an image is valid for one login: after signing in elsewhere, only a reload gets the new ones.
    if (error instanceof Refusal && error.status === 404) {
      buttons.push(h("button", { type: "button", class: "plain", onclick: () => window.location.reload() }, "Reload the page"));
    }
    // The verdict that is being revised is already stored.
    if (item?.phase !== "preview" && !item?.revision) {
      buttons.push(h("button", { type: "button", class: "plain", onclick: () => this.report(generation, why) }, "Report the problem and continue"));
    }
    room.screen().cover(h("p", {}, `The images cannot be shown. ${why}`), h("div", { class: "cover-buttons" }, ...buttons));
  }

  /** @param {number} generation @param {string} reason */
  async report(generation, reason) {
    const { room } = this;
    const { item } = room.now();
    if (!item) return;
    const { assignment, key } = item;
    room.screen().cover("Reporting …");
    try {
      /** @type {import("../payload.js").FailureAnswer} */
      const answer = await room.transport.postUntilAnswered("reading/failure", { assignment, key, reason: reason.slice(0, 500) }, () =>
        room.screen().cover("The server is not responding yet; trying again."));
      if (generation === room.now().generation) room.goOver(answer.next);
    } catch (error) {
      if (generation === room.now().generation) room.onRefused(/** @type {Refusal} */ (error), () => this.report(generation, reason));
    }
  }

  /**
   * @param {Error} error
   * @param {string} name  of the renderer
   */
  rendererFailed(error, name) {
    const { room } = this;
    console.warn(`The renderer "${name}" failed:`, error);
    if (name === "canvas") return this.failed(room.now().generation, error);
    // With two panes, the loss of the graphics card is reported twice.
    if (!this.renderers.fallBack()) return;
    this.repaint();
    if (room.now().stage === "open") {
      room.screen().say("The graphics card failed; the compatibility renderer shows the same images.", ["OK", () => room.screen().say(null)]);
    }
  }

  /**
   * A further image, requested while the others are shown, was refused or could not be read.
   *
   * @param {any} error
   * @param {string} label  of the image, as the reader knows it
   */
  refused(error, label) {
    const { room } = this;
    if (error instanceof Refusal && error.status === 401) return room.onSignedOut();
    if (damaged(error)) return this.damagedBehind(error);
    const lasting = error instanceof VolumeError || (error instanceof Refusal && !error.passing);
    const { item, stage, generation } = room.now();
    if (!lasting || stage !== "open" || item?.phase === "preview") return;
    /** @type {import("./screen.js").Way[]} */
    const ways = [["Continue without it", () => room.screen().say(null)]];
    if (!item?.revision) ways.push(["Report and skip this item", () => this.report(generation, `${label}: ${error.message}`)]);
    room.screen().say(`${label} cannot be shown. ${error.message}`, ...ways);
  }

  /**
   * An image of the item that is being read is not what was prepared: it may be another patient's, or noise.
   *
   * @param {Error} error
   */
  damagedBehind(error) {
    const { stage, generation } = this.room.now();
    if (stage === "open" || stage === "blocked") this.failed(generation, error);
  }

  changeRenderer() {
    if (!this.renderers.canChange()) return;
    this.renderers.change();
    this.repaint();
  }

  /** The same image by the renderer that is wanted now. */
  repaint() {
    const { room } = this;
    room.screen().paintRenderer(this.renderers);
    this.panes.changeRenderer().catch((error) => this.rendererFailed(error, this.renderers.kind));
  }

  /** In idle time: the other sequences of this item, then the images of the next. @param {number} generation */
  fetchAhead(generation) {
    const { room } = this;
    const idle = window.requestIdleCallback ?? ((work) => window.setTimeout(work, 50));
    idle(async () => {
      try {
        await this.panes.fetchRest();
      } catch (error) {
        if (generation === room.now().generation && damaged(error)) return this.damagedBehind(/** @type {Error} */ (error));
        // Anything else is fetched again when it is needed; the reader is told then.
      }
      try {
        for (const url of room.now().item?.prefetch ?? []) {
          if (generation !== room.now().generation) return;
          await this.panes.prepareAhead(url);
        }
      } catch {
        // So is what belongs to the next item.
      }
    });
  }
}

/** Whether an image is not what was prepared, as the browser or the server found. @param {any} error */
function damaged(error) {
  return error instanceof DamagedVolume || (error instanceof Refusal && error.status === 409);
}
