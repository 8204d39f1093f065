/** The reader's own session: how many items and how long, never what was answered. */

import { factList } from "./brief.js";
import { h } from "./dom.js";
import { clockTime } from "./transport.js";

export class Session {
  /** @param {{transport: import("./transport.js").Transport, dialogs: import("./dialogs.js").Dialogs, now: () => import("./stages.js").Now}} room */
  constructor(room) {
    this.room = room;
  }

  async toggle() {
    const { dialogs, transport, now } = this.room;
    const { item, lastAssignment } = now();
    if (dialogs.open === "session") return dialogs.close();
    if (item?.phase === "preview" || !lastAssignment) return;
    dialogs.show("session", "Your session", h("p", {}, "Loading …"));
    let content;
    try {
      content = summaryLines(await transport.get(`reading/session?assignment=${encodeURIComponent(lastAssignment)}`));
    } catch (error) {
      content = h("p", { role: "alert" }, /** @type {Error} */ (error).message);
    }
    if (dialogs.open === "session") dialogs.show("session", "Your session", content);
  }
}

/** What a unit of the work is called: done, looked at, and one of it. @type {Record<import("../payload.js").SummaryPayload["unit"], [string, string, string]>} */
const UNITS = {
  scans: ["Items submitted", "Time on images and forms of submitted items", "item"],
  items: ["Items submitted", "Time on submitted items and their forms", "item"],
  answers: ["Answers scored", "Time on scored answers and their forms", "answer"],
};

/**
 * @param {import("../payload.js").SummaryPayload} summary
 * @returns {HTMLElement}
 */
export function summaryLines({ unit, items, active_ms: active, median_ms: median, since }) {
  const [done, spent, one] = UNITS[unit];
  /** @type {import("../payload.js").Line[]} */
  const pairs = [[done, String(items)], [spent, duration(active)]];
  if (median !== null) pairs.push([`Median time per ${one}`, duration(median)]);
  if (since) pairs.push(["Since", clockTime(since).slice(0, 5)]);
  return h("div", { class: "summary" }, factList(pairs), h("p", { class: "note" }, "Pauses and idle time are not counted."));
}

/** @param {number} milliseconds */
export function duration(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
