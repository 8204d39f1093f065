/**
 * @typedef {{[name: string]: any, onclick?: (event: MouseEvent) => void, onsubmit?: (event: SubmitEvent) => void}} Properties
 *   `on…` are listeners, `class` and names with a dash are attributes
 */

/**
 * Build an element. Text is always set as text, never as markup, so that nothing in a payload can become code.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} [properties]
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class" || name === "role" || name === "for" || name.includes("-")) element.setAttribute(name, value);
    else Reflect.set(element, name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

let counter = 0;

/** An id that no other element of the page has. */
export function freshId(prefix = "f") {
  counter += 1;
  return `${prefix}${counter}`;
}
