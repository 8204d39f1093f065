/**
 * The form of one item: fields from the payload's description, what depends on what, "not assessable", comment, flag,
 * and the one button. Knows nothing of the network.
 */

import { freshId, h } from "./dom.js";
import { FIELD_TYPES } from "./fields/registry.js";

const TYPING_DELAY = 800;

/**
 * @typedef {Object} Answers
 * @property {Record<string, any>} fields
 * @property {any} not_assessable
 * @property {string} comment
 * @property {{id: any, note: string}|null} flag
 */

export class Form {
  /**
   * @param {any} description    payload.form
   * @param {{onChange: (answers: Answers, delay: number) => void, onSubmit: (at: number) => void,
   *          points: import("./points.js").Points, preview: boolean}} room
   */
  constructor(description, room) {
    this.room = room;
    this.description = description;
    /** @type {{field: any, parts: any, box: HTMLElement, error: HTMLElement, clear: HTMLElement|false}[]} */
    this.rows = description.fields.map((field) => this.row(field));
    this.extras = this.makeExtras();
    this.problemLine = h("p", { class: "problem-line", role: "alert" });
    this.button = h("button", { type: "button", class: "submit", onclick: ({ timeStamp }) => room.onSubmit(timeStamp) });
    if (room.preview) this.button.append("Preview: nothing is sent");
    else this.button.append("Submit", h("kbd", {}, "Enter"));
    this.fields = h("div", { class: "fields" }, ...this.rows.map((row) => row.box), this.extras.element);
    this.element = h("form", { class: "form", noValidate: true, onsubmit: (event) => event.preventDefault() }, this.fields);
    this.foot = h("div", { class: "form-foot" }, this.problemLine, this.button);
    /** @type {string|null} */
    this.lastDigit = null;
    this.sticky = /** @type {string|null} */ (null);
    this.setInert(true);
    this.refresh();
  }

  row(field) {
    const make = FIELD_TYPES[field.type];
    if (!make) throw new Error(`The form has a field of an unknown type "${field.type}".`);
    const errorId = freshId("problem");
    const error = h("p", { class: "problem", id: errorId });
    const parts = make(field, {
      onChange: (delay) => this.changed(delay),
      typingDelay: TYPING_DELAY,
      points: this.room.points,
    });
    const title = [field.label, field.required && h("span", { class: "required", title: "required" }, " *")];
    const help = field.help && h("p", { class: "help" }, field.help);
    const legendId = freshId("legend");
    const single = field.type === "yes_no" || field.type === "choice" || field.type === "ordinal";
    // A radio button cannot be taken back with the mouse.
    const clear = !field.required && single && h("button", { type: "button", class: "unanswer", "aria-label": `Take the answer to ${field.label} back`,
      onclick: () => {
        parts.write(null);
        this.changed(0);
      } }, "Clear");
    const box = parts.group
      ? h("fieldset", { class: "field", "aria-describedby": errorId, role: single ? "radiogroup" : "group", "aria-labelledby": legendId },
          h("legend", { id: legendId }, ...title), help, parts.body, clear, error)
      : h("div", { class: "field" }, h("label", { for: parts.labelFor, class: "title" }, ...title), help, parts.body, error);
    if (single && field.required) box.setAttribute("aria-required", "true");
    box.dataset.field = field.key;
    return { field, parts, box, error, clear };
  }

  makeExtras() {
    const { not_assessable: reasons, comment, flags } = this.description;
    const name = freshId("reason");
    const flagName = freshId("flag");
    const radios = (reasons ?? []).map(() => h("input", { type: "radio", name, onchange: () => this.changed(0) }));
    const flagRadios = (flags ?? []).map(() => h("input", { type: "radio", name: flagName, onchange: () => this.changed(0) }));
    const typed = {
      oninput: () => this.changed(TYPING_DELAY),
      onblur: () => this.changed(0),
    };
    const note = h("textarea", { rows: 2, maxLength: 2000, "aria-label": "Note to the flag", ...typed });
    note.setAttribute("placeholder", "Note (optional)");
    const remark = h("textarea", { rows: 2, maxLength: 4000, "aria-label": "Comment", ...typed });

    const panel = (title, ...content) => h("fieldset", { class: "panel", hidden: true }, h("legend", {}, title), ...content);
    const list = (inputs, options) =>
      h("div", { class: "options tight" }, ...inputs.map((input, i) =>
        h("label", { class: "option" }, input, h("span", { class: "words" }, options[i].text))));
    const panels = {
      assess: panel("Why can this not be assessed?", list(radios, reasons ?? [])),
      comment: h("div", { class: "panel", hidden: true }, remark),
      flag: panel("What should be looked at?", list(flagRadios, flags ?? []), note),
    };
    const tab = (which, words, key) =>
      h("button", { type: "button", class: "tab", "aria-expanded": "false", onclick: () => this.toggle(which) },
        words, h("kbd", {}, key));
    const tabs = {
      assess: reasons?.length ? tab("assess", "Not assessable", "N") : null,
      comment: comment ? tab("comment", "Comment", "C") : null,
      flag: flags?.length ? tab("flag", "Flag", "F") : null,
    };
    const element = h("div", { class: "extras" },
      h("div", { class: "tabs" }, tabs.assess, tabs.comment, tabs.flag), panels.assess, panels.comment, panels.flag);
    return { element, tabs, panels, radios, flagRadios, note, remark, open: { assess: false, comment: false, flag: false } };
  }

  /**
   * Open or close "not assessable", comment or flag; closing takes back what was said there, except the comment.
   *
   * @param {"assess"|"comment"|"flag"} which
   */
  toggle(which) {
    const { extras } = this;
    if (!extras.tabs[which] || this.inert) return;
    const open = !extras.open[which];
    this.setOpen(which, open);
    if (open) {
      const first = { assess: extras.radios[0], comment: extras.remark, flag: extras.flagRadios[0] }[which];
      first?.focus();
    } else {
      if (which === "assess") extras.radios.forEach((radio) => (radio.checked = false));
      if (which === "flag") {
        extras.flagRadios.forEach((radio) => (radio.checked = false));
        extras.note.value = "";
      }
      this.changed(0);
    }
    this.refresh();
  }

  setOpen(which, open) {
    this.extras.open[which] = open;
    this.extras.panels[which].hidden = !open;
    this.extras.tabs[which]?.setAttribute("aria-expanded", String(open));
  }

  /** @returns {Answers} everything on the screen, for the draft */
  read() {
    const { extras } = this;
    /** @type {Record<string, any>} */
    const fields = {};
    // In the order of the form: what a field depends on stands before it, and an unasked field answers nothing.
    for (const { field, parts } of this.rows) {
      const value = this.applies(field, fields) ? parts.read() : null;
      if (value !== null) fields[field.key] = value;
    }
    const flagIndex = extras.flagRadios.findIndex((radio) => radio.checked);
    const reasonIndex = extras.radios.findIndex((radio) => radio.checked);
    return {
      fields,
      not_assessable: reasonIndex < 0 ? null : this.description.not_assessable[reasonIndex].id,
      comment: extras.remark.value,
      flag: flagIndex < 0 ? null : { id: this.description.flags[flagIndex].id, note: extras.note.value },
    };
  }

  /** @returns {Answers} what is submitted: an item that cannot be assessed carries no answers */
  verdict() {
    const answers = this.read();
    return answers.not_assessable === null ? answers : { ...answers, fields: {} };
  }

  /** @param {Partial<Answers>|null|undefined} answers */
  write(answers) {
    const { extras } = this;
    for (const { field, parts } of this.rows) parts.write(answers?.fields?.[field.key] ?? null);
    const reasons = this.description.not_assessable ?? [];
    extras.radios.forEach((radio, i) => (radio.checked = (answers?.not_assessable ?? null) === reasons[i].id));
    extras.flagRadios.forEach((radio, i) => (radio.checked = answers?.flag?.id === this.description.flags[i].id));
    extras.note.value = answers?.flag?.note ?? "";
    extras.remark.value = answers?.comment ?? "";
    this.setOpen("assess", extras.radios.some((radio) => radio.checked));
    this.setOpen("flag", extras.flagRadios.some((radio) => radio.checked));
    this.setOpen("comment", extras.remark.value !== "");
    this.refresh();
  }

  /**
   * Whether a field is asked, given the answers so far.
   *
   * @param {any} field
   * @param {Record<string, any>} values
   */
  applies(field, values) {
    if (!field.depends_on) return true;
    const value = values[field.depends_on.field];
    const wanted = field.depends_on.is;
    return Array.isArray(value) ? value.some((one) => wanted.includes(one)) : wanted.includes(value);
  }

  changed(delay) {
    this.refresh();
    this.problemLine.textContent = "";
    for (const { error, box } of this.rows) {
      error.textContent = "";
      box.classList.remove("wrong");
    }
    this.room.onChange(this.read(), delay);
  }

  /** Show what is asked now, mark what is chosen, and say which field the digits belong to. */
  refresh() {
    const { fields } = this.read();
    const assessable = !this.extras.open.assess;
    for (const { field, box, clear } of this.rows) {
      box.hidden = !this.applies(field, fields);
      if (clear) clear.hidden = fields[field.key] === undefined;
      box.classList.toggle("set-aside", !assessable);
      /** @type {any} */ (box).inert = !assessable;
    }
    this.extras.tabs.comment?.classList.toggle("filled", this.extras.remark.value.trim() !== "");
    const target = this.digitRow();
    for (const row of this.rows) row.box.classList.toggle("takes-digits", row === target);
  }

  /** The field that plain digits belong to: the first choice-like one without an answer. */
  digitRow() {
    if (this.extras.open.assess) return null;
    const { fields } = this.read();
    const asked = this.rows.filter(({ field, parts }) => parts.digit && this.applies(field, fields));
    const stay = asked.find(({ field }) => field.key === this.sticky);
    return stay ?? asked.find(({ field }) => fields[field.key] === undefined) ?? null;
  }

  /**
   * @param {number} n
   * @returns {boolean} whether an answer was chosen
   */
  digit(n) {
    if (this.inert) return false;
    if (this.extras.open.assess) return this.reason(n);
    if (n === 0) {
      this.sticky = null;
      this.refresh();
      return true;
    }
    const row = this.digitRow();
    if (!row) return false;
    this.lastDigit = row.field.key;
    // A field that takes several digits keeps them until 0 is pressed.
    this.sticky = row.parts.many ? row.field.key : null;
    return row.parts.digit(n);
  }

  reason(n) {
    const radio = this.extras.radios[n - 1];
    if (!radio) return false;
    radio.checked = true;
    this.changed(0);
    return true;
  }

  /** Take back the answer that the last digit chose, so that the next digit can choose another. */
  takeBack() {
    const row = this.rows.find(({ field }) => field.key === this.lastDigit);
    if (!row || this.inert) return false;
    row.parts.write(null);
    this.sticky = null;
    this.changed(0);
    return true;
  }

  /** Put the focus on the first field without an answer, or on the first of all. */
  goToNext() {
    const { fields } = this.read();
    const asked = this.rows.filter(({ field }) => this.applies(field, fields));
    if (this.inert || !asked.length || this.extras.open.assess) return false;
    (asked.find(({ field }) => fields[field.key] === undefined) ?? asked[0]).parts.focus();
    return true;
  }

  takePoint() {
    const { fields } = this.read();
    const rows = this.rows.filter(({ field, parts }) => parts.takePoint && this.applies(field, fields));
    const row = rows.find(({ field }) => fields[field.key] === undefined) ?? rows[0];
    if (!row || this.inert) return false;
    row.parts.takePoint();
    return true;
  }

  /**
   * What keeps the form from being submitted, shown at its field, which gets the focus.
   *
   * @returns {boolean} whether it can be submitted
   */
  check() {
    const { flagRadios, open } = this.extras;
    if (open.flag && !flagRadios.some((radio) => radio.checked)) {
      this.point("flag", "Choose what should be looked at, or close “Flag”.");
      return false;
    }
    if (this.extras.open.assess) {
      if (this.read().not_assessable !== null) return true;
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
    this.say(sentence);
    const extra = { not_assessable: "assess", comment: "comment", flag: "flag" }[key ?? ""];
    if (!row && extra && this.extras.tabs[extra]) {
      this.setOpen(extra, true);
      this.extras.panels[extra].querySelector("input, textarea")?.focus();
    }
    if (!row) return;
    row.error.textContent = sentence;
    row.box.classList.add("wrong");
    row.parts.focus();
    row.box.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} sentence */
  say(sentence) {
    this.problemLine.textContent = sentence;
  }

  /** @param {boolean} inert */
  setInert(inert) {
    this.inert = inert;
    /** @type {any} */ (this.fields).inert = inert;
    this.button.disabled = inert || this.room.preview;
    this.element.classList.toggle("waiting", inert);
  }
}
