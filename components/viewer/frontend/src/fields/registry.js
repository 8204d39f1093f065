/**
 * One maker per field type. To add a type: write its maker in a file beside this one and name it here.
 */

import { choiceField } from "./choice.js";
import { numberField } from "./number.js";
import { pointField } from "./point.js";
import { rankedField } from "./ranked.js";
import { severalField } from "./several.js";
import { textField } from "./text.js";

/** @typedef {import("../../payload.js").FormFieldPayload} Field */

/**
 * @typedef {Object} FieldContext
 * @property {(delay: number) => void} onChange      the value changed; the delay says how long its draft may wait
 * @property {number} typingDelay                    milliseconds a draft may wait while somebody types
 * @property {import("../points.js").Points} points
 */

/**
 * @typedef {Object} FieldParts
 * @property {HTMLElement} body
 * @property {boolean} [group]       several controls: drawn as fieldset and legend, else as one labelled control
 * @property {boolean} [single]      a radio group: where it is not required, its answer can be taken back
 * @property {boolean} [many]        takes more than one digit
 * @property {string} [labelFor]     id of the one control
 * @property {() => any} read        the value, null when unanswered
 * @property {(value: any) => void} write
 * @property {() => string|null} problem    what is wrong with the value, to follow the field's label in a sentence
 * @property {(n: number) => boolean} [digit]   choose option n (from 1); only choice-like fields have it
 * @property {(digit: number) => boolean} [typed]  begin with a digit; only fields in which digits are typed have it
 * @property {() => void} [takePoint]
 * @property {() => void} focus
 */

/** @typedef {(field: Field, context: FieldContext) => FieldParts} FieldMaker */

/** @type {Record<import("../../payload.js").FieldType, FieldMaker>} */
export const FIELD_TYPES = {
  yes_no: choiceField,
  choice: choiceField,
  ordinal: choiceField,
  several: severalField,
  number: numberField,
  text: textField,
  ranked: rankedField,
  point: pointField,
};
