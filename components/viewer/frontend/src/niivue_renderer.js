/**
 * The WebGL2 renderer: NiiVue paints, and nothing else of NiiVue is used. No mouse, keys, drag and drop, text, colour bar
 * or 3D; the tiles say where a slice is drawn, so that it is exactly where the compatibility renderer puts it.
 */

import { NVImage, Niivue } from "@niivue/niivue";
import { fragmentShader, samplerOf, VoxelTextures } from "./slice_shader.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").Tile} Tile */
/** @typedef {import("./canvas_renderer.js").Renderer} Renderer */

const PLANE_CODE = { axial: 0, coronal: 1, sagittal: 2 };
/** @type {[number, number, number, number]} */
const BLACK = [0, 0, 0, 1];

/** NiiVue's geometry of a volume: made once for all panes, and freed together with the volume. @type {WeakMap<Volume, any>} */
const IMAGES = new WeakMap();

/** On loading, NiiVue would scan all voxels to guess a window. The payload has the window. */
NVImage.prototype.calMinMax = function calMinMax() {
  this.cal_min = this.robust_min = this.global_min = 0;
  this.cal_max = this.robust_max = this.global_max = 1;
  return [0, 1, 0, 1];
};

class SlicePainter extends Niivue {
  constructor() {
    super({
      interactive: false,
      dragAndDropEnabled: false,
      isResizeCanvas: false,
      // Each volume on its own voxel grid: an oblique one is not resliced.
      isSliceMM: false,
      show3Dcrosshair: false,
      crosshairWidth: 0,
      isOrientationTextVisible: false,
      isColorbar: false,
      isRuler: false,
      loadingText: "",
      backColor: BLACK,
      sagittalNoseLeft: true,
      logLevel: "silent",
    });
    /** @type {{tile: Tile, box: number[], slices: number}[]} */
    this.wanted = [];
    /** @type {{tile: Tile, box: number[], slices: number}|null} */
    this.painting = null;
    this.ratio = 1;
    /** @type {Volume|null} */
    this.volume = null;
    /** @type {[number, number]} */
    this.window = [0, 1];
    this.smooth = true;
    /** @type {Map<string, any>} */
    this.shaders = new Map();
    /** @type {VoxelTextures|null} */
    this.textures = null;
  }

  /** NiiVue would compute the colour of every voxel, whenever the window changes. Here the voxels stay as they are stored. */
  updateGLVolume() {}

  /**
   * Upload a volume to the graphics context, ready to be drawn.
   *
   * @param {Volume} volume
   */
  take(volume) {
    const sampler = samplerOf(volume);
    if (!this.shaders.has(sampler)) {
      // NiiVue would end the shader that it replaces.
      this.customSliceShader = null;
      this.setCustomSliceShader(fragmentShader(sampler));
      this.shaders.set(sampler, this.customSliceShader);
    }
    this.textures ??= new VoxelTextures(this.gl);
    this.textures.bind(volume);
  }

  /** Fonts and surface materials are not needed: there is no text and no surface. */
  async initText() {}

  drawCrosshairs3D() {}

  /** NiiVue would wait here until all is drawn; the browser shows it with the next frame anyway. */
  drawScene() {
    return this.drawSceneCore();
  }

  drawSceneCore() {
    if (!this.initialized) return "";
    const { gl } = this;
    gl.viewport(0, 0, gl.canvas.width, gl.canvas.height);
    gl.clearColor(...BLACK);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.screenSlices = [];
    const { volume } = this;
    if (!volume) return "";
    this.take(volume);
    const shader = this.customSliceShader = this.shaders.get(samplerOf(volume));
    shader.use(gl);
    gl.uniform1i(shader.uniforms.smoothed, this.smooth ? 1 : 0);
    gl.uniform2f(shader.uniforms.scaling, volume.slope, volume.inter);
    gl.uniform2f(shader.uniforms.window, ...this.window);
    for (const job of this.wanted) {
      const { plane, slice } = job.tile;
      const place = [0.5, 0.5, 0.5];
      place[plane.through] = (slice + 0.5) / job.slices;
      this.scene.crosshairPos = place;
      this.painting = job;
      this.draw2D(job.box, PLANE_CODE[plane.name], Number.NaN);
    }
    this.painting = null;
    return "";
  }

  /** NiiVue asks for this too, even where it is not used; computing it would take the volumes' surfaces. @param {number} code */
  screenFieldOfViewExtendedMM(code) {
    return this.screenFieldOfViewExtendedVox(code);
  }

  /**
   * What a tile shows of the slice, in NiiVue's mm along the voxel axes: cut to the tile, so that zoom and position
   * come from the tile and not from NiiVue's own.
   *
   * @param {number} code
   */
  screenFieldOfViewExtendedVox(code) {
    const whole = super.screenFieldOfViewExtendedVox(code);
    if (!this.painting) return whole;
    const { tile, box } = this.painting;
    const { image, plane } = tile;
    const [x, y, width, height] = box.map((pixels) => pixels / this.ratio);
    const least = [...whole.mnMM];
    const most = [...whole.mxMM];
    const across = most[0] - least[0];
    const down = most[1] - least[1];
    const left = (x - image.x) / image.width;
    const right = (x + width - image.x) / image.width;
    whole.mnMM[0] = plane.mirrored ? most[0] - right * across : least[0] + left * across;
    whole.mxMM[0] = plane.mirrored ? most[0] - left * across : least[0] + right * across;
    whole.mnMM[1] = most[1] - ((y + height - image.y) / image.height) * down;
    whole.mxMM[1] = most[1] - ((y - image.y) / image.height) * down;
    whole.fovMM[0] = whole.mxMM[0] - whole.mnMM[0];
    whole.fovMM[1] = whole.mxMM[1] - whole.mnMM[1];
    return whole;
  }
}

/** @implements {Renderer} */
export class NiivueRenderer {
  /** @param {(error: Error) => void} onLost  the graphics context went away */
  constructor(onLost) {
    this.name = "niivue";
    this.element = this.canvas = document.createElement("canvas");
    this.painter = new SlicePainter();
    this.ratio = 1;
    /** @type {Promise<unknown>|null} */
    this.attached = null;
    this.gone = false;
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      if (!this.gone) onLost(new Error("The graphics context was lost."));
    });
  }

  /** @param {number} width @param {number} height @param {number} ratio */
  resize(width, height, ratio) {
    this.ratio = this.painter.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
  }

  /** @param {Volume} volume */
  async load(volume) {
    this.attached ??= this.painter.attachToCanvas(this.canvas, false);
    await this.attached;
    if (!IMAGES.has(volume)) {
      // The name stays empty: NiiVue would expose it. Its types require the arguments with defaults, too.
      const image = await /** @type {any} */ (NVImage).new(volume.bytes, "", "gray", 1, null, 0, 1);
      // Its own copy of the voxels is not drawn from.
      delete image.img;
      IMAGES.set(volume, image);
    }
    this.painter.take(volume);
  }

  /**
   * @param {Volume} volume
   * @param {[number, number]} window
   * @param {Tile[]} tiles
   * @param {boolean} smooth
   */
  draw(volume, window, tiles, smooth) {
    const { painter } = this;
    const image = IMAGES.get(volume);
    if (!image || !painter.initialized) throw new Error("The volume was drawn before it was loaded.");
    const inside = tiles.filter(({ plane, slice }) => slice >= 0 && slice < volume.shape[plane.through]);
    painter.wanted = inside.map((tile) => ({
      tile,
      box: [tile.clip.x, tile.clip.y, tile.clip.width, tile.clip.height].map((pixels) => Math.round(pixels * this.ratio)),
      slices: volume.shape[tile.plane.through],
    }));
    painter.opts.isRadiologicalConvention = tiles.some(({ plane }) => plane.name !== "sagittal" && plane.mirrored);
    painter.volumes = [image];
    painter.volume = volume;
    painter.window = window;
    painter.smooth = smooth;
    painter.drawScene();
    this.canvas.style.visibility = "";
  }

  clear() {
    this.painter.wanted = [];
    this.canvas.style.visibility = "hidden";
  }

  destroy() {
    this.gone = true;
    this.painter.cleanup();
    // `gl` throws where there never was a context; browsers keep a few of them only, so this one is given back.
    this.painter._gl?.getExtension("WEBGL_lose_context")?.loseContext();
    this.canvas.remove();
  }
}
