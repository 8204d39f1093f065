/**
 * What the form has beside its fields: "not assessable", comment and flag. Each is a panel that opens below its button. While a panel
 * has the focus, digits belong to its choices; Escape closes it and keeps what was said there, Backspace or its button takes that back.
 * What a draft restores is listed below the buttons, and every panel is closed.
 */

import { badge } from "./digits.js";
import { freshId, h } from "./dom.js";
import { isSign, isTyping } from "./keys.js";

const LONGEST_BEGINNING = 60;
/** Keys that are not pressed to correct or continue a text. */
const LEAVES_WORDS = /^(Escape|Tab|Arrow\w+)$/;
const CORRECTS_WORDS = /^(Backspace|Delete|Enter)$/;

/** @typedef {"assess"|"comment"|"flag"} Which */
/** @typedef {import("../payload.js").Option} Option */

export class Panels {
  /**
   * @param {import("../payload.js").FormPayload} description
   * @param {{onChange: (delay: number) => void, onOpen: () => void, typingDelay: number}} form
   */
  constructor(description, { onChange, onOpen, typingDelay }) {
    const { not_assessable: reasons, comment, flags } = description;
    this.onChange = onChange;
    this.onOpen = onOpen;
    this.options = { assess: reasons, flag: flags };
    const typed = { dir: "auto", oninput: () => onChange(typingDelay), onblur: () => onChange(0) };
    this.note = h("textarea", { rows: 2, maxLength: 2000, "aria-label": "Note on the flag", ...typed });
    this.note.setAttribute("placeholder", "Note (optional)");
    this.remark = h("textarea", { rows: 2, maxLength: 4000, "aria-label": "Comment", ...typed });
    this.radios = { assess: this.radiosOf("assess"), flag: this.radiosOf("flag") };

    /** @param {string} title @param {...HTMLElement} content */
    const panel = (title, ...content) => h("fieldset", { class: "panel", hidden: true }, h("legend", {}, title), ...content);
    /** @param {...HTMLElement} more */
    const keys = (...more) => h("p", { class: "panel-keys" }, h("kbd", {}, "Esc"), " closes", ...more);
    const takesBack = () => h("span", { class: "takes-back" }, h("kbd", {}, "⌫"), " clears it");
    this.panels = {
      assess: panel("Why is this not assessable?", this.list("assess"), keys(takesBack())),
      comment: h("div", { class: "panel", hidden: true }, this.remark, keys()),
      flag: panel("What should be checked?", this.list("flag"), this.note, keys(takesBack())),
    };
    /** @param {Which} which @param {string} words @param {string} key */
    const tab = (which, words, key) =>
      h("button", { type: "button", class: "tab", "aria-expanded": "false", onclick: () => this.toggle(which) }, words, h("kbd", {}, key));
    this.tabs = {
      assess: reasons.length ? tab("assess", "Not assessable", "N") : null,
      comment: comment ? tab("comment", "Comment", "C") : null,
      flag: flags.length ? tab("flag", "Flag", "F") : null,
    };
    this.said = h("p", { class: "said", hidden: true });
    this.element = h("div", { class: "extras" }, h("div", { class: "tabs" }, ...Object.values(this.tabs)), this.said, ...Object.values(this.panels));
    this.open = { assess: false, comment: false, flag: false };
    /** The reader types words where none are taken. */
    this.inWords = false;
    /** A choice was made since the focus came to the choices: what is typed now are words. */
    this.settled = false;
    /** The comment has the words that were typed into "not assessable". */
    this.isRemarkOnReason = false;
    for (const element of Object.values(this.panels)) {
      // A click on its label moves the focus here, or leaves it where it is: in the panel.
      element.addEventListener("mousedown", (event) => {
        if (!(event.target instanceof Element) || event.target.closest("label, input, textarea, button")) return;
        event.preventDefault();
        const which = /** @type {Which[]} */ (Object.keys(this.panels)).find((key) => this.panels[key] === element);
        if (which && this.withFocus() !== which) this.enter(which);
      });
      element.addEventListener("focusin", (event) => {
        this.inWords = false;
        // On return from another window nothing has changed; when entered by key, a digit chooses again.
        if (event instanceof FocusEvent && event.relatedTarget) this.settled = false;
      });
    }
  }

  /** @param {"assess"|"flag"} which */
  radiosOf(which) {
    const name = freshId(which);
    // After a kind of flag comes its note; an arrow key moves on among the kinds.
    const onclick = (/** @type {MouseEvent} */ { detail }) => {
      this.settled = true;
      if (which === "flag" && detail) this.note.focus();
    };
    return this.options[which].map(() => h("input", { type: "radio", name, onclick, onchange: () => this.onChange(0) }));
  }

  /** @param {"assess"|"flag"} which */
  list(which) {
    const options = this.options[which];
    return h("div", { class: "options tight" }, ...this.radios[which].map((input, i) =>
      h("label", { class: "option" }, input, badge(i, options.length), h("span", { class: "words", dir: "auto" }, options[i].text))));
  }

  /** @param {"assess"|"flag"} which @returns {Option|null} what is chosen there */
  chosen(which) {
    return this.options[which][this.radios[which].findIndex((radio) => radio.checked)] ?? null;
  }

  /** Whether the item is called not assessable, or is about to be. */
  get setsAside() {
    return this.open.assess || this.chosen("assess") !== null;
  }

  /** @returns {Omit<import("./form.js").Answers, "fields">} */
  read() {
    const flag = this.chosen("flag");
    return {
      not_assessable: this.chosen("assess")?.id ?? null,
      comment: this.remark.value,
      // Without a kind it is not submitted, but kept in the draft.
      flag: flag || this.note.value.trim() ? { id: flag?.id ?? null, note: this.note.value } : null,
    };
  }

  /** @param {Partial<import("./form.js").Answers>|null|undefined} answers */
  write(answers) {
    this.radios.assess.forEach((radio, i) => (radio.checked = (answers?.not_assessable ?? null) === this.options.assess[i].id));
    this.radios.flag.forEach((radio, i) => (radio.checked = answers?.flag?.id === this.options.flag[i].id));
    this.note.value = answers?.flag?.note ?? "";
    this.remark.value = answers?.comment ?? "";
    for (const which of /** @type {Which[]} */ (Object.keys(this.panels))) this.setOpen(which, false);
  }

  /**
   * Open or close a panel; closing takes back what was said there, except the comment.
   *
   * @param {Which} which
   */
  toggle(which) {
    if (!this.tabs[which]) return;
    const open = !this.open[which];
    this.setOpen(which, open);
    if (open) return this.enter(which);
    if (which !== "comment") this.radios[which].forEach((radio) => (radio.checked = false));
    if (which === "flag") this.note.value = "";
    this.onChange(0);
  }

  /** By its key: into a panel that is open already, but has not the focus. @param {Which} which */
  call(which) {
    if (this.open[which] && this.withFocus() !== which) this.enter(which);
    else this.toggle(which);
  }

  /** @param {Which} which */
  enter(which) {
    this.isRemarkOnReason = false;
    const radios = which === "comment" ? [] : this.radios[which];
    (radios.find((radio) => radio.checked) ?? radios[0] ?? this.remark).focus();
    this.settled = false;
    this.panels[which].scrollIntoView({ block: "nearest" });
  }

  /** Close the panel that the keys belong to, else any that is open, and keep what was said there. @returns {boolean} whether there was one */
  fold() {
    const open = /** @type {Which[]} */ (Object.keys(this.panels)).filter((which) => this.open[which]);
    // A text field of the form is left first.
    const other = isTyping(this.focused()) ? null : open[0] ?? null;
    const which = this.withFocus() ?? other;
    if (!which) return false;
    if (which === "comment" && this.isRemarkOnReason) this.setOpen("assess", false);
    this.isRemarkOnReason = false;
    this.setOpen(which, false);
    return true;
  }

  /** @param {Which} which @param {boolean} open */
  setOpen(which, open) {
    this.open[which] = open;
    this.panels[which].hidden = !open;
    this.tabs[which]?.setAttribute("aria-expanded", String(open));
    this.onOpen();
  }

  /** Where the keys go after a choice: into the note to a flag. @param {"assess"|"flag"} which @param {HTMLInputElement} radio */
  chose(which, radio) {
    if (this.withFocus() === which) (which === "flag" ? this.note : radio).focus();
    this.settled = true;
  }

  /** @returns {Which|null} */
  withFocus() {
    const focused = this.focused();
    // A browser takes the focus from what was hidden only when it draws next, which may be after the next key.
    const open = /** @type {Which[]} */ (Object.keys(this.panels)).filter((which) => this.open[which]);
    return open.find((which) => focused && this.panels[which].contains(focused)) ?? null;
  }

  /**
   * While a panel with choices has the focus, only digits are for the room, and only until something is chosen. Anything else typed
   * there goes into the note to a flag, or into the comment; as commands it would switch tools, choose reasons and submit.
   * Where there is no comment, nothing is taken until a key that ends the text.
   *
   * @param {KeyboardEvent} event
   * @param {boolean} isDigit
   * @returns {"room"|"browser"|"nobody"} who is to take the key
   */
  takes({ key, code, repeat }, isDigit) {
    const which = this.withFocus();
    if (which === null || which === "comment" || isTyping(this.focused())) return "room";
    if (LEAVES_WORDS.test(key)) this.inWords = false;
    if (!isSign(key)) return this.inWords && CORRECTS_WORDS.test(key) ? "nobody" : "room";
    // The key that opened the panel types nothing while it is held down.
    if (this.inWords || repeat) return "nobody";
    if (isDigit && !this.settled && this.mayChoose(which, key, code)) return "room";
    // A space neither chooses nor begins a text.
    if (key === " ") return "nobody";
    this.inWords = !this.toWords();
    return this.inWords ? "nobody" : "browser";
  }

  /** From the choices of a panel to where its words are written. @returns {boolean} whether there is such a place */
  toWords() {
    const which = this.withFocus();
    if (which === null || which === "comment" || isTyping(this.focused())) return false;
    const place = which === "flag" ? this.note : this.tabs.comment ? this.remark : null;
    if (!place) return false;
    if (place === this.remark) {
      this.setOpen("comment", true);
      this.isRemarkOnReason = true;
      if (/\S$/.test(place.value) && place.value.length < place.maxLength) place.value += " ";
    }
    place.focus();
    // A selection there is not typed over.
    place.setSelectionRange(place.value.length, place.value.length);
    return true;
  }

  /** Whether there is a choice of that number, or one that begins with it. @param {"assess"|"flag"} which @param {string} key @param {string} code */
  mayChoose(which, key, code) {
    const count = this.options[which].length;
    const n = Number(/^\d$/.test(key) ? key : code.slice(-1));
    return count > 9 || (n >= 1 && n <= count);
  }

  /** Take back what was said in the panel that has the focus, or what sets the fields aside. @returns {boolean} whether there was anything */
  takeBack() {
    if (isTyping(this.focused())) return false;
    const focused = this.withFocus();
    const which = focused === "flag" ? focused : focused === "assess" || this.setsAside ? "assess" : null;
    if (!which) return false;
    this.open[which] = true;
    this.toggle(which);
    return true;
  }

  focused() {
    return /** @type {Document|ShadowRoot} */ (this.element.getRootNode()).activeElement ?? null;
  }

  /** The panel that digits belong to: one that has the focus, or "not assessable" while it is open. @returns {"assess"|"flag"|null} */
  digitPanel() {
    const which = this.withFocus();
    if (which && which !== "comment") return which;
    return this.open.assess ? "assess" : null;
  }

  /** The entries of a closed panel are listed below the buttons; badges show where digits go. */
  refresh() {
    this.tabs.comment?.classList.toggle("filled", this.remark.value.trim() !== "");
    const lines = /** @type {const} */ ([["assess", "Not assessable"], ["flag", "Flag"]]).flatMap(([which, words]) => {
      const said = this.chosen(which)?.text;
      const note = which === "flag" && this.note.value.trim() ? ` (${beginning(this.note.value)})` : "";
      this.tabs[which]?.classList.toggle("filled", Boolean(said || note));
      return (said || note) && !this.open[which] ? [`${words}: ${said ?? "no kind chosen yet"}${note}`] : [];
    });
    if (!this.open.comment && this.remark.value.trim()) lines.push(`Comment: ${beginning(this.remark.value)}`);
    this.said.textContent = lines.join(" · ");
    this.said.hidden = !lines.length;
    const target = isTyping(this.focused()) ? null : this.digitPanel();
    for (const [which, panel] of Object.entries(this.panels)) panel.classList.toggle("takes-digits", which === target);
  }
}

/** Words as they fit into one line below the buttons. @param {string} words */
function beginning(words) {
  const signs = [...words.trim().replace(/\s+/g, " ")];
  return signs.length > LONGEST_BEGINNING ? `${signs.slice(0, LONGEST_BEGINNING - 1).join("")}…` : signs.join("");
}
