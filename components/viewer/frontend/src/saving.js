/** Submitting a verdict, and everything that the server may answer to it or to a draft. */

import { Drafts, stash } from "./drafts.js";
import { clockTime } from "./transport.js";

/** @typedef {import("./transport.js").Refusal} Refusal */
/** @typedef {import("../payload.js").VerdictAnswer} VerdictAnswer */

export class Saving {
  /** @param {import("./room.js").Room} room */
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
    room.block("This item was changed in another tab or window.",
      ["Load the latest version", () => window.location.reload()],
      ["Keep this version", () => room.goOn()]);
  }

  async submit() {
    const { room } = this;
    const { item, form, generation } = room;
    if (!item || !form) return;
    room.beginSending();
    room.screen.draft("Saving …");
    await this.send({
      assignment: item.assignment,
      key: item.key,
      answers: form.verdict(),
      ...room.clock?.times(),
      load_ms: room.loadMs,
      renderer: room.renderers.kind,
      viewport: room.viewport(),
      trace: room.trace?.summary(room.panes.images ? room.panes.view.crosshair : null),
    }, generation);
  }

  /**
   * @param {object} body  the answers, and how they came about
   * @param {number} generation
   */
  async send(body, generation) {
    const { room } = this;
    const { item, screen } = room;
    /** @type {VerdictAnswer} */
    let answer;
    try {
      answer = await room.transport.postUntilAnswered("reading/verdict", body, ({ status }) =>
        generation === room.generation && screen.say(status === 503
          ? "The server cannot save at the moment; trying again. Your answers are kept."
          : "No response from the server yet; trying again. Your answers are kept."));
    } catch (error) {
      const refusal = /** @type {Refusal} */ (error);
      if (generation !== room.generation) return;
      if (refusal.status === 422) this.correct(refusal);
      else this.refused(refusal, () => this.send(body, generation));
      return;
    }
    screen.note(`Saved · receipt ${answer.receipt} · ${clockTime(answer.saved_at)}`);
    if (generation === room.generation) screen.say(null);
    if (generation !== room.generation) {
      if (item) room.finish(item);
    } else if (answer.feedback) room.showFeedback(answer.feedback, answer.next);
    else room.goOver(answer.next);
  }

  /** The server found the answers incomplete: open the form again and say where. @param {Refusal} refusal */
  correct(refusal) {
    const { room } = this;
    room.openAgain();
    room.form?.point(refusal.body.field, refusal.message);
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
    if (refusal.status === 403) return this.shut(refusal);
    if (refusal.status === 404) return this.notOurs();
    const { next } = refusal.body;
    const elsewhere = next && (next.kind !== "item" || next.assignment !== room.item?.assignment || next.phase !== room.item.phase);
    if (refusal.status === 409 && elsewhere) {
      if (room.stage !== "loading") return room.offerNext(refusal.message, () => room.goOver(next));
      // Nothing was answered here yet.
      room.goOver(next);
      room.screen.note(refusal.message);
      return;
    }
    room.screen.draft("Not saved", true);
    room.block(refusal.message, ["Try again", again], ["Reload the page", () => window.location.reload()]);
  }

  /** What is on the screen stays in this tab until it is saved, so that a reload after signing in brings it back. */
  keepHere() {
    const { item, drafts, form } = this.room;
    if (item && form && item.phase !== "preview") stash(item.assignment, drafts?.sequence ?? item.draft.sequence, form.draft());
  }

  /** The study is closed, or whoever reads is no member any more: trying again would change nothing. @param {Refusal} refusal */
  shut(refusal) {
    const { room } = this;
    this.keepHere();
    room.screen.draft("Not saved", true);
    room.block(`${refusal.message} What is on this screen is not saved; it is kept in this tab in case the study is opened again.`,
      ["Reload the page", () => window.location.reload()]);
  }

  /** The login of this browser has no such item: somebody else's, then. */
  notOurs() {
    const { room } = this;
    this.keepHere();
    room.block("This item does not belong to the person who is signed in now in this browser. Your answers are kept in this tab until you sign in again.",
      ["Sign in", room.transport.resolve("sign-in").href],
      ["I have signed in: continue", () => window.location.reload()]);
  }

  signedOut() {
    const { room } = this;
    this.keepHere();
    room.block("You are signed out; your draft is kept in this tab.",
      ["Sign in again", room.transport.resolve("sign-in").href],
      ["I have signed in: continue", () => window.location.reload()]);
  }
}
