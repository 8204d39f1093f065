import { h } from "../dom.js";

/**
 * A point in mm, taken from the crosshair; see points.js.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function pointField(field, { onChange, points }) {
  /** @type {import("../points.js").Point|null} */
  let point = null;
  const words = h("span", { class: "point-words" });
  /** @param {string} text @param {() => void} onclick */
  const button = (text, onclick) => h("button", { type: "button", class: "quiet", onclick }, text);
  const places = points.places();
  const takes = places.length
    ? places.map(({ pane, title }) => button(`Set in ${title}`, () => set(points.take(pane))))
    : [button("Set at crosshair", () => set(points.take()))];
  const show = button("Show", () => point && points.show(point));
  const drop = button("Clear", () => set(null));
  const body = h("div", { class: "point" }, words, h("div", { class: "point-buttons" }, ...takes, show, drop));

  function paint() {
    words.textContent = point ? points.say(point) : "No point yet: move the crosshair there, then set it.";
    show.disabled = drop.disabled = !point;
  }

  /** @param {import("../points.js").Point|null} value */
  function set(value) {
    point = value;
    paint();
    onChange(0);
  }

  paint();
  return {
    body,
    group: true,
    read: () => point,
    write(value) {
      point = Array.isArray(value) ? /** @type {any} */ (value) : null;
      paint();
    },
    problem: () => null,
    takePoint: () => set(points.take()),
    focus: () => takes[0].focus(),
  };
}
