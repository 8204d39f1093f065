/** Going back to an item that was submitted, where the study allows it, and coming back to the list. */

import { badge } from "./digits.js";
import { h } from "./dom.js";
import { clockTime } from "./transport.js";
import { asLabel, inOneRun } from "./words.js";

const LONGEST_FLUSH = 3000;
const TITLE = "Earlier items";

export class Earlier {
  /**
   * @param {{transport: import("./transport.js").Transport, dialogs: import("./dialogs.js").Dialogs, now: () => import("./stages.js").Now, mention: (sentence: string) => void, setInert: (inert: boolean) => void,
   *          flush: () => Promise<void>|undefined, leaveFor: (payload: import("../payload.js").Payload) => void}} room
   *   `mention` and `setInert` are the form's, `flush` is the drafts'; `leaveFor` sets aside what is on the screen and shows another item
   */
  constructor(room) {
    this.room = room;
    this.going = false;
  }

  /**
   * Whether the request is still wanted: nothing else came on the screen, and the window was not closed.
   *
   * @param {number} generation
   * @param {string} url
   */
  awaited(generation, url) {
    const { now, dialogs } = this.room;
    const { generation: current, stage } = now();
    return generation === current && stage !== "sending" && (url === "reading/resume" || dialogs.open === "earlier");
  }

  async toggle() {
    const { room } = this;
    const { dialogs } = room;
    const { payload, item, stage, lastAssignment } = room.now();
    if (dialogs.open === "earlier") return dialogs.close();
    if (item?.revision) return this.resume();
    if (!payload || item?.phase === "preview" || stage === "sending") return;
    if (!payload.revisable || !lastAssignment) return this.refuse(whyNone(payload));
    dialogs.show("earlier", TITLE, h("p", {}, "Loading …"));
    /** @type {import("../payload.js").RevisableAnswer} */
    let answer;
    try {
      answer = await room.transport.get(`reading/revisable?assignment=${encodeURIComponent(lastAssignment)}`);
    } catch (error) {
      if (dialogs.open === "earlier") dialogs.show("earlier", TITLE, this.trouble(error, () => this.again()));
      return;
    }
    if (dialogs.open !== "earlier") return;
    const { verdicts } = answer;
    if (!verdicts.length) return dialogs.show("earlier", TITLE, h("p", {}, "Nothing can be revised at the moment."));
    const note = ["Choose an item to view it again and change your answer.",
      payload.kind === "item" && "Your entries for the current item are kept.",
      payload.revision_rule === "session" && "Once you sign out, what you have submitted can no longer be revised."];
    dialogs.show("earlier", TITLE,
      h("p", { class: "note" }, note.filter(Boolean).join(" ")),
      h("ol", { class: "earlier" }, ...verdicts.map((verdict, i) => h("li", {}, this.entry(verdict, badge(i, verdicts.length))))));
    /** @type {HTMLElement|null} */ (dialogs.content.querySelector(".entry"))?.focus();
  }

  /** Above the button of the form; where nothing is left to be read, in the window. @param {string} sentence */
  refuse(sentence) {
    const { dialogs, now, mention } = this.room;
    const { stage } = now();
    if (stage === "done" || stage === "between") dialogs.show("earlier", TITLE, h("p", {}, sentence));
    else mention(sentence);
  }

  again() {
    this.room.dialogs.close();
    this.toggle();
  }

  /** @param {import("../payload.js").RevisablePayload} verdict @param {HTMLElement} number  its key */
  entry({ assignment, label, prompt, text, receipt, saved_at: savedAt, lines: said }, number) {
    const run = inOneRun(prompt, text.prompt);
    return h("button", { type: "button", class: "entry", onclick: () => this.reopen(assignment) },
      h("span", { class: "entry-head" }, number, h("strong", {}, label), h("span", {}, `${clockTime(savedAt)} · receipt ${receipt}`)),
      h("span", { class: "entry-prompt", dir: run.dir }, run),
      h("span", { class: "entry-said", dir: "auto" }, said.map(([name, value]) => `${asLabel(name)} ${value}`).join(" · ")));
  }

  /** @param {string} assignment */
  reopen(assignment) {
    return this.go("reading/reopen", { assignment });
  }

  resume() {
    return this.go("reading/resume", { assignment: this.room.now().item?.assignment });
  }

  /** @param {string} url @param {object} body */
  async go(url, body) {
    const { room } = this;
    const { generation, stage } = room.now();
    if (this.going || stage === "sending") return;
    this.going = true;
    if (url === "reading/resume") room.setInert(true);
    else room.dialogs.show("earlier", TITLE, h("p", {}, "Opening …"));
    try {
      // The server must know the newest answers before this item is left, but the reader must not be kept waiting.
      await Promise.race([room.flush(), new Promise((resolve) => setTimeout(resolve, LONGEST_FLUSH))]);
      /** @type {import("../payload.js").ReopenAnswer|import("../payload.js").ResumeAnswer} */
      const { payload } = await room.transport.post(url, body);
      if (!this.awaited(generation, url)) {
        if (url === "reading/reopen") await room.transport.post("reading/resume", { assignment: payload.assignment });
        return;
      }
      room.leaveFor(payload);
    } catch (error) {
      if (!this.awaited(generation, url)) return;
      if (room.now().stage === "open") room.setInert(false);
      const way = this.trouble(error, () => this.go(url, body));
      room.dialogs.show("earlier", TITLE, way);
    } finally {
      this.going = false;
    }
  }

  /** @param {any} error @param {() => void} again */
  trouble(error, again) {
    return h("div", { role: "alert" }, h("p", {}, error.message), h("button", { type: "button", class: "plain", onclick: again }, "Try again"));
  }
}

/** Why there is no item to go back to. @param {import("../payload.js").Payload} payload */
function whyNone(payload) {
  const { revisable, revision_rule: rule, progress } = payload;
  const where = payload.kind === "item" && !payload.in_parts ? "study" : "part";
  if (revisable === null) return `This ${where} does not let you go back to earlier items.`;
  return rule === "session" && progress.done
    ? "No earlier item can be revised: what you submitted before you last signed in, or before you began a later part, is final."
    : "No earlier item can be revised at the moment.";
}
