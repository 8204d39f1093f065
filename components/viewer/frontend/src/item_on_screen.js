/**
 * One item on the screen, from when it comes until it goes: its form, the time on it, what was looked at, and its drafts. All of it goes
 * at once, so nothing of an item can reach the next one. When what happens is decided by the room.
 */

import { keepAside, keptAside } from "./aside.js";
import { ItemClock } from "./clock.js";
import { unsavedAnswers } from "./drafts.js";
import { Form } from "./form.js";
import { Trace } from "./trace.js";

/** @typedef {import("../payload.js").AnyItemPayload} Item */
/** @typedef {import("./form.js").Answers} Answers */

export class ItemOnScreen {
  /**
   * @param {Item} item
   * @param {object} room
   * @param {(assignment: string, sequence: number) => import("./drafts.js").Drafts} room.drafts  sends what is answered from then on
   * @param {import("./points.js").Points} room.points
   * @param {boolean} room.paused
   * @param {Trace["offsets"]|null} room.offsets  by which the reader linked the panes of the turn before
   * @param {(at: number) => void} room.onSubmit
   * @param {() => void} room.onPanel
   */
  constructor(item, { drafts, points, paused, offsets, onSubmit, onPanel }) {
    this.item = item;
    this.makeDrafts = drafts;
    this.preview = item.phase === "preview";
    const aside = this.preview ? null : keptAside(item);
    const clock = new ItemClock(aside?.time);
    if (paused) clock.pause(true);
    this.clock = clock;
    this.trace = new Trace(item, aside?.seen, () => clock.times().active_ms);
    if (offsets) this.trace.offsets = { ...offsets };
    /** @type {import("./drafts.js").Drafts|null} none before the server knows that the item was shown */
    this.drafts = null;
    this.started = performance.now();
    /** @type {number|null} */
    this.loadMs = null;
    /** @type {Answers|null} that this tab could not save before it was reloaded */
    this.kept = this.preview ? null : unsavedAnswers(item.assignment, item.draft.sequence);
    this.form = new Form(item.form, {
      onChange: (answers, delay) => this.drafts?.change(answers, delay),
      onSubmit,
      points,
      preview: this.preview,
      onPanel,
    });
  }

  /** The form holds what was answered before. */
  fill() {
    this.form.write(this.kept ?? this.item.draft.answers);
  }

  /** Everything of it is on the screen. @returns {number} how long it took, in milliseconds */
  loaded() {
    this.loadMs ??= Math.round(performance.now() - this.started);
    return this.loadMs;
  }

  /** The server knows that it was shown: what is answered is saved, and the time runs. A second time, after its images had failed, its drafts go on. */
  begin() {
    const { assignment, draft } = this.item;
    this.drafts ??= this.makeDrafts(assignment, draft.sequence);
    if (this.kept) this.drafts.change(this.kept, 0);
    this.kept = null;
    this.clock.start();
  }

  /** The server knows that it was shown. */
  get begun() {
    return this.drafts !== null;
  }

  /** @param {boolean} inert  there is nothing to be seen */
  goOn(inert) {
    this.form.setInert(inert);
    if (!inert && !this.clock.running) this.clock.start();
    if (this.drafts?.stopped) this.drafts.insist(this.form.draft());
    this.leadToWords();
  }

  /** After a pause. */
  resume() {
    this.clock.pause(false);
    this.leadToWords();
  }

  /** Where there are no images that keys are for, and only words are asked for, the first letter belongs to them already. */
  leadToWords() {
    if (this.begun && !this.item.images) this.form.focusOnlyWords();
  }

  /** Nothing of it is to be seen. */
  shut() {
    this.clock.stop();
    this.form.setInert(true);
  }

  /**
   * Nothing more is filled in, saved as a draft or timed.
   *
   * @returns {object} the answers, and how they came about
   */
  beginSending() {
    const { item, form, clock, loadMs } = this;
    form.setInert(true);
    this.drafts?.close();
    clock.stop();
    return { assignment: item.assignment, key: item.key, answers: form.verdict(), ...clock.times(), load_ms: loadMs };
  }

  /** What changes is saved as before. */
  openAgain() {
    this.drafts = this.makeDrafts(this.item.assignment, this.drafts?.sequence ?? 0);
    this.drafts.change(this.form.draft(), 0);
    this.clock.start();
  }

  /** What of the answers the server may not have. @returns {{assignment: string, sequence: number, answers: Answers}|null} */
  unsaved() {
    const { item, drafts, form } = this;
    return this.preview ? null : { assignment: item.assignment, sequence: drafts?.sequence ?? item.draft.sequence, answers: form.draft() };
  }

  /** A reload, or an earlier item in between: time and trace go on when it comes back. */
  setAside() {
    if (!this.preview) keepAside(this.item, { time: this.clock.times(), seen: this.trace.kept() });
  }

  /** On the way out: the newest answers are sent, and nothing after them. */
  leave() {
    this.drafts?.leave();
    this.drafts?.close();
  }
}
