/** The list of keys, drawn from the one that is listened to. */

import { h } from "./dom.js";
import { BINDINGS, MOUSE } from "./keys.js";

/** @param {Set<string>} without  actions that have nothing to act on @returns {HTMLElement} */
export function keyTables(without) {
  const bindings = BINDINGS.filter(({ action }) => !without.has(action));
  const groups = [...new Set(bindings.map((binding) => binding.group))];
  /** @param {string} title @param {string[][]} rows */
  const table = (title, rows) => h("div", {}, h("h3", {}, title), h("dl", {}, ...rows.flatMap(([shown, does]) => [
    h("dt", {}, h("kbd", {}, shown)), h("dd", {}, does)])));
  return h("div", { class: "key-tables" },
    ...groups.map((group) => table(group, bindings.filter((b) => b.group === group).map((b) => [b.shown, b.does]))),
    table("Mouse and touch", MOUSE));
}
