/**
 * Stands in for the package `zarrita`, which NiiVue imports for a format that is never used here and which would make
 * the bundle more than twice as large.
 */

const refuse = () => {
  throw new Error("Zarr volumes are not read here.");
};

export class FetchStore {
  constructor() {
    refuse();
  }
}
export const get = refuse;
export const open = refuse;
export const root = refuse;
export const slice = refuse;
