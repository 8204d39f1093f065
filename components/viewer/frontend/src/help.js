/** The list of keys, drawn from the one that is listened to. */

import { h } from "./dom.js";
import { BINDINGS, MOUSE } from "./keys.js";

/** @param {() => void} onClose @returns {HTMLElement} */
export function helpDialog(onClose) {
  const groups = [...new Set(BINDINGS.map((binding) => binding.group))];
  const table = (title, rows) => h("div", {}, h("h3", {}, title), h("dl", {}, ...rows.flatMap(([shown, does]) => [
    h("dt", {}, h("kbd", {}, shown)), h("dd", {}, does)])));
  const close = h("button", { type: "button", class: "quiet", onclick: () => onClose() }, "Close");
  return h("div", { class: "help", role: "dialog", "aria-label": "Keys and mouse", hidden: true },
    h("div", { class: "help-head" }, h("h2", {}, "Keys and mouse"), close),
    h("div", { class: "help-body" },
      ...groups.map((group) => table(group, BINDINGS.filter((b) => b.group === group).map((b) => [b.shown, b.does]))),
      table("Mouse", MOUSE)));
}
