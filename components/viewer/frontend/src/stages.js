/**
 * Where the item on the screen is on its way, and what may follow. Only the room takes a step; one that is not in the table is a mistake
 * in the program and ends in an error, not in a verdict.
 */

/** @typedef {import("../payload.js").Payload} Payload */
/** @typedef {import("../payload.js").AnyItemPayload} Item */

/** @typedef {"empty"|"loading"|"open"|"sending"|"feedback"|"blocked"|"between"|"done"} Stage */

/**
 * What is on the screen, as the room says it to those that work for it: a copy, so that the room alone changes it.
 *
 * @typedef {object} Now
 * @property {Payload|null} payload
 * @property {Item|null} item          null where nothing is left to be read
 * @property {Stage} stage
 * @property {number} generation       another one for each payload: what was begun for an earlier one is over
 * @property {string|undefined} lastAssignment  says which study is meant, also when nothing is left to be read
 */

/** From any of these, another payload may take over the screen. @type {Stage[]} */
const ANOTHER = ["loading", "between", "done"];

/** @type {Record<Stage, Stage[]>} */
const MAY_FOLLOW = {
  empty: ANOTHER,
  // The images are on their way, or cannot be shown: the form is shut.
  loading: [...ANOTHER, "open", "feedback", "blocked"],
  // The form is open, and the clock runs.
  open: [...ANOTHER, "sending", "feedback", "blocked"],
  // The verdict is on its way. What the server finds incomplete is opened again.
  sending: [...ANOTHER, "open", "feedback", "blocked"],
  // The verdict is saved: nothing of this item opens again, but what comes next may be missing.
  feedback: [...ANOTHER, "blocked"],
  // The reader has to choose a way: go on with what is here, ask the server once more, or go to another item.
  blocked: [...ANOTHER, "open", "feedback", "blocked"],
  between: ANOTHER,
  done: ANOTHER,
};

/**
 * Whether the form stays shut after images had to be fetched once more: its verdict is on its way or saved, or the reader has to choose.
 *
 * @param {Stage} stage
 * @param {boolean} begun  the item was open before
 */
export const staysShut = (stage, begun) => ["sending", "feedback"].includes(stage) || (stage === "blocked" && begun);

export class Stages {
  constructor() {
    /** @type {Stage} */
    this.now = "empty";
  }

  /** @param {Stage} next @throws {Error} where it may not follow */
  to(next) {
    if (!MAY_FOLLOW[this.now].includes(next)) throw new Error(`The stage "${next}" does not follow "${this.now}".`);
    this.now = next;
  }
}
