import { sql } from "kysely";
import { protocolError } from "../../errors/odata-error.ts";
import type { InExpression, ScalarType } from "../../query/expression.ts";
import type { DialectProfile, DialectSyntax } from "../dialects/dialect-profile.ts";
import { bindFormed } from "../statement/parameter-slot.ts";
import { toComparable, toEquatable, type Encode, type Sql, type SqlForm } from "../statement/sql-form.ts";
import type { ConditionMode, ConstantOperand, RowOperand, SqlOperand, Translator } from "../statement/sql-operand.ts";
import { asRow, booleanLiteral, equalsConstant } from "./translate-comparison.ts";
import { joinBalanced } from "./translate-logical.ts";

type Item = RowOperand | ConstantOperand;

/** SQLite allows at most 500 parts in one `union all`. */
const MAX_UNION = 250;

const ITEM: Sql = sql`odata_value`;

/**
 * Translates `operand in (…)`: true if the operand equals an item; null equals null. Never null in mode `exact`.
 * @see OData URL Conventions 4.01, section 5.1.1.1.12
 */
export function translateIn(
  expression: InExpression,
  mode: ConditionMode,
  translator: Translator,
  profile: DialectProfile,
): Sql {
  const operand = translator.operand(expression.operand);
  const translated = expression.items.map(translator.operand);
  const items = translated.filter((item) => item.kind !== "null");
  const hasNull = items.length < translated.length;
  if (operand.kind === "null") return anyNull(items, hasNull);
  const { type } = expression.operand;
  if (type === null || type.kind === "EntityType" || type.kind === "ComplexType") {
    throw new Error("Structured values cannot be looked up in a list.");
  }
  const row = asRow(operand, type, profile.values);
  const constants = items.filter((item) => item.kind === "constant");
  if (constants.length < items.length) return amongRows(row, items, hasNull, { type, profile });
  if (items.length === 0) return hasNull ? isNull(row) : booleanLiteral(false);
  return amongConstants(row, constants, { hasNull, mode }, profile.syntax);
}

function anyNull(items: readonly Item[], hasNull: boolean): Sql {
  if (hasNull) return booleanLiteral(true);
  const tests = items.filter(mayBeNull).map(isNull);
  return tests.length === 0 ? booleanLiteral(false) : sql`(${joinBalanced(tests, sql` or `)})`;
}

function mayBeNull(item: SqlOperand): item is RowOperand {
  return item.kind === "row" && item.nulls !== "never";
}

function isNull(operand: RowOperand): Sql {
  return operand.nulls === "never" ? booleanLiteral(false) : sql`${operand.sql} is null`;
}

/** Translates a list of constants, which an index on the column can serve. */
function amongConstants(
  operand: RowOperand,
  constants: readonly ConstantOperand[],
  { hasNull, mode }: { readonly hasNull: boolean; readonly mode: ConditionMode },
  { ifNull, booleanValue }: DialectSyntax,
): Sql {
  const { sql: cells, form } = toEquatable(operand);
  const { exact } = form;
  const listed = (member: SqlForm, encode: Encode): Sql =>
    sql.join(constants.map(({ constant }) => bindFormed(constant, member, encode)));
  let found: Sql;
  if (exact === null) {
    const tests = constants.map(({ constant }) => equalsConstant(operand, constant, "filter"));
    found = sql`(${joinBalanced(tests, sql` or `)})`;
  } else {
    found = sql`${cells} in (${listed(form, exact)})`;
    const { indexed } = operand.form;
    if (indexed !== undefined) {
      found = sql`(${operand.sql} in (${listed(indexed, indexed.exact ?? indexed.floor)}) and ${found})`;
    }
  }
  // An item that is NaN becomes null, and makes the condition null where it is false.
  const { mayBeNull: hasNaN } = form;
  if (hasNaN && mode === "exact") found = ifNull(found, booleanValue(false));
  if (operand.nulls === "never") return found;
  if (hasNull && (operand.nulls === "column" || hasNaN)) return sql`(${isNull(operand)} or ${found})`;
  if (hasNull) return ifNull(found, booleanValue(true));
  return mode === "filter" ? found : ifNull(found, booleanValue(false));
}

/** Items that depend on the row: the operand does not stand once for each, for lists may nest. */
function amongRows(
  operand: RowOperand,
  items: readonly Item[],
  hasNull: boolean,
  { type, profile }: { readonly type: ScalarType; readonly profile: DialectProfile },
): Sql {
  const rows = items.map((item) => sql`select ${toComparable(asRow(item, type, profile.values)).sql} as odata_value`);
  if (hasNull) rows.push(sql`select null as odata_value`);
  const value = toComparable(operand).sql;
  if (!profile.syntax.derivesFromRows) return amongEach(operand, items, hasNull, { type, profile });
  const tests: Sql[] = [];
  for (let at = 0; at < rows.length; at += MAX_UNION) {
    const list = sql.join(rows.slice(at, at + MAX_UNION), sql` union all `);
    tests.push(sql`exists (select 1 from (${list}) as odata_items where ${profile.syntax.isSame(ITEM, value)})`);
  }
  return sql`(${joinBalanced(tests, sql` or `)})`;
}

/** Makes one comparison per item. @throws ODataError for computed operands: each nested list would multiply their text */
function amongEach(
  operand: RowOperand,
  items: readonly Item[],
  hasNull: boolean,
  { type, profile }: { readonly type: ScalarType; readonly profile: DialectProfile },
): Sql {
  const rows = items.map((item) => asRow(item, type, profile.values));
  if ([operand, ...rows].some(({ nulls, form }) => nulls === "computed" && !form.mayBeNull)) {
    throw protocolError(
      "UnsupportedQueryOption",
      `${profile.name} cannot evaluate 'in' over computed values: compare them with 'eq' and 'or'.`,
    );
  }
  const value = toComparable(operand).sql;
  const tests = rows.map((row) => profile.syntax.isSame(value, toComparable(row).sql));
  if (hasNull) tests.push(sql`${value} is null`);
  return sql`(${joinBalanced(tests, sql` or `)})`;
}
