import { h } from "../dom.js";

/**
 * A point in mm, taken from the crosshair.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function pointField(field, { onChange, crosshair }) {
  /** @type {number[]|null} */
  let point = null;
  const words = h("span", { class: "point-words" });
  const take = h("button", { type: "button", class: "quiet", onclick: () => set(crosshair.get()) }, "Take from crosshair");
  const show = h("button", { type: "button", class: "quiet", onclick: () => point && crosshair.set(point) }, "Show");
  const drop = h("button", { type: "button", class: "quiet", onclick: () => set(null) }, "Clear");
  const body = h("div", { class: "point" }, words, h("div", { class: "point-buttons" }, take, show, drop));

  function paint() {
    words.textContent = point ? crosshair.say(point) : "No point yet: put the crosshair there, then take it.";
    show.disabled = drop.disabled = !point;
  }

  function set(value) {
    point = value ? value.map((mm) => Math.round(mm * 100) / 100) : null;
    paint();
    onChange(0);
  }

  paint();
  return {
    body,
    group: true,
    read: () => point,
    write(value) {
      point = Array.isArray(value) ? value : null;
      paint();
    },
    problem: () => null,
    takePoint: () => set(crosshair.get()),
    focus: () => take.focus(),
  };
}
