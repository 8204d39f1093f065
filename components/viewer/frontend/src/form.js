/**
 * The form of one item: fields from the payload's description, what depends on what, "not assessable", comment, flag,
 * and the one button. Knows nothing of the network.
 */

import { AnswerKeys } from "./answer_keys.js";
import { freshId, h } from "./dom.js";
import { partsOf } from "./fields/registry.js";
import { isUndetermined } from "./fields/undetermined.js";
import { isTyping } from "./keys.js";
import { Panels } from "./panels.js";

const TYPING_DELAY = 800;

/** The panel of what the server calls wrong, where it is no field. @type {Record<string, import("./panels.js").Which|undefined>} */
const PANELS = { not_assessable: "assess", comment: "comment", flag: "flag" };

/**
 * @typedef {Object} Answers
 * @property {Record<string, any>} fields
 * @property {string|null} not_assessable
 * @property {string} comment
 * @property {{id: string|null, note: string}|null} flag
 */

/** @typedef {import("./fields/registry.js").Field} Field */
/**
 * @typedef {Object} Row
 * @property {Field} field       with the options that are offered now
 * @property {Field} described   with all of them
 * @property {import("./fields/registry.js").FieldParts} parts
 * @property {HTMLElement} slot  holds what the field is answered with
 * @property {HTMLElement} box
 * @property {HTMLElement} error
 * @property {HTMLElement|false} clear
 */

export class Form {
  /**
   * @param {import("../payload.js").FormPayload} description
   * @param {{onChange: (answers: Answers, delay: number) => void, onSubmit: (at: number) => void,
   *          onPanel: () => void,
   *          points: import("./points.js").Points, preview: boolean}} room
   */
  constructor(description, room) {
    this.room = room;
    this.description = description;
    /** @type {Row[]} */
    this.rows = description.fields.map((field) => this.row(field));
    this.panels = new Panels(description, { onChange: (delay) => this.changed(delay), onOpen: () => room.onPanel(), typingDelay: TYPING_DELAY });
    this.answerKeys = new AnswerKeys(this);
    this.problemLine = h("p", { class: "problem-line", role: "alert" });
    this.button = h("button", { type: "button", class: "submit", onclick: ({ timeStamp }) => room.onSubmit(timeStamp) });
    if (room.preview) this.button.append("Preview: nothing is sent");
    this.submitKey = h("kbd", {}, "Enter");
    // What is shown after an answer may have no fields.
    if (!room.preview) this.button.append(description.fields.length ? "Submit" : "Continue", this.submitKey);
    this.fields = h("div", { class: "fields" }, ...this.rows.map((row) => row.box), this.panels.element);
    this.element = h("form", { class: "form", noValidate: true, onsubmit: (event) => event.preventDefault() }, this.fields);
    this.element.addEventListener("pointerdown", ({ target, button }) => button === 0 && this.answerKeys.comeBack(target));
    this.element.addEventListener("focusin", ({ target, relatedTarget }) => this.answerKeys.focusMoves(relatedTarget, target));
    for (const kind of ["focusin", "focusout"]) this.element.addEventListener(kind, () => this.refresh());
    this.foot = h("div", { class: "form-foot" }, this.problemLine, this.button);
    this.setInert(true);
    this.refresh();
  }

  /** @param {Field} field @returns {Row} */
  row(field) {
    const parts = this.partsOf(field);
    const errorId = freshId("problem");
    const error = h("p", { class: "problem", id: errorId });
    const title = [field.label, field.required && h("span", { class: "required", title: "required" }, " *"),
      field.at_most !== undefined && h("span", { class: "limit" }, `at most ${field.at_most}`)];
    const help = field.help && h("p", { class: "help" }, field.help);
    const legendId = freshId("legend");
    const single = parts.single ?? false;
    // A radio button cannot be taken back with the mouse.
    const clear = !field.required && single && h("button", { type: "button", class: "unanswer", "aria-label": `Clear the answer to ${field.label}`,
      onclick: () => {
        row.parts.write(null);
        this.changed(0);
      } }, "Clear");
    const slot = field.options_by ? h("div", {}, parts.body) : parts.body;
    const box = parts.group
      ? h("fieldset", { class: parts.many ? "field many" : "field", "aria-describedby": errorId, role: single ? "radiogroup" : "group", "aria-labelledby": legendId },
          h("legend", { id: legendId }, ...title), help, slot, clear, error)
      : h("div", { class: "field" }, h("label", { for: parts.labelFor, class: "title" }, ...title), help, slot, error);
    if (single && field.required) box.setAttribute("aria-required", "true");
    box.dataset.field = field.key;
    /** @type {Row} */
    const row = { field, described: field, parts, slot, box, error, clear };
    return row;
  }

  /** @param {Field} field @returns {import("./fields/registry.js").FieldParts} */
  partsOf(field) {
    return partsOf(field, {
      onChange: (delay) => {
        // A number is replaced by the first digit alone: those behind it are written after it.
        if (delay && field.type === "number" && this.answerKeys.aimed === field.key) this.answerKeys.aimed = null;
        this.changed(delay);
      },
      typingDelay: TYPING_DELAY,
      points: this.room.points,
      refuse: (sentence) => this.refuse(field.key, sentence),
    });
  }

  /**
   * The options that go with the answers above; null where they depend on none.
   *
   * @param {Field} field
   * @param {Record<string, any>} values
   * @returns {string[]|null} their ids
   */
  offered({ options_by: by }, values) {
    if (!by) return null;
    const chosen = [values[by.field]].flat();
    return by.offered.filter(({ value }) => chosen.includes(value)).flatMap(({ options }) => options);
  }

  /**
   * Draw a field with the options that go with the answers above; what was chosen and is no longer offered is cleared.
   *
   * @param {Row} row
   * @param {Record<string, any>} values
   */
  offer(row, values) {
    const { described, field, parts } = row;
    const ids = this.offered(described, values);
    if (!ids) return;
    const options = described.options.filter(({ id }) => ids.includes(id));
    if (options.length === field.options.length && options.every(({ id }, n) => id === field.options[n].id)) return;
    const before = parts.read();
    row.field = { ...described, options };
    row.parts = this.partsOf(row.field);
    row.slot.replaceChildren(row.parts.body);
    if (before === null) return;
    const fits = isUndetermined(before) ? options.length > 0 : [before].flat().every((id) => ids.includes(id));
    if (fits) row.parts.write(before);
    else {
      this.mention(`“${field.label}” was cleared: its answer does not go with the new one above.`);
    }
  }

  /**
   * Enter or leave "not assessable", comment or flag.
   *
   * @param {import("./panels.js").Which} which
   */
  toggle(which) {
    if (this.inert) return;
    this.panels.call(which);
    this.refresh();
  }

  /** Out of a number that is typed half, or out of the panel that has the focus. @returns {boolean} whether there was one */
  escape() {
    if (this.answerKeys.entry.forget()) return true;
    if (this.inert) return false;
    if (!this.panels.fold()) {
      const { answerKeys, panels } = this;
      const typing = isTyping(panels.focused());
      if (answerKeys.goOn() && !typing) return true;
      answerKeys.pass(answerKeys.focusedRow());
      answerKeys.led = null;
      return false;
    }
    // What was missing in the panel is no longer asked for.
    this.say("");
    this.refresh();
    return true;
  }

  /** @returns {Answers} what is answered so far */
  read() {
    /** @type {Record<string, any>} */
    const fields = {};
    // In the order of the form: what a field depends on comes before it, and a field that is not asked has no answer.
    for (const { field, parts } of this.rows) {
      const value = this.applies(field, fields) ? parts.read() : null;
      if (value !== null) fields[field.key] = value;
    }
    return { fields, ...this.panels.read() };
  }

  /** Draw every field that depends on another one with the options that go with it. */
  offerAll() {
    /** @type {Record<string, any>} */
    const fields = {};
    for (const row of this.rows) {
      this.offer(row, fields);
      const value = this.applies(row.field, fields) ? row.parts.read() : null;
      if (value !== null) fields[row.field.key] = value;
    }
  }

  /** @returns {Answers} everything on the screen, as it was left: also a number that is typed half or wrong */
  draft() {
    const answers = this.read();
    for (const { field, parts } of this.rows) {
      const typed = this.applies(field, answers.fields) ? parts.draft?.() ?? null : null;
      if (typed !== null) answers.fields[field.key] = typed;
    }
    return answers;
  }

  /** @returns {Answers} what is submitted: an item that cannot be assessed carries no answers */
  verdict() {
    const answers = this.read();
    return answers.not_assessable === null ? answers : { ...answers, fields: {} };
  }

  /** @param {Partial<Answers>|null|undefined} answers */
  write(answers) {
    this.answerKeys.entry.forget();
    /** @type {Record<string, any>} */
    const fields = {};
    for (const row of this.rows) {
      this.offer(row, fields);
      row.parts.write(answers?.fields?.[row.field.key] ?? null);
      const value = row.parts.read();
      if (value !== null) fields[row.field.key] = value;
    }
    this.panels.write(answers);
    this.refresh();
    this.answerKeys.noteAsLeft();
  }

  /**
   * Whether a field is asked, given the answers so far.
   *
   * @param {Field} field
   * @param {Record<string, any>} values
   */
  applies(field, values) {
    if (this.offered(field, values)?.length === 0) return false;
    if (!field.depends_on) return true;
    const value = values[field.depends_on.field];
    const wanted = field.depends_on.is;
    return Array.isArray(value) ? value.some((one) => wanted.includes(one)) : wanted.includes(value);
  }

  /** @param {number} delay */
  changed(delay) {
    this.answerKeys.entry.forget();
    this.forgetProblems();
    this.refresh();
    this.answerKeys.note();
    this.room.onChange(this.draft(), delay);
  }

  /** Take sentences away, but for those of fields that still refuse what was typed. */
  forgetProblems() {
    this.problemLine.textContent = "";
    for (const { field, parts, error, box } of this.rows) {
      const refused = parts.refused?.() ?? null;
      error.textContent = refused === null ? "" : `“${field.label}” ${refused}.`;
      box.classList.remove("wrong");
    }
  }

  /** Say at a field why something was not taken. @param {string} key @param {string} sentence */
  refuse(key, sentence) {
    this.forgetProblems();
    this.refresh();
    const row = this.rows.find(({ field }) => field.key === key);
    if (!row) return;
    row.error.textContent = `“${row.field.label}” ${sentence}.`;
    this.say(row.error.textContent, true);
    row.error.scrollIntoView({ block: "nearest" });
  }

  /** Show what is asked now, mark what is chosen, and say which field the digits belong to. */
  refresh() {
    this.offerAll();
    const { fields } = this.read();
    const assessable = !this.panels.setsAside;
    for (const { field, box, clear } of this.rows) {
      box.hidden = !this.applies(field, fields);
      if (clear) clear.hidden = fields[field.key] === undefined;
      box.classList.toggle("set-aside", !assessable);
      box.inert = !assessable;
    }
    this.panels.refresh();
    // In a text area Enter starts a new line.
    this.submitKey.textContent = this.panels.focused() instanceof HTMLTextAreaElement ? "Ctrl Enter" : "Enter";
    this.answerKeys.paint();
  }

  /** Who is to take a key: see `Panels.takes`. @param {KeyboardEvent} event @param {boolean} isDigit */
  takes(event, isDigit) {
    return this.inert ? "room" : this.panels.takes(event, isDigit);
  }

  /**
   * What keeps the form from being submitted, shown at its field, which gets the focus.
   *
   * @returns {boolean} whether it can be submitted
   */
  check() {
    const { panels } = this;
    if (this.answerKeys.entry.typed) {
      this.say("A digit is missing: type the rest of the number, or delete it with Backspace.");
      return false;
    }
    if (!panels.chosen("flag") && (panels.open.flag || panels.note.value.trim())) {
      this.point("flag", panels.note.value.trim() ? "Choose what should be checked, or clear the note." : "Choose what should be checked, or close “Flag”.");
      return false;
    }
    if (panels.setsAside) {
      if (panels.chosen("assess")) return true;
      this.point("not_assessable", "Choose why this cannot be assessed, or close “Not assessable”.");
      return false;
    }
    const { fields } = this.read();
    for (const { field, parts } of this.rows) {
      if (!this.applies(field, fields)) continue;
      const wrong = parts.problem() ?? (field.required && fields[field.key] === undefined ? "still needs an answer" : null);
      if (wrong) {
        this.point(field.key, `“${field.label}” ${wrong}.`);
        return false;
      }
    }
    return true;
  }

  /**
   * @param {string|undefined} key
   * @param {string} sentence
   */
  point(key, sentence) {
    const row = this.rows.find(({ field }) => field.key === key);
    const panel = PANELS[key ?? ""];
    if (!row && panel && this.panels.tabs[panel]) {
      this.panels.setOpen(panel, true);
      this.panels.enter(panel);
    }
    row?.parts.focus();
    // Behind the focus: a text field that loses it counts as changed, which clears a message.
    this.say(sentence, Boolean(row));
    if (!row) return;
    row.error.textContent = sentence;
    row.box.classList.add("wrong");
    row.box.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} sentence @param {boolean} [atField]  it is seen there, and here only read out */
  say(sentence, atField = false) {
    this.problemLine.textContent = sentence;
    this.problemLine.classList.toggle("unseen", atField);
    this.problemLine.classList.remove("mild");
  }

  /** Say what is no mistake. @param {string} sentence */
  mention(sentence) {
    this.say(sentence);
    this.problemLine.classList.add("mild");
  }

  /**
   * Put the focus on a field of a form that asks for words only, unless the reader is elsewhere. On a screen that is touched, a keyboard
   * would come up and cover the question.
   */
  focusOnlyWords() {
    const onlyWords = this.rows.every(({ field, parts }) => field.type === "text" && !parts.abstain);
    if (this.inert || !onlyWords || !matchMedia("(hover: hover)").matches) return;
    const root = /** @type {ShadowRoot} */ (this.element.getRootNode());
    const within = root.activeElement;
    if (!(within ? within.contains(this.element) : document.activeElement?.contains(root.host) ?? true)) return;
    const asked = this.rows.filter(({ box }) => !box.hidden).map(({ box }) => box.querySelector("textarea"));
    // After a pause the words go on where they ended.
    (asked.findLast((words) => words?.value) ?? asked[0])?.focus({ preventScroll: true });
  }

  /** How high the form is with every field that may still be asked, so that none of them needs room when it comes. */
  fullHeight() {
    for (const { box } of this.rows) box.hidden = false;
    const { offsetHeight } = this.element;
    this.refresh();
    return offsetHeight;
  }

  /** @param {boolean} inert */
  setInert(inert) {
    this.inert = inert;
    this.fields.inert = inert;
    this.button.disabled = inert || this.room.preview;
    this.element.classList.toggle("waiting", inert);
  }
}
