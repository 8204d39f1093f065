/** What of the room is always there: head, place of the images, side with prompt and form. Decides nothing. */

import { wordsOf } from "./brief.js";
import { BriefPlace } from "./brief_place.js";
import { h } from "./dom.js";
import { Ground } from "./ground.js";
import { practiceWords, revisionBanner, revisionWords } from "./occasions.js";
import shapes from "./shapes.css";
import styles from "./styles.css";
import wordSheet from "./words.css";
import { Toolbar } from "./toolbar.js";

/** @typedef {[string, (() => void)|string]} Way  what can be done, and what its button does or where its link leads */

/** The share of the column that context and prompt have beside a form that fits; as in the style sheet. */
const LEAST_BRIEF = 0.3;
/** Below its fields the form keeps this much free, for a sentence about what is missing. */
const SPARE = 56;
/** Above and below the form, in pixels. */
const MARGINS = 20;

/** This much of a longer card stays visible, in pixels, no matter what the others need. */
const LEAST_CARD = 110;

/** What does not keep the focus after it was clicked. */
const LET_GO = ".toolbar, .pane header, .link-box, .room-tools, .option, .meanings, .point-buttons, .unanswer, .more, .renderer";

/** The choices of a panel keep it: the keys belong to them while the panel is open. @param {Element|null} element */
const isLetGo = (element) => Boolean(element?.closest(LET_GO) && !element.closest(".panel"));

export class Screen {
  /**
   * @param {HTMLElement} host
   * @param {HTMLElement} panes
   * @param {HTMLElement[]} covers  what lies over everything else when it is not hidden
   * @param {(action: string, value?: any) => void} act
   * @param {import("./ground.js").Site} site
   */
  constructor(host, panes, covers, act, site) {
    this.host = host;
    this.act = act;
    /** Whether the pointer was last pressed on what does not keep the focus, and no key since. */
    this.pointed = false;
    const root = /** @type {Document|ShadowRoot} */ (host.getRootNode());
    this.sheet = new CSSStyleSheet();
    this.sheet.replaceSync(styles + shapes + wordSheet);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, this.sheet];

    this.bar = h("div", { class: "bar-fill" });
    this.count = h("span", { class: "count" });
    this.phase = h("div", { class: "phase" });
    this.notice = h("div", { class: "notice" });
    this.receipt = h("span", { class: "receipt", role: "status" });
    this.progress = h("div", { class: "bar", role: "progressbar", "aria-label": "Items done", "aria-valuemin": "0" }, this.bar);
    /** @param {string} action @param {string} words @param {string} key @param {string} help */
    const tool = (action, words, key, help) =>
      h("button", { type: "button", class: "quiet small", title: `${help} (${key})`, "aria-keyshortcuts": key, onclick: () => act(action) }, words);
    this.roomTools = {
      earlier: tool("earlier", "Earlier items", "Q", "Items that can still be revised"),
      session: tool("session", "Session", "J", "Summary of your session"),
      dark: tool("dark", "Dark", "Shift D", "Dark or light mode"),
      fullScreen: tool("fullScreen", "Full screen", "Z", "Full screen on/off"),
      pause: tool("pause", "Pause", "H", "Hide images and form; timing stops"),
      help: tool("help", "Keys", "?", "Keyboard shortcuts"),
    };
    this.roomTools.fullScreen.hidden = !document.fullscreenEnabled;
    /** @param {string} name @param {string} words @param {() => HTMLElement} to */
    const skip = (name, words, to) => h("a", { class: "skip", href: `#${name}`, onclick: (event) => {
      event.preventDefault();
      to().focus({ preventScroll: true });
    } }, words);
    this.skipToImages = skip("scans", "Skip to the images", () => this.images);
    this.skips = h("nav", { class: "skips", "aria-label": "Skip" },
      skip("question", "Skip to the question", () => this.question()), this.skipToImages);
    this.head = h("header", { class: "head" }, this.skips,
      h("div", { class: "standing" }, h("div", { class: "done-so-far" }, this.progress, this.count), this.receipt),
      h("div", { class: "occasion" }, this.phase, this.notice),
      h("span", { class: "room-tools" }, ...Object.values(this.roomTools)));

    this.coverBox = h("div", { class: "cover" });
    this.tools = new Toolbar(act);
    this.images = h("section", { class: "images", tabIndex: -1, "aria-label": "Images" },
      h("div", { class: "stage-area" }, panes, this.coverBox), this.tools.element);
    this.cards = h("section", { class: "cards", tabIndex: -1, "aria-label": "Text of the item", hidden: true });

    this.brief = new BriefPlace(act);
    this.formPlace = h("div", { class: "form-place" });
    this.footPlace = h("div", { class: "foot-place" });
    this.alert = h("div", { class: "alert", role: "alert", hidden: true });
    this.draftLine = h("p", { class: "draft-line", "aria-live": "polite" });
    this.renderer = h("button", { type: "button", class: "renderer", onclick: () => act("renderer") });
    this.foot = h("div", { class: "foot" }, this.alert, this.footPlace, h("div", { class: "foot-line" }, this.draftLine, this.renderer));
    this.side = h("section", { class: "side", "aria-label": "Prompt and form" }, this.brief.element, this.formPlace, this.foot);

    this.body = h("div", { class: "body" }, this.images, this.cards, this.side);
    this.element = h("div", { class: "room", tabIndex: -1 }, this.head, this.body, ...covers);
    host.append(this.element);
    this.ground = new Ground(this.element, site);
    this.fit();
    this.watch = new ResizeObserver(() => this.fit());
    // Something that comes above the host moves it, and makes what both lie in higher.
    for (const element of [host, ...around(host)]) this.watch.observe(element);
    this.element.addEventListener("fullscreenchange", () => this.fit());
    this.letGoAfterClicks();
    this.paintGround();
  }

  /** Where somebody goes on who skips everything before the question. @returns {HTMLElement} */
  question() {
    return this.cards.hidden ? this.brief.words : this.cards;
  }

  /** As tall as the window allows, so that nothing needs scrolling. */
  fit() {
    const full = /** @type {Document|ShadowRoot} */ (this.host.getRootNode()).fullscreenElement === this.element;
    this.roomTools.fullScreen.textContent = full ? "Exit full screen" : "Full screen";
    const top = this.host.getBoundingClientRect().top;
    const room = window.innerHeight - Math.max(0, Math.min(top, window.innerHeight * 0.3)) - spaceBelow(this.host);
    this.element.style.height = full ? "100%" : `${Math.max(480, Math.floor(room))}px`;
    const { clientWidth: width, clientHeight: height } = this.element;
    this.element.classList.toggle("narrow", width < 1300);
    this.element.classList.toggle("short", height < 760);
    this.element.classList.toggle("stacked", width < 1100 && height > width);
    this.fitBrief();
    this.fitCards();
  }

  /** Beside images, and where two answers are compared, each card is scrolled in itself, by key where something of it is out of sight. */
  fitCards() {
    const judged = this.body.classList.contains("judged");
    for (const card of this.cards.querySelectorAll(".card")) {
      if (!(card instanceof HTMLElement)) continue;
      card.style.minHeight = "";
      const apart = judged || Boolean(this.cards.querySelector(":scope > .sides"));
      if (judged && card.parentElement === this.cards) card.style.minHeight = `${Math.min(LEAST_CARD, card.scrollHeight + card.offsetHeight - card.clientHeight)}px`;
      const overflows = apart && card.scrollHeight > card.clientHeight + 1;
      card.classList.toggle("cut", overflows);
      card.tabIndex = overflows ? 0 : -1;
    }
  }

  /** Context and prompt get what the form leaves of the column, so that neither needs scrolling. */
  fitBrief() {
    const room = this.side.clientHeight - this.foot.offsetHeight - (this.feedback?.offsetHeight ?? 0);
    const free = room - (this.form?.fullHeight() ?? 0) - SPARE;
    // Answers that were given before are read once, before the form grows: they take all that it leaves now, as far as they fill it.
    const leaves = this.form && this.brief.answered ? room - this.form.element.offsetHeight - MARGINS : 0;
    const { style } = this.brief.element;
    style.setProperty("--free", `${Math.max(0, free, Math.min(leaves, this.brief.filled()))}px`);
    // Where the form is cut, or the words are new to who reads them, these have no more than they fill.
    const asFilled = this.form && (this.brief.always || free < LEAST_BRIEF * this.side.clientHeight);
    style.setProperty("--filled", asFilled ? `${this.brief.filled()}px` : "100%");
    this.brief.fit();
  }

  /**
   * After a click with the mouse the keys belong to the room again: Enter submits instead of pressing the tool once more, and
   * arrows scroll instead of changing the answer that was just chosen. A reader who comes with Tab keeps the focus. At once, not
   * after a moment: a key may follow right behind.
   */
  letGoAfterClicks() {
    const { element } = this;
    const letGo = () => {
      if (this.pointed && isLetGo(this.focused())) element.focus({ preventScroll: true });
    };
    element.addEventListener("pointerdown", (event) => {
      this.pointed = isLetGo(/** @type {Element} */ (event.composedPath()[0]));
    }, { capture: true });
    element.addEventListener("focusin", letGo);
    element.addEventListener("click", letGo);
  }

  toggleDark() {
    this.ground.toggle();
    this.paintGround();
    // A preview is one of several widgets on the page, and nothing in it can be lost.
    if (this.previews) window.location.reload();
  }

  paintGround() {
    this.roomTools.dark.setAttribute("aria-pressed", String(this.ground.shown === "dark"));
  }

  /** With the form, and back. */
  async toggleFullScreen() {
    if (document.fullscreenElement) return document.exitFullscreen();
    // A browser may refuse; the room then stays as it is.
    await this.element.requestFullscreen({ navigationUI: "hide" }).catch((error) => console.warn(error));
  }

  /** @param {boolean} covered  nothing of the item is to be seen, heard or used */
  setCovered(covered) {
    this.body.classList.toggle("covered", covered);
    this.setBehind(covered);
  }

  /** @param {boolean} behind  a window lies over the room */
  setBehind(behind) {
    this.body.inert = this.head.inert = behind;
  }

  /** The keys belong to the room, and to nothing in it. */
  focus() {
    this.element.focus({ preventScroll: true });
  }

  /** The element that has the focus, if it is one of the room's. @returns {HTMLElement|null} */
  focused() {
    const { activeElement } = /** @type {Document|ShadowRoot} */ (this.host.getRootNode());
    return activeElement instanceof HTMLElement && this.element.contains(activeElement) ? activeElement : null;
  }

  /** @param {import("../payload.js").AnyItemPayload} payload */
  paintItem(payload) {
    const { brief, cards } = wordsOf(payload);
    this.previews = payload.phase === "preview";
    this.skips.hidden = false;
    this.side.hidden = false;
    this.body.classList.remove("alone");
    const banner = payload.revision ? [revisionBanner(payload.revision, () => this.act("resume"))] : [];
    this.brief.paint(payload.images ? banner : [], brief, Boolean(payload.opinions?.length) && !("question" in payload));
    this.cards.replaceChildren(...(payload.images ? [] : banner), ...cards);
    this.images.hidden = this.skipToImages.hidden = !payload.images;
    this.cards.hidden = !cards.length;
    this.body.classList.toggle("words", !payload.images);
    this.body.classList.toggle("judged", Boolean(payload.images && cards.length));
    this.fitCards();
    this.renderer.hidden = !payload.images;
    this.tools.offer(payload.images);
    this.roomTools.pause.hidden = this.roomTools.help.hidden = false;
  }

  /** @param {import("./form.js").Form} form */
  paintForm(form) {
    /** @type {import("./form.js").Form|null} */
    this.form = form;
    /** @type {HTMLElement|null} */
    this.feedback = null;
    this.formPlace.replaceChildren(form.element);
    this.formPlace.scrollTop = 0;
    this.footPlace.replaceChildren(form.foot);
    this.fitBrief();
  }

  /** What was right and wrong, above the answers that were given. @param {HTMLElement} panel @param {HTMLElement} button */
  paintFeedback(panel, button) {
    this.formPlace.prepend(panel);
    this.formPlace.scrollTop = 0;
    this.footPlace.replaceChildren(button);
    this.feedback = panel;
    this.fitBrief();
  }

  /**
   * Nothing to read or answer: the end of the list, or the step from practice to the real items.
   *
   * @param {"done"|"between"} name
   * @param {{title: string, message: string}} words
   * @param {...(HTMLElement|null)} more
   */
  paintParting(name, { title, message }, ...more) {
    this.images.hidden = true;
    this.cards.hidden = false;
    this.body.classList.add("alone");
    this.cards.replaceChildren(h("div", { class: name }, h("h2", {}, title), h("p", {}, message), ...more.filter((part) => part !== null)));
    this.brief.paint([], [], false);
    this.form = null;
    this.skips.hidden = true;
    this.formPlace.replaceChildren();
    this.footPlace.replaceChildren();
    this.side.hidden = true;
    this.roomTools.pause.hidden = this.roomTools.help.hidden = true;
  }

  /** @param {import("../payload.js").Payload} payload */
  paintHead(payload) {
    const { done, total } = payload.progress;
    const item = payload.kind === "item" ? payload : null;
    this.progress.hidden = item?.phase === "preview";
    this.bar.style.width = `${total ? (100 * done) / total : 0}%`;
    this.progress.setAttribute("aria-valuemax", String(total));
    this.progress.setAttribute("aria-valuenow", String(done));
    this.count.textContent = total && item?.phase !== "preview" ? `${done} of ${total} done · ${total - done} left` : "";
    this.phase.textContent = item?.practice ? practiceWords(item.practice)
      : item?.revision ? revisionWords(item.revision)
      : item?.heading ?? "";
    const { earlier } = this.roomTools;
    // Its place is kept, so that nothing moves from item to item when it comes; a revision says what it replaces there.
    earlier.hidden = payload.revisable === null || Boolean(item?.revision);
    earlier.style.visibility = payload.revisable ? "" : "hidden";
    earlier.textContent = `Earlier items (${payload.revisable})`;
    this.roomTools.session.hidden = item?.phase === "preview";
    this.notice.textContent = this.notice.title = item?.notice ?? "";
  }

  /** @param {import("./renderers.js").Renderers} renderers */
  paintRenderer(renderers) {
    this.renderer.textContent = renderers.line();
    this.renderer.title = `${renderers.line()}: change the renderer (G)`;
    this.renderer.disabled = !renderers.canChange();
  }

  /** @param {...(string|HTMLElement)} content  in place of the images */
  cover(...content) {
    this.coverBox.hidden = false;
    this.coverBox.replaceChildren(h("div", { class: "cover-box", role: "status" }, ...content));
  }

  uncover() {
    this.coverBox.hidden = true;
  }

  /**
   * One sentence over the button, with what can be done about it; null takes it away.
   *
   * @param {string|null} sentence
   * @param {...Way} ways
   */
  say(sentence, ...ways) {
    this.alert.hidden = sentence === null;
    this.alert.replaceChildren(...(sentence === null ? [] : [
      h("p", {}, sentence),
      ...ways.map(([words, way]) => typeof way === "string"
        ? h("a", { class: "plain", href: way }, words)
        : h("button", { type: "button", class: "plain", onclick: way }, words)),
    ]));
  }

  /** @param {string} words  about what was sent last, in the head */
  note(words) {
    this.receipt.textContent = words;
  }

  /** @param {string} text @param {boolean} [unsaved] */
  draft(text, unsaved = false) {
    this.draftLine.textContent = text;
    this.draftLine.classList.toggle("unsaved", unsaved);
  }

  destroy() {
    this.ground.leave();
    this.watch.disconnect();
    const root = /** @type {Document|ShadowRoot} */ (this.host.getRootNode());
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((sheet) => sheet !== this.sheet);
    this.element.remove();
  }
}

/** What the page keeps free below an element: the paddings of all that it lies in. @param {Element} element */
function spaceBelow(element) {
  const within = [element, ...around(element)].filter((node) => node !== document.body && node !== document.documentElement);
  const space = within.reduce((sum, node) => sum + (parseFloat(getComputedStyle(node).paddingBottom) || 0), 0);
  return Math.max(8, Math.ceil(space));
}

/** All that an element lies in, shadow roots passed over, from the inside. @param {Element} element @returns {Element[]} */
function around(element) {
  const root = element.getRootNode();
  const next = element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  return next ? [next, ...around(next)] : [];
}
