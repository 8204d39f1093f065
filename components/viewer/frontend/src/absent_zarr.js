/**
 * Stands in for the package `zarrita`, which NiiVue names for a format that never reaches this room and which would make
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
