/** From keys and buttons to what they do: every tool ends in `act`. */

import { bindingOf, isTyping } from "./keys.js";

export class Actions {
  /** @param {import("./room.js").Room} room */
  constructor(room) {
    this.room = room;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { element } = this.room.screen;
    if (!element.isConnected || this.room.payload?.kind !== "item") return;
    const target = /** @type {Element|null} */ (event.composedPath()[0] instanceof Element ? event.composedPath()[0] : null);
    const ours = target && event.composedPath().includes(element);
    if (!ours && target && (isTyping(target) || target.closest("[role=dialog], [role=menu], button, a[href], [role=combobox]"))) return;
    const binding = bindingOf(event, ours ? target : null);
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!binding) {
      // The page's own one-letter shortcuts must not fire while somebody reads.
      if (plain && event.key.length === 1 && ours && !isTyping(target)) event.stopPropagation();
      return;
    }
    const value = binding.action === "digit" || binding.action === "preset" ? Number(event.code.replace(/\D/g, "")) : binding.value;
    if (this.act(binding.action, value) !== false) event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Every tool and key ends here.
   *
   * @param {string} action
   * @param {any} [value]
   * @returns {boolean|void} false when the browser may do what it likes
   */
  act(action, value) {
    const { form, panes } = this.room;
    const { view } = panes;
    switch (action) {
      case "digit": return form.digit(value);
      case "takeBack": return form.takeBack();
      case "takePoint": return form.takePoint();
      case "panel": return form.toggle(value);
      case "answer": return form.goToNext();
      case "submit": return this.room.submit();
      case "escape": return this.escape();
      case "scroll": return view.scroll(value);
      case "plane": return view.nextPlane(value);
      case "pane": return view.nextPane();
      case "sequence": return panes.nextSequence(value);
      case "preset": return this.preset(value);
      case "window": return view.moveWindow((value.level ?? 0) * 0.05, (value.width ?? 0) * 0.1);
      case "windowMode":
        view.windowMode = !view.windowMode;
        return this.room.screen.tools.paint(view);
      case "zoom": return view.zoom(value);
      case "maximise": return view.maximise();
      case "crosshair":
        view.toggleCrosshair();
        return this.room.screen.tools.paint(view);
      case "reset": return view.reset();
      case "renderer": return this.room.loading.changeRenderer();
      case "help": return this.help();
      default: throw new Error(`There is no action "${action}".`);
    }
  }

  preset(n) {
    const preset = this.room.payload.images?.presets?.[n - 1];
    if (preset) this.room.panes.view.preset(preset.window);
  }

  help() {
    const { help } = this.room.screen;
    help.hidden = !help.hidden;
    if (!help.hidden) help.querySelector("button")?.focus();
  }

  escape() {
    const { screen, panes } = this.room;
    const focused = screen.focused();
    if (!screen.help.hidden) screen.help.hidden = true;
    else if (focused && focused !== screen.element) screen.element.focus();
    else if (panes.view.maximised) panes.view.maximise();
    else return false;
  }
}
