/**
 * Whether a formula reads as it is written. Its source and what was made of it each become the same flat row of signs, with the gaps
 * between them: every sign that is written is drawn, in its place, and no other letter or digit; and letters and digits touch where
 * they are written together, and only there. So no list is needed of ways to turn "5" and "0" into "50". Letters that stand alone, as the parts
 * of a product do, are drawn with a gap between them.
 */

import katex from "katex";

/**
 * @typedef {"math"|"set"|"text"|"named"} Mode  of letters: bare; in a command for their shape; in \text; a command's own, as in \sin
 * @typedef {{sign: string, apart: boolean, mode: Mode}} Written  `apart`: something is between it and the sign before
 * @typedef {{sign: string, touches: number, first: Element|null}} Drawn  which sign it touches, by its place in the row; -1 for none; the element whose first sign it is
 */

/** Signs that KaTeX draws in their mathematical or printed form. @type {Record<string, string>} */
const SAME = { "\u2212": "-", "\u2217": "*", "\u2223": "|", "\u2032": "'", "\u2018": "'", "\u2019": "'" };
const LETTER = /\p{L}/u;
const DIGIT = /\p{N}/u;
const BLANK = /[\s\p{Z}]/u;
/** What separates, and is not drawn: the shape of the formula, and marks that an accent draws. */
const SHAPE = /[{}^_&\s\p{Z}]/u;
/** No reader takes it for a letter of the word beside it, as in "\mu\mathrm{mol}"; an omicron is drawn like an o. */
const GREEK = /(?!ο)\p{Script=Greek}/u;
/** A space that no line breaks at, between a number and its unit; elsewhere a ~ may mean "about". */
const TIE = /[\d}]~(?=\\(?:text|math)|[A-Za-z])/g;
const SETS_LETTERS = /^\\(?:math|operatorname|bm|boldsymbol)/;
/** What is between braces or brackets and is a name or a length. */
const SETTINGS = /\\(?:begin|end)\s*\{[^{}]*\}(?:\s*\{[lcr|\s]*\})?|\\hspace\*?\s*\{[^{}]*\}|\\\\\[[^\]]*\]/g;
const OPTION = /(\\(?:sqrt|xrightarrow|xleftarrow)\s*)\[([^\]]*)\]/g;
/** Around nothing, their line would be read as a minus. */
const RULED = "mfrac > *, msqrt, mroot > *, mover > :first-child, munder > :first-child";
/** Narrower is no gap. In em. */
const GAP = 0.16;

/** @type {Map<string, string>} */
const NAMES = new Map();

/**
 * The letters and digits that a command draws without being given any, as \alpha and \sin do.
 *
 * @param {string} command
 */
function nameOf(command) {
  let name = NAMES.get(command);
  if (name === undefined) {
    const place = document.createElement("span");
    try {
      katex.render(command, place, { output: "mathml", strict: "ignore", throwOnError: true });
      place.querySelector("annotation")?.remove();
    } catch {
      // It takes an argument.
      place.textContent = "";
    }
    name = (place.textContent ?? "").replace(/[^\p{L}\p{N}\s\p{Z}]/gu, "");
    NAMES.set(command, name);
  }
  return name;
}

/** The signs of a text, each in one form; marks above letters count as part of them. @param {string} text */
function signsOf(text) {
  return [...text.normalize("NFKD").replace(/[\p{M}\u2061-\u2064]/gu, "")].map((sign) => SAME[sign] ?? sign);
}

/** @param {string} content @returns {Written[]} */
function written(content) {
  const source = content.replace(OPTION, "$1{$2}").replace(SETTINGS, "{}").replace(TIE, (tied) => `${tied[0]} `).replace(/\{([.,])\}/g, "$1");
  /** @type {Written[]} */
  const signs = [];
  /** @type {Mode[]} */
  const modes = ["math"];
  /** @type {Mode|null} of the braces that come next */
  let next = null;
  let apart = true;
  const mode = () => /** @type {Mode} */ (modes.at(-1));
  /** @param {string} text @param {Mode} of */
  const say = (text, of) => {
    for (const sign of signsOf(text)) {
      if (!BLANK.test(sign)) signs.push({ sign, apart, mode: of });
      apart = BLANK.test(sign);
    }
  };
  for (const [part] of source.matchAll(/\\[A-Za-z]+|\\[^]|[^]/gu)) {
    if (/^\\[A-Za-z]/.test(part)) {
      apart = true;
      say(nameOf(part), "named");
      next = part.startsWith("\\text") ? "text" : SETS_LETTERS.test(part) ? "set" : null;
      apart = true;
    } else if (/^\\[%$#&_{}]/.test(part)) say(part[1], mode());
    else if (part[0] === "\\" || SHAPE.test(part)) {
      if (part === "{") modes.push(next ?? mode());
      if (part === "}" && modes.length > 1) modes.pop();
      if (!BLANK.test(part)) next = null;
      apart = true;
    } else say(part, mode());
  }
  return signs;
}

/**
 * @param {Element} math
 * @param {boolean} upperFirst  whether the upper part was written before the lower one
 * @returns {Drawn[]}
 */
function drawn(math, upperFirst) {
  /** @type {Drawn[]} */
  const signs = [];
  let last = -1;
  /** @param {Element[]} elements */
  const eachApart = (elements) => {
    for (const element of elements) {
      last = -1;
      read(element);
      last = -1;
    }
  };
  /** @param {Element} element */
  function read(element) {
    const { localName: name, textContent: text } = element;
    const children = [...element.children];
    if (["mi", "mn", "mo", "mtext"].includes(name)) {
      /** @type {Element|null} */
      let first = element;
      for (const sign of signsOf(text ?? "")) {
        if (BLANK.test(sign)) last = -1;
        else last = signs.push({ sign, touches: last, first }) - 1;
        first = null;
      }
      // Browsers draw a gap behind it.
      if (element.hasAttribute("separator")) last = -1;
    } else if (name === "mspace") {
      if (element.hasAttribute("linebreak") || parseFloat(element.getAttribute("width") ?? "0") >= GAP) last = -1;
    } else if (/^m(sub|sup|subsup|under|over|underover)$/.test(name)) {
      const [base, ...others] = children;
      read(base);
      const end = last;
      const drawnBefore = signs.length;
      const isAccent = element.getAttribute("accent") === "true" && others.every(({ localName }) => localName === "mo");
      if (!isAccent) eachApart(upperFirst ? others.reverse() : others);
      // After a non-empty index, what comes next touches no sign of the base; after something above or below, it does.
      last = name.startsWith("ms") && signs.length > drawnBefore ? -1 : end;
    } else if (name === "mroot") eachApart(children.reverse());
    else if (name === "mfrac") eachApart(children);
    else if (name === "msqrt" || name === "mtd") {
      last = -1;
      children.forEach(read);
      last = -1;
    // Also of a box (menclose), which browsers do not draw.
    } else if (name !== "mphantom" && name !== "annotation") children.forEach(read);
  }
  read(math);
  return signs;
}

/** @param {string} sign */
const isRead = (sign) => LETTER.test(sign) || DIGIT.test(sign);
/** What looks like another digit or letter where it stands at one. */
const LOOKS_LIKE_DIGIT = /[OoοΟlℓI]/;
/** Whether two signs are parts of one number. @param {string} a @param {string} b */
const inNumber = (a, b) => (DIGIT.test(a) && /[\p{N}.,]/u.test(b)) || (/[.,]/.test(a) && DIGIT.test(b));

/**
 * @param {Written[]} signs
 * @param {Drawn[]} seen
 * @returns {Element[]|null}  see `gapsOf`
 */
function agree(signs, seen) {
  /** @param {number} i  whether a letter stands alone: letters side by side are a product */
  const isAlone = (i) => signs[i].mode === "math" && (signs[i].apart || !LETTER.test(signs[i - 1].sign))
    && (!signs[i + 1] || signs[i + 1].apart || !LETTER.test(signs[i + 1].sign));
  /** @param {number} i  the d of "dx", which is often set upright */
  const isDifferential = (i) => signs[i].mode === "set" && signs[i].sign === "d" && signs[i].apart;
  /** @param {number} i @param {number} j  whether two signs that are not written together may touch, need a gap or cannot have either */
  const between = (i, j) => {
    const [a, b] = [signs[i], signs[j]];
    if (inNumber(a.sign, b.sign)) return "never";
    if (LETTER.test(a.sign) && LETTER.test(b.sign)) {
      if (GREEK.test(a.sign) || GREEK.test(b.sign) || isDifferential(i)) return "touch";
      return isAlone(i) && isAlone(j) ? "gap" : "never";
    }
    // "5 and 10": a bare word beside a number.
    const [word, number] = LETTER.test(a.sign) ? [i, b] : [j, a];
    if (!(LETTER.test(signs[word].sign) && DIGIT.test(number.sign))) return "touch";
    if (LOOKS_LIKE_DIGIT.test(signs[word].sign)) return "never";
    // "5 e 3" is another number than its digits.
    if ([word - 1, word + 1].every((at) => DIGIT.test(signs[at]?.sign ?? ""))) return "never";
    return signs[word].mode !== "math" || isAlone(word) ? "touch" : "never";
  };

  let next = 0;
  /** Where each sign that is drawn was written; -1 for those that a command draws by itself. */
  const places = seen.map(({ sign }) => {
    if (sign !== signs[next]?.sign) return -1;
    next += 1;
    return next - 1;
  });
  if (next < signs.length || seen.some(({ sign }, at) => places[at] < 0 && isRead(sign))) return null;
  const together = new Set();
  /** @type {Element[]} */
  const gaps = [];
  for (const [at, { touches, first }] of seen.entries()) {
    const [before, here] = [places[touches] ?? -1, places[at]];
    if (before < 0 || here < 0) continue;
    if (here === before + 1 && !signs[here].apart) together.add(here);
    else {
      const wanted = between(before, here);
      if (wanted === "never" || (wanted === "gap" && !first)) return null;
      if (wanted === "gap" && first) gaps.push(first);
    }
  }
  const isTogether = signs.every(({ sign, apart }, i) => {
    const before = signs[i - 1]?.sign ?? "";
    return apart || together.has(i) || !((LETTER.test(before) && LETTER.test(sign)) || (DIGIT.test(before) && inNumber(before, sign)));
  });
  return isTogether ? gaps : null;
}

/**
 * What a formula needs to read as it is written.
 *
 * @param {Element} math
 * @param {string} content  its source
 * @returns {Element[]|null}  the elements before which a gap is due, as between the letters of a product; null where no gap would help
 */
export function gapsOf(math, content) {
  if ([...math.querySelectorAll(RULED)].some(({ textContent }) => !textContent?.trim())) return null;
  const signs = written(content);
  return agree(signs, drawn(math, false)) ?? agree(signs, drawn(math, true));
}
