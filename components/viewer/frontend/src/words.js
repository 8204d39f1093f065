/**
 * Texts of a study, as its protocol says that they are set: plain, or as Markdown without images, links and HTML. Markdown becomes
 * tokens, and tokens become elements here, one kind by one: no text of a study is ever parsed as HTML.
 */

import { h } from "./dom.js";
import { appendFormula, formula, roomOfRun, roomOfText } from "./formulas.js";
import { canBeSet, readableMarkdown } from "./markdown_rules.js";

const markdown = readableMarkdown(formula);

/** The first letter of a text decides its direction. */
const RIGHT_TO_LEFT = /^\P{L}*(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The tokens of a text; null for one that is not to be set, since something would go missing. @param {string} text */
function tokensOf(text) {
  const tokens = markdown.parse(text, {});
  return canBeSet(text, tokens) ? tokens : null;
}

/** What a token that opens becomes. A heading within an item is a paragraph that stands out: the page has its own. @type {Record<string, keyof HTMLElementTagNameMap>} */
const OPENED = {
  paragraph_open: "p", heading_open: "p", bullet_list_open: "ul", ordered_list_open: "ol", list_item_open: "li",
  table_open: "table", thead_open: "thead", tbody_open: "tbody", tr_open: "tr", th_open: "th", td_open: "td", strong_open: "strong",
};
/** Each of them finds its own direction: an Arabic line may stand above an English one. */
const DIRECTED = ["p", "li", "th", "td"];

/**
 * The element that holds a text.
 *
 * @param {string} text
 * @param {string} name      its class
 * @param {import("../payload.js").TextSetting} [setting]
 * @returns {HTMLElement}
 */
export function wordsIn(text, name, setting = "plain") {
  const tokens = setting === "markdown" ? tokensOf(text) : null;
  if (!tokens) return h("p", { class: name, dir: "auto" }, text);
  const element = h("div", { class: `${name} markdown` });
  append(element, tokens, roomOfText());
  element.dir = "auto";
  return element;
}

/**
 * The same words where there is no room for their setting: one line after the other, formulas drawn among them.
 *
 * @param {string} text
 * @param {import("../payload.js").TextSetting} [setting]
 * @returns {string|HTMLElement}
 */
export function inOneRun(text, setting) {
  const tokens = setting === "markdown" ? tokensOf(text) : null;
  if (!tokens) return text;
  const run = h("span", { dir: RIGHT_TO_LEFT.test(text) ? "rtl" : "ltr" });
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
    // An empty cell has its place too.
    else if (token.type === "th_open" || token.type === "td_open") top.append("| ");
    else if (token.type === "tr_close") top.append("|; ");
    // Lines, paragraphs and cells end where the next must not join them.
    else if (token.block && token.nesting === -1) top.append(" ");
    else if (token.type === "fence") top.append(h("bdi", {}, codeOf(token)), " ");
    else if (token.nesting === 0) top.append(token.content);
  }
}

/**
 * Each line has its own direction, as where it has a line of its own: beside a Hebrew word "12 mm" must not become "mm 12".
 *
 * @param {HTMLElement} run
 * @param {any[]} tokens  of one paragraph, heading or cell
 * @param {ReturnType<typeof roomOfRun>} room
 */
function appendLines(run, tokens, room) {
  /** @type {any[]} */
  let line = [];
  for (const token of [...tokens, null]) {
    const ends = !token || token.type === "softbreak" || token.type === "hardbreak";
    if (!ends) line.push(token);
    else {
      const place = h("bdi", {});
      appendRun(place, line, room);
      run.append(place);
      if (token) run.append(" ");
      line = [];
    }
  }
}

/** What stands before an item of a list, as it is written. @param {any} token */
const markOf = ({ info, markup }) => `${info}${markup}`;

/** Code, below its opening fence where that has words behind it: they may be more than the name of a language. @param {any} token */
const codeOf = ({ info, markup, content }) => (info.trim() ? `${markup}${info}\n${content}` : content);

/**
 * An element is told to find its direction when it is full: it would look for it anew with each child that it is given.
 *
 * @param {HTMLElement} parent
 * @param {any[]} tokens
 * @param {ReturnType<typeof roomOfText>} room  of formulas
 */
function append(parent, tokens, room) {
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
      if (token.type === "list_item_open") element.append(h("span", { class: "mark" }, markOf(token)), " ");
    } else if (token.nesting === -1) {
      within.pop();
      if (DIRECTED.includes(top.localName)) top.dir = "auto";
    } else if (token.type === "inline") append(top, token.children ?? [], room);
    else if (token.type === "formula") appendFormula(top, token, room);
    else if (token.type === "softbreak" || token.type === "hardbreak") top.append(h("br", {}));
    else if (token.type === "fence") top.append(h("pre", {}, h("code", {}, codeOf(token))));
    else top.append(token.content);
  }
}
