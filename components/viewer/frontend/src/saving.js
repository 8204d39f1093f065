/** Saying that an item was shown, submitting its verdict, and everything that the server may answer to it or to a draft. */

import { Drafts, stash } from "./drafts.js";
import { clockTime } from "./transport.js";

/** @typedef {import("./transport.js").Refusal} Refusal */
/** @typedef {import("../payload.js").VerdictAnswer} VerdictAnswer */
/** @typedef {import("../payload.js").Payload} Payload */

/**
 * What saving needs of the room, and says to it.
 *
 * @typedef {object} Surroundings
 * @property {import("./transport.js").Transport} transport
 * @property {() => import("./stages.js").Now} now
 * @property {Pick<import("./screen.js").Screen, "draft"|"say"|"note">} screen
 * @property {() => {assignment: string, sequence: number, answers: import("./form.js").Answers}|null} unsaved  null where nothing is kept
 * @property {() => object|null} beginSending  shuts the form; what is sent then, or null where there is nothing
 * @property {() => void} goOn  the form is open again
 * @property {(field: string|undefined, message: string) => void} openAgain  and says at the field what it lacks
 * @property {(sentence: string, ...ways: import("./screen.js").Way[]) => void} block
 * @property {(sentence: string, goOn: () => void) => void} offerNext
 * @property {(item: import("./stages.js").Item) => void} finish
 * @property {(feedback: import("../payload.js").FeedbackPayload, next: Payload|null) => void} showFeedback
 * @property {(next: Payload|null) => void} goOver
 */

export class Saving {
  /** @param {Surroundings} room */
  constructor(room) {
    this.room = room;
  }

  /**
   * What of the answers is saved while they are given.
   *
   * @param {string} assignment
   * @param {number} sequence  of the newest draft the server has
   */
  drafts(assignment, sequence) {
    return new Drafts(this.room.transport, assignment, sequence, {
      onState: (text, unsaved) => this.room.screen.draft(text, unsaved),
      onConflict: (refusal) => this.conflict(refusal),
      onSignedOut: () => this.signedOut(),
    });
  }

  /** @param {Refusal} refusal  of a draft: it is older than the server's, or the item is closed */
  conflict(refusal) {
    const { room } = this;
    if (refusal.body.sequence === undefined) return this.refused(refusal, () => room.goOn());
    this.notSaved();
    room.block("This item was changed in another tab or window.",
      ["Load the latest version", () => window.location.reload()],
      ["Keep this version", () => room.goOn()]);
  }

  /**
   * Tell the server that all of an item is on the screen: before it knows, nothing is answered.
   *
   * @param {object} body
   * @param {number} generation
   * @param {() => void} again
   * @returns {Promise<boolean>} whether it knows, and the item is still on the screen
   */
  async shown(body, generation, again) {
    const { transport, now, screen } = this.room;
    try {
      await transport.postUntilAnswered("reading/shown", body, () =>
        generation === now().generation && screen.say("The server is not responding yet; trying again. Nothing is lost."));
    } catch (error) {
      if (generation === now().generation) this.refused(/** @type {Refusal} */ (error), again);
      return false;
    }
    return generation === now().generation;
  }

  async submit() {
    const { room } = this;
    const body = room.beginSending();
    if (!body) return;
    room.screen.draft("Saving …");
    await this.send(body, room.now().generation);
  }

  /**
   * @param {object} body  the answers, and how they came about
   * @param {number} generation
   */
  async send(body, generation) {
    const { room } = this;
    const { screen, now } = room;
    const { item } = now();
    /** @type {VerdictAnswer} */
    let answer;
    try {
      answer = await room.transport.postUntilAnswered("reading/verdict", body, ({ status }) =>
        generation === now().generation && screen.say(status === 503
          ? "The server cannot save at the moment; trying again. Your answers are kept."
          : "No response from the server yet; trying again. Your answers are kept."));
    } catch (error) {
      const refusal = /** @type {Refusal} */ (error);
      if (generation !== now().generation) return;
      if (refusal.status === 422) this.correct(refusal);
      else this.refused(refusal, () => this.send(body, generation));
      return;
    }
    screen.note(`Saved · receipt ${answer.receipt} · ${clockTime(answer.saved_at)}`);
    if (generation === now().generation) screen.say(null);
    if (generation !== now().generation) {
      if (item) room.finish(item);
    } else if (answer.feedback) room.showFeedback(answer.feedback, answer.next);
    else room.goOver(answer.next);
  }

  /** The server found the answers incomplete: open the form again and say where. @param {Refusal} refusal */
  correct(refusal) {
    this.room.openAgain(refusal.body.field, refusal.message);
  }

  /**
   * An answer of the server that will not change by itself.
   *
   * @param {Refusal} refusal
   * @param {() => void} again
   */
  refused(refusal, again) {
    const { room } = this;
    if (refusal.status === 401) return this.signedOut();
    if (refusal.body.instructions) return this.toTheInstructions();
    if (refusal.status === 403) return this.shut(refusal);
    if (refusal.status === 404) return this.notOurs();
    const { item, stage } = room.now();
    const { next } = refusal.body;
    const elsewhere = next && (next.kind !== "item" || next.assignment !== item?.assignment || next.phase !== item.phase);
    if (refusal.status === 409 && elsewhere) {
      if (stage !== "loading") {
        room.screen.draft("Not saved", true);
        room.offerNext(refusal.message, () => room.goOver(next));
        return;
      }
      // Nothing was answered here yet.
      room.goOver(next);
      room.screen.note(refusal.message);
      return;
    }
    room.screen.draft("Not saved", true);
    /** @type {import("./screen.js").Way[]} */
    const ways = [["Try again", again], ["Reload the page", () => window.location.reload()]];
    // What the record has moved past stays so, however often it is asked.
    room.block(refusal.message, ...ways.slice(refusal.status === 409 ? 1 : 0));
  }

  /** What is on the screen stays in this tab until it is saved, so that a reload after signing in restores it. */
  keepHere() {
    const unsaved = this.room.unsaved();
    if (unsaved) stash(unsaved.assignment, unsaved.sequence, unsaved.answers);
  }

  /** The instructions of this part were not acknowledged as they are now: the page shows them before it shows this item again. */
  toTheInstructions() {
    this.keepHere();
    window.location.reload();
  }

  /** The study is closed, or the reader is no longer a member: trying again would not help. @param {Refusal} refusal */
  shut(refusal) {
    const { room } = this;
    this.keepHere();
    room.screen.draft("Not saved", true);
    room.block(`${refusal.message} What is on this screen is not saved; it is kept in this tab in case the study is opened again.`,
      ["Reload the page", () => window.location.reload()]);
  }

  /** The login of this browser has no such item, or has it no longer: the server does not say which. */
  notOurs() {
    const { room } = this;
    this.keepHere();
    room.screen.draft("Not saved", true);
    room.block("This item is not one of yours, or no longer: somebody else has signed in in this browser, or you were removed from the study. What is on this screen is not saved; it is kept in this tab.",
      ["Reload the page", () => window.location.reload()],
      ["Sign in again", room.transport.resolve("sign-in").href]);
  }

  /** Nothing more is under way: the line must not go on saying that something is being saved. */
  notSaved() {
    if (this.room.unsaved()) this.room.screen.draft("Not saved", true);
  }

  signedOut() {
    const { room } = this;
    this.keepHere();
    this.notSaved();
    room.block("You are signed out; your draft is kept in this tab.",
      ["Sign in again", room.transport.resolve("sign-in").href],
      ["I have signed in: continue", () => window.location.reload()]);
  }
}
