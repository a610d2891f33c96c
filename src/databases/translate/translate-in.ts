import { sql } from "kysely";
import { assertNever } from "../../base/required.ts";
import type { InExpression, Expression } from "../../language/query/expression.ts";
import { childrenOf } from "../../language/query/walk-expression.ts";
import { onlyCell } from "../columns/column-format.ts";
import type { Database } from "../forms/database.ts";
import type { DialectSyntax } from "../forms/dialect-syntax.ts";
import {
  toComparable,
  toEquatable,
  type Encode,
  type FormedSql,
  type Sql,
  type SqlForm,
} from "../statement/sql-form.ts";
import {
  bareOperand,
  whereReadable,
  type ConditionMode,
  type ConstantOperand,
  type RowOperand,
  type Translator,
} from "../statement/sql-operand.ts";
import { asRow, bindCells, booleanLiteral, equalsConstant, type Unfold } from "./translate-comparison.ts";

/**
 * Translates `operand in (…)`: true if the operand equals an item; null equals null. Never null in mode `exact`.
 * @see OData URL Conventions 4.01, section 5.1.1.1.12
 */
export function translateIn(
  expression: InExpression,
  mode: ConditionMode,
  translator: Translator,
  profile: Database,
  unfold?: Unfold,
): Sql {
  const operand = translator.operand(expression.operand);
  const translated = expression.items.map(translator.operand);
  const constants = translated.filter((item) => item.kind !== "null").map(toConstant);
  const hasNull = translated.some(({ kind }) => kind === "null");
  if (operand.kind === "null") return booleanLiteral(hasNull);
  const { type } = expression.operand;
  if (type === null || type.kind === "EntityType" || type.kind === "ComplexType") {
    throw new Error("Structured values cannot be looked up in a list.");
  }
  const row = asRow(operand, type, profile.values);
  if (constants.length === 0) return hasNull ? isNull(row) : booleanLiteral(false);
  return amongConstants(row, constants, { hasNull, mode, unfold }, profile.syntax);
}

/** @throws Error for an item that depends on the row: the grammar and row rules allow only literals */
function toConstant(item: RowOperand | ConstantOperand): ConstantOperand {
  if (item.kind === "constant") return item;
  throw new Error("Items of a list cannot depend on the row.");
}

function isNull(operand: RowOperand): Sql {
  return operand.nulls === "never" ? booleanLiteral(false) : sql`${operand.sql} is null`;
}

/** The most items whose ranges of cells are tested one by one, which an index can serve. */
const MAX_RANGES = 16;

/** An operand and the encoding of items, such that an item equals the operand if their cells are equal. */
interface Listed extends FormedSql {
  readonly encode: Encode;
  /** Whether an item may be null, so that the list makes a false condition null: for a value without a cell. */
  readonly mayBeNull: boolean;
}

/** Returns null if the ranges of the items are tested instead: few items, of a form with several cells per value. */
function toListed(operand: RowOperand, items: number): Listed | null {
  const equatable = toEquatable(operand);
  const { form } = equatable;
  // NaN becomes null.
  if (form.exact !== null) return { ...equatable, encode: form.exact, mayBeNull: form.mayBeNull };
  if (items <= MAX_RANGES) return null;
  if (form.isSingle) return { ...equatable, encode: (value) => onlyCell(form, value) ?? null, mayBeNull: true };
  // No index serves this list, but the database looks up each row in it once.
  const { sql: cells, form: key } = toComparable(operand);
  return key.exact === null ? null : { sql: cells, form: key, encode: key.exact, mayBeNull: key.mayBeNull };
}

interface AmongOptions {
  readonly hasNull: boolean;
  readonly mode: ConditionMode;
  readonly unfold: Unfold;
}

/** Translates a list of constants, which an index on the column can serve. */
function amongConstants(
  operand: RowOperand,
  constants: readonly ConstantOperand[],
  { hasNull, mode, unfold }: AmongOptions,
  { ifNull, booleanValue }: DialectSyntax,
): Sql {
  const bare = bareOperand(operand, operand.form.equatable ?? operand.form.sortable);
  const listed = toListed(bare, constants.length);
  const list = (form: SqlForm, encode: Encode, cells: Sql): Sql => {
    const items = constants.flatMap(({ constant }) => bindCells(constant, form, encode));
    const [only] = items;
    // A list of one item is a comparison with it.
    const isFolded = mode === "filter" && items.length === 1 && only !== undefined;
    return isFolded ? (unfold?.(only, cells) ?? only) : sql.join(items);
  };
  let found: Sql;
  if (listed === null) {
    const tests = constants.map(({ constant }) => equalsConstant(bare, constant, "filter", unfold));
    found = sql`(${joinBalanced(tests, sql` or `)})`;
  } else {
    found = sql`${listed.sql} in (${list(listed.form, listed.encode, listed.sql)})`;
    const { indexed } = operand.form;
    if (indexed !== undefined) {
      found = sql`(${bare.sql} in (${list(indexed, indexed.exact ?? indexed.floor, bare.sql)}) and ${found})`;
    }
  }
  if (bare !== operand) found = whereReadable(found, operand);
  const { mayBeNull } = listed ?? toEquatable(operand).form;
  if (mayBeNull && mode === "exact") found = ifNull(found, booleanValue(false));
  if (operand.nulls === "never") return found;
  if (hasNull && (operand.nulls === "column" || mayBeNull || bare !== operand)) {
    return sql`(${isNull(operand)} or ${found})`;
  }
  if (hasNull) return ifNull(found, booleanValue(true));
  return mode === "filter" ? found : ifNull(found, booleanValue(false));
}

/** The maximum length of a chain of conditions; longer chains are split in halves, because databases limit the depth. */
const CHAIN_LENGTH = 16;

/** Joins conditions by `and` or `or`. The depth grows with the logarithm of their number. */
export function joinBalanced(conditions: readonly Sql[], separator: Sql): Sql {
  if (conditions.length <= CHAIN_LENGTH) return sql.join(conditions, separator);
  const middle = conditions.length >> 1;
  const halves = [conditions.slice(0, middle), conditions.slice(middle)];
  return sql.join(
    halves.map((half) => sql`(${joinBalanced(half, separator)})`),
    separator,
  );
}

/** Estimates the cost of an expression per row: comparisons are cheap, functions are expensive. */
export function costOf(expression: Expression): number {
  switch (expression.kind) {
    case "parameter":
    case "literal":
    case "null":
    case "it":
    case "variable":
      return 0;
    case "property":
      return costOf(expression.source);
    case "count":
    case "root":
    case "navigation":
      return CALL_COST;
    case "lambda":
      return LAMBDA_COST + (expression.predicate === null ? 0 : costOf(expression.predicate));
    case "comparison":
    case "arithmetic":
    case "not":
    case "negate":
    case "convert":
      return 1 + sum(childrenOf(expression));
    case "logical":
      return sum(expression.operands);
    case "in":
      return 1 + costOf(expression.operand);
    case "has":
      return 1;
    case "call":
      return CALL_COST + sum(expression.arguments);
    default:
      return assertNever(expression);
  }
}

const CALL_COST = 100;
const LAMBDA_COST = 1000;

function sum(expressions: readonly Expression[]): number {
  return expressions.reduce((total, expression) => total + costOf(expression), 0);
}
