import { withMidnight, withoutMidnight } from "./date-time-offset.ts";
import { PRIMITIVE_TYPES } from "./primitive-type.ts";
import type { ValueCodec } from "./value-codec.ts";

/**
 * Returns a codec that also reads dates as scripts write them: a timestamp at 00:00 UTC for a Date, and a date for midnight UTC
 * of a DateTimeOffset.
 * @see docs/reference/writing.md, Bodies
 */
export function withScriptDates(codec: ValueCodec): ValueCodec {
  const adapt = ADAPTED.get(codec.type);
  if (adapt === undefined) return codec;
  return {
    ...codec,
    fromJson: (value, ieee754Compatible) =>
      codec.fromJson(typeof value === "string" ? adapt(value) : value, ieee754Compatible),
  };
}

const ADAPTED: ReadonlyMap<ValueCodec["type"], (text: string) => string> = new Map([
  [PRIMITIVE_TYPES["Edm.Date"], withoutMidnight],
  [PRIMITIVE_TYPES["Edm.DateTimeOffset"], withMidnight],
]);
