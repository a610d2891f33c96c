import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { valueCodec } from "../edm/value-codecs.ts";

/** The earliest and the latest timestamp: what `mindatetime()` and `maxdatetime()` give. */
export const MIN_DATE_TIME = "0001-01-01T00:00:00Z";
export const MAX_DATE_TIME = "9999-12-31T23:59:59.999999999999Z";

const instants = new WeakMap<readonly PrimitiveValue[], string>();

/**
 * The value of `now()`: one instant per execution of a query, known by its array of parameter values. All rows, and
 * the filter and the order, see the same.
 */
export function instantOf(values: readonly PrimitiveValue[]): string {
  const known = instants.get(values);
  if (known !== undefined) return known;
  const instant = String(valueCodec(PRIMITIVE_TYPES["Edm.DateTimeOffset"]).fromHandler(new Date()));
  instants.set(values, instant);
  return instant;
}
