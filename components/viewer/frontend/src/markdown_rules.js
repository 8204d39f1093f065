/**
 * What Markdown means here: only what keeps every word, number and sign to be read. Elsewhere it swallows the > of "> 50 %", the stars
 * of "5*3*2 cm", the + of "+ edema" and the cells that a table has no column for; here these stay as they are written.
 */

import MarkdownIt from "markdown-it";

/** Rules of markdown-it; whatever else may be written (links, images, HTML, footnotes, underlined headings) stays as it is written. */
const RULES = ["table", "code", "fence", "blockquote", "hr", "list", "heading", "escape", "newline", "backticks", "strikethrough", "emphasis", "entity"];
/** Signs that mean something here, and are only themselves behind a backslash; any other backslash is one. */
const MEANT = /[\\`*_~#<>|$&+.-]/;
/** A quote: a > and a blank, and no number or comparison, which it would be part of. */
const QUOTE = /^>(?:[ \t]*$|[ \t]+(?![<=~≈±≤≥]|[+\u2212\u2013-]?\s*[.,]?\p{N}))/u;
/** A list whose signs would not be drawn as they are written, or are said of a finding: "+ edema", "- 3 mm", "02.", "1986.", "1)". */
const NO_LIST = /^(?:\+[ \t]|0\d+[.)]|\d{3,}[.)]|\d+\)|-[ \t]+[.,]?\p{N}|[-+]$)/u;
/** Between these a star, an underscore or a strike is a sign of its own. */
const ENDS = /[\p{L}\p{N}\p{M})\]}%°$`′″]$/u;
const BEGINS = /^[\p{L}\p{N}([{$`<>±≤≥~≈]/u;
/** A star before a number, behind a word or a number: "5 *3* 2". */
const BEFORE = /[\p{L}\p{N}][ \t]*$/u;
const NUMBER = /^[ \t]*\p{N}/u;
/** What cannot be seen, or puts itself onto the letter before. */
const UNSEEN = /^(?![\u00a0\u2002\u2003\u2009\u202f])[\p{C}\p{Z}\p{M}]|\u2800|\u3164|\ufffd/u;

/** @typedef {(state: any, startLine: number, endLine: number, silent: boolean) => boolean} BlockRule */

/** markdown-it names no rule by itself; alone, a rule is the first of its chain. @param {string} name @returns {BlockRule} */
function blockRule(name) {
  return /** @type {any} */ (new MarkdownIt("zero").enable(name).block.ruler.getRules("")[0]);
}

/** @param {any} state @param {number} line */
function lineOf(state, line) {
  return state.src.slice(state.bMarks[line] + state.tShift[line], state.eMarks[line]);
}

/** The lines up to the next that is empty. @param {any} state @param {number} startLine @param {number} endLine */
function linesFrom(state, startLine, endLine) {
  /** @type {string[]} */
  const lines = [];
  for (let line = startLine; line < endLine && !state.isEmpty(line); line += 1) lines.push(lineOf(state, line));
  return lines;
}

const [quote, list, table] = ["blockquote", "list", "table"].map(blockRule);

/** @type {BlockRule} */
function readableQuote(state, startLine, endLine, silent) {
  if (!lineOf(state, startLine).startsWith(">")) return false;
  if (linesFrom(state, startLine, endLine).some((line) => line.startsWith(">") && !QUOTE.test(line))) return false;
  return quote(state, startLine, endLine, silent);
}

/** @type {BlockRule} */
function readableList(state, startLine, endLine, silent) {
  if (!/^[-+*\d]/.test(lineOf(state, startLine))) return false;
  if (linesFrom(state, startLine, endLine).some((line) => NO_LIST.test(line))) return false;
  return list(state, startLine, endLine, silent);
}

/** A table that has a place for all that is written in its lines. @type {BlockRule} */
function readableTable(state, startLine, endLine, silent) {
  const before = state.tokens.length;
  if (!table(state, startLine, endLine, silent)) return false;
  if (silent) return true;
  /** @param {string[]} texts */
  const words = (texts) => texts.join("").replace(/[\s|\\]/g, "");
  const lines = Array.from({ length: state.line - startLine }, (_, i) => lineOf(state, startLine + i)).filter((_, i) => i !== 1);
  if (words(lines) === words(state.tokens.slice(before).map((/** @type {any} */ token) => token.content))) return true;
  state.tokens.length = before;
  state.line = startLine;
  return false;
}

/** @param {any} state @param {boolean} silent */
function backslash(state, silent) {
  const { src, pos } = state;
  if (src[pos] !== "\\" || MEANT.test(src[pos + 1] ?? "")) return false;
  if (!silent) state.pending += "\\";
  state.pos += 1;
  return true;
}

/** "&lt;" is read as "<"; what would not be seen is not. @param {any} state */
function entities(state) {
  for (const { children } of state.tokens) {
    for (const token of children ?? []) {
      if (token.info === "entity" && UNSEEN.test(token.content)) token.content = token.markup;
    }
  }
}

/** "# of the femur" is a fracture in some hands: a heading keeps its signs. @param {any} state */
function headings(state) {
  /** @type {string[]} */
  const lines = state.src.split("\n");
  for (const [i, { type, map }] of state.tokens.entries()) {
    if (type === "heading_open") state.tokens[i + 1].content = lines[map[0]].slice(lines[map[0]].indexOf("#")).trim();
  }
}

/** @param {(state: any, silent: boolean) => boolean} formula  a rule for formulas */
export function readableMarkdown(formula) {
  const markdown = new MarkdownIt("zero", { html: false, linkify: false, typographer: false }).enable(RULES);
  const { block, inline, core } = markdown;
  block.ruler.at("table", readableTable, { alt: ["paragraph", "reference"] });
  block.ruler.at("blockquote", readableQuote, { alt: ["paragraph", "reference", "blockquote", "list"] });
  block.ruler.at("list", readableList, { alt: ["paragraph", "reference", "blockquote"] });
  core.ruler.after("block", "headings", headings);
  core.ruler.after("inline", "entities", entities);
  inline.ruler.before("escape", "backslash", backslash);
  // Behind the rule for escapes, by which a dollar is only a dollar.
  inline.ruler.after("escape", "formula", formula);
  inline.State = class extends inline.State {
    /** @param {number} start @param {boolean} canSplitWord */
    scanDelims(start, canSplitWord) {
      const scanned = super.scanDelims(start, canSplitWord);
      const behind = start + scanned.length;
      const [before, after] = [this.src.slice(Math.max(0, start - 8), start), this.src.slice(behind, behind + 8)];
      const between = ENDS.test(before) && BEGINS.test(after);
      const times = this.src[start] === "*" && scanned.length === 1 && BEFORE.test(before) && NUMBER.test(after);
      return between || times ? { ...scanned, can_open: false, can_close: false } : scanned;
    }
  };
  return markdown;
}
