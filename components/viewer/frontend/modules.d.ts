/** What esbuild makes of these imports: see build.mjs. */
declare module "*.css" {
  const text: string;
  export default text;
}

declare module "bundled:*" {
  const source: string;
  export default source;
}
