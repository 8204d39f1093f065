/** Which renderer draws: the one that suits the machine, and the other one on request. */

import { CanvasRenderer } from "./canvas_renderer.js";

/**
 * @returns {{make: () => import("./canvas_renderer.js").Renderer, name: () => string, line: () => string,
 *            canChange: () => boolean, change: () => void, fallBack: (why: string) => boolean}}
 */
export function chooseRenderer() {
  return {
    make: () => new CanvasRenderer(),
    name: () => "canvas",
    line: () => "Renderer: compatibility",
    canChange: () => false,
    change: () => undefined,
    fallBack: () => false,
  };
}
