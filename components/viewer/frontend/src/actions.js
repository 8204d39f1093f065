/** From keys and buttons to what they do: every tool ends in `act`. */

import { beginsNumber, bindingOf, combination, isForeign, isTyping, isWriting, writtenDigit } from "./keys.js";

/**
 * What keys and buttons act on.
 *
 * @typedef {object} Surroundings
 * @property {() => import("./stages.js").Now} now
 * @property {() => import("./form.js").Form|null} form  of the item on the screen
 * @property {import("./screen.js").Screen} screen
 * @property {import("./panes.js").Panes} panes
 * @property {import("./dialogs.js").Dialogs} dialogs
 * @property {import("./pausing.js").Pausing} pausing
 * @property {Pick<import("./earlier.js").Earlier, "toggle"|"resume">} earlier
 * @property {Pick<import("./session.js").Session, "toggle">} session
 * @property {(tool: string) => void} onTool  it was used on images
 * @property {(at: number) => void} submit
 * @property {() => void} changeRenderer
 */

/** Which way an arrow key points on the screen. @type {Record<string, {x: number, y: number}>} */
const ARROWS = { ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 } };
const PAN_STEP = 24;

/** What counts as a tool in the trace, by its action. @type {Record<string, string>} */
const TRACED = {
  cine: "cine", markDistance: "distance", maximise: "maximised", overlays: "overlays", link: "link", preset: "preset", window: "window",
  zoom: "zoom", pan: "pan", reset: "reset", fullScreen: "full_screen", pause: "pause", help: "help", takePoint: "point", renderer: "renderer",
};

/** What still works while a window is open, and when nothing is left to be read. */
const IN_DIALOG = ["escape", "help", "earlier", "session", "fullScreen", "digit", "takeBack"];
const AT_THE_END = ["submit", "escape", "earlier", "session", "fullScreen", "dark"];

export class Actions {
  /** @param {Surroundings} room */
  constructor(room) {
    this.room = room;
    /** @type {{code: string, target: Element|null}} the key that was pressed last, and what had the focus then */
    this.pressed = { code: "", target: null };
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { room } = this;
    const { element } = room.screen;
    const { payload, stage } = room.now();
    const form = room.form();
    if (!element.isConnected || !payload) return;
    if (room.pausing.paused) return room.pausing.key(event);
    const target = /** @type {Element|null} */ (event.composedPath()[0] instanceof Element ? event.composedPath()[0] : null);
    const ours = target && event.composedPath().includes(element);
    if (!event.repeat) this.pressed = { code: event.code, target };
    else if (ours && this.ledTo(event, target)) {
      event.preventDefault();
      return event.stopPropagation();
    }
    if (!ours && target && (isTyping(target) || target.closest("[role=dialog], [role=menu], button, a[href], [role=combobox]"))) return;
    const binding = bindingOf(event, ours ? target : null);
    // By a click that came before it.
    room.screen.pointed = false;
    const graph = event.getModifierState("AltGraph");
    const plain = !event.metaKey && (graph || (!event.ctrlKey && (!event.altKey || !binding)));
    const pastes = ((event.ctrlKey || event.metaKey) && event.code === "KeyV") || (event.shiftKey && event.key === "Insert");
    const foreign = plain && ours && isForeign(event, target);
    if ((plain || pastes) && ours && !room.dialogs.open && form) {
      // Some keyboards have their digits on the shifted keys.
      const byShift = event.shiftKey && /^\d$/.test(event.key);
      if (pastes) form.panels.toWords();
      const taker = pastes ? "room" : form.takes(event, byShift || (binding?.action === "digit" && !graph));
      if (taker !== "room") {
        if (taker === "nobody") event.preventDefault();
        return event.stopPropagation();
      }
      if (byShift && form.panels.digitPanel()) {
        if (this.act("digit", Number(event.key)) !== false) event.preventDefault();
        return event.stopPropagation();
      }
    }
    // A number is typed by what keys write, as usual: some keyboards have other characters on the digit keys.
    const awaits = plain && !(event.altKey && !graph) && !(ours && isTyping(target)) && this.awaitsNumber();
    const written = awaits ? writtenDigit(event.key) : null;
    const noDigit = awaits && binding?.action === "digit" && written === null && !beginsNumber(event);
    if (foreign || noDigit) form?.answerKeys.strayed(event, noDigit || (!binding && !event.repeat));
    if (noDigit || (written !== null && !event.repeat)) {
      if (noDigit || this.act("digit", written) !== false) event.preventDefault();
      return event.stopPropagation();
    }
    const within = room.dialogs.open ? IN_DIALOG : payload.kind === "item" && stage !== "between" ? null : AT_THE_END;
    if (!binding || (within && !within.includes(binding.action))) {
      if (foreign) event.preventDefault();
      // The page's own one-letter shortcuts must not fire during reading.
      if (plain && event.key.length === 1 && ours && !isTyping(target)) event.stopPropagation();
      return;
    }
    const value = ["digit", "preset"].includes(binding.action) ? Number(combination(event).at(-1))
      : ["nudge", "pan"].includes(binding.action) ? ARROWS[event.key]
      : binding.action === "submit" ? event.timeStamp
      : binding.value;
    const done = (beginsNumber(event) && !event.repeat && this.act("begin", event.key)) || this.act(binding.action, value);
    if (done !== false || foreign) event.preventDefault();
    event.stopPropagation();
  }

  /** Whether a key that is still held down has led to the text field in which it would write now. @param {KeyboardEvent} event @param {Element|null} target */
  ledTo({ code, key }, target) {
    return isWriting(key) && isTyping(target) && this.pressed.code === code && this.pressed.target !== target;
  }

  /**
   * All tools and keys end up here.
   *
   * @param {string} action
   * @param {any} [value]
   * @returns {boolean|void} false to leave the event to the browser
   */
  act(action, value) {
    const { room } = this;
    if (TRACED[action] && room.panes.images) room.onTool(TRACED[action]);
    const done = this.perform(action, value);
    room.screen.tools.paint(room.panes);
    return done;
  }

  /**
   * @param {string} action
   * @param {any} value  as given by the list of keys, or by the button
   * @returns {boolean|void}
   */
  perform(action, value) {
    const { room } = this;
    const { panes } = room;
    const form = room.form();
    const { view } = panes;
    switch (action) {
      case "digit": return this.digit(value);
      case "begin": return this.begin(value);
      case "takeBack": return room.dialogs.open ? room.dialogs.takeBack() : form?.answerKeys.takeBack();
      case "takePoint": return form?.answerKeys.takePoint();
      case "abstain": return form?.answerKeys.abstain();
      case "panel": return form?.toggle(value);
      case "answer": return form?.answerKeys.goToNext();
      case "submit": return room.submit(value);
      case "escape": return this.escape();
      case "scroll": return view.scroll(value);
      case "plane": return view.nextPlane(value);
      case "pane": return view.nextPane();
      case "sequence": return panes.nextSequence(value);
      case "cine": return view.cine.toggle();
      case "cineRate": return view.cine.change(value);
      case "preset": return this.preset(value);
      case "window": return view.moveWindow((value.level ?? 0) * 0.05, (value.width ?? 0) * 0.1);
      case "drag": return view.toggleDrag(value);
      case "markDistance": return view.markDistance();
      case "overlays": return void panes.toggleOverlays();
      case "link": return view.toggleLink(value);
      case "sameMm": return view.dropOffsets();
      case "zoom": return void view.zoom(value);
      case "pan": return this.pan(value);
      case "nudge": return view.nudge(value);
      case "maximise": return view.maximise();
      case "crosshair": return view.toggleCrosshair();
      case "smooth": return view.toggleSmooth();
      case "reset": return view.reset();
      case "renderer": return room.changeRenderer();
      case "pause": return room.pausing.pause();
      case "fullScreen": return void room.screen.toggleFullScreen();
      case "earlier": return void room.earlier.toggle();
      case "resume": return void room.earlier.resume();
      case "session": return void room.session.toggle();
      case "brief": return room.screen.brief.toggle();
      case "dark": return room.screen.toggleDark();
      case "help": return room.dialogs.toggleHelp();
      default: throw new Error(`There is no action "${action}".`);
    }
  }

  /** Digits belong to the window that is open, or to the tools that have the focus; else to the form. @param {number} n */
  digit(n) {
    const { dialogs, form } = this.room;
    if (dialogs.open) return dialogs.digit(n);
    if (this.ofPresets()) return this.preset(n);
    return form()?.answerKeys.digit(n);
  }

  /** Whether a digit begins a number now. */
  awaitsNumber() {
    const { dialogs, form, now } = this.room;
    const { stage, payload } = now();
    const answers = payload?.kind === "item" && stage !== "between";
    return answers && !dialogs.open && !this.ofPresets() && Boolean(form()?.answerKeys.awaitsNumber());
  }

  /** Whether digits choose among the window presets, which have the focus. */
  ofPresets() {
    const { screen } = this.room;
    return screen.tools.presets.contains(screen.focused());
  }

  /** A sign or separator that comes before the digits of a number belongs to the same as they. @param {string} sign @returns {boolean} whether it was taken */
  begin(sign) {
    const { dialogs, form } = this.room;
    if (dialogs.open || this.ofPresets()) return false;
    return form()?.answerKeys.begin(sign) ?? false;
  }

  /** @param {number} n  from 1 */
  preset(n) {
    const preset = this.room.now().item?.images?.presets[n - 1];
    if (preset) this.room.panes.view.preset(preset);
  }

  /** @param {{x: number, y: number}} way */
  pan({ x, y }) {
    const { view, panes } = this.room.panes;
    const pane = panes[view.active.pane];
    const tile = pane?.tiles.find(({ plane }) => plane.name === view.active.plane);
    // The arrow moves the eye, so the image goes the other way.
    if (tile && pane.volume) view.pan(tile, pane.volume, -x * PAN_STEP, -y * PAN_STEP);
  }

  escape() {
    const { screen, panes, dialogs, now, form } = this.room;
    const { view } = panes;
    const focused = screen.focused();
    if (dialogs.open) dialogs.escape();
    else if (now().item && form()?.escape()) {
      // Out of a panel, the keys belong to the room again; a half-typed number is undone.
      if (focused && !focused.checkVisibility()) screen.element.focus({ preventScroll: true });
    } else if (focused && focused !== screen.element) screen.element.focus();
    else if (!view.measuring.empty) {
      view.measuring.clear();
      view.changed();
    } else if (view.maximised) view.maximise();
    else return false;
  }
}
