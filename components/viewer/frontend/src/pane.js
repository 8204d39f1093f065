/** One pane on the screen: its header, the stage with image and overlay, and what is read at the crosshair. */

import { h } from "./dom.js";
import { isAlone, liesApart } from "./hanging.js";
import { OverlayPainter } from "./overlays.js";
import { spokenPixel, spokenPoint } from "./planes.js";
import { intensityAt, transform } from "./volume.js";

/** @typedef {import("./volume.js").Volume} Volume */

export class Pane {
  /** @param {import("./canvas_renderer.js").Renderer} renderer */
  constructor(renderer) {
    this.renderer = renderer;
    this.overlays = new OverlayPainter();
    /** @type {import("../payload.js").PanePayload|null} */
    this.spec = null;
    /** which of the spec's volumes is wanted, */
    this.chosen = 0;
    /** and which one is on the screen: not the same while the other is fetched */
    this.shown = 0;
    /** @type {Volume|null} the one on the screen */
    this.volume = null;
    /** @type {import("./planes.js").Tile[]} */
    this.tiles = [];
    this.size = { width: 0, height: 0 };
    /** the text that the overlay shows; null when not known */
    this.drawn = /** @type {string|null} */ (null);
    /** @type {HTMLElement|null} what applies to the whole pane */
    this.badge = null;
    /** it is not co-registered with the first pane */
    this.apart = false;

    this.overlay = h("canvas", { class: "overlay", "aria-hidden": "true" });
    this.wait = h("div", { class: "pane-wait", hidden: true, role: "status" });
    this.warning = h("div", { class: "pane-wait", hidden: true, role: "status" });
    this.position = h("span", { class: "position" });
    this.value = h("span", { class: "value" });
    this.readout = h("div", { class: "readout" }, this.position, this.value);
    this.title = h("div", { class: "pane-title" });
    this.link = h("span", { class: "link-words", role: "status" });
    this.linkTools = h("span", { class: "link-tools" });
    this.linkBox = h("div", { class: "link-box", hidden: true }, this.link, this.linkTools);
    this.stage = h("div", { class: "stage" }, renderer.element, this.overlay, this.readout, this.wait, this.warning);
    this.legend = h("span", { class: "legend" });
    this.sequences = h("div", { class: "sequences", role: "group", "aria-label": "Sequence" });
    this.header = h("header", {}, this.title, this.linkBox, this.legend, this.sequences);
    this.element = h("section", { class: "pane" }, this.header, this.stage);
  }

  /**
   * Everything that stays the same for an item.
   *
   * @param {import("../payload.js").ImagesPayload} images
   * @param {number} index
   * @param {{choose: (n: number) => void, switchTo: (pane: number) => void, act: (action: string, value?: any) => void}} does
   */
  hang(images, index, does) {
    const spec = images.panes[index];
    this.element.hidden = !spec;
    this.spec = spec ?? null;
    this.chosen = this.shown = spec?.opens_on ?? 0;
    this.overlays.clear();
    this.misfits("");
    this.apart = Boolean(spec) && liesApart(images, index) && !isAlone(images, index);
    if (!spec) return;
    this.element.setAttribute("aria-label", spec.title);
    const several = images.panes.length > 1;
    const name = images.layout === "switched" && several
      ? h("span", { class: "switch", role: "group", "aria-label": "Pane" }, ...images.panes.map(({ title }, i) =>
          h("button", { type: "button", class: "sequence", "aria-pressed": String(i === index), title: `${title} (B: the next one)`, onclick: () => does.switchTo(i) }, title)))
      : h("span", { class: several || spec.badge ? "name" : "name alone" }, spec.title);
    const missing = spec.missing.length ? h("span", { class: "badge" }, `Missing: ${spec.missing.join(", ")}`) : null;
    this.badge = spec.badge ? h("span", { class: this.apart ? "badge warn" : "badge", title: spec.badge }, spec.badge) : null;
    this.title.replaceChildren(...[name, missing, this.badge].filter((part) => part !== null));
    /** @param {string} action @param {string} words @param {string} key @param {string} [said] */
    const tool = (action, words, key, said = words) =>
      h("button", { type: "button", class: "sequence", "aria-label": said === words ? null : said, title: `${said} (${key})`, onclick: () => does.act(action, index) }, words);
    this.linkBox.hidden = !this.apart;
    this.linkTool = tool("link", "Unlink", "U");
    this.sameTool = tool("sameMm", "Clear", "Shift U", "Clear offset");
    this.linkTools.replaceChildren(this.linkTool, this.sameTool);
    this.legend.replaceChildren(...spec.overlays.map(({ label, colour }) =>
      h("span", { class: "legend-entry" }, swatch(colour), label)));
    this.sequences.replaceChildren(...spec.volumes.map(({ label }, n) =>
      h("button", { type: "button", class: "sequence", "aria-pressed": String(n === this.chosen), title: `${label} (T: the next one)`, onclick: () => does.choose(n) }, label)));
    this.legend.hidden = true;
    this.link.hidden = true;
    this.sameTool.hidden = true;
  }

  /** @param {number} n  which sequence is wanted */
  choose(n) {
    this.chosen = n;
    [...this.sequences.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === n)));
  }

  /** @param {string} words  why an overlay is not drawn; none when all are @returns {never[]} */
  misfits(words) {
    write(this.warning, words);
    this.warning.hidden = !words;
    return [];
  }

  /** What the payload says of the volume on the screen. */
  get offered() {
    if (!this.spec) throw new Error("No volume is hung in this pane.");
    return this.spec.volumes[this.shown];
  }

  /** Whether what is shown lies somewhere in a patient; an image from a file does not. */
  get placed() {
    return this.offered.placed;
  }

  /** The plane of the largest tile. */
  get plane() {
    return this.tiles[0].plane;
  }

  /** @param {number[]} mm */
  spoken(mm) {
    return this.placed ? spokenPoint(mm) : spokenPixel(/** @type {Volume} */ (this.volume), this.plane, mm);
  }

  /**
   * What changes with the view: the place and value at the crosshair, the link.
   *
   * @param {import("./view.js").View} view
   * @param {number} index
   * @param {boolean} overlaid
   */
  read(view, index, overlaid) {
    const volume = /** @type {Volume} */ (this.volume);
    const mm = view.crosshairIn(index);
    const value = intensityAt(volume, transform(volume.inverse, mm));
    write(this.position, this.spoken(mm));
    write(this.value, `${this.offered.label}: ${value === null ? "outside" : Math.round(value * 10) / 10}`);
    const { clip } = this.tiles[0];
    // In a narrow tile the read-out would overlap the letter at the bottom.
    const above = this.placed && clip.width < 340 ? 25 : 5;
    const place = `bottom: ${this.size.height - clip.y - clip.height + above}px; max-width: ${clip.width - 20}px`;
    if (this.readout.getAttribute("style") !== place) this.readout.setAttribute("style", place);
    this.legend.hidden = !overlaid;
    if (!this.apart) return;
    const link = view.linkOf(index);
    const words = { unlinked: "Unlinked: scroll to the matching slice", linked: "Linked with your offset", "": "" }[link];
    write(this.link, words);
    this.link.hidden = !words;
    this.link.title = words;
    this.link.dataset.state = link;
    // The state of the link already implies that the panes are not co-registered; the badge keeps the rest of its text.
    if (this.badge) this.badge.hidden = Boolean(words) && this.placed;
    write(/** @type {HTMLElement} */ (this.linkTool), link === "unlinked" ? "Link here" : "Unlink");
    /** @type {HTMLElement} */ (this.sameTool).hidden = !link;
  }
}

/** A text is replaced only if it differs: this runs with every frame. @param {HTMLElement} element @param {string} words */
function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/** @param {string} colour */
function swatch(colour) {
  const element = h("span", { class: "swatch", "aria-hidden": "true" });
  element.style.background = colour;
  return element;
}
