/** The list of keys, drawn from the one that is listened to. */

import { h } from "./dom.js";
import { BINDINGS, MOUSE } from "./keys.js";

/** @returns {HTMLElement} */
export function keyTables() {
  const groups = [...new Set(BINDINGS.map((binding) => binding.group))];
  /** @param {string} title @param {string[][]} rows */
  const table = (title, rows) => h("div", {}, h("h3", {}, title), h("dl", {}, ...rows.flatMap(([shown, does]) => [
    h("dt", {}, h("kbd", {}, shown)), h("dd", {}, does)])));
  return h("div", { class: "key-tables" },
    ...groups.map((group) => table(group, BINDINGS.filter((b) => b.group === group).map((b) => [b.shown, b.does]))),
    table("Mouse and touch", MOUSE));
}
