/** The buttons below the images. Each does what its key does. */

import { h } from "./dom.js";

export class Toolbar {
  /** @param {(action: string, value?: any) => void} act */
  constructor(act) {
    const tool = (action, words, key, value) =>
      h("button", { type: "button", class: "tool", title: `${words} (${key})`, onclick: () => act(action, value) }, words);
    this.act = act;
    this.presets = h("span", { class: "presets", role: "group", "aria-label": "Window presets" });
    this.windowMode = tool("windowMode", "Window drag", "W");
    this.windowMode.setAttribute("aria-pressed", "false");
    this.crosshair = tool("crosshair", "Crosshair", "X");
    this.crosshair.setAttribute("aria-pressed", "true");
    this.reading = h("span", { class: "reading" });
    this.renderer = h("button", { type: "button", class: "renderer", onclick: () => act("renderer") });
    this.element = h("div", { class: "toolbar" }, this.presets, this.windowMode, this.crosshair,
      tool("maximise", "Enlarge", "M"), tool("zoom", "+", "+", 1.25), tool("zoom", "−", "-", 0.8),
      tool("reset", "Reset", "R"), tool("help", "Keys", "?"), h("span", { class: "spring" }), this.reading, this.renderer);
  }

  /** @param {{label: string}[]} presets */
  offer(presets) {
    this.presets.replaceChildren(...presets.slice(0, 9).map(({ label }, i) =>
      h("button", { type: "button", class: "tool", title: `Window: ${label} (Shift ${i + 1})`, onclick: () => this.act("preset", i + 1) }, label)));
  }

  /** @param {import("./view.js").View} view */
  paint(view) {
    this.windowMode.setAttribute("aria-pressed", String(view.windowMode));
    this.crosshair.setAttribute("aria-pressed", String(view.showsCrosshair));
  }

  /** @param {import("./renderers.js").Renderers} renderers */
  paintRenderer(renderers) {
    this.renderer.textContent = renderers.line();
    this.renderer.title = `${renderers.line()}: change the renderer (G)`;
    this.renderer.disabled = !renderers.canChange();
  }
}
