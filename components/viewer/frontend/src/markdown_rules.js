/**
 * What Markdown means here: bold words, lists, tables, headings, blocks of code and formulas, and each of them only where nothing that is
 * written goes missing. Anything else that is Markdown elsewhere (quotations, single stars, strikes, rules, links, HTML) stays as it is written:
 * in a finding, the > of "> T2 disease", the star of "(*) benign" and the backtick of "5` to 6`" are words.
 */

import MarkdownIt from "markdown-it";

/** Rules of markdown-it. */
const RULES = ["table", "fence", "list", "heading", "escape", "newline", "emphasis", "entity"];
/** Signs that mean something in Markdown, and are only themselves behind a backslash; any other backslash is one. */
const MEANT = /[\\`*_~#<>|$&+.-]/;
/** What may precede the opening stars of bold words, follow them, precede the closing ones, and follow these. */
const BEFORE_BOLD = /(?:^|[\s\p{Z}\p{Ps}\p{Pi}"'/\u2013\u2014-])$/u;
const FIRST_BOLD = /^[\p{L}\p{N}]/u;
const LAST_BOLD = /[\p{L}\p{N}\p{M}.,:;!?%°\p{Pe}\p{Pf}"']$/u;
const BEHIND_BOLD = /^(?:$|[\s\p{Z}\p{Pe}\p{Pf}"'.,:;!?/%\u2013\u2014-])/u;
/** A star between two numbers is literal: "5 **3** 2". */
const NUMBER_BEFORE = /\p{N}[\s\p{Z}]*$/u;
const NUMBER = /^\p{N}/u;
/** Nesting of lists and of their contents: two for each level. */
const DEEPEST = 100;
const MOST_CELLS = 2_000;
/** An entity is read as one sign that can be seen, or as a space. */
const SEEN = /^(?:[\u00a0\u2002\u2003\u2009\u202f]|(?![\p{DI}\ufffd])[\p{L}\p{N}\p{P}\p{S}])$/u;

/** @typedef {(state: any, startLine: number, endLine: number, silent: boolean) => boolean} BlockRule */

/** markdown-it names no rule by itself; alone, a rule is the first of its chain. @param {string} name @returns {BlockRule} */
function blockRule(name) {
  return /** @type {any} */ (new MarkdownIt("zero").enable(name).block.ruler.getRules("")[0]);
}

/** @param {any} state @param {number} line */
function lineOf(state, line) {
  return state.src.slice(state.bMarks[line] + state.tShift[line], state.eMarks[line]);
}

const [table, fence, list] = ["table", "fence", "list"].map(blockRule);

/** A line of marks alone is a drawn line, not a list in a list in a list. */
const DRAWN_LINE = /^([-*+_=~])(?:[ \t]*\1)+[ \t]*$/;

/** @type {BlockRule} */
function readableList(state, startLine, endLine, silent) {
  return !DRAWN_LINE.test(lineOf(state, startLine)) && list(state, startLine, endLine, silent);
}

/** A table that has a place for all that is written in its lines. @type {BlockRule} */
function readableTable(state, startLine, endLine, silent) {
  // Below a table head that turned out not to be one, no other is tried: a thousand of them would each be tried to the end of the text.
  if (startLine < (state.noTableBefore ?? 0)) return false;
  const before = state.tokens.length;
  if (!table(state, startLine, endLine, silent)) return false;
  if (silent) return true;
  /** @param {string[]} texts */
  const words = (texts) => texts.join("").replace(/[\s|\\]/g, "");
  const lines = Array.from({ length: state.line - startLine }, (_, i) => lineOf(state, startLine + i)).filter((_, i) => i !== 1);
  // Within a formula "\\|" is a symbol of its own, from which a table strips the backslash.
  const losesSign = lines.some((line) => line.includes("\\|") && line.includes("$"));
  if (!losesSign && words(lines) === words(state.tokens.slice(before).map((/** @type {any} */ token) => token.content))) return true;
  state.noTableBefore = state.line;
  state.tokens.length = before;
  state.line = startLine;
  return false;
}

/** Code between two lines of backticks; the second one is required. @type {BlockRule} */
function readableFence(state, startLine, endLine, silent) {
  const line = lineOf(state, startLine);
  const opened = /^```+/.exec(line)?.[0];
  if (!opened) return false;
  for (let next = startLine + 1; next < endLine; next += 1) {
    if (lineOf(state, next).trim() === opened) return next > startLine + 1 && fence(state, startLine, endLine, silent);
  }
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
      if (token.info === "entity" && !SEEN.test(token.content)) token.content = token.markup;
    }
  }
}

/** "# of the femur" is how some write a fracture: a heading keeps its # signs. @param {any} state */
function headings(state) {
  /** @type {string[]} */
  const lines = state.src.split("\n");
  for (const [i, { type, map }] of state.tokens.entries()) {
    if (type === "heading_open") state.tokens[i + 1].content = lines[map[0]].slice(lines[map[0]].indexOf("#")).trim();
  }
}

/**
 * Whether a text can be set as its tokens: every letter and digit of it is there, in their order, nothing is nested as deep as it goes, where
 * a library may drop content, and cells are no more than can be drawn.
 *
 * @param {string} text
 * @param {any[]} tokens
 */
export function canBeSet(text, tokens) {
  if (tokens.some(({ level }) => level >= DEEPEST - 1) || tokens.filter(({ type }) => type === "td_open").length > MOST_CELLS) return false;
  /** @param {string} words */
  const signs = (words) => words.replace(/[^\p{L}\p{N}]/gu, "");
  const held = tokens.map(({ type, info, content }) => (type === "list_item_open" ? info : type === "fence" ? info + content : type === "inline" ? content : ""));
  return signs(held.join("")) === signs(text);
}

/** @param {(state: any, silent: boolean) => boolean} formula  a rule for formulas */
export function readableMarkdown(formula) {
  const markdown = new MarkdownIt("zero", { html: false, linkify: false, typographer: false }).enable(RULES);
  markdown.set({ maxNesting: DEEPEST });
  const { block, inline, core } = markdown;
  block.ruler.at("table", readableTable, { alt: ["paragraph", "reference"] });
  block.ruler.at("list", readableList, { alt: ["paragraph", "reference", "blockquote"] });
  block.ruler.at("fence", readableFence, { alt: ["paragraph", "reference", "blockquote", "list"] });
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
      const isBold = this.src[start] === "*" && scanned.length === 2;
      const opens = BEFORE_BOLD.test(before) && FIRST_BOLD.test(after) && !(NUMBER_BEFORE.test(before) && NUMBER.test(after));
      return { ...scanned, can_open: isBold && opens, can_close: isBold && LAST_BOLD.test(before) && BEHIND_BOLD.test(after) };
    }
  };
  return markdown;
}
