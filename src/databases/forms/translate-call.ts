import { sql } from "kysely";
import { required } from "../../base/required.ts";
import type { EnumType } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { ScalarType } from "../../language/query/expression.ts";
import { bindFormed, bindConstant, type SqlConstant } from "../statement/parameter-slot.ts";
import { toComparable, toComputable, type Encode, type Sql, type SqlForm } from "../statement/sql-form.ts";
import { computed, type ConstantOperand, type JoinedText, type RowOperand } from "../statement/sql-operand.ts";
import type { DialectValues, SqlCall } from "./dialect-values.ts";

/** Returns argument number `index`. @throws Error if it is missing, which the binder has ruled out */
export function operandAt({ expression, operands }: SqlCall, index: number): RowOperand | ConstantOperand {
  return required(operands[index], `${expression.name} lacks argument ${String(index + 1)}.`);
}

/** Returns argument number `index` in the form that functions take. */
export function argumentAt(call: SqlCall, index: number): Sql {
  return formedArgumentAt(call, index).sql;
}

/** As `argumentAt`, with its form. A column of UTC timestamps keeps its own form. */
function formedArgumentAt(call: SqlCall, index: number): { readonly sql: Sql; readonly form: SqlForm } {
  const operand = operandAt(call, index);
  // No index serves the argument of a function.
  if (operand.kind === "row") return toComputable({ ...operand, sql: operand.unindexed ?? operand.sql });
  const form = call.values.canonicalForm(operand.type);
  return { sql: bindFormed(operand.constant, form), form };
}

/** Returns argument number `index` if it is a constant; undefined if it depends on the row. */
export function constantAt(call: SqlCall, index: number): SqlConstant | undefined {
  const operand = operandAt(call, index);
  return operand.kind === "constant" ? operand.constant : undefined;
}

/**
 * Returns the texts that a call of `concat` joins, those of concatenations within it included: joined one after the other,
 * each intermediate text would take memory until the end of the row.
 */
export function joinedTexts(call: SqlCall): readonly JoinedText[] {
  return call.operands.flatMap((_operand, index) => {
    const operand = operandAt(call, index);
    if (operand.kind === "constant") return [{ sql: argumentAt(call, index), nulls: "never" as const }];
    return operand.joined ?? [{ sql: argumentAt(call, index), nulls: operand.nulls }];
  });
}

/** Whether none of some texts is null. */
export function areKnown(texts: readonly JoinedText[]): Sql {
  const tests = texts.filter(({ nulls }) => nulls !== "never").map(({ sql: text }) => sql`${text} is not null`);
  return tests.length === 0 ? sql`1 = 1` : sql.join(tests, sql` and `);
}

/** Binds a constant with a custom encoding. */
export function bindText(constant: SqlConstant, encode: (text: string) => unknown): Sql {
  const encodeText: Encode = (value) => encode(String(value));
  return bindConstant(constant, encodeText);
}

/** Returns the type of an argument. */
export function typeAt({ expression }: SqlCall, index: number): ScalarType {
  const type = expression.arguments[index]?.type;
  if (type?.kind === "PrimitiveType" || type?.kind === "EnumType") return type;
  throw new Error(`Argument ${String(index + 1)} of ${expression.name} has no primitive type.`);
}

/** Returns the name of the member of an enumeration, in the form of texts that functions take: the first of several names. */
export function memberName(operand: RowOperand, { members }: EnumType, { canonicalForm }: DialectValues): RowOperand {
  const form = canonicalForm(PRIMITIVE_TYPES["Edm.String"]);
  const toText = form.place ?? ((name: Sql): Sql => name);
  // A case takes the first branch that fits.
  const cases = Array.from(members, ([name, value]) => sql`when ${sql.lit(value)} then ${toText(sql.lit(name))}`);
  return computed({ sql: sql`(case ${toComparable(operand).sql} ${sql.join(cases, sql` `)} end)`, form });
}

/** The characters that `trim` of JavaScript removes: Unicode white space, line ends and the byte order mark. */
export const WHITE_SPACE =
  "\t\n\u000B\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF";
