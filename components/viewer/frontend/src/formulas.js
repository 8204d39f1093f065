/**
 * Formulas within Markdown: $a$ in a line, $$a$$ in a line of its own. KaTeX makes MathML of them, which the browser draws with a font
 * of its own; it makes elements, and no text is parsed as HTML. What is not a formula, would read differently from what is written, or would be
 * drawn over its surroundings or without end, is left as it was written.
 */

import katex from "katex";
import { h } from "./dom.js";
import { hasKnownCommands } from "./formula_commands.js";
import { gapsOf } from "./formula_reading.js";

/** Of one formula: characters of its source; elements it becomes; elements within each other. */
const LONGEST = 2_000;
const MOST = 1_000;
const DEEPEST = 40;

/** What the formulas of one text may take: characters of one, elements of all. `apart`: whether one may have a line of its own. */
export const roomOfText = () => ({ longest: LONGEST, left: 3_000, apart: true });
/** Of a text in one run. No formula is so wide there that its end would be cut off. */
export const roomOfRun = () => ({ longest: 80, left: 200, apart: false });

/** Nothing in a formula grows without end (`maxExpand`), is larger than `maxSize`, in em, or leads anywhere. */
const SETTINGS = {
  output: /** @type {const} */ ("mathml"), strict: /** @type {const} */ ("ignore"), maxExpand: 200, maxSize: 20, throwOnError: true,
  // For links KaTeX would draw the name of the command, not the words.
  trust: () => { throw new Error("Formulas lead nowhere."); },
};
/** Between digits a comma has no gap behind it, as it is written: "3,5" must not become "3, 5". */
const DECIMAL_COMMA = /(?<=\p{N}),(?=\p{N})/gu;
const SMALLER = ":is(msub, msup, msubsup, munder, mover, munderover, mfrac, mroot)";

/** What lays its parts out side by side, as many as there are. */
const ROW = "math, mrow, mstyle, mpadded, menclose, msqrt, mtd";
const NARROW = "\u2009";

const anything = () => true;
/** @param {number} least @param {number} most  both in em */
const between = (least, most) => (/** @type {string} */ value) => {
  const em = Number(/^(-?[\d.]+)em$/.exec(value)?.[1] ?? NaN);
  return em >= least && em <= most;
};
const ELEMENTS = [
  "math", "semantics", "mrow", "mstyle", "mpadded", "mphantom", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup",
  "munder", "mover", "munderover", "mtable", "mtr", "mtd", "menclose",
];
/** What KaTeX may say of an element. Missing are those that paint, hide or carry a style: mathcolor, mathbackground, style, and anything added in the future. @type {Record<string, (value: string) => boolean>} */
const ATTRIBUTES = {
  ...Object.fromEntries(["xmlns", "class", "display", "displaystyle", "scriptlevel", "mathvariant", "accent", "accentunder", "fence", "separator",
    "stretchy", "largeop", "linebreak", "columnalign", "columnlines", "rowlines", "rowspacing", "columnspacing"].map((name) => [name, anything])),
  // Browsers draw no line through anything: crossed-out text would look as if it were not.
  notation: (value) => /^(box|(top|bottom|left|right| )+)$/.test(value),
  lspace: between(0, 0.5), rspace: between(0, 0.5),
  minsize: between(0, 3.5), maxsize: between(0, 3.5),
  mathsize: between(0.8, 2.5),
  linethickness: (value) => value === "0px" || between(0, 0.2)(value),
  height: between(0, 2),
  width: (value) => value === "50%" || value === "100%" || between(0, 2)(value),
};

/** What a formula would be read together with, before and behind it. "T$_2$" and "10$^3$" set their sign apart, and no word looks like "$\\mu$m". */
const GLUED_BEFORE = /(?:[\p{L}\p{N}\p{M}\p{DI}$\\.,'\u2019\u00b7\u2027\u2219\u22c5\u066b\u066c\uff0e\uff0c]|&#?\w+;)$/u;
const GLUED_BEHIND = /^(?:[\p{L}\p{N}\p{M}\p{DI}$\\]|&#?\w+;|[.,'\u2019\u00b7\u2027\u2219\u22c5\u066b\u066c\uff0e\uff0c][\p{N}$])/u;
/** Characters that are looked at beside a formula: the longest entity has 33. */
const BESIDE = 40;
const SET_APART = /^[\^_]/;
const MICRO = /^\\mu$/;
/** Only its sign would be raised or lowered, and the number would stay in the line. */
const LONE_SIGN = /[\^_]\s*[-+.,\u2212]\s*\p{N}/u;
/** What cannot be seen: signs of direction, joiners, fillers. */
const UNSEEN = /(?![\n\t])[\p{C}\p{DI}]/u;

/**
 * A rule of markdown-it. As Pandoc reads it: no blank inside the dollars, no digit behind them, so that "$5 and $10" are prices.
 *
 * @param {any} state
 * @param {boolean} silent
 */
export function formula(state, silent) {
  const { src, pos } = state;
  if (src[pos] !== "$") return false;
  const fence = src.startsWith("$$", pos) ? "$$" : "$";
  const from = pos + fence.length;
  let end = src.indexOf(fence, from);
  while (end > 0 && src[end - 1] === "\\") end = src.indexOf(fence, end + 1);
  const content = src.slice(from, end);
  if (end < 0 || content.length > LONGEST || !content.trim()) return false;
  if (fence === "$" && /^\s|\s$/.test(content)) return false;
  if (GLUED_BEFORE.test(src.slice(Math.max(0, pos - BESIDE), pos)) && !(SET_APART.test(content) && src[pos - 1] !== "$")) return false;
  const behind = src.slice(end + fence.length, end + fence.length + BESIDE);
  if (GLUED_BEHIND.test(behind) && !(MICRO.test(content) && /^\p{L}/u.test(behind))) return false;
  if (!silent) {
    const token = state.push("formula", "", 0);
    token.content = content;
    token.markup = fence;
  }
  state.pos = end + fence.length;
  return true;
}

/**
 * @param {HTMLElement} parent
 * @param {{content: string, markup: string}} token
 * @param {{longest: number, left: number, apart: boolean}} room  of its text; what is made of the formula is taken from it
 */
export function appendFormula(parent, { content, markup }, room) {
  const apart = markup === "$$" && room.apart;
  const math = content.length <= room.longest && room.left > 0 ? drawn(content, apart, room) : null;
  parent.append(math
    ? h("span", { class: apart ? "formula apart" : "formula", dir: "ltr" }, math)
    : h("span", { class: "formula-source", dir: "ltr" }, `${markup}${content}${markup}`));
}

/**
 * @param {string} content
 * @param {boolean} apart
 * @param {{left: number}} room
 * @returns {Element|null}  null for what is not to be drawn
 */
function drawn(content, apart, room) {
  if (UNSEEN.test(content) || LONE_SIGN.test(content) || !hasKnownCommands(content)) return null;
  const place = h("span", {});
  try {
    katex.render(content.replace(DECIMAL_COMMA, "{,}"), place, { ...SETTINGS, displayMode: apart });
  } catch {
    return null;
  }
  // The source, which is part of the words otherwise.
  place.querySelector("annotation")?.remove();
  setSpaces(place);
  const made = place.querySelectorAll("*").length;
  // Including what is not drawn then: it took time as well.
  room.left -= made;
  const math = place.querySelector("math");
  // Each is smaller than what it is attached to: the fourth cannot be read.
  if (!math || math.querySelector(Array(4).fill(SMALLER).join(" "))) return null;
  const gaps = gapsOf(math, content);
  if (!gaps?.every(setGapBefore)) return null;
  setLineEnds(math);
  return made <= MOST && room.left >= 0 && staysInPlace(math) ? math : null;
}

/** @param {Element} beside  in the same formula @param {string} space */
function spaceOf(beside, space) {
  const text = document.createElementNS(beside.namespaceURI, "mtext");
  text.append(space);
  return text;
}

/**
 * KaTeX leaves narrow spaces as bare text among elements, where browsers draw none, and negative ones as wide ones with a sign that is
 * not seen; nor does it leave a gap between the name of a function and what is beside it.
 *
 * @param {Element} place
 */
function setSpaces(place) {
  for (const row of place.querySelectorAll(":not(mi, mn, mo, mtext)")) {
    for (const space of [...row.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE)) {
      const text = space.textContent ?? "";
      if (text.includes("\u2063")) space.remove();
      else space.replaceWith(spaceOf(row, text));
    }
  }
  for (const application of [...place.querySelectorAll("mo")].filter(({ textContent }) => textContent === "\u2061")) {
    /** @type {Element|null} */
    let name = application.previousElementSibling;
    // "\log_2": the name is the base of an index.
    while (name && !name.previousElementSibling && name.parentElement?.matches("mrow, msub, msup, msubsup, munder, munderover")) name = name.parentElement;
    if (name?.parentElement?.matches(ROW) && name.previousElementSibling && name.previousElementSibling.localName !== "mo") name.before(spaceOf(name, NARROW));
    // Not in a row, as in "V_{\max}", it would be one part too many.
    if (!application.parentElement?.matches(ROW)) application.remove();
    else if (application.nextElementSibling?.localName !== "mo") application.replaceWith(spaceOf(application, NARROW));
  }
}

/** Outside of a table no browser breaks a line: what was on two lines is set apart. @param {Element} math */
function setLineEnds(math) {
  for (const end of math.querySelectorAll("mspace[linebreak]")) end.after(spaceOf(end, "\u2003"));
}

/** Whether there is a place for a gap before an element, where it is then. @param {Element} element @returns {boolean} */
function setGapBefore(element) {
  const { parentElement } = element;
  if (!parentElement) return false;
  if (!parentElement.matches(ROW)) return parentElement.firstElementChild === element && setGapBefore(parentElement);
  element.before(spaceOf(element, NARROW));
  return true;
}

/**
 * Whether an element and those within it take the room in which they are drawn, paint nothing else and are not enlarged twice.
 *
 * @param {Element} element
 * @param {number} [depth]
 * @param {boolean} [enlarged]
 * @returns {boolean}
 */
function staysInPlace(element, depth = 1, enlarged = false) {
  if (depth > DEEPEST || !ELEMENTS.includes(element.localName)) return false;
  if (enlarged && element.hasAttribute("mathsize")) return false;
  const allowed = element.localName === "mpadded" ? isPadding(element)
    : [...element.attributes].every(({ name, value }) => Object.hasOwn(ATTRIBUTES, name) && ATTRIBUTES[name](value));
  return allowed && [...element.children].every((child) => staysInPlace(child, depth + 1, enlarged || element.hasAttribute("mathsize")));
}

/**
 * Padding moves what it holds, or denies the room that it takes: it may hold what is not seen, stand around the words of an arrow, or
 * do nothing.
 *
 * @param {Element} element
 */
function isPadding(element) {
  if ([...element.children].every((child) => child.localName === "mphantom")) return true;
  const said = [...element.attributes].filter(({ name }) => name !== "class").map(({ name, value }) => `${name}=${value}`).join(" ");
  return said === "" || said === "width=+0.6em lspace=0.3em";
}
