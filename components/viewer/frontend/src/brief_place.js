/**
 * The place of context and prompt: as tall for a short prompt as for a long one, so that the form stays in its place from item to
 * item. What does not fit is scrolled, the prompt always in sight; or the reader makes the place larger, for this item and the next.
 */

import { h } from "./dom.js";

/** A prompt never takes more of the place than this share, and is scrolled by itself then: the context must stay in sight as well. A context that needs less leaves it the rest. */
const MOST_PINNED = 0.6;
/** Below the last word, in pixels. */
const PADDING = 12;

export class BriefPlace {
  /** @param {(action: string) => void} act */
  constructor(act) {
    this.large = false;
    this.always = false;
    this.banner = h("div", { class: "brief-banner" });
    this.words = h("div", { class: "brief", role: "region", "aria-label": "Context and prompt" });
    this.more = h("button", { type: "button", class: "more", title: "More or less room for context and prompt (Shift P)", onclick: () => act("brief") });
    this.element = h("div", { class: "brief-place" }, this.banner, h("div", { class: "brief-words" }, this.words, this.more));
    new ResizeObserver(() => this.fit()).observe(this.element);
    this.words.addEventListener("toggle", () => this.fit(), { capture: true });
    this.words.addEventListener("scroll", () => this.markEnd());
  }

  /**
   * @param {HTMLElement[]} banner
   * @param {HTMLElement[]} words
   * @param {boolean} always  whether these words need the larger place anyway
   */
  paint(banner, words, always) {
    this.banner.replaceChildren(...banner);
    this.words.replaceChildren(...words);
    this.words.scrollTop = 0;
    this.always = always;
    this.element.hidden = !words.length;
    this.fit();
  }

  toggle() {
    if (this.more.hidden) return false;
    this.large = !this.large;
    this.fit();
  }

  /** Whether answers that were given before, own ones or those of others, are among the words. */
  get answered() {
    return this.words.querySelector(".opinions") !== null;
  }

  /** The height that banner and words fill, in pixels. */
  filled() {
    this.unpin();
    const last = /** @type {HTMLElement|null} */ (this.words.lastElementChild);
    const text = last ? last.offsetTop + last.offsetHeight - this.words.offsetTop + this.words.scrollTop : 0;
    return this.banner.offsetHeight + text + PADDING;
  }

  fit() {
    const { words, more, element } = this;
    const prompt = /** @type {HTMLElement|null} */ (words.querySelector(".prompt"));
    element.classList.toggle("large", this.large);
    element.classList.toggle("wordy", this.always);
    this.unpin();
    more.hidden = true;
    const cut = words.scrollHeight > words.clientHeight + 1;
    more.hidden = !(cut || this.large);
    more.textContent = this.large ? "Less" : "More";
    more.append(h("kbd", {}, "Shift P"));
    const overflows = words.scrollHeight > words.clientHeight + 1;
    if (prompt && overflows && !this.always) {
      prompt.classList.add("pinned");
      const context = words.scrollHeight - prompt.offsetHeight;
      prompt.style.maxHeight = `${Math.round(Math.max(MOST_PINNED * words.clientHeight, words.clientHeight - context))}px`;
    }
    element.classList.toggle("cut", overflows);
    if (overflows) words.tabIndex = 0;
    else words.tabIndex = -1;
    this.markEnd();
  }

  /** The prompt is as high as its words, at its place among the others. */
  unpin() {
    const prompt = this.words.querySelector(".prompt");
    prompt?.classList.remove("pinned");
    if (prompt instanceof HTMLElement) prompt.style.maxHeight = "";
  }

  /** Words that go on below fade out there: else a row could look as if it were the last. A pinned prompt at the end is whole already. */
  markEnd() {
    const { words, element } = this;
    const below = words.scrollHeight - words.clientHeight - words.scrollTop > 1;
    element.classList.toggle("goes-on", below && !words.lastElementChild?.matches(".pinned"));
  }
}
