/**
 * How a graphics context draws a slice: the voxels stay in its memory as they are stored, and the window is applied to
 * the pixels that are drawn. So a window step costs an image and not a volume, and a volume that was loaded once is
 * drawn at once.
 */

/** @typedef {import("./volume.js").Volume} Volume */

/**
 * One fragment of a slice. NiiVue's vertex shader says where in the volume it lies (`texPos`, from 0 to 1); through
 * the plane it lies in the middle of a voxel, so that only neighbours within the slice are mixed: their greys, as the
 * compatibility renderer does it, so that both draw the same.
 *
 * @param {"isampler3D"|"sampler3D"} sampler  of whole numbers or of fractions
 */
export const fragmentShader = (sampler) => `#version 300 es
precision highp int;
precision highp float;
uniform highp ${sampler} volume;
uniform int axCorSag;
uniform bool smoothed;
uniform vec2 scaling;
uniform vec2 window;
in vec3 texPos;
out vec4 color;

float grey(ivec3 at) {
  float voxel = float(texelFetch(volume, clamp(at, ivec3(0), textureSize(volume, 0) - 1), 0).r);
  return clamp((voxel * scaling.x + scaling.y - window.x) / max(window.y - window.x, 1e-9), 0.0, 1.0);
}

float mixed(vec3 at) {
  ivec3 across = axCorSag == 2 ? ivec3(0, 1, 0) : ivec3(1, 0, 0);
  ivec3 down = axCorSag == 0 ? ivec3(0, 1, 0) : ivec3(0, 0, 1);
  vec3 from = at - 0.5 * vec3(across + down);
  ivec3 first = ivec3(floor(from));
  vec3 part = from - floor(from);
  float right = dot(part, vec3(across));
  return mix(
    mix(grey(first), grey(first + across), right),
    mix(grey(first + down), grey(first + down + across), right),
    dot(part, vec3(down)));
}

void main(void) {
  vec3 at = texPos * vec3(textureSize(volume, 0));
  color = vec4(vec3(smoothed ? mixed(at) : grey(ivec3(floor(at)))), 1.0);
}`;

/** @param {Volume} volume @returns {"isampler3D"|"sampler3D"} */
export const samplerOf = ({ stored }) => (stored instanceof Int16Array || stored instanceof Uint8Array ? "isampler3D" : "sampler3D");

/** Volumes in the memory of one graphics context: the least recently used are released. */
export class VoxelTextures {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {number} room  bytes that may be kept beside the volume used last
   */
  constructor(gl, room = 96 * 2 ** 20) {
    this.gl = gl;
    this.room = room;
    /** @type {Map<Volume, {texture: WebGLTexture, bytes: number}>} */
    this.kept = new Map();
  }

  /**
   * Bind a volume to NiiVue's texture unit for the volume, and upload it if it is not there yet.
   *
   * @param {Volume} volume
   * @throws {Error} where the graphics context takes no volume of that size
   */
  bind(volume) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0);
    const known = this.kept.get(volume);
    if (known) {
      this.kept.delete(volume);
      this.kept.set(volume, known);
      gl.bindTexture(gl.TEXTURE_3D, known.texture);
      return;
    }
    const largest = gl.getParameter(gl.MAX_3D_TEXTURE_SIZE);
    if (volume.shape.some((side) => side > largest)) {
      throw new Error(`The volume has ${volume.shape.join(" x ")} voxels; this graphics context allows at most ${largest} per side.`);
    }
    const texture = /** @type {WebGLTexture} */ (gl.createTexture());
    gl.bindTexture(gl.TEXTURE_3D, texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_3D, name, gl.NEAREST);
    const [format, kind, type, voxels] = samplerOf(volume) === "isampler3D"
      ? [gl.R16I, gl.RED_INTEGER, gl.SHORT, volume.stored instanceof Int16Array ? volume.stored : Int16Array.from(volume.stored)]
      : [gl.R32F, gl.RED, gl.FLOAT, volume.stored instanceof Float32Array ? volume.stored : Float32Array.from(volume.stored)];
    const [width, height, depth] = volume.shape;
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texStorage3D(gl.TEXTURE_3D, 1, format, width, height, depth);
    // Asked before the voxels are sent: the question would wait for everything sent before it.
    if (gl.getError() === gl.OUT_OF_MEMORY) {
      gl.deleteTexture(texture);
      throw new Error("The graphics context has no memory left for the volume.");
    }
    gl.texSubImage3D(gl.TEXTURE_3D, 0, 0, 0, 0, width, height, depth, kind, type, voxels);
    this.kept.set(volume, { texture, bytes: voxels.byteLength });
    this.tidy();
  }

  tidy() {
    const others = [...this.kept].slice(0, -1);
    let bytes = others.reduce((sum, [, one]) => sum + one.bytes, 0);
    for (const [volume, one] of others) {
      if (bytes <= this.room) return;
      bytes -= one.bytes;
      this.gl.deleteTexture(one.texture);
      this.kept.delete(volume);
    }
  }
}
