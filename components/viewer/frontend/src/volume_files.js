/**
 * Fetches scans. Their addresses are valid for an hour or two: an expired one is renewed while its item is on the screen,
 * without the reader noticing. The caller goes on using the address from the payload, which is the scan's name in this room.
 */

import { Refusal } from "./transport.js";

export class VolumeFiles {
  /** @param {{transport: import("./transport.js").Transport, now: () => import("./stages.js").Now}} room */
  constructor(room) {
    this.room = room;
    /** @type {Map<string, string>} by the address of the payload */
    this.renewed = new Map();
    /** @type {Set<string>} */
    this.reported = new Set();
    /** @type {Promise<void>|null} */
    this.renewing = null;
  }

  /** @param {string} url @param {AbortSignal} signal @param {boolean} anew @returns {Promise<ArrayBuffer>} */
  async bytes(url, signal, anew) {
    const { transport } = this.room;
    const tried = this.renewed.get(url) ?? url;
    try {
      return await transport.bytes(tried, signal, anew);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      await this.renew();
      const other = this.renewed.get(url) ?? url;
      if (other === tried) throw error;
      return transport.bytes(other, signal, anew);
    }
  }

  /** Report to the server, once, that what arrived from an address is not what was prepared. @param {string} url */
  async reportDamage(url) {
    const { transport, now } = this.room;
    if (this.reported.has(url) || now().item?.phase === "preview") return;
    this.reported.add(url);
    const volume = (this.renewed.get(url) ?? url).split("/").pop();
    try {
      await transport.postUntilAnswered("reading/damage", { volume }, () => undefined);
    } catch (error) {
      console.warn("Could not report a damaged image to the server:", error);
    }
  }

  /** New addresses for the item on the screen; if there are none, everything stays as it is. */
  async renew() {
    this.renewing ??= this.ask().finally(() => (this.renewing = null));
    await this.renewing;
  }

  async ask() {
    const { transport, now } = this.room;
    const { item, generation } = now();
    if (!item || item.phase === "preview") return;
    try {
      /** @type {import("../payload.js").ScansAnswer} */
      const answer = await transport.get(`reading/scans?assignment=${encodeURIComponent(item.assignment)}`);
      if (generation !== now().generation) return;
      const [before, after] = [addresses(item), addresses(answer)];
      // A different number of scans means another item.
      if (before.length === after.length) before.forEach((url, i) => this.renewed.set(url, after[i]));
    } catch (error) {
      // Signed out, or another item is open: the request stays refused, with its reason.
      if (!(error instanceof Refusal)) throw error;
    }
  }
}

/** @param {import("../payload.js").ScansAnswer} payload @returns {string[]} of its scans, in the order of the payload */
function addresses({ images, prefetch }) {
  const shown = (images?.panes ?? []).flatMap(({ volumes, overlays }) => [...volumes, ...overlays].map(({ url }) => url));
  return [...shown, ...prefetch];
}
