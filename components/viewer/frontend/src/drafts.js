/**
 * Keeps the draft of one item on the server: one request at a time, the newest answers only, an increasing sequence,
 * repeated until the server has acknowledged it.
 */

import { Refusal, clockTime, waitOnline } from "./transport.js";

/** @typedef {import("./transport.js").Transport} Transport */
/** @typedef {import("./form.js").Answers} Answers */

const WAITS = [1000, 2000, 4000, 8000, 15_000];
const STASH = "blindread.unsaved";

/** @param {string} assignment */
const stashOf = (assignment) => `${STASH} ${assignment}`;

export class Drafts {
  /**
   * @param {Transport} transport
   * @param {string} assignment
   * @param {number} sequence     of the newest draft the server has
   * @param {{onState: (text: string, unsaved: boolean) => void, onConflict: (refusal: Refusal) => void, onSignedOut: () => void}} report
   */
  constructor(transport, assignment, sequence, report) {
    this.transport = transport;
    this.assignment = assignment;
    this.sequence = sequence;
    this.report = report;
    /** @type {Answers|null} */
    this.waiting = null;
    this.timer = 0;
    this.sending = false;
    this.closed = false;
    this.stopped = false;
    this.closing = new AbortController();
  }

  /**
   * @param {Answers} answers
   * @param {number} delay  milliseconds in which a further change may still replace this one
   */
  change(answers, delay) {
    if (this.closed) return;
    const first = this.waiting === null;
    this.waiting = answers;
    stash(this.assignment, this.sequence, answers);
    // Continued typing must not postpone saving forever: the first unsaved change sets the timer.
    if (delay > 0 && !first && this.timer) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.flush(), delay);
  }

  /** Send what is waiting now. */
  async flush() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.sending || this.stopped) return;
    this.sending = true;
    for (let attempt = 0; this.waiting !== null && !this.closed && !this.stopped; ) {
      const answers = this.waiting;
      this.waiting = null;
      this.sequence += 1;
      try {
        const draft = { assignment: this.assignment, sequence: this.sequence, answers };
        /** @type {import("../payload.js").DraftAnswer} */
        const saved = await this.transport.post("reading/draft", draft, this.closing.signal);
        attempt = 0;
        if (this.waiting === null) unstash(this.assignment);
        if (!this.closed) this.report.onState(`Draft saved ${clockTime(saved.saved_at)}`, false);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        this.waiting ??= answers;
        if (this.closed) break;
        if (error.status === 409 || error.status === 404) {
          this.stopped = true;
          this.newest = Math.max(this.sequence, error.body.sequence ?? 0);
          this.report.onConflict(error);
        } else if (error.status === 401) {
          this.stopped = true;
          this.report.onSignedOut();
        } else if (error.passing) {
          this.report.onState("Not saved yet, retrying", true);
          await waitOnline(WAITS[Math.min(attempt, WAITS.length - 1)]);
          attempt += 1;
        } else {
          this.waiting = null;
          this.report.onState(`Draft not saved: ${error.message}`, true);
        }
      }
    }
    this.sending = false;
  }

  /** After a conflict: the answers on this screen are the ones that count. @param {Answers} answers */
  insist(answers) {
    this.sequence = this.newest ?? this.sequence;
    this.stopped = false;
    this.waiting = answers;
    return this.flush();
  }

  /** On the way out of the page: the newest answers, without waiting for the acknowledgement. */
  leave() {
    if (this.waiting === null || this.closed || this.stopped) return;
    this.sequence += 1;
    this.transport.leave("reading/draft", {
      assignment: this.assignment,
      sequence: this.sequence,
      answers: this.waiting,
    });
  }

  /** The verdict is being sent, or the item has left the screen: nothing more is sent. */
  close() {
    clearTimeout(this.timer);
    this.closed = true;
    this.closing.abort();
  }
}

/**
 * Keep answers in this tab until the server has acknowledged them.
 *
 * @param {string} assignment
 * @param {number} sequence  of the newest draft that was sent
 * @param {Answers} answers
 */
export function stash(assignment, sequence, answers) {
  try {
    sessionStorage.setItem(stashOf(assignment), JSON.stringify({ sequence: sequence + 1, answers }));
  } catch {
    // Storage can be switched off; the server's draft is the one that counts.
  }
}

/**
 * Answers that this tab could not save before it was reloaded, if they are newer than what the server has.
 *
 * @param {string} assignment
 * @param {number} sequence  of the draft the server sent
 * @returns {Answers|null}
 */
export function unsavedAnswers(assignment, sequence) {
  try {
    const entry = JSON.parse(sessionStorage.getItem(stashOf(assignment)) ?? "null");
    if (entry?.sequence > sequence) return entry.answers;
    unstash(assignment);
  } catch {
    // See above.
  }
  return null;
}

/** @param {string} assignment */
export function unstash(assignment) {
  try {
    sessionStorage.removeItem(stashOf(assignment));
  } catch {
    // See above.
  }
}
