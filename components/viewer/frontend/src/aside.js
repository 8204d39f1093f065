/** What of an item outlives a reload of its tab, and the revision of an earlier one: its time, and what was looked at. */

/** @typedef {import("../payload.js").AnyItemPayload} Item */

const KEPT = "blindread.item";

/** One entry for each item, and another one for each revision of it. @param {Item} payload */
function nameOf({ assignment, revision }) {
  return [KEPT, assignment, revision?.receipt].filter(Boolean).join(" ");
}

/**
 * @param {Item} payload
 * @param {object} kept
 */
export function keepAside(payload, kept) {
  try {
    sessionStorage.setItem(nameOf(payload), JSON.stringify(kept));
  } catch {
    // Storage can be switched off; then time and trace start again after a reload.
  }
}

/** @param {Item} payload @returns {any|null} what was kept of this item and of no other */
export function keptAside(payload) {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(payload)) ?? "null");
  } catch {
    return null;
  }
}

/** The item is over. @param {Item} payload */
export function forgetAside(payload) {
  try {
    sessionStorage.removeItem(nameOf(payload));
  } catch {
    // See above.
  }
}
