/** What keys do to the answers of a form: whose a digit is, and what A, Shift N and Backspace act on. */

import { DigitEntry } from "./digits.js";
import { choicesOf, isUndetermined } from "./fields/undetermined.js";
import { isTyping } from "./keys.js";

/** @typedef {import("./form.js").Row} Row */

export class AnswerKeys {
  /** @param {import("./form.js").Form} form */
  constructor(form) {
    this.form = form;
    this.entry = new DigitEntry();
    /** @type {Row|null} the row that digits belong to, as it was painted last */
    this.painted = null;
    /** @type {string|null} key of an answered field that A has gone to: the next digit replaces its answer */
    this.aimed = null;
    /** @type {string|null} key of the field that A has led to, answered or not, until the reader leaves it or answers anything */
    this.led = null;
    /** @type {string|null} key of the field behind which A goes on, until anything is answered */
    this.walked = null;
    /** @type {string|null} key of a field for several answers that digits have begun to answer */
    this.sticky = null;
    /** @type {Set<string>} keys of optional fields that the reader has left without an answer: no digit goes back to them by itself */
    this.passed = new Set();
    /** @type {Map<string, string>} what each field held when it was last noted */
    this.noted = new Map();
    /** @type {{key: string, added: string|null}[]} what Backspace takes back, the last at the end: whose answer, and which of several */
    this.answered = [];
  }

  /** The rows that are asked now, in their order. @param {Record<string, any>} values  what is answered so far */
  asked(values) {
    return this.form.rows.filter(({ field }) => this.form.applies(field, values));
  }

  /** Say which field the digits belong to. */
  paint() {
    const { rows, panels } = this.form;
    // What is typed into a text field stays there, even where digits could choose something else.
    const target = isTyping(panels.focused()) || panels.digitPanel() ? null : this.row();
    const next = this.next();
    for (const row of rows) {
      row.box.classList.toggle("next", row === next);
      // Digits must not go to a field that is out of sight.
      if (row === target && this.painted && this.painted !== row) row.box.scrollIntoView({ block: "nearest" });
      row.box.classList.toggle("takes-digits", row === target);
    }
    // While something is being typed there is none; what takes the digits afterwards may be further down.
    this.painted = target ?? this.painted;
    // A number begun for other choices must not be completed by a digit meant for these.
    if (this.entry.box && this.entry.box !== this.box()) this.entry.forget();
  }

  /**
   * The field that plain digits belong to: one that A has gone to, the one with the focus, else the first that takes digits and was not
   * passed; all but the first without an answer. A number that is still to be typed, or cannot be read, comes before whatever is
   * behind it.
   */
  row() {
    const { form } = this;
    if (form.panels.setsAside) return null;
    const { fields } = form.read();
    const asked = this.asked(fields).filter(({ parts }) => parts.digit || parts.typed);
    const left = asked.filter(({ field }) => fields[field.key] === undefined && !this.passed.has(field.key));
    const focused = form.panels.focused();
    return asked.find(({ field }) => field.key === this.aimed) ?? asked.find(({ field }) => field.key === this.sticky)
      ?? left.find(({ box }) => box.contains(focused)) ?? left[0] ?? null;
  }

  /**
   * Leave an optional field without an answer.
   *
   * @param {Row|null|undefined} row
   * @returns {boolean} whether it was one
   */
  pass(row) {
    if (!row || row.field.required || given(row.parts) !== null || (row.parts.refused?.() ?? null) !== null) return false;
    this.passed.add(row.field.key);
    if (this.sticky === row.field.key) this.sticky = null;
    return true;
  }

  /** Come back to a field that was passed. @param {EventTarget|null} target  of a click, or what has the focus now */
  comeBack(target) {
    const row = this.rowOf(target);
    this.leave(row);
    this.walked = null;
    if (row) this.passed.delete(row.field.key);
    this.paint();
  }

  /** Forget where A, or the digits of a field for several answers, have led, but for the field that is entered now. @param {Row|null} entered */
  leave(entered) {
    const key = entered?.field.key ?? null;
    if (this.led !== key) this.led = null;
    if (this.aimed !== key) this.aimed = null;
    if (this.sticky !== key) this.sticky = null;
  }

  /**
   * The focus goes from one field to another: an empty optional one above is passed, and the other comes back. A focus that a window had
   * in between does not count.
   *
   * @param {EventTarget|null} from
   * @param {EventTarget|null} to
   */
  focusMoves(from, to) {
    const { rows } = this.form;
    const [left, entered] = [this.rowOf(from), this.rowOf(to)];
    if (entered) this.leave(entered);
    if (!left || !entered || left === entered) return;
    if (rows.indexOf(left) < rows.indexOf(entered)) this.pass(left);
    this.passed.delete(entered.field.key);
  }

  /** @param {EventTarget|null} target @returns {Row|null} the row that it is in */
  rowOf(target) {
    return this.form.rows.find(({ box }) => target instanceof Node && box.contains(target)) ?? null;
  }

  /** Pass every optional field above one that was answered: a reader who answers a lower field has skipped them. @param {string} key */
  passAbove(key) {
    const asked = this.asked(this.form.read().fields);
    for (const row of asked.slice(0, Math.max(0, asked.findIndex(({ field }) => field.key === key)))) this.pass(row);
  }

  /** The field in which something is typed, or that has the focus. */
  focusedRow() {
    return this.rowOf(this.form.panels.focused());
  }

  box() {
    const { panels } = this.form;
    const panel = panels.digitPanel();
    return panel ? panels.panels[panel] : this.row()?.box ?? null;
  }

  /**
   * @param {number} digit
   * @returns {boolean} whether it was taken
   */
  digit(digit) {
    const { form } = this;
    const { panels } = form;
    if (form.inert) return false;
    const panel = panels.digitPanel();
    if (panel) return this.choose(panels.panels[panel], panels.radios[panel].length, digit, (n) => {
      const radio = panels.radios[panel][n - 1];
      radio.checked = true;
      panels.chose(panel, radio);
      form.changed(0);
    });
    const row = this.row();
    if (!row) return false;
    if (row.parts.typed) return this.begin(String(digit));
    return this.choose(row.box, choicesOf(row.field), digit, (n) => {
      this.aimed = null;
      // A field that takes several answers keeps the digits until 0 is pressed.
      this.sticky = row.parts.many && n <= row.field.options.length ? row.field.key : null;
      row.parts.digit?.(n);
      const focused = panels.focused();
      // The focus marks where an arrow key goes on, and must not stay on a button of another field, which Enter would press.
      if (row.parts.single && row.box.contains(focused)) row.parts.focus();
      else if (focused instanceof HTMLElement && ![row, null].includes(this.rowOf(focused))) focused.blur();
    });
  }

  /** Whether the next digit begins a number. */
  awaitsNumber() {
    const { inert, panels } = this.form;
    return !inert && !panels.digitPanel() && Boolean(this.row()?.parts.typed);
  }

  /** A key came that no number has, into the number with the focus or into the one that is to be typed. @param {KeyboardEvent} event @param {boolean} idle */
  strayed({ key, code }, idle) {
    const { form } = this;
    const focused = form.panels.focused();
    const row = isTyping(focused) ? form.rows.find(({ box }) => box.contains(focused)) : this.row();
    row?.parts.strayed?.(key, idle, /^Digit\d$/.test(code));
  }

  /**
   * Begin a number, where a digit would begin one.
   *
   * @param {string} beginning  a digit, or what may come before the first one
   * @returns {boolean} whether it was taken
   */
  begin(beginning) {
    const { inert, panels } = this.form;
    const row = inert || panels.digitPanel() ? null : this.row();
    if (!row?.parts.typed) return false;
    return row.parts.typed(beginning, row.field.key === this.aimed);
  }

  /**
   * @param {HTMLElement} box
   * @param {number} count
   * @param {number} digit
   * @param {(n: number) => void} choose  called with the number once it is complete
   * @returns {boolean}
   */
  choose(box, count, digit, choose) {
    const n = this.entry.take({ box, count }, digit);
    if (Number.isNaN(n)) return false;
    if (n === 0) {
      this.sticky = null;
      this.pass(this.form.rows.find((row) => row.box === box));
      this.form.refresh();
    } else if (n !== null) choose(n);
    return true;
  }

  /**
   * Note what is filled in. What was answered since then, by any key or click, Backspace takes back first: of several
   * answers the last one, and nothing that only comes into sight again.
   */
  note() {
    const { form } = this;
    const asked = this.asked(form.read().fields);
    let changed = false;
    this.answered = this.answered.filter(({ key }) => asked.some(({ field }) => field.key === key));
    for (const { field: { key }, parts } of asked) {
      const stands = given(parts);
      const before = JSON.parse(this.noted.get(key) ?? "null");
      if (JSON.stringify(stands) === JSON.stringify(before)) continue;
      this.noted.set(key, JSON.stringify(stands));
      changed = true;
      this.passed.delete(key);
      if (stands !== null) this.passAbove(key);
      const said = takenBack(parts);
      // A point is a list, too, and one answer.
      const several = parts.many && Array.isArray(said);
      this.answered = this.answered.filter((other) => other.key !== key || (several && said.includes(other.added)));
      if (several) for (const added of said.filter((id) => !(Array.isArray(before) && before.includes(id)))) this.answered.push({ key, added });
      else if (said !== null) this.answered.push({ key, added: null });
    }
    if (!changed) return;
    // An answer, even by a click, ends the detour that A began.
    this.aimed = this.led = this.walked = null;
    this.paint();
  }

  /** Begin with a form as it was left: nothing of it was answered by the last key. */
  noteAsLeft() {
    this.passed.clear();
    this.noted.clear();
    this.note();
    this.answered = [];
  }

  /** Take back the answer that was given last, so that the next digit can give another; again: the one before. */
  takeBack() {
    const { form } = this;
    if (this.entry.forget()) return true;
    if (form.inert) return false;
    if (form.panels.takeBack()) return true;
    if (this.goOn()) return true;
    const last = this.lastAnswer();
    const row = form.rows.find(({ field }) => field.key === last?.key);
    if (!last || !row) return false;
    const left = last.added === null ? [] : row.parts.read().filter((/** @type {string} */ id) => id !== last.added);
    row.parts.write(left.length ? left : null);
    form.changed(0);
    // The next digit replaces its answer, wherever the focus is; of several answers the next one belongs to the same field.
    this.aimed = left.length ? null : last.key;
    this.sticky = left.length ? last.key : null;
    this.paint();
    return true;
  }

  /** What Backspace takes back: of the field that A has gone to, else what was answered last. */
  lastAnswer() {
    const aimed = this.form.rows.find(({ field, parts }) => field.key === this.aimed && takenBack(parts) !== null);
    if (!aimed) return this.answered.at(-1) ?? null;
    const own = this.answered.findLast(({ key }) => key === this.aimed);
    // Of several answers, those from an earlier sitting stay.
    return own ?? (aimed.parts.many ? null : { key: aimed.field.key, added: null });
  }

  /**
   * Take digits again in every number that refuses them; while something is typed in a field, in that one alone.
   *
   * @returns {boolean} whether one did
   */
  goOn() {
    const focused = this.form.panels.focused();
    const rows = this.asked(this.form.read().fields).filter(({ box }) => !isTyping(focused) || box.contains(focused));
    return rows.map(({ parts }) => parts.goOn?.() ?? false).some(Boolean);
  }

  /**
   * Set a point: that of the field which A has led to, else of the one with the focus or the first of those without one, passed ones
   * last. Where all have one, and neither leads to a field, there must be one alone.
   */
  takePoint() {
    const { form } = this;
    const { fields } = form.read();
    const rows = this.asked(fields).filter(({ parts }) => parts.takePoint);
    if (form.inert || form.panels.setsAside || !rows.length) return false;
    const left = rows.filter(({ field }) => fields[field.key] === undefined);
    const focused = this.focusedRow();
    const row = rows.find(({ field }) => field.key === this.led) ?? left.find((other) => other === focused)
      ?? left.find(({ field }) => !this.passed.has(field.key)) ?? left[0]
      ?? rows.find((other) => other === focused) ?? (rows.length === 1 ? rows[0] : null);
    if (row) row.parts.takePoint?.();
    else form.mention("Every point is set. To set one again, go to it with A or Tab, then press P.");
    return true;
  }

  /** The row that A leads to: the first that is neither answered nor passed; where there is none, the one behind that which it has led to. */
  next() {
    const { form } = this;
    if (form.panels.setsAside) return null;
    const { fields } = form.read();
    const asked = this.asked(fields);
    const left = asked.find(({ field }) => fields[field.key] === undefined && !this.passed.has(field.key));
    const here = this.walked ?? this.focusedRow()?.field.key;
    return left ?? asked[(asked.findIndex(({ field }) => field.key === here) + 1) % asked.length] ?? null;
  }

  /**
   * Put the focus on the first field that is neither answered nor passed, and pass an optional one that it is on; where there is none,
   * on one after the other, whose answer a digit replaces.
   */
  goToNext() {
    const { form } = this;
    if (form.inert) return false;
    this.pass(this.focusedRow());
    const next = this.next();
    if (form.inert || !next) return false;
    next.parts.focus();
    this.aimed = form.read().fields[next.field.key] === undefined ? null : next.field.key;
    this.sticky = null;
    this.led = this.walked = next.field.key;
    this.passed.delete(next.field.key);
    const focused = form.panels.focused();
    if (this.aimed && next.parts.typed && focused instanceof HTMLInputElement && isTyping(focused)) focused.select();
    form.refresh();
    return true;
  }

  /** Say of the field with the focus, or of the first without an answer, that it cannot be determined; again: take it back. */
  abstain() {
    const { form } = this;
    const { fields } = form.read();
    const asked = this.asked(fields);
    const focused = form.panels.focused();
    const row = asked.find(({ box }) => box.contains(focused)) ?? asked.find(({ field }) => field.key === this.aimed)
      ?? asked.find(({ field }) => fields[field.key] === undefined && !this.passed.has(field.key));
    if (form.inert || form.panels.setsAside || !row?.parts.abstain) return false;
    this.sticky = null;
    if (row.parts.typed && row.parts.problem() !== null && !row.box.contains(focused)) {
      row.parts.focus();
      return true;
    }
    const done = row.parts.abstain();
    // Leave the box in which a number is typed: the next digit is for another question.
    if (row.parts.typed && row.box.contains(focused)) row.parts.focus();
    return done;
  }
}

/** What a field holds, including a half-typed number. @param {import("./fields/registry.js").FieldParts} parts */
const given = (parts) => parts.read() ?? parts.draft?.() ?? null;

/**
 * What Backspace can take back of a field: choices, a number as far as it is typed, a point, that it cannot be determined. Words are
 * changed where they stand.
 *
 * @param {import("./fields/registry.js").FieldParts} parts
 */
function takenBack(parts) {
  const value = given(parts);
  return parts.digit || parts.typed || parts.takePoint || isUndetermined(value) ? value : null;
}
