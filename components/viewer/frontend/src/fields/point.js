import { h } from "../dom.js";

/**
 * A point, taken from the crosshair; see points.js.
 *
 * @type {import("./registry.js").FieldMaker}
 */
export function pointField(field, { onChange, points, refuse }) {
  /** @type {import("../points.js").Point|null} */
  let point = null;
  const words = h("span", { class: "point-words" });
  /** @param {string} text @param {() => void} onclick */
  const button = (text, onclick) => h("button", { type: "button", class: "quiet", onclick }, text);
  const places = points.places();
  const takes = places.length
    ? places.map(({ pane, title }) => button(`Set in ${title}`, () => take(pane)))
    : [button("Set at crosshair", () => take())];
  const show = button("Show", () => point && points.show(point));
  const drop = button("Clear", () => set(null));
  const body = h("div", { class: "point" }, words, h("div", { class: "point-buttons" }, ...takes, show, drop));

  function paint() {
    const how = points.onPictures() ? "click the place in the image" : "move the crosshair there";
    words.textContent = point ? points.say(point) : `No point yet: ${how}, then set it.`;
    show.disabled = drop.disabled = !point;
  }

  /** @param {import("../points.js").Point|null} value */
  function set(value) {
    point = value;
    paint();
    onChange(0);
  }

  /** @param {number} [pane] */
  function take(pane) {
    const taken = points.take(pane);
    if (taken) set(taken);
    else refuse("needs a place in the image: click it first");
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
    takePoint: () => take(),
    focus: () => takes[0].focus(),
  };
}
