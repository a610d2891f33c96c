import { JsonNumber, type JsonValue } from "../json/json-value.ts";
import { asText } from "./canonical-form.ts";
import {
  compareDecimals,
  countWholeDigits,
  decimalFromBigInt,
  decimalFromNumber,
  fitScale,
  parseDecimal,
} from "./decimal.ts";
import { invalidValue, outsideFacet } from "./invalid-value.ts";
import { PRIMITIVE_TYPES, type Facets } from "./primitive-type.ts";
import type { PrimitiveValue, ValueCodec } from "./value-codec.ts";

const NAME = "Edm.Decimal";
const ADVICE = "write digits with an optional sign and fraction, such as -12.50";

/**
 * Makes the codec of Edm.Decimal. The value is a canonical string, and a JSON number with all its digits on the wire: a
 * string with IEEE754Compatible. Strings are always accepted.
 * @see OData CSDL 4.0, sections 6.2.3 and 6.2.4
 */
export function decimalCodec(facets: Facets): ValueCodec {
  const fromClient = (decimal: string | null, value: unknown): string => {
    if (decimal === null) throw invalidValue(value, NAME, ADVICE);
    return checkFacets(decimal, value, facets);
  };
  const toText = (value: PrimitiveValue): string => asText(value);
  return Object.freeze<ValueCodec>({
    type: PRIMITIVE_TYPES[NAME],
    fromHandler: (value) => {
      const decimal = decimalOfHandler(value);
      if (decimal === null) throw invalidValue(value, NAME, 'return a string such as "-12.50", or a finite number');
      return decimal;
    },
    fromJson: (value) => fromClient(decimalOfJson(value), value),
    toJson: (value, ieee754Compatible) => (ieee754Compatible ? `"${asText(value)}"` : asText(value)),
    fromText: (text) => fromClient(parseDecimal(text), text),
    toLiteral: toText,
    toText,
    compare: (left, right) => compareDecimals(asText(left), asText(right)),
  });
}

function decimalOfHandler(value: unknown): string | null {
  if (typeof value === "string") return parseDecimal(value);
  if (typeof value === "number") return decimalFromNumber(value);
  return typeof value === "bigint" ? decimalFromBigInt(value) : null;
}

function decimalOfJson(value: JsonValue): string | null {
  if (typeof value === "number") return decimalFromNumber(value);
  if (typeof value === "string") return parseDecimal(value);
  return value instanceof JsonNumber ? parseDecimal(value.text) : null;
}

/** Removes trailing zeros of the fraction that exceed the facets, which does not change the value. */
function checkFacets(decimal: string, value: unknown, { precision, scale }: Facets): string {
  const wholeDigits = countWholeDigits(decimal);
  if (typeof scale === "number") {
    // A fixed scale reserves its digits, even if the value does not use them.
    const fitting = fitScale(decimal, scale);
    if (fitting !== null && (precision === undefined || wholeDigits <= precision - scale)) return fitting;
    const before = precision === undefined ? "" : `${precision - scale} digits before the point and `;
    throw outsideFacet(value, `has too many digits: write at most ${before}${scale} digits after the point`);
  }
  if (precision === undefined) return decimal;
  const fitting = wholeDigits <= precision ? fitScale(decimal, precision - wholeDigits) : null;
  if (fitting === null) throw outsideFacet(value, `has too many digits: write at most ${precision} digits`);
  return fitting;
}
