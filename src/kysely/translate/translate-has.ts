import { sql } from "kysely";
import type { HasExpression } from "../../query/expression.ts";
import type { DialectValues } from "../dialects/dialect-profile.ts";
import { bindFormed } from "../statement/bind-formed.ts";
import { toComparable, type Sql } from "../statement/sql-form.ts";
import type { SqlOperand, Translator } from "../statement/sql-operand.ts";

/**
 * Translates `operand has flags`: all bits of the right value are set in the left, or, without flags, the values are
 * equal; null when one is null.
 * @see OData URL Conventions 4.0, section 5.1.1.1.10
 */
export function translateHas({ operand, flags }: HasExpression, translator: Translator, values: DialectValues): Sql {
  const { type } = operand;
  const left = translator.operand(operand);
  const right = translator.operand(flags);
  if (left.kind === "null" || right.kind === "null" || type === null) return sql`null`;
  if (type.kind !== "EnumType") throw new Error(`"has" needs an enumeration, not ${type.name}.`);
  const numbers = values.canonicalForm(type);
  const toNumber = (side: Exclude<SqlOperand, { readonly kind: "null" }>): Sql =>
    side.kind === "row" ? toComparable(side).sql : bindFormed(side.constant, numbers);
  const [value, bits] = [toNumber(left), toNumber(right)];
  // Enumerations have no functions or arithmetic, so both sides are short.
  return type.isFlags ? sql`(${value} & ${bits}) = ${bits}` : sql`${value} = ${bits}`;
}
