/** Which renderer draws: the one that suits the machine, and the other one on request. */

import { CanvasRenderer } from "./canvas_renderer.js";
import { NiivueRenderer } from "./niivue_renderer.js";

const KEPT = "blindread.renderer";
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render|virgl/i;

/** @typedef {"niivue"|"canvas"} Kind */

export class Renderers {
  /** @param {(error: Error) => void} onLost */
  constructor(onLost) {
    this.onLost = onLost;
    this.graphics = graphicsCard();
    const suits = this.graphics.hardware ? "niivue" : "canvas";
    const wanted = kept();
    /** @type {Kind} */
    this.kind = wanted === "canvas" || (wanted === "niivue" && this.graphics.present) ? wanted : suits;
  }

  /** @returns {import("./canvas_renderer.js").Renderer} */
  make() {
    return this.kind === "niivue" ? new NiivueRenderer(this.onLost) : new CanvasRenderer();
  }

  /** For the status line. */
  line() {
    if (this.kind === "niivue") return this.graphics.hardware ? "NiiVue (WebGL2)" : "NiiVue (WebGL2, no GPU)";
    if (this.failed) return "Compatibility renderer (WebGL2 failed)";
    if (!this.graphics.present) return "Compatibility renderer (no WebGL2)";
    return this.graphics.hardware ? "Compatibility renderer" : "Compatibility renderer (no GPU)";
  }

  canChange() {
    return this.graphics.present && !this.failed;
  }

  change() {
    this.kind = this.kind === "niivue" ? "canvas" : "niivue";
    try {
      localStorage.setItem(KEPT, this.kind);
    } catch {
      // Storage can be switched off; the choice then lasts until the page is left.
    }
  }

  /** NiiVue gave up: from now on the compatibility renderer. @returns {boolean} whether there was anything to fall to */
  fallBack() {
    if (this.kind === "canvas") return false;
    this.kind = "canvas";
    this.failed = true;
    return true;
  }
}

/** @returns {{present: boolean, hardware: boolean}} whether there is WebGL2, and whether a graphics card draws it */
function graphicsCard() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return { present: false, hardware: false };
  const told = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return { present: true, hardware: !SOFTWARE.test(name) };
}

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}
