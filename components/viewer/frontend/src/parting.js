/** Between two items and two parts of the work: what was right, what is done, and what comes next, how much it is and about how long it takes. */

import { h } from "./dom.js";
import { feedbackPanel } from "./occasions.js";
import { summaryLines } from "./session.js";

/**
 * @param {import("../payload.js").NextPayload} next
 * @param {(() => void)|string} way  what its button does, or where it leads
 */
export function nextPart({ title, about }, way) {
  const words = [title, h("kbd", {}, "Enter")];
  const button = typeof way === "string"
    ? h("a", { class: "submit way-on", href: way }, ...words)
    : h("button", { type: "button", class: "submit way-on", onclick: way }, ...words);
  return h("div", { class: "next-part" }, button, about && h("p", { class: "note" }, about));
}

/** What is shown where nothing is answered, and what its first button does. */
export class Parting {
  /** @param {{screen: Pick<import("./screen.js").Screen, "paintParting"|"paintFeedback">, resolve: (place: string) => URL}} room */
  constructor(room) {
    this.room = room;
    /** @type {(() => void)|null} */
    this.way = null;
  }

  /** Nothing is left here: thanks, and what waits elsewhere. @param {import("../payload.js").DonePayload} payload */
  end(payload) {
    const { screen, resolve } = this.room;
    const { next, summary } = payload;
    const place = next?.place ? resolve(next.place).href : null;
    this.way = place ? () => window.location.assign(place) : null;
    screen.paintParting("done", payload, next && place ? nextPart(next, place) : null,
      h("p", {}, h("a", { class: "plain", href: resolve("worklist").href }, "Your worklist")),
      summaryLines(summary));
  }

  /**
   * Practice: what was right, above the form that was filled in.
   *
   * @param {import("../payload.js").FeedbackPayload} feedback
   * @param {import("../payload.js").AnyItemPayload["text"]} text
   * @param {(at: number) => void} onNext
   */
  feedback(feedback, text, onNext) {
    const button = h("button", { type: "button", class: "submit", onclick: ({ timeStamp }) => onNext(timeStamp) }, "Next", h("kbd", {}, "Enter"));
    this.room.screen.paintFeedback(feedbackPanel(feedback, text), button);
  }

  /** What begins now, and waits until the reader begins it. @param {import("../payload.js").AheadPayload} ahead @param {() => void} begin */
  announce(ahead, begin) {
    this.way = begin;
    this.room.screen.paintParting("between", { title: ahead.heading, message: ahead.message }, nextPart(ahead, begin));
  }
}
