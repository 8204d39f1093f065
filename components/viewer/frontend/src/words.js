/**
 * Texts of a study, as its protocol says that they are set: plain, or as Markdown without images, links and HTML. Markdown becomes
 * tokens, and tokens become elements here, kind by kind: no text of a study is ever parsed as HTML.
 */

import { h } from "./dom.js";
import { appendFormula, formula, roomOfRun, roomOfText } from "./formulas.js";
import { canBeSet, readableMarkdown } from "./markdown_rules.js";

const markdown = readableMarkdown(formula);

/** The first letter of a text decides its direction. */
const RIGHT_TO_LEFT = /^\P{L}*(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The tokens of a text; null for one that is not set, since something would be lost. @param {string} text */
function tokensOf(text) {
  const tokens = markdown.parse(text, {});
  return canBeSet(text, tokens) ? tokens : null;
}

/** What an opening token becomes. A heading within an item is a highlighted paragraph: the page has headings of its own. @type {Record<string, keyof HTMLElementTagNameMap>} */
const OPENED = {
  paragraph_open: "p", heading_open: "p", bullet_list_open: "ul", ordered_list_open: "ol", list_item_open: "li",
  table_open: "table", thead_open: "thead", tbody_open: "tbody", tr_open: "tr", th_open: "th", td_open: "td", strong_open: "strong",
};
/** Each has its own direction: an Arabic paragraph may be followed by an English one. */
const DIRECTED = ["p", "li", "th", "td"];

/** @param {string} text */
const directionOf = (text) => (RIGHT_TO_LEFT.test(text) ? "rtl" : "ltr");

/** A label with the colon that parts it from what follows; a question, a sentence or a colon of its own needs none. @param {string} label */
export const asLabel = (label) => (/[:?!.\u2026\uff1a\uff1f\u061f]\s*$/u.test(label) ? label : `${label}:`);

/**
 * The lines of a text, each with its own direction, as if on its own: below a Hebrew line "12 mm" must not become "mm 12".
 *
 * @param {string} text
 * @returns {(string|HTMLElement)[]}
 */
export function linesIn(text) {
  return text.split("\n").flatMap((line, i) => [...(i ? ["\n"] : []), ...(line ? [h("span", { dir: "auto" }, line)] : [])]);
}

/**
 * The element that holds a text.
 *
 * @param {string} text
 * @param {string} name      its class
 * @param {import("../payload.js").TextSetting} [setting]
 * @param {boolean} [flows]  as Markdown, it may be wrapped where it is written: see `linesOf`
 * @returns {HTMLElement}
 */
export function wordsIn(text, name, setting = "plain", flows = false) {
  const tokens = setting === "markdown" ? tokensOf(text) : null;
  if (!tokens) return h("p", { class: name, dir: directionOf(text) }, ...linesIn(text));
  const element = h("div", { class: `${name} markdown` });
  append(element, tokens, roomOfText(), flows);
  element.dir = "auto";
  return element;
}

/**
 * The same words where there is no room for their setting: one line after the other, formulas drawn among them.
 *
 * @param {string} text
 * @param {import("../payload.js").TextSetting} [setting]
 * @returns {HTMLElement}
 */
export function inOneRun(text, setting) {
  const tokens = setting === "markdown" ? tokensOf(text) : null;
  if (!tokens) return h("span", { dir: directionOf(text) }, ...linesIn(text));
  const run = h("span", { dir: directionOf(text) });
  appendRun(run, tokens, roomOfRun());
  return run;
}

/**
 * @param {HTMLElement} run
 * @param {any[]} tokens
 * @param {ReturnType<typeof roomOfRun>} room
 */
function appendRun(run, tokens, room) {
  const within = [run];
  for (const token of tokens) {
    const top = /** @type {HTMLElement} */ (within.at(-1));
    if (token.type === "strong_open") {
      const element = h("strong");
      top.append(element);
      within.push(element);
    } else if (token.type === "strong_close") {
      if (within.length > 1) within.pop();
    } else if (token.type === "inline") appendLines(top, token.children ?? [], room);
    else if (token.type === "formula") appendFormula(top, token, room);
    else if (token.type === "list_item_open") top.append(`${markOf(token)} `);
    // An empty cell takes its place, too.
    else if (token.type === "th_open" || token.type === "td_open") top.append("| ");
    else if (token.type === "tr_close") top.append("|; ");
    // Lines, paragraphs and cells end where the next must not join them.
    else if (token.block && token.nesting === -1) top.append(" ");
    else if (token.type === "fence") top.append(...linesIn(codeOf(token).trimEnd()), " ");
    else if (token.nesting === 0) top.append(token.content);
  }
}

/** @type {any} */
const BOLD_ENDS = { type: "strong_close", nesting: -1, content: "" };
/** @type {any} */
const BLANK = { type: "text", nesting: 0, content: " " };
/** What somebody begins a line with on purpose, also where Markdown sees no list, heading, table or code in it. */
const BEGINS_LINE = /^(?:[-*+•‣◦–—]\s|(?:\p{N}{1,3}|\p{L})[.)]\s|#{1,6}\s|\||```)/u;

/**
 * The tokens of each line; words that stay bold beyond its end are bold on both sides of it.
 *
 * @param {any[]} tokens  of one paragraph, heading or cell
 * @param {boolean} [flows]  a line goes on in the next one, unless it ends in two blanks or the next begins like an item of a list
 */
function linesOf(tokens, flows = false) {
  /** @type {any[][]} */
  const lines = [[]];
  /** @type {any[]} */
  const bold = [];
  for (const [i, token] of tokens.entries()) {
    const line = /** @type {any[]} */ (lines.at(-1));
    if (flows && token.type === "softbreak" && !BEGINS_LINE.test(tokens[i + 1]?.content ?? "")) {
      line.push(BLANK);
      continue;
    }
    if (token.type === "softbreak" || token.type === "hardbreak") {
      line.push(...bold.map(() => BOLD_ENDS));
      lines.push([...bold]);
      continue;
    }
    if (token.type === "strong_open") bold.push(token);
    if (token.type === "strong_close") bold.pop();
    line.push(token);
  }
  return lines;
}

/**
 * @param {HTMLElement} run
 * @param {any[]} tokens  of one paragraph, heading or cell
 * @param {ReturnType<typeof roomOfRun>} room
 */
function appendLines(run, tokens, room) {
  for (const [i, line] of linesOf(tokens).entries()) {
    const place = h("span", { dir: "auto" });
    appendRun(place, line, room);
    run.append(i ? " " : "", place);
  }
}

/** The marker of a list item, as it is written. @param {any} token */
const markOf = ({ info, markup }) => `${info}${markup}`;

/** Code, below its opening fence where that has words behind it: they may be more than the name of a language. @param {any} token */
const codeOf = ({ info, markup, content }) => (info.trim() ? `${markup}${info}\n${content}` : content);

/**
 * @param {HTMLElement} parent
 * @param {any[]} tokens
 * @param {ReturnType<typeof roomOfText>} room  of formulas
 * @param {boolean} [flows]
 */
function append(parent, tokens, room, flows = false) {
  /** @type {HTMLElement[]} */
  const within = [parent];
  for (const token of tokens) {
    const top = /** @type {HTMLElement} */ (within.at(-1));
    const tag = OPENED[token.type];
    if (tag && token.nesting === 1) {
      const element = h(tag, token.type === "heading_open" ? { class: "heading" } : {});
      top.append(element);
      within.push(element);
      // The number or sign of an item is drawn as it is written: "02.", "+", or the one that comes twice.
      if (token.type === "list_item_open") element.append(h("span", { class: "mark" }, `${markOf(token)} `));
    } else if (token.nesting === -1) {
      within.pop();
      // The marker is beside the first line of an item.
      const directed = top.localName === "li" ? top.querySelector("span[dir]") : top;
      if (DIRECTED.includes(top.localName)) top.dir = directionOf(directed?.textContent ?? "");
    } else if (token.type === "inline") {
      for (const [i, line] of linesOf(token.children ?? [], flows).entries()) {
        const place = h("span");
        append(place, line, room);
        // Only when it is complete: it would determine its direction again with each added child.
        place.dir = "auto";
        top.append(i ? h("br") : "", place);
      }
    } else if (token.type === "formula") appendFormula(top, token, room);
    else if (token.type === "fence") top.append(h("pre", {}, h("code", {}, ...linesIn(codeOf(token)))));
    else top.append(token.content);
  }
}
