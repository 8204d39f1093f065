/**
 * Builds the reading room: one self-contained module with a hash in its name, and BUNDLE.json that says what is in it.
 * Needs node; running Blindread does not.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "..", "dist");

const settings = { bundle: true, target: "es2022", minify: true, legalComments: "none", write: false, metafile: true, absWorkingDir: here };

/** What the metafiles say of packages that came into the bundle, the worker's included. */
const inputs = [];
const noteInputs = ({ metafile }) => inputs.push(...Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs)));

/** `import source from "bundled:worker.js"`: a worker, built by itself, as the text that it is started from. */
const bundledWorkers = {
  name: "bundled-workers",
  setup(main) {
    main.onResolve({ filter: /^bundled:/ }, ({ path }) => ({ path: path.slice("bundled:".length), namespace: "bundled" }));
    main.onLoad({ filter: /.*/, namespace: "bundled" }, async ({ path }) => {
      const worker = await build({ ...settings, entryPoints: [join(here, "src", path)], format: "iife" });
      noteInputs(worker);
      return { contents: worker.outputFiles[0].text, loader: "text" };
    });
  },
};

const result = await build({
  ...settings,
  entryPoints: [join(here, "src", "entry.js")],
  format: "esm",
  loader: { ".css": "text" },
  plugins: [bundledWorkers],
  alias: { zarrita: "./src/absent_zarr.js", "linkify-it": "./src/absent_linkify.js" },
  // A name that NiiVue wants and the stand-in lacks must stop the build, not the reader.
  logOverride: { "import-is-undefined": "error" },
});
noteInputs(result);

const bytes = result.outputFiles[0].contents;
const sha256 = createHash("sha256").update(bytes).digest("hex");
const name = `room-${sha256.slice(0, 12)}.mjs`;

/** Licences of the packages whose code is really in the bundle. */
const packages = [...new Set(inputs
  .filter(([, input]) => input.bytesInOutput > 0)
  .map(([path]) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
  .filter(Boolean))].sort();
const lock = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));
const bundled = packages.map((used) => {
  const { version, license } = JSON.parse(readFileSync(join(here, "node_modules", used, "package.json"), "utf8"));
  // Of the package as it was published: `npm ci` installs nothing else.
  const { integrity } = lock.packages[`node_modules/${used}`];
  return { name: used, version, license, integrity };
});

/** What the bundle was built from, so that a test without node finds one that is stale: each file's SHA-256, as on any system. */
const sources = ["build.mjs", "package-lock.json", ...readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(here, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))].sort();
const built = Object.fromEntries(sources.map((path) =>
  [path, createHash("sha256").update(readFileSync(join(here, path))).digest("hex")]));

mkdirSync(dist, { recursive: true });
for (const old of readdirSync(dist)) if (/^room-.*\.mjs$/.test(old)) rmSync(join(dist, old));
writeFileSync(join(dist, name), bytes);
const own = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
writeFileSync(
  join(dist, "..", "BUNDLE.json"),
  `${JSON.stringify({ file: name, version: own.version, sha256, bytes: bytes.length, bundled, sources: built }, null, 2)}\n`,
);
console.log(`${name}  ${(bytes.length / 1024).toFixed(0)} KiB  ${bundled.map((b) => b.name).join(", ") || "own code only"}`);
