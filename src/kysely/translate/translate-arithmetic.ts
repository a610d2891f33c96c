import type { ArithmeticExpression, NegateExpression, ScalarType } from "../../query/expression.ts";
import type { DialectValues, Term } from "../dialects/dialect-profile.ts";
import { bindFormed } from "../statement/parameter-slot.ts";
import { toComputable } from "../statement/sql-form.ts";
import { NULL_OPERAND, type SqlOperand } from "../statement/sql-operand.ts";

/**
 * Translates arithmetic; null when an operand is null.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function translateArithmetic(
  expression: ArithmeticExpression,
  left: SqlOperand,
  right: SqlOperand,
  values: DialectValues,
): SqlOperand {
  if (left.kind === "null" || right.kind === "null") return NULL_OPERAND;
  const first = toTerm(left, typeOf(expression.left), values);
  const second = toTerm(right, typeOf(expression.right), values);
  return values.compute(expression, first, second);
}

/** Translates `-x`; also null for the least Int64. */
export function translateNegation(
  expression: NegateExpression,
  operand: SqlOperand,
  values: DialectValues,
): SqlOperand {
  if (operand.kind === "null") return NULL_OPERAND;
  return values.negate(expression, toTerm(operand, typeOf(expression.operand), values));
}

function toTerm(
  operand: Exclude<SqlOperand, { readonly kind: "null" }>,
  type: ScalarType,
  values: DialectValues,
): Term {
  const offset = values.offsetOf?.(operand, type);
  if (operand.kind === "row") {
    return { sql: toComputable(operand).sql, type, isShort: operand.nulls !== "computed", offset };
  }
  const { constant } = operand;
  return { sql: bindFormed(constant, values.canonicalForm(type)), type, isShort: true, constant, offset };
}

function typeOf({ type }: ArithmeticExpression["left"]): ScalarType {
  if (type?.kind === "PrimitiveType") return type;
  throw new Error("Only primitive values can be computed with.");
}
