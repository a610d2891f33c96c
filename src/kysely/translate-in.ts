import { sql } from "kysely";
import type { InExpression, ScalarType } from "../query/expression.ts";
import { bindConstant } from "./parameter-slot.ts";
import { toComparable, toEquatable, type Encode, type Sql } from "./sql-form.ts";
import type { ConditionMode, ConstantOperand, RowOperand, SqlOperand, Translator } from "./sql-operand.ts";
import { asRow, booleanLiteral, equalsConstant } from "./translate-comparison.ts";
import { joinBalanced } from "./translate-logical.ts";

type Item = RowOperand | ConstantOperand;

/** Most parts that one `union all` may have in SQLite are 500. */
const MAX_UNION = 250;

/** Bytes equal no number. */
const EQUAL_TO_NOTHING = new Uint8Array(0);

/**
 * Translates `operand in (…)`: true when the operand equals an item, and a null operand equals a null item. Never null
 * in mode `exact`.
 * @see OData URL Conventions 4.01, section 5.1.1.1.12
 */
export function translateIn(expression: InExpression, mode: ConditionMode, translator: Translator): Sql {
  const operand = translator.operand(expression.operand);
  const translated = expression.items.map(translator.operand);
  const items = translated.filter((item) => item.kind !== "null");
  const hasNull = items.length < translated.length;
  if (operand.kind === "null") return anyNull(items, hasNull);
  const { type } = expression.operand;
  if (type === null || type.kind === "EntityType" || type.kind === "ComplexType") {
    throw new Error("Structured values cannot be looked up in a list.");
  }
  const row = asRow(operand, type);
  const constants = items.filter((item) => item.kind === "constant");
  if (constants.length < items.length) return amongRows(row, items, hasNull, type);
  if (items.length === 0) return hasNull ? isNull(row) : booleanLiteral(false);
  return amongConstants(row, constants, hasNull, mode);
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

/** A list that an index on the column serves. */
function amongConstants(
  operand: RowOperand,
  constants: readonly ConstantOperand[],
  hasNull: boolean,
  mode: ConditionMode,
): Sql {
  const { sql: cells, form } = toEquatable(operand);
  const { exact } = form;
  const found =
    exact === null
      ? sql`(${joinBalanced(
          constants.map(({ constant }) => equalsConstant(operand, constant, "filter")),
          sql` or `,
        )})`
      : sql`${cells} in (${sql.join(constants.map(({ constant }) => bindConstant(constant, neverNull(exact))))})`;
  if (operand.nulls === "never") return found;
  if (hasNull && operand.nulls === "column") return sql`(${isNull(operand)} or ${found})`;
  if (hasNull) return sql`ifnull(${found}, 1)`;
  return mode === "filter" ? found : sql`ifnull(${found}, 0)`;
}

/** A null among the items would make the condition null where it is false. */
function neverNull(encode: Encode): Encode {
  return (value) => encode(value) ?? EQUAL_TO_NOTHING;
}

/** Items that depend on the row: the operand does not stand once for each, for lists may nest. */
function amongRows(operand: RowOperand, items: readonly Item[], hasNull: boolean, type: ScalarType): Sql {
  const rows = items.map((item) => sql`select ${toComparable(asRow(item, type)).sql} as odata_value`);
  if (hasNull) rows.push(sql`select null as odata_value`);
  const value = toComparable(operand).sql;
  const tests: Sql[] = [];
  for (let at = 0; at < rows.length; at += MAX_UNION) {
    const list = sql.join(rows.slice(at, at + MAX_UNION), sql` union all `);
    tests.push(sql`exists (select 1 from (${list}) where odata_value is ${value})`);
  }
  return sql`(${joinBalanced(tests, sql` or `)})`;
}
