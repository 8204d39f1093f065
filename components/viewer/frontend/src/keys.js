/**
 * Every key of the reading room, once: this list is what is listened to and what the help shows.
 *
 * `when`: "always" also works while typing; "not typing" works everywhere but in text inputs, and with letters where a number is
 * typed; "on images" leaves arrows and space to the choice or button that has the focus.
 */

import { inLatinDigits } from "./digits.js";

/**
 * @typedef {Object} Binding
 * @property {string} group
 * @property {string[]} keys     as `combination` below writes them; none where the keys have a line of their own, see `beginsNumber`
 * @property {string} shown
 * @property {string} does
 * @property {string} action     name of the room's action
 * @property {any} [value]
 * @property {"always"|"not typing"|"on images"} when
 * @property {boolean} [repeats] acts again while the key is held down
 */

const digits = Array.from({ length: 9 }, (_, i) => String(i + 1));

const arrows = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
const aims = arrows.map((arrow) => `Ctrl+${arrow}`);
const moves = arrows.map((arrow) => `Ctrl+Shift+${arrow}`);

/** @type {Binding[]} */
export const BINDINGS = [
  { group: "Form", keys: digits, shown: "1 … 9", does: "Answer the highlighted field or the panel with the focus (two digits each if more than nine); numbers are typed", action: "digit", when: "not typing" },
  { group: "Form", keys: [], shown: "− . ,", does: "Begin the number of the highlighted field, as a digit does (then _ zooms out, > and < change the speed)", action: "begin", when: "not typing" },
  { group: "Form", keys: ["0"], shown: "0", does: "Finish a field that takes several answers, or pass an optional field (00 if it has two digits)", action: "digit", when: "not typing" },
  { group: "Form", keys: ["Backspace"], shown: "Backspace", does: "Delete the last digit or the last answer (not words); again: the one before. In a panel: clear it", action: "takeBack", when: "not typing" },
  { group: "Form", keys: ["Enter"], shown: "Enter", does: "Submit and continue", action: "submit", when: "not typing" },
  { group: "Form", keys: ["Ctrl+Enter", "Meta+Enter"], shown: "Ctrl Enter", does: "Submit while typing", action: "submit", when: "always" },
  { group: "Form", keys: ["a"], shown: "A", does: "Go to the next unanswered field (one that is optional, and has the focus, is passed); once none is left, step through all to change an answer", action: "answer", when: "not typing" },
  { group: "Form", keys: ["Shift+n"], shown: "Shift N", does: "Undetermined, for the field with the focus or the next unanswered one", action: "abstain", when: "not typing" },
  { group: "Form", keys: ["n"], shown: "N", does: "Not assessable", action: "panel", value: "assess", when: "not typing" },
  { group: "Form", keys: ["c"], shown: "C", does: "Comment", action: "panel", value: "comment", when: "not typing" },
  { group: "Form", keys: ["f"], shown: "F", does: "Flag", action: "panel", value: "flag", when: "not typing" },
  { group: "Form", keys: ["p"], shown: "P", does: "Set a point at the crosshair", action: "takePoint", when: "not typing" },
  { group: "Form", keys: ["Escape"], shown: "Esc", does: "Close a panel (its entries are kept) or a window, leave a text field, clear measurements, show all planes", action: "escape", when: "always" },

  { group: "Slices", keys: ["ArrowUp"], shown: "↑", does: "Next slice: superior, anterior or right", action: "scroll", value: 1, when: "on images", repeats: true },
  { group: "Slices", keys: ["ArrowDown"], shown: "↓", does: "Previous slice: inferior, posterior or left", action: "scroll", value: -1, when: "on images", repeats: true },
  { group: "Slices", keys: ["PageUp"], shown: "PgUp", does: "Next slice, even if an answer has the focus", action: "scroll", value: 1, when: "not typing", repeats: true },
  { group: "Slices", keys: ["PageDown"], shown: "PgDn", does: "Previous slice, likewise", action: "scroll", value: -1, when: "not typing", repeats: true },
  { group: "Slices", keys: ["Shift+PageUp", "Shift+ArrowUp"], shown: "Shift PgUp", does: "Forward five slices", action: "scroll", value: 5, when: "not typing", repeats: true },
  { group: "Slices", keys: ["Shift+PageDown", "Shift+ArrowDown"], shown: "Shift PgDn", does: "Back five slices", action: "scroll", value: -5, when: "not typing", repeats: true },
  { group: "Slices", keys: ["ArrowRight"], shown: "→", does: "Next plane", action: "plane", value: 1, when: "on images" },
  { group: "Slices", keys: ["ArrowLeft"], shown: "←", does: "Previous plane", action: "plane", value: -1, when: "on images" },
  { group: "Slices", keys: ["b"], shown: "B", does: "Next pane (current, prior)", action: "pane", when: "not typing" },
  { group: "Slices", keys: ["t"], shown: "T", does: "Next sequence (T1, T2 …)", action: "sequence", value: 1, when: "not typing" },
  { group: "Slices", keys: ["s", " "], shown: "S, Space", does: "Start or stop cine in the active plane", action: "cine", when: "on images" },
  { group: "Slices", keys: [".", ">"], shown: ". or >", does: "Play faster", action: "cineRate", value: 1, when: "not typing", repeats: true },
  { group: "Slices", keys: [",", "<"], shown: ", or <", does: "Play slower", action: "cineRate", value: -1, when: "not typing", repeats: true },

  { group: "Window", keys: digits.map((d) => `Shift+${d}`), shown: "Shift 1 … 9", does: "Window preset", action: "preset", when: "not typing" },
  { group: "Window", keys: ["i"], shown: "I", does: "Brighter", action: "window", value: { level: -1 }, when: "not typing", repeats: true },
  { group: "Window", keys: ["k"], shown: "K", does: "Darker", action: "window", value: { level: 1 }, when: "not typing", repeats: true },
  { group: "Window", keys: ["o"], shown: "O", does: "More contrast", action: "window", value: { width: -1 }, when: "not typing", repeats: true },
  { group: "Window", keys: ["l"], shown: "L", does: "Less contrast", action: "window", value: { width: 1 }, when: "not typing", repeats: true },

  { group: "Left drag or one finger", keys: ["w"], shown: "W", does: "Window on/off (right drag always does this)", action: "drag", value: "window", when: "not typing" },
  { group: "Left drag or one finger", keys: ["y"], shown: "Y", does: "Scroll on/off", action: "drag", value: "scroll", when: "not typing" },
  { group: "Left drag or one finger", keys: ["Shift+m"], shown: "Shift M", does: "Pan on/off (middle drag always does this)", action: "drag", value: "pan", when: "not typing" },
  { group: "Left drag or one finger", keys: ["d"], shown: "D", does: "Measure on/off", action: "drag", value: "measure", when: "not typing" },

  { group: "Tools", keys: ["e"], shown: "E", does: "Measure from crosshair to crosshair: start, then end", action: "markDistance", when: "not typing" },
  { group: "Tools", keys: ["v"], shown: "V", does: "Overlays on/off", action: "overlays", when: "not typing" },
  { group: "Tools", keys: ["u"], shown: "U", does: "Unlink a pane; at the matching slice, U links it again", action: "link", when: "not typing" },
  { group: "Tools", keys: ["Shift+u"], shown: "Shift U", does: "Clear the offset", action: "sameMm", when: "not typing" },

  { group: "View", keys: ["+", "="], shown: "+", does: "Zoom in (also Ctrl + wheel)", action: "zoom", value: 1.25, when: "not typing", repeats: true },
  { group: "View", keys: ["-", "−", "_"], shown: "− or _", does: "Zoom out", action: "zoom", value: 0.8, when: "not typing", repeats: true },
  { group: "View", keys: moves, shown: "Ctrl Shift arrows", does: "Pan the image", action: "pan", when: "not typing", repeats: true },
  { group: "View", keys: aims, shown: "Ctrl arrows", does: "Move the crosshair within the plane", action: "nudge", when: "not typing", repeats: true },
  { group: "View", keys: ["m"], shown: "M", does: "Enlarge one plane, or all (also double click)", action: "maximise", when: "not typing" },
  { group: "View", keys: ["x"], shown: "X", does: "Crosshair on/off", action: "crosshair", when: "not typing" },
  { group: "View", keys: ["Shift+x"], shown: "Shift X", does: "Interpolation between voxels on/off", action: "smooth", when: "not typing" },
  { group: "View", keys: ["r"], shown: "R", does: "Reset window, zoom, position and measurements", action: "reset", when: "not typing" },
  { group: "View", keys: ["g"], shown: "G", does: "Switch the renderer", action: "renderer", when: "not typing" },

  { group: "Room", keys: ["h", "Pause"], shown: "H", does: "Pause: hide images and form; any key resumes", action: "pause", when: "not typing" },
  { group: "Room", keys: ["z"], shown: "Z", does: "Full screen on/off", action: "fullScreen", when: "not typing" },
  { group: "Room", keys: ["Shift+d"], shown: "Shift D", does: "Dark mode on/off", action: "dark", when: "not typing" },
  { group: "Room", keys: ["Shift+p"], shown: "Shift P", does: "More or less space for context and prompt", action: "brief", when: "not typing" },
  { group: "Room", keys: ["q"], shown: "Q", does: "Earlier items you can revise; while revising: back", action: "earlier", when: "not typing" },
  { group: "Room", keys: ["j"], shown: "J", does: "Summary of your session", action: "session", when: "not typing" },
  { group: "Room", keys: ["?"], shown: "?", does: "This help", action: "help", when: "not typing" },
];

/** What mouse and fingers do, for the help. */
export const MOUSE = [
  ["Wheel", "Scroll through the slices"],
  ["Left drag", "Move the crosshair"],
  ["Right drag", "Window: across for contrast, down for brightness"],
  ["Middle or Shift drag", "Pan the image"],
  ["Ctrl wheel", "Zoom"],
  ["Double click", "Enlarge one plane"],
  ["Scroll bar at the right edge", "Drag through the slices"],
  ["Two fingers", "Zoom and pan the image"],
  ["Double tap", "Enlarge one plane"],
];

/**
 * A key event as the list writes it. Digits go by their place on the keyboard, so that Shift and a digit means the
 * same on every layout.
 *
 * @param {KeyboardEvent} event
 * @returns {string}
 */
export function combination(event) {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code ?? "");
  const letter = latinLetter(event);
  // A number pad without its lock moves the cursor instead.
  const isDigit = digit && (event.code.startsWith("Digit") || /\d/.test(event.key));
  const name = isDigit ? digit[1] : letter ?? event.key;
  const shift = event.shiftKey && (isDigit || letter || event.key.length > 1);
  return `${event.ctrlKey ? "Ctrl+" : ""}${event.metaKey ? "Meta+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${name}`;
}

/**
 * The letter of a key, also on a layout without Latin letters: there it goes by its place on the keyboard.
 *
 * @param {KeyboardEvent} event
 * @returns {string|null}
 */
function latinLetter({ key, code }) {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  const place = /^Key([A-Z])$/.exec(code ?? "");
  return place && /^\P{ASCII}$/u.test(key) ? place[1].toLowerCase() : null;
}

/** @type {Map<string, Binding>} */
const BY_KEY = new Map(BINDINGS.flatMap((binding) => binding.keys.map((key) => [key, binding])));

/**
 * Which binding a key event means, given what has the focus.
 *
 * @param {KeyboardEvent} event
 * @param {Element|null} focused
 * @returns {Binding|null}
 */
export function bindingOf(event, focused) {
  if (event.isComposing) return null;
  const binding = BY_KEY.get(combination(event));
  if (!binding) return null;
  if (event.repeat && !binding.repeats) return null;
  if (binding.when === "always") return binding;
  // Enter ends a line in a text area; in a one-line input it has no other meaning.
  const oneLine = binding.action === "submit" && focused instanceof HTMLInputElement;
  // Choices go by the place of a key, numbers by what it writes: there a sign on the key of a digit is no digit.
  const asElsewhere = isForeign(event, focused) && binding.action !== "digit";
  if (isTyping(focused) && !asElsewhere && !oneLine) return null;
  if (binding.when === "on images" && focused instanceof HTMLInputElement && (focused.type === "radio" || event.key === " ")) return null;
  // Words that are longer than their place are scrolled with the same keys as the slices.
  if (binding.action === "scroll" && focused?.closest(".brief[tabindex='0'], .card[tabindex='0']")) return null;
  if (event.key === " " && focused?.closest("button, a[href], summary")) return null;
  // Enter on a button or a link is that button's own.
  if (binding.action === "submit" && focused?.closest("button:not(.submit), a[href], summary, select")) return null;
  return binding;
}

/** @param {Element|null} element */
export function isTyping(element) {
  if (!element) return false;
  if (element instanceof HTMLInputElement) return !["radio", "checkbox", "button", "range"].includes(element.type);
  return element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement || /** @type {any} */ (element).isContentEditable;
}

/** What a number is typed with, in the digits of any script. An exponent can be pasted: E is for measuring. */
const IN_NUMBERS = /^[\p{Nd}.,٫+\-− ]$/u;

/** The digit that a key writes, in any script, or null. @param {string} key */
export function writtenDigit(key) {
  return /^\p{Nd}$/u.test(key) ? Number(inLatinDigits(key)) : null;
}

/** Whether a key is not a digit, but may come before the first one of a number; not a plus, which changes nothing. @param {KeyboardEvent} event */
export const beginsNumber = ({ key }) => /^[.,\-−]$/.test(key);

/** Whether a key would write what no number has: where a number is typed, it is a key like elsewhere. @param {KeyboardEvent} event @param {Element|null} focused */
export function isForeign({ key }, focused) {
  return focused instanceof HTMLInputElement && focused.inputMode === "decimal" && isSign(key) && !IN_NUMBERS.test(key);
}

/** Whether a key writes something, also one that the next key completes, or two letters at once; all other keys have names. @param {string} key */
export const isSign = (key) => [...key].length === 1 || key === "Dead" || !/^[A-Z][A-Za-z0-9]+$/.test(key);

/** Whether a key changes the content of a text field. @param {string} key */
export const isWriting = (key) => isSign(key) || ["Enter", "Backspace", "Delete"].includes(key);
