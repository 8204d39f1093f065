/** What becomes of a payload that a rerun of the page hands over while something is on the screen. */

/** @typedef {import("../payload.js").Payload} Payload */

/**
 * @param {Payload} payload
 * @param {import("./stages.js").Now} now
 * @param {(item: import("./stages.js").Item) => boolean} isFinished  in this room
 * @returns {"ignored"|"shown"|"offered"} offered: shown when the reader asks for it
 */
export function arrival(payload, { payload: before, item, stage }, isFinished) {
  if (payload.kind === "item" && payload.phase === "preview") return JSON.stringify(payload) === JSON.stringify(before) ? "ignored" : "shown";
  // A rerun carries what comes next in the list; an earlier item that is being revised, or feedback that is being read, stays.
  if (item?.revision || stage === "feedback") return "ignored";
  if (payload.kind === "item") {
    if (isFinished(payload)) return "ignored";
    if (item?.assignment === payload.assignment && item.phase === payload.phase) return "ignored";
  } else if (before?.kind === "done" || stage === "sending") return "ignored";
  // A reader who is answering must not suddenly have another item in front of them. What is unsaved stays in the tab: the list may be somebody else's.
  return item && ["open", "blocked"].includes(stage) && !isFinished(item) ? "offered" : "shown";
}
