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
  const ways = places.length
    ? places.map(({ pane, title }) => ({ pane: /** @type {number|undefined} */ (pane), says: `Set in ${title}`, first: `Click in ${title} first` }))
    : [{ pane: undefined, says: "Set at crosshair", first: "Click in the image first" }];
  const takes = ways.map(({ pane, says }) => button(says, () => take(pane)));
  const show = button("Show", () => point && points.show(point));
  const drop = button("Clear", () => set(null));
  const body = h("div", { class: "point" }, words, h("div", { class: "point-buttons" }, ...takes, show, drop));

  function paint() {
    const how = points.onPictures() ? "click the place in the image" : "move the crosshair there";
    words.textContent = point ? points.say(point) : `No point yet: ${how}, then set it.`;
    show.disabled = drop.disabled = !point;
    // Not disabled: it keeps the focus, and says what is missing when it is pressed.
    ways.forEach(({ pane, says, first }, i) => {
      const ready = points.canTake(pane);
      takes[i].textContent = ready ? says : first;
      takes[i].setAttribute("aria-disabled", String(!ready));
    });
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

  points.watch(paint);
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
