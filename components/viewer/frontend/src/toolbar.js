/** The buttons below the images. Each does what its key does. */

import { badge } from "./digits.js";
import { h } from "./dom.js";

export class Toolbar {
  /** @param {(action: string, value?: any) => void} act */
  constructor(act) {
    /** @param {string} action @param {string} words @param {string} key @param {string} help @param {string|number} [value] @param {string} [name] */
    const tool = (action, words, key, help, value, name) =>
      h("button", { type: "button", class: words.length > 1 ? "tool" : "tool slim", "aria-label": name, title: `${help} (${key})`, "aria-keyshortcuts": key, onclick: () => act(action, value) }, words);
    /** @param {string} label @param {...HTMLElement} tools */
    const group = (label, ...tools) => h("span", { class: "tool-group", role: "group", "aria-label": label }, ...tools);
    this.act = act;
    this.presets = group("Window presets");
    this.presets.classList.add("presets");
    this.drags = {
      window: tool("drag", "Window", "W", "Left drag changes the window", "window"),
      scroll: tool("drag", "Scroll", "Y", "Left drag scrolls through the slices", "scroll"),
      pan: tool("drag", "Pan", "Shift M", "Left drag pans the image", "pan"),
      measure: tool("drag", "Measure", "D", "Left drag measures a distance", "measure"),
    };
    this.crosshair = tool("crosshair", "Crosshair", "X", "Crosshair on/off");
    this.overlays = tool("overlays", "Overlay", "V", "Overlays on/off");
    this.smooth = tool("smooth", "Smooth", "Shift X", "Interpolate between voxels, or show each as it is");
    this.slower = tool("cineRate", "‹", ",", "Play slower", -1, "Play slower");
    this.faster = tool("cineRate", "›", ".", "Play faster", 1, "Play faster");
    this.cine = tool("cine", "Play", "S", "Start or stop cine in the active plane");
    this.maximise = tool("maximise", "Enlarge", "M", "Enlarge one plane");
    this.measured = h("span", { class: "unseen", role: "status" });
    this.element = h("div", { class: "toolbar" }, this.presets,
      group("Left drag", ...Object.values(this.drags)),
      group("Display", this.crosshair, this.overlays, this.smooth, this.maximise),
      group("Cine", this.slower, this.cine, this.faster),
      group("Zoom", tool("zoom", "+", "+", "Zoom in", 1.25, "Zoom in"), tool("zoom", "−", "-", "Zoom out", 0.8, "Zoom out")),
      tool("reset", "Reset", "R", "Reset window, zoom, position and measurements"),
      this.measured);
  }

  /** @param {import("../payload.js").ImagesPayload|null} images */
  offer(images) {
    const presets = images?.presets ?? [];
    this.presets.replaceChildren(...presets.map(({ label }, i) =>
      h("button", { type: "button", class: "tool", title: `Window: ${label} (Shift ${i + 1})`, onclick: () => this.act("preset", i + 1) }, badge(i, presets.length), label)));
    this.overlays.hidden = !images?.panes.some(({ overlays }) => overlays.length);
    this.overlays.setAttribute("aria-pressed", "false");
  }

  /** @param {import("./panes.js").Panes} panes */
  paint({ view, showsOverlays, images }) {
    // This runs with every frame: what has not changed must not make the browser recompute styles.
    /** @param {HTMLElement} button @param {boolean} pressed */
    const press = (button, pressed) => {
      if (button.getAttribute("aria-pressed") !== String(pressed)) button.setAttribute("aria-pressed", String(pressed));
    };
    for (const [mode, button] of Object.entries(this.drags)) press(button, view.dragMode === mode);
    press(this.crosshair, view.showsCrosshair);
    press(this.overlays, showsOverlays);
    press(this.smooth, view.smooth);
    press(this.maximise, Boolean(view.maximised));
    press(this.cine, view.cine.playing);
    const words = view.cine.playing ? `${view.cine.rate}/s` : "Play";
    if (this.cine.textContent !== words) this.cine.textContent = words;
    this.cine.disabled = Boolean(images) && !view.cine.playing && view.slicesIn(view.active.pane, view.active.plane) < 2;
    this.slower.disabled = this.faster.disabled = !view.cine.playing;
    const measured = view.measuring.words();
    if (this.measured.textContent !== measured) this.measured.textContent = measured;
  }
}
