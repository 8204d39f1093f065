/**
 * NIfTI-1 volumes as the server prepares them: one 3D image, int16 (uint8, uint16 and float32 are read too), axes in
 * RAS order, little endian, uncompressed by the time `fetch` hands them over.
 */

import { Digests } from "./digest.js";

/**
 * @typedef {Object} Volume
 * @property {string} url            where it came from; the name it is cached and remembered under
 * @property {string} [sha256]       of the whole file as it arrived
 * @property {[number, number, number]} shape      voxels along the R, A and S axes
 * @property {[number, number, number]} spacing    mm between voxel centres along these axes
 * @property {Int16Array|Uint8Array|Uint16Array|Float32Array} stored   voxels as stored, R fastest
 * @property {number} slope          intensity = stored * slope + inter
 * @property {number} inter
 * @property {number[]} affine       4x4, row by row: voxel index to mm
 * @property {number[]} inverse      4x4, row by row: mm to voxel index
 * @property {ArrayBuffer} bytes     the whole file, for renderers that want it
 * @property {number} header         bytes in front of the first voxel
 */

const HEADER_SIZE = 348;

/** @type {Record<number, {bytes: number, view: (b: ArrayBuffer, at: number, n: number) => Volume["stored"]}>} */
const STORED_AS = {
  2: { bytes: 1, view: (b, at, n) => new Uint8Array(b, at, n) },
  4: { bytes: 2, view: (b, at, n) => new Int16Array(b, at, n) },
  16: { bytes: 4, view: (b, at, n) => new Float32Array(b, at, n) },
  512: { bytes: 2, view: (b, at, n) => new Uint16Array(b, at, n) },
};

export class VolumeError extends Error {}

/** What arrived is not what was prepared: it must not be shown. */
export class DamagedVolume extends VolumeError {
  /** @param {string} url @param {string} [words]  what else is known of it */
  constructor(url, words = "The image received is not the one that was prepared.") {
    super(words);
    this.url = url;
  }
}

/**
 * Read an uncompressed NIfTI-1 file.
 *
 * @param {ArrayBuffer} bytes
 * @param {string} url
 * @returns {Volume}
 * @throws {VolumeError} in one sentence, when the file is not as the server describes it
 */
export function parseVolume(bytes, url) {
  if (bytes.byteLength < HEADER_SIZE + 4) throw new VolumeError("Only part of the image arrived.");
  const view = new DataView(bytes);
  if (view.getInt32(0, true) !== HEADER_SIZE) throw new VolumeError("The image is not in the expected format.");
  const dimensions = view.getInt16(40, true);
  const shape = /** @type {[number, number, number]} */ ([1, 2, 3].map((i) => view.getInt16(40 + 2 * i, true)));
  if (dimensions < 3 || shape.some((n) => n < 1)) throw new VolumeError("The image is not three-dimensional.");
  const kind = STORED_AS[view.getInt16(70, true)];
  if (!kind) throw new VolumeError("The image has a data type that cannot be displayed.");
  const header = Math.max(352, Math.round(view.getFloat32(108, true)));
  const count = shape[0] * shape[1] * shape[2];
  if (bytes.byteLength < header + count * kind.bytes) throw new VolumeError("Only part of the image arrived.");
  const aligned = header % kind.bytes === 0 ? bytes : bytes.slice(header);
  const stored = kind.view(aligned, aligned === bytes ? header : 0, count);

  const slope = view.getFloat32(112, true);
  const inter = view.getFloat32(116, true);
  const scaled = Number.isFinite(slope) && slope !== 0;
  const affine = view.getInt16(254, true) > 0 ? sform(view) : qform(view);
  const spacing = /** @type {[number, number, number]} */ (
    [0, 1, 2].map((i) => Math.hypot(affine[i], affine[4 + i], affine[8 + i]))
  );
  if (spacing.some((mm) => !(mm > 0))) throw new VolumeError("The image has no valid voxel size.");
  return {
    url,
    shape,
    spacing,
    stored,
    slope: scaled ? slope : 1,
    inter: scaled && Number.isFinite(inter) ? inter : 0,
    affine,
    inverse: invert(affine),
    bytes,
    header,
  };
}

/** @param {DataView} view */
function sform(view) {
  const rows = [];
  for (let i = 0; i < 12; i += 1) rows.push(view.getFloat32(280 + 4 * i, true));
  return [...rows, 0, 0, 0, 1];
}

/**
 * The quaternion form (NIfTI-1 header, method 2).
 *
 * @param {DataView} view
 */
function qform(view) {
  const [b, c, d] = [256, 260, 264].map((at) => view.getFloat32(at, true));
  const a = Math.sqrt(Math.max(0, 1 - b * b - c * c - d * d));
  const [px, py, pz] = [80, 84, 88].map((at) => view.getFloat32(at, true));
  const sign = view.getFloat32(76, true) < 0 ? -1 : 1;
  const offset = [268, 272, 276].map((at) => view.getFloat32(at, true));
  const rotation = [
    [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
    [2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)],
    [2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c],
  ];
  return [...rotation.flatMap((row, i) => [row[0] * px, row[1] * py, row[2] * pz * sign, offset[i]]), 0, 0, 0, 1];
}

/**
 * @param {number[]} m  4x4 affine, row by row
 * @returns {number[]}
 */
function invert(m) {
  const [a, b, c, , d, e, f, , g, h, i] = m;
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  if (!determinant) throw new VolumeError("The image has no valid orientation.");
  const r = [
    [e * i - f * h, c * h - b * i, b * f - c * e],
    [f * g - d * i, a * i - c * g, c * d - a * f],
    [d * h - e * g, b * g - a * h, a * e - b * d],
  ].map((row) => row.map((x) => x / determinant));
  const t = [m[3], m[7], m[11]];
  return [...r.flatMap((row) => [...row, -(row[0] * t[0] + row[1] * t[1] + row[2] * t[2])]), 0, 0, 0, 1];
}

/**
 * @param {number[]} matrix  4x4 affine, row by row
 * @param {number[]} point
 * @returns {[number, number, number]}
 */
export function transform(matrix, [x, y, z]) {
  return /** @type {[number, number, number]} */ (
    [0, 4, 8].map((r) => matrix[r] * x + matrix[r + 1] * y + matrix[r + 2] * z + matrix[r + 3])
  );
}

/**
 * Intensity at the voxel nearest to a voxel position, or null outside the volume.
 *
 * @param {Volume} volume
 * @param {number[]} position
 * @returns {number|null}
 */
export function intensityAt(volume, position) {
  const index = position.map(Math.round);
  if (index.some((v, axis) => v < 0 || v >= volume.shape[axis])) return null;
  const at = index[0] + volume.shape[0] * (index[1] + volume.shape[1] * index[2]);
  return volume.stored[at] * volume.slope + volume.inter;
}

/**
 * Volumes by URL: each is fetched, hashed and read once, and the least recently used are released. What was fetched ahead is hashed as it
 * arrives and compared when its item is shown: only then is the expected hash known.
 */
export class VolumeShelf {
  /**
   * @param {(url: string, signal: AbortSignal, anew: boolean) => Promise<ArrayBuffer>} fetchBytes  anew: bypass the browser's cache
   * @param {number} room  bytes that may be kept beside the volumes that are wanted
   */
  constructor(fetchBytes, room = 128 * 2 ** 20) {
    this.fetchBytes = fetchBytes;
    this.room = room;
    /** @type {Map<string, {volume: Volume|null, promise: Promise<Volume>, arrived: Promise<string>}>} */
    this.entries = new Map();
    /** @type {Set<string>} of what arrived damaged */
    this.mistrusted = new Set();
    this.digests = new Digests();
    this.closing = new AbortController();
  }

  /**
   * A volume, if it is the expected one.
   *
   * @param {string} url
   * @param {string|null} [sha256]  of the whole file, as the server gives it; none when not known (yet)
   * @returns {Promise<Volume>}
   * @throws {DamagedVolume} when it is something else
   */
  async get(url, sha256) {
    const entry = this.entry(url);
    const found = await entry.arrived;
    if (sha256 && found !== sha256) {
      this.mistrusted.add(url);
      if (this.entries.get(url) === entry) this.entries.delete(url);
      throw await entry.promise.then(() => new DamagedVolume(url), ({ message }) => new DamagedVolume(url, message));
    }
    return entry.promise;
  }

  /** @param {string} url */
  entry(url) {
    const known = this.entries.get(url);
    if (known) {
      this.entries.delete(url);
      this.entries.set(url, known);
      return known;
    }
    const hashed = this.fetchBytes(url, this.closing.signal, this.mistrusted.has(url)).then((bytes) => this.hashed(bytes));
    /** @type {{volume: Volume|null, promise: Promise<Volume>, arrived: Promise<string>}} */
    const entry = { volume: null, promise: /** @type {any} */ (null), arrived: hashed.then(({ sha256 }) => sha256) };
    entry.promise = hashed.then(({ sha256, bytes }) => (entry.volume = { ...parseVolume(bytes, url), sha256 }));
    // A failure is forgotten, so that "Try again" fetches it again.
    for (const promise of [entry.promise, entry.arrived]) {
      promise.catch(() => this.entries.get(url) === entry && this.entries.delete(url));
    }
    this.entries.set(url, entry);
    return entry;
  }

  /** @param {ArrayBuffer} bytes */
  async hashed(bytes) {
    try {
      return await this.digests.of(bytes);
    } catch (error) {
      console.warn("An image could not be hashed:", error);
      throw new VolumeError("This browser could not check the image.");
    }
  }

  /**
   * The volume if it is here already, and is the expected one.
   *
   * @param {string} url
   * @param {string|null} [sha256]
   * @returns {Volume|null}
   */
  peek(url, sha256) {
    const volume = this.entries.get(url)?.volume ?? null;
    return volume && sha256 && volume.sha256 !== sha256 ? null : volume;
  }

  /**
   * Release what exceeds the limit, the least recently used volumes first, but never `wanted`.
   *
   * @param {Iterable<string>} wanted
   */
  tidy(wanted) {
    const keep = new Set(wanted);
    const others = [...this.entries].filter(([url]) => !keep.has(url));
    let bytes = others.reduce((sum, [, { volume }]) => sum + (volume?.bytes.byteLength ?? 0), 0);
    for (const [url, { volume }] of others) {
      if (bytes <= this.room) return;
      bytes -= volume?.bytes.byteLength ?? 0;
      this.entries.delete(url);
    }
  }

  close() {
    this.closing.abort();
    this.digests.close();
    this.entries.clear();
  }
}
