import { asText } from "../edm/canonical-form.ts";
import { ceilingDecimal, floorDecimal, roundDecimal } from "../edm/decimal-arithmetic.ts";
import type { RoundingMode } from "../query/clauses.ts";
import { operandAt, type CallSite, type CompileCall } from "./compile-call.ts";
import { toDouble } from "./convert.ts";
import type { CompiledExpression } from "./evaluation.ts";

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
export function compileRound(site: CallSite): CompiledExpression {
  const { roundingMode } = site;
  const rounding = roundingMode === "spec-compliant" ? "half-away-from-zero" : "half-to-even";
  return compileNumeric(
    site,
    (value) => roundDecimal(value, rounding),
    (value) => roundDouble(value, roundingMode),
  );
}

/** Compiles `floor` on Decimal or Double. */
export const compileFloor: CompileCall = (site) => compileNumeric(site, floorDecimal, Math.floor);

/** Compiles `ceiling` on Decimal or Double. */
export const compileCeiling: CompileCall = (site) => compileNumeric(site, ceilingDecimal, Math.ceil);

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
