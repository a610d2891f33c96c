import { sql } from "kysely";
import { protocolError, type ODataError } from "../../base/errors/odata-error.ts";
import { SECONDS_PER_DAY } from "../../edm/calendar.ts";
import { CAST_TEXTS } from "../../edm/cast-texts.ts";
import { castOf, floatLimit } from "../../edm/cast.ts";
import { integerBounds } from "../../edm/integer-bounds.ts";
import { isInteger, type PrimitiveType } from "../../edm/primitive-type.ts";
import { castIn } from "../../language/query/cast-call.ts";
import { bindFormed } from "../statement/parameter-slot.ts";
import { toComputable, type Sql, type SqlForm } from "../statement/sql-form.ts";
import { computed, type RowOperand } from "../statement/sql-operand.ts";
import { dayPart, modulo, yearOf } from "./calendar-parts.ts";
import type { CastForms } from "./cast-forms.ts";
import type { DialectSyntax } from "./dialect-syntax.ts";
import type { SqlCall, TranslateCall } from "./dialect-values.ts";
import { between, toDays, type NumberSyntax } from "./numeric-temporal-forms.ts";
import type { TextTemporalForms } from "./temporal-forms.ts";
import { argumentAt, operandAt } from "./translate-call.ts";

type Convert = (value: Sql) => Sql;
type Once = DialectSyntax["once"];

/** The conversions between types of a database that casts bound values. None fails for a value of its type. */
export interface TypeCastSyntax {
  /** Its name, for messages. */
  readonly database: string;
  readonly forms: CastForms;
  readonly numbers: NumberSyntax;
  readonly texts: TextTemporalForms;
  readonly offsetOfText: Convert;
  readonly once: Once;
  /** The same for texts of at most 100 characters. */
  readonly onceText: Once;
  readonly truth: (value: boolean) => Sql;
  /** Writes `true` or `false`. */
  readonly textOfBoolean: (value: Sql) => Sql;
  /** Returns a text that a pattern of `CAST_TEXTS` matches; null for any other. */
  readonly matching: (text: Sql, pattern: string) => Sql;
  /** Replaces the part that a pattern matches. `\1` is the text of its first group. */
  readonly replaced: (text: Sql, pattern: string, by: string) => Sql;
  readonly concat: (texts: readonly Sql[]) => Sql;
  /** Writes a double as a constant. */
  readonly double: (digits: string) => Sql;
  /** Drops the fraction of a number. */
  readonly truncate: Convert;
  /** Converts digits to an exact number. */
  readonly integerOfDigits: Convert;
  readonly decimalOfText: Convert;
  readonly decimalOfDouble: Convert;
  /** Convert to the nearest double, and at most to the greatest one. */
  readonly doubleOfText: Convert;
  readonly doubleOfDecimal: Convert;
  /** Returns a double of less than a limit, or an infinite one; null for any other. */
  readonly singleOfDouble: (value: Sql, limit: string) => Sql;
  readonly textOfInteger: Convert;
  /** Writes a stored Decimal with its digits. */
  readonly textOfDecimal: (operand: RowOperand, call: SqlCall) => Sql;
  /** Writes a Decimal without trailing zeros of its fraction. */
  readonly shortTextOfDecimal: Convert;
  /** Writes the shortest text of a double, as JavaScript does. */
  readonly textOfDouble: Convert;
  /** Writes base64url without padding. */
  readonly textOfBytes: Convert;
}

/**
 * Makes the SQL of `cast`. Values that are written several times have a name, so that nested casts do not multiply them.
 * @see docs/reference/filter.md, Casts
 */
export function typeCasts(syntax: TypeCastSyntax): TranslateCall {
  return (call) => {
    const { source, target } = castIn(call.expression);
    // The offset of a bound timestamp is found in its text.
    const constant = target.name === "Edm.DateTimeOffset" ? undefined : castConstant(call);
    if (constant !== undefined) return constant;
    if (target.name === "Edm.String") {
      const text = textOf(call, source, syntax);
      return computed({ sql: syntax.forms.string.place?.(text) ?? text, form: syntax.forms.string });
    }
    const value = argumentAt(call, 0);
    return source.name === "Edm.String"
      ? readText(value, target, syntax)
      : computed({ sql: castNumber(value, source, target, syntax), form: call.values.canonicalForm(target) });
  };
}

/** Casts a constant before it is bound; undefined for a value that depends on the row. */
export function castConstant(call: SqlCall): RowOperand | undefined {
  const operand = operandAt(call, 0);
  if (operand.kind === "row") return undefined;
  const { source, target, digits } = castIn(call.expression);
  const cast = castOf(source, target, digits);
  const form = call.values.canonicalForm(target);
  const encode = form.exact ?? form.floor;
  const bound = bindFormed(operand.constant, form, (value) => {
    const result = cast(value);
    return result === null ? null : encode(result);
  });
  return computed({ sql: bound, form });
}

/** Returns the least fraction digits of a timestamp that is stored as a number; undefined for any other value. */
export function shownDigits(call: SqlCall): number | undefined {
  const operand = operandAt(call, 0);
  const [value] = call.expression.arguments;
  if (operand.kind !== "row" || value?.kind !== "property") return undefined;
  return operand.form.shownDigits?.(value.property);
}

/** Returns the constant scale of a Decimal, if it is the value of a property; undefined for any other value. */
export function shownScale({ expression }: SqlCall): number | undefined {
  const [value] = expression.arguments;
  const scale = value?.kind === "property" ? value.property.facets.scale : undefined;
  return typeof scale === "number" ? scale : undefined;
}

/** Reads a text as a value; null for a text that is none. */
function readText(text: Sql, target: PrimitiveType, syntax: TypeCastSyntax): RowOperand {
  const { forms, numbers, texts, onceText } = syntax;
  const { name } = target;
  if (name === "Edm.String" || name === "Edm.Binary") throw new Error(`No text is cast to ${name}.`);
  const known = syntax.matching(text, CAST_TEXTS[name].source);
  if (isInteger(target)) {
    return computed({ sql: withinBounds(syntax.integerOfDigits(known), target, syntax), form: forms.integer });
  }
  const temporal = (form: SqlForm, whole: Sql = known): Sql =>
    onceText(whole, (name) => toComputable({ sql: name, form }).sql);
  switch (name) {
    case "Edm.Boolean": {
      const [yes, no] = [syntax.truth(true), syntax.truth(false)];
      return computed({
        sql: sql`(case lower(${known}) when 'true' then ${yes} when 'false' then ${no} end)`,
        form: forms.boolean,
      });
    }
    case "Edm.Decimal":
      return computed({ sql: syntax.decimalOfText(known), form: forms.decimal });
    case "Edm.Single":
    case "Edm.Double":
      return computed({ sql: withinLimit(syntax.doubleOfText(known), target, syntax), form: forms.double });
    case "Edm.Date":
      return computed({ sql: temporal(texts.date), form: forms.temporal.days });
    case "Edm.TimeOfDay":
      return computed({ sql: temporal(texts.time), form: forms.temporal.clock });
    case "Edm.Duration": {
      // A longer duration is null.
      const seconds = between(temporal(texts.duration), String(-(2n ** 53n)), String(2n ** 53n), numbers);
      return computed({ sql: seconds, form: forms.temporal.seconds });
    }
    case "Edm.DateTimeOffset": {
      const upper = sql`upper(${known})`;
      const timestamp = computed({ sql: temporal(texts.timestamp, upper), form: forms.temporal.epoch });
      return { ...timestamp, offset: onceText(upper, syntax.offsetOfText) };
    }
    default:
      // A Guid is compared as text.
      return computed({ sql: forms.string.place?.(sql`lower(${known})`) ?? known, form: forms.string });
  }
}

/** Casts a number to another numeric type; null for a number beyond it. */
function castNumber(value: Sql, source: PrimitiveType, target: PrimitiveType, syntax: TypeCastSyntax): Sql {
  const isFloat = source.name === "Edm.Double" || source.name === "Edm.Single";
  if (isInteger(target)) {
    return isFloat ? integerOfDouble(value, target, syntax) : withinBounds(value, target, syntax, !isInteger(source));
  }
  if (target.name === "Edm.Decimal") return syntax.decimalOfDouble(value);
  return isFloat
    ? syntax.singleOfDouble(value, String(floatLimit(target)))
    : withinLimit(syntax.doubleOfDecimal(value), target, syntax);
}

/** Returns an exact number that is within the bounds of an integer type. @param hasFraction whether it may have a fraction, which is dropped */
function withinBounds(
  value: Sql,
  target: PrimitiveType,
  { numbers, truncate }: TypeCastSyntax,
  hasFraction: boolean = false,
): Sql {
  const [least, greatest] = integerBounds(target.name);
  const within = between(value, String(least - 1n), String(greatest + 1n), numbers);
  return numbers.asInteger(hasFraction ? truncate(within) : within);
}

/** The greatest double below all of Edm.Int64. */
const BELOW_INT64 = "-9223372036854777856";

function integerOfDouble(value: Sql, target: PrimitiveType, { numbers, truncate, double }: TypeCastSyntax): Sql {
  const [least, greatest] = integerBounds(target.name);
  const low = target.name === "Edm.Int64" ? BELOW_INT64 : String(least - 1n);
  return numbers.asInteger(truncate(between(value, low, String(greatest + 1n), { literal: double })));
}

function withinLimit(value: Sql, target: PrimitiveType, { double }: TypeCastSyntax): Sql {
  const limit = String(floatLimit(target));
  return between(value, `-${limit}`, limit, { literal: double });
}

/** Writes a value as its JSON does. */
function textOf(call: SqlCall, source: PrimitiveType, syntax: TypeCastSyntax): Sql {
  const operand = operandAt(call, 0);
  if (operand.kind === "constant") throw new Error("Constants are cast before they are bound.");
  const value = argumentAt(call, 0);
  if (isInteger(source)) return syntax.textOfInteger(value);
  switch (source.name) {
    case "Edm.Boolean":
      return syntax.textOfBoolean(value);
    case "Edm.Decimal":
      return castIn(call.expression).digits === "needed"
        ? syntax.shortTextOfDecimal(value)
        : syntax.textOfDecimal(operand, call);
    case "Edm.Single":
    case "Edm.Double":
      return syntax.textOfDouble(value);
    case "Edm.Binary":
      return syntax.textOfBytes(value);
    case "Edm.Date":
      return syntax.once(value, (days) => textOfDate(days, syntax));
    case "Edm.TimeOfDay":
      if (operand.form === syntax.texts.time) return textOfWrittenTime(operand.sql, syntax);
      return syntax.once(value, (seconds) => textOfClock(seconds, 0, syntax));
    case "Edm.DateTimeOffset":
      return textOfTimestamp(call, operand, value, syntax);
    case "Edm.Duration":
      if (operand.form === syntax.texts.duration) {
        return syntax.replaced(sql`upper(${operand.sql})`, "^([+]|-(?=[^1-9]*$))", "");
      }
      throw refusal(call, syntax);
    default:
      return value;
  }
}

/** Makes the error of a text that the database cannot write. */
function refusal({ expression }: SqlCall, { database }: Pick<TypeCastSyntax, "database">): ODataError {
  const { source, target } = castIn(expression);
  return protocolError(
    "UnsupportedQueryOption",
    `${database} cannot evaluate 'cast' of this ${source.name} to ${target.name}: its text would differ from that in responses.`,
  );
}

/** Writes a day that is so many days after 1970-01-01. */
function textOfDate(days: Sql, syntax: TypeCastSyntax): Sql {
  const { numbers, concat, textOfInteger } = syntax;
  const year = yearOf(days, syntax);
  const digits = textOfInteger(sql`abs(${year})`);
  const padded = (part: Sql): Sql => sql`lpad(${textOfInteger(part)}, 2, '0')`;
  return concat([
    sql`(case when ${year} < 0 then '-' else '' end)`,
    sql`lpad(${digits}, greatest(4, char_length(${digits})), '0')`,
    sql`'-'`,
    padded(dayPart("month", days, numbers)),
    sql`'-'`,
    padded(dayPart("day", days, numbers)),
  ]);
}

/** Writes seconds of a day with at least so many fraction digits. */
function textOfClock(seconds: Sql, least: number, syntax: TypeCastSyntax): Sql {
  const { numbers, concat, textOfInteger, shortTextOfDecimal } = syntax;
  const whole = sql`floor(${seconds})`;
  const padded = (part: Sql): Sql => sql`lpad(${textOfInteger(numbers.asInteger(part))}, 2, '0')`;
  // Without the zero before the point.
  const fraction = sql`substr(${shortTextOfDecimal(sql`(${seconds} - ${whole})`)}, 2)`;
  const shown = sql`rpad(coalesce(nullif(${fraction}, ''), '.'), greatest(${sql.lit(least + 1)}, char_length(${fraction})), '0')`;
  return concat([
    padded(numbers.wholeDivide(whole, 3600)),
    sql`':'`,
    padded(numbers.wholeDivide(modulo(whole, 3600), 60)),
    sql`':'`,
    padded(modulo(whole, 60)),
    least === 0 ? fraction : shown,
  ]);
}

function textOfTimestamp(call: SqlCall, operand: RowOperand, seconds: Sql, syntax: TypeCastSyntax): Sql {
  if (operand.form === syntax.texts.timestamp) return textOfWrittenTimestamp(operand.sql, syntax);
  const least = shownDigits(call);
  if (least === undefined || operand.offset !== undefined) throw refusal(call, syntax);
  return syntax.once(seconds, (epoch) => {
    const days = toDays(epoch, syntax.numbers);
    const clock = sql`(${epoch} - ${days} * ${sql.lit(SECONDS_PER_DAY)})`;
    return syntax.concat([textOfDate(days, syntax), sql`'T'`, textOfClock(clock, least, syntax), sql`'Z'`]);
  });
}

/** Writes a stored text of a time as responses do: always with seconds. */
function textOfWrittenTime(text: Sql, { replaced }: TypeCastSyntax): Sql {
  return replaced(text, "^(.....)$", "\\1:00");
}

/** Writes a stored text of a timestamp as responses do: with `T`, seconds and an offset, which is `Z` for zero. */
function textOfWrittenTimestamp(text: Sql, { replaced }: TypeCastSyntax): Sql {
  const upper = sql`upper(replace(${text}, ' ', 'T'))`;
  const withOffset = replaced(upper, "(T[0-9:.]*)$", "\\1Z");
  const withZ = replaced(withOffset, "[-+]00:00$", "Z");
  const withSeconds = replaced(withZ, "(T[0-9][0-9]:[0-9][0-9])(?=[-+Z])", "\\1:00");
  return replaced(withSeconds, "^-(?=0000-)", "");
}
