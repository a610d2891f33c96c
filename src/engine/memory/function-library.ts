import { required } from "../../base/required.ts";
import type { FunctionName } from "../../edm/canonical-functions.ts";
import { castOf } from "../../edm/cast.ts";
import { indexOf, lengthOf, substring } from "../../edm/code-points.ts";
import { datePartOf, timePartOf, totalOffsetMinutesOf, dayOf, monthOf, yearOf } from "../../edm/date-time-offset.ts";
import { ceilingDecimal, floorDecimal, roundDecimal } from "../../edm/decimal-arithmetic.ts";
import { totalSecondsOf } from "../../edm/duration.ts";
import { fractionalSecondsOf, hourOf, minuteOf, secondOf } from "../../edm/time-of-day.ts";
import { asText, type PrimitiveValue } from "../../edm/value-codec.ts";
import { castIn } from "../../language/query/cast-call.ts";
import type { RoundingMode } from "../../language/query/clauses.ts";
import type { CallExpression } from "../../language/query/expression.ts";
import { requireParameter } from "./compile-comparison.ts";
import { toDouble } from "./convert.ts";
import type { CompiledExpression, Evaluation } from "./evaluation.ts";

/**
 * Rounds a double to an integer: to the nearest, a midpoint away from zero, or to the even neighbour under bankers'
 * rounding. The result is exact: 0.49999999999999994 gives 0. NaN and the infinities are unchanged.
 * @see OData URL Conventions 4.0, section 5.1.1.4.25; docs/reference/filter.md
 */
export function roundDouble(value: number, mode: RoundingMode): number {
  const whole = Math.trunc(value);
  // The fraction of a double is itself a double, so the subtraction is exact.
  const fraction = Math.abs(value - whole);
  const isAway = fraction > 0.5 || (fraction === 0.5 && (mode === "spec-compliant" || whole % 2 !== 0));
  return isAway ? whole + Math.sign(value) : whole;
}

/** Compiles `round` on Decimal or Double, with the rounding mode of the query. */
function compileRound(site: CallSite): CompiledExpression {
  const { roundingMode } = site;
  const rounding = roundingMode === "spec-compliant" ? "half-away-from-zero" : "half-to-even";
  return compileNumeric(
    site,
    (value) => roundDecimal(value, rounding),
    (value) => roundDouble(value, roundingMode),
  );
}

/** Compiles `floor` on Decimal or Double. */
const compileFloor: CompileCall = (site) => compileNumeric(site, floorDecimal, Math.floor);

/** Compiles `ceiling` on Decimal or Double. */
const compileCeiling: CompileCall = (site) => compileNumeric(site, ceilingDecimal, Math.ceil);

function compileNumeric(
  site: CallSite,
  computeDecimal: (value: string) => string,
  computeDouble: (value: number) => number,
): CompiledExpression {
  const operand = operandAt(site, 0);
  const isDecimal = site.expression.type.name === "Edm.Decimal";
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    if (value === null) return null;
    return isDecimal ? computeDecimal(asText(value)) : computeDouble(toDouble(value));
  };
}

/** Compiles `concat`. */
function compileConcat(site: CallSite): CompiledExpression {
  const [left, right] = [operandAt(site, 0), operandAt(site, 1)];
  return (entity, evaluation) => {
    const first = left(entity, evaluation);
    if (first === null) return null;
    const second = right(entity, evaluation);
    return second === null ? null : asText(first) + asText(second);
  };
}

/** The results of `mindatetime()` and `maxdatetime()`. */
const MIN_DATE_TIME = "0001-01-01T00:00:00Z";
const MAX_DATE_TIME = "9999-12-31T23:59:59.999999999999Z";

/**
 * One implementation per canonical function; null when an argument is null.
 * - Strings are compared code point by code point, so case counts. `tolower` and `toupper` use Unicode's full case
 *   mapping without a language (`ß` becomes `SS`); `trim` removes Unicode white space, line ends and the byte order
 *   mark. Characters are code points.
 * - Parts of a timestamp are in its own offset. `fractionalseconds` and `totalseconds` are exact Decimals.
 * - `now()` is the same for the whole execution of a query.
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export const FUNCTION_LIBRARY: Readonly<Record<FunctionName, CompileCall>> = {
  contains: ofTwoTexts((text, part) => text.includes(part)),
  startswith: ofTwoTexts((text, part) => text.startsWith(part)),
  endswith: ofTwoTexts((text, part) => text.endsWith(part)),
  length: ofText(lengthOf),
  indexof: ofTwoTexts(indexOf),
  substring: compileSubstring,
  tolower: ofText((text) => text.toLowerCase()),
  toupper: ofText((text) => text.toUpperCase()),
  trim: ofText((text) => text.trim()),
  concat: compileConcat,
  year: ofText(yearOf),
  month: ofText(monthOf),
  day: ofText(dayOf),
  hour: ofText(hourOf),
  minute: ofText(minuteOf),
  second: ofText(secondOf),
  fractionalseconds: ofText(fractionalSecondsOf),
  totalseconds: ofText(totalSecondsOf),
  date: ofText(datePartOf),
  time: ofText(timePartOf),
  totaloffsetminutes: ofText(totalOffsetMinutesOf),
  now: () => (_entity, evaluation) => evaluation.now,
  mindatetime: () => () => MIN_DATE_TIME,
  maxdatetime: () => () => MAX_DATE_TIME,
  round: compileRound,
  floor: compileFloor,
  ceiling: compileCeiling,
  cast: compileCast,
};

/** Compiles `cast`. */
function compileCast(site: CallSite): CompiledExpression {
  const operand = operandAt(site, 0);
  const { source, target, digits } = castIn(site.expression);
  const cast = castOf(source, target, digits);
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    if (value === null) return null;
    return cast(typeof value === "string" ? readText(value, evaluation) : value);
  };
}

/** Compiles `substring` with two or three arguments; null when one of them is null. */
function compileSubstring(site: CallSite): CompiledExpression {
  const text = operandAt(site, 0);
  const start = operandAt(site, 1);
  const length = site.operands.length > 2 ? operandAt(site, 2) : () => Number.MAX_SAFE_INTEGER;
  return (entity, evaluation) => {
    const first = text(entity, evaluation);
    const second = start(entity, evaluation);
    const third = length(entity, evaluation);
    if (first === null || second === null || third === null) return null;
    return substring(readText(first, evaluation), toIndex(second), toIndex(third));
  };
}

/** Converts an integer to a double. Beyond 2^53 it is inexact, but no string is that long. */
function toIndex(value: PrimitiveValue): number {
  return Number(value);
}

/** A call with compiled arguments, from which the implementation of a function makes its closure. */
interface CallSite {
  readonly expression: CallExpression;
  readonly operands: readonly CompiledExpression[];
  readonly roundingMode: RoundingMode;
}

/** Makes the closure of a call, which returns null when an argument is null. */
type CompileCall = (site: CallSite) => CompiledExpression;

/** A function of one string. */
function ofText(compute: (text: string) => PrimitiveValue): CompileCall {
  return (site) => {
    const operand = operandAt(site, 0);
    return (entity, evaluation) => {
      const value = operand(entity, evaluation);
      return value === null ? null : compute(readText(value, evaluation));
    };
  };
}

/** A function of two strings. */
function ofTwoTexts(compute: (first: string, second: string) => PrimitiveValue): CompileCall {
  return (site) => {
    const left = operandAt(site, 0);
    const parameter = site.expression.arguments[1];
    if (parameter?.kind === "parameter") return ofTextAndParameter(compute, left, parameter.index);
    const right = operandAt(site, 1);
    return (entity, evaluation) => {
      const first = left(entity, evaluation);
      if (first === null) return null;
      const second = right(entity, evaluation);
      return second === null ? null : compute(readText(first, evaluation), readText(second, evaluation));
    };
  };
}

/** A function of a string and a parameter, which is the most common second argument. */
function ofTextAndParameter(
  compute: (first: string, second: string) => PrimitiveValue,
  left: CompiledExpression,
  index: number,
): CompiledExpression {
  return (entity, evaluation) => {
    const first = left(entity, evaluation);
    return first === null ? null : compute(readText(first, evaluation), asText(requireParameter(evaluation, index)));
  };
}

function readText(value: PrimitiveValue, evaluation: Evaluation): string {
  const text = asText(value);
  evaluation.readText(text.length);
  return text;
}

/** Returns a compiled argument of a call. @throws Error for a missing one, which the binder has rejected before */
function operandAt({ expression, operands }: CallSite, index: number): CompiledExpression {
  return required(operands[index], `${expression.name} lacks argument ${String(index + 1)}.`);
}
