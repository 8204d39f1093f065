/** Brings an item's images to the screen, or says why it cannot and what can be done; and fetches ahead. */

import { h } from "./dom.js";
import { painted } from "./painted.js";
import { Refusal, waitOnline } from "./transport.js";
import { DamagedVolume, VolumeError } from "./volume.js";

/** Milliseconds after which images are fetched again when there was no answer; then the reader is asked. */
const FETCH_AGAIN = [1000, 2000, 4000, 8000];

export class ImageLoading {
  /** @param {import("./room.js").Room} room */
  constructor(room) {
    this.room = room;
    /** the item's images cannot be shown: its form stays shut */
    this.failing = false;
  }

  /** Another item, of which nothing is known yet. */
  begin() {
    this.failing = false;
  }

  /** @param {number} generation @param {number} [attempt] */
  async load(generation, attempt = 0) {
    const { room } = this;
    const { item, trace, screen } = room;
    if (!item?.images || !trace) return;
    const urls = item.images.panes.flatMap(({ volumes, overlays }) => [...volumes, ...overlays].map(({ url }) => url));
    room.shelf.tidy([...urls, ...item.prefetch]);
    if (!attempt) screen.cover("Loading the images …");
    let drawn;
    try {
      drawn = await room.panes.show(item.images, trace);
    } catch (error) {
      if (generation !== room.generation) return;
      if (!(error instanceof Refusal) || ![0, 503].includes(error.status) || attempt >= FETCH_AGAIN.length) {
        this.failed(generation, /** @type {Error} */ (error));
        return;
      }
      screen.cover("The server is not responding; trying again …");
      await waitOnline(FETCH_AGAIN[attempt]);
      if (generation === room.generation) this.load(generation, attempt + 1);
      return;
    }
    if (!drawn || generation !== room.generation) return;
    this.failing = false;
    screen.uncover();
    await painted();
    if (generation === room.generation) room.displayed(generation);
  }

  /** @param {number} generation @param {Error} error */
  failed(generation, error) {
    const { room } = this;
    this.failing = true;
    room.shutWithoutImages();
    if (error instanceof DamagedVolume) room.volumeFiles.reportDamage(error.url);
    if (error instanceof Refusal && error.status === 401) {
      room.screen.cover("The images will reappear once you have signed in again.");
      return room.saving.signedOut();
    }
    const told = error instanceof Refusal || error instanceof VolumeError;
    const why = told ? error.message : "The browser could not display them.";
    if (!told) console.error(error);
    const buttons = [h("button", { type: "button", class: "main", onclick: () => this.load(generation) }, "Try again")];
    // The address of an image is good for one login: after signing in elsewhere only a reload brings the new ones.
    if (error instanceof Refusal && error.status === 404) {
      buttons.push(h("button", { type: "button", class: "plain", onclick: () => window.location.reload() }, "Reload the page"));
    }
    // A verdict that is being revised stands already.
    if (room.item?.phase !== "preview" && !room.item?.revision) {
      buttons.push(h("button", { type: "button", class: "plain", onclick: () => this.report(generation, why) }, "Report the problem and continue"));
    }
    room.screen.cover(h("p", {}, `The images cannot be shown. ${why}`), h("div", { class: "cover-buttons" }, ...buttons));
  }

  /** @param {number} generation @param {string} reason */
  async report(generation, reason) {
    const { room } = this;
    if (!room.item) return;
    const { assignment, key } = room.item;
    room.screen.cover("Reporting …");
    try {
      /** @type {import("../payload.js").FailureAnswer} */
      const answer = await room.transport.postUntilAnswered("reading/failure", { assignment, key, reason: reason.slice(0, 500) }, () =>
        room.screen.cover("The server is not responding yet; trying again."));
      if (generation === room.generation) room.goOver(answer.next);
    } catch (error) {
      if (generation === room.generation) room.saving.refused(/** @type {Refusal} */ (error), () => this.report(generation, reason));
    }
  }

  /**
   * @param {Error} error
   * @param {string} name  of the renderer
   */
  rendererFailed(error, name) {
    const { room } = this;
    console.warn(`The renderer "${name}" gave up:`, error);
    if (name === "canvas") return this.failed(room.generation, error);
    // With two panes the graphics card is lost twice.
    if (!room.renderers.fallBack()) return;
    this.repaint();
    if (room.stage === "open") {
      room.screen.say("The graphics card failed; the compatibility renderer shows the same images.", ["OK", () => room.screen.say(null)]);
    }
  }

  /**
   * One more image, that was asked for while the others are shown, was refused or could not be read.
   *
   * @param {any} error
   * @param {string} label  of the image, as the reader knows it
   */
  refused(error, label) {
    const { room } = this;
    if (error instanceof Refusal && error.status === 401) return room.saving.signedOut();
    if (damaged(error)) return this.damagedBehind(error);
    const lasting = error instanceof VolumeError || (error instanceof Refusal && !error.passing);
    if (!lasting || room.stage !== "open" || room.item?.phase === "preview") return;
    const { generation } = room;
    /** @type {import("./screen.js").Way[]} */
    const ways = [["Continue without it", () => room.screen.say(null)]];
    if (!room.item?.revision) ways.push(["Report and skip this item", () => this.report(generation, `${label}: ${error.message}`)]);
    room.screen.say(`${label} cannot be shown. ${error.message}`, ...ways);
  }

  /**
   * An image of the item that is being read is not what was prepared: whoever reads it reads somebody else's, or noise.
   *
   * @param {Error} error
   */
  damagedBehind(error) {
    const { room } = this;
    if (room.stage === "open" || room.stage === "blocked") this.failed(room.generation, error);
  }

  changeRenderer() {
    if (!this.room.renderers.canChange()) return;
    this.room.renderers.change();
    this.repaint();
  }

  /** The same image by the renderer that is wanted now. */
  repaint() {
    const { room } = this;
    room.screen.paintRenderer(room.renderers);
    room.panes.changeRenderer().catch((error) => this.rendererFailed(error, room.renderers.kind));
  }

  /** In idle time: the other sequences of this item, then the images of the next. @param {number} generation */
  fetchAhead(generation) {
    const { room } = this;
    const idle = window.requestIdleCallback ?? ((work) => window.setTimeout(work, 50));
    idle(async () => {
      try {
        await room.panes.fetchRest();
      } catch (error) {
        if (generation === room.generation && damaged(error)) return this.damagedBehind(/** @type {Error} */ (error));
        // Anything else is fetched again when it is wanted; the reader is told then.
      }
      try {
        for (const url of room.item?.prefetch ?? []) {
          if (generation !== room.generation) return;
          await room.panes.prepareAhead(url);
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
