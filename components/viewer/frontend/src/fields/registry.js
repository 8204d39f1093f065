/**
 * One maker per field type. To add a type: write its maker in a file beside this one and name it here.
 */

import { choiceField } from "./choice.js";
import { numberField } from "./number.js";
import { pointField } from "./point.js";
import { rankedField } from "./ranked.js";
import { severalField } from "./several.js";
import { textField } from "./text.js";
import { withUndetermined } from "./undetermined.js";

/** @typedef {import("../../payload.js").FormFieldPayload} Field */

/**
 * @typedef {Object} FieldContext
 * @property {(delay: number) => void} onChange      the value changed; the delay says how long its draft may wait
 * @property {number} typingDelay                    milliseconds a draft may wait while somebody types
 * @property {import("../points.js").Points} points
 * @property {(sentence: string) => void} refuse    something was not taken; the words follow the field's label in a sentence
 */

/**
 * @typedef {Object} FieldParts
 * @property {HTMLElement} body
 * @property {boolean} [group]       several controls: drawn as fieldset and legend, else as one labelled control
 * @property {boolean} [single]      a radio group: where it is not required, its answer can be taken back
 * @property {string} [radios]       name of its radio buttons
 * @property {boolean} [many]        takes more than one digit
 * @property {string} [labelFor]     id of the one control
 * @property {() => any} read        the value, null when unanswered
 * @property {() => any} [draft]     what is filled in, null for nothing; only where that may not be a value
 * @property {(value: any) => void} write  a value, or what `draft` returned
 * @property {() => string|null} problem    what is wrong with the value, to follow the field's label in a sentence
 * @property {(n: number) => boolean} [digit]   choose option n (from 1); only choice-like fields have it
 * @property {(beginning: string, anew: boolean) => boolean} [typed]  begin with a digit, sign or separator, or replace what is there, unless that has a problem; only fields in which digits are typed have it
 * @property {(key: string, idle: boolean, ofDigit: boolean) => void} [strayed]  a key came into the field that writes nothing there: whether it does nothing elsewhere either, and is one of a digit
 * @property {() => string|null} [refused]  what was typed and not taken, in words, as long as it keeps the form from being submitted
 * @property {() => boolean} [goOn]    take digits again after such a key; whether they were refused
 * @property {() => void} [takePoint]
 * @property {() => boolean} [abstain]   say that it cannot be determined, or take that back
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

/**
 * What a field is drawn with.
 *
 * @type {FieldMaker}
 */
export function partsOf(field, context) {
  const make = FIELD_TYPES[field.type];
  if (!make) throw new Error(`The form has a field of an unknown type "${field.type}".`);
  return field.undetermined ? withUndetermined(make, field, context) : make(field, context);
}
