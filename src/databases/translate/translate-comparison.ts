import { sql } from "kysely";
import { assertNever } from "../../base/required.ts";
import type {
  ComparisonExpression,
  ComparisonOperator,
  ScalarType,
  HasExpression,
} from "../../language/query/expression.ts";
import type { Database } from "../forms/database.ts";
import type { DialectSyntax } from "../forms/dialect-syntax.ts";
import type { DialectValues } from "../forms/dialect-values.ts";
import { bindFormed, type SqlConstant } from "../statement/parameter-slot.ts";
import {
  toComparable,
  toEquatable,
  toRanged,
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
  type SqlOperand,
  type Translator,
} from "../statement/sql-operand.ts";

/** The equivalent operator with exchanged operands. */
const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: "eq",
  ne: "ne",
  gt: "lt",
  ge: "le",
  lt: "gt",
  le: "ge",
};

// A bare number in `order by` would be the position of a column.
const TRUE: Sql = sql`1 = 1`;
const FALSE: Sql = sql`1 = 0`;

/** The condition that is null for every row. */
export const NULL_CONDITION: Sql = sql`null`;

/** Returns `true` or `false` as SQL. */
export function booleanLiteral(value: boolean): Sql {
  return value ? TRUE : FALSE;
}

/**
 * Keeps a constant that may be null from making a comparison the same for every row: see `unfolded` of `DialectSyntax`.
 * Undefined where the database may compute such a comparison in advance.
 */
export type Unfold = DialectSyntax["unfolded"];

/** The place of a comparison in a statement. */
interface ComparisonContext {
  readonly mode: ConditionMode;
  readonly profile: Database;
  readonly unfold?: Unfold;
}

/**
 * Translates a comparison of two operands. `eq` and `ne` treat null as a value; the other operators are false for null. If
 * the caller accepts null as false, bare columns are compared so that an index can serve them.
 * @see OData URL Conventions 4.0, section 5.1.1.1
 */
export function translateComparison(
  { operator, operandType }: ComparisonExpression,
  left: SqlOperand,
  right: SqlOperand,
  context: ComparisonContext,
): Sql {
  if (left.kind === "null") return nullTest(operator, right);
  if (right.kind === "null") return nullTest(operator, left);
  if (operandType === null || operandType.kind === "ComplexType" || operandType.kind === "EntityType") {
    throw new Error(`Values without a primitive type cannot be compared with ${operator}.`);
  }
  const { mode, profile } = context;
  const { values, syntax } = profile;
  if (left.kind === "constant") {
    if (right.kind === "row") return compareWithConstant(MIRRORED[operator], right, left.constant, context);
    return compareRows(operator, asRow(left, operandType, values), asRow(right, operandType, values), mode, syntax);
  }
  return right.kind === "constant"
    ? compareWithConstant(operator, left, right.constant, context)
    : compareRows(operator, left, right, mode, syntax);
}

/** Translates the equality of an operand and a constant. @param _mode the only mode: null may be returned for false */
export function equalsConstant(operand: RowOperand, constant: SqlConstant, _mode: "filter", unfold?: Unfold): Sql {
  return conditionOn("eq", operand, toEquatable(operand), constant, unfold);
}

/** Binds the cells of a constant, for a form with `exact`: its own cell, and the cells that responses show as the same value. */
export function bindCells(constant: SqlConstant, form: SqlForm, exact: Encode): readonly Sql[] {
  return [exact, ...(form.spellings ?? [])].map((encode) => bindFormed(constant, form, encode));
}

/** Converts a constant to a row operand, in the form in which values of its type are compared. */
export function asRow(operand: ConstantOperand | RowOperand, type: ScalarType, values: DialectValues): RowOperand {
  if (operand.kind === "row") return operand;
  const canonical = values.canonicalForm(type);
  const form = canonical.comparable?.form ?? canonical;
  return { kind: "row", sql: bindFormed(operand.constant, form), form, nulls: nullsOf(form) };
}

function nullsOf(form: SqlForm): RowOperand["nulls"] {
  return form.mayBeNull ? "computed" : "never";
}

function nullTest(operator: ComparisonOperator, operand: SqlOperand): Sql {
  if (operator !== "eq" && operator !== "ne") return FALSE;
  if (operand.kind === "null") return booleanLiteral(operator === "eq");
  if (operand.kind === "constant" || operand.nulls === "never") return booleanLiteral(operator === "ne");
  return operator === "eq" ? sql`${operand.sql} is null` : sql`${operand.sql} is not null`;
}

function compareWithConstant(
  operator: ComparisonOperator,
  operand: RowOperand,
  constant: SqlConstant,
  { mode, profile: { syntax }, unfold }: ComparisonContext,
): Sql {
  const isEquality = operator === "eq" || operator === "ne";
  // An index serves bare cells only. Those of `ne` and below `not` need none.
  const { equatable, sortable, ranged = sortable } = operand.form;
  const conversion = isEquality ? (equatable ?? sortable) : ranged;
  const compared = operator !== "ne" && mode === "filter" ? bareOperand(operand, conversion) : operand;
  const cells = isEquality ? toEquatable(compared) : toRanged(compared);
  const mayBeNull = operand.form.mayBeNull || cells.form.mayBeNull;
  const absent = mayBeNull ? sql`${bindFormed(constant, cells.form, cellOf(operator, cells.form))} is null` : null;
  const condition = conditionOn(operator, compared, cells, constant, mode === "filter" ? unfold : undefined);
  if (compared !== operand) return whereReadable(condition, operand);
  return operator === "ne"
    ? orAbsent(condition, operand, absent, syntax)
    : exactly(condition, operand, absent, mode, syntax);
}

/** The operators for one cell, and for several. */
const EQUAL = [sql`=`, sql`in`] as const;
const DIFFERENT = [sql`<>`, sql`not in`] as const;

/** Translates the comparison for non-null sides. */
function conditionOn(
  operator: ComparisonOperator,
  operand: RowOperand,
  { sql: cells, form }: FormedSql,
  constant: SqlConstant,
  unfold: Unfold,
): Sql {
  const { floor, ceiling, exact, beside } = form;
  const bind = (encode: Encode): Sql => {
    const bound = bindFormed(constant, form, encode);
    return form.mayBeNull ? (unfold?.(bound, cells) ?? bound) : bound;
  };
  const among = (only: Encode, [equal, listed]: readonly [equal: Sql, listed: Sql]): Sql => {
    const bound = bindCells(constant, form, only);
    return bound.length === 1 ? sql`${cells} ${equal} ${bind(only)}` : sql`${cells} ${listed} (${sql.join(bound)})`;
  };
  switch (operator) {
    case "eq": {
      const equality = exact === null ? sql`${cells} between ${bind(ceiling)} and ${bind(floor)}` : among(exact, EQUAL);
      const { indexed } = operand.form;
      return indexed === undefined
        ? equality
        : sql`(${operand.sql} = ${bindFormed(constant, indexed)} and ${equality})`;
    }
    case "ne":
      return exact === null ? sql`${cells} not between ${bind(ceiling)} and ${bind(floor)}` : among(exact, DIFFERENT);
    case "gt":
      return beside === undefined ? sql`${cells} > ${bind(floor)}` : sql`${cells} >= ${bind(beside.above)}`;
    case "ge":
      return sql`${cells} >= ${bind(ceiling)}`;
    case "lt":
      return beside === undefined ? sql`${cells} < ${bind(ceiling)}` : sql`${cells} <= ${bind(beside.below)}`;
    case "le":
      return sql`${cells} <= ${bind(floor)}`;
    default:
      return assertNever(operator);
  }
}

/** Returns the encoding that is null where no cell meets a comparison; undefined: that of an equality. */
function cellOf(operator: ComparisonOperator, { beside, ceiling, floor }: SqlForm): Encode | undefined {
  if (beside === undefined) return undefined;
  switch (operator) {
    case "gt":
      return beside.above;
    case "ge":
      return ceiling;
    case "lt":
      return beside.below;
    case "le":
      return floor;
    default:
      return undefined;
  }
}

/** Makes null false in mode `exact`. @param absent the test whether the constant is null, if it may be */
function exactly(
  condition: Sql,
  operand: RowOperand,
  absent: Sql | null,
  mode: ConditionMode,
  syntax: DialectSyntax,
): Sql {
  if (mode === "filter") return condition;
  if (operand.nulls === "computed") return syntax.ifNull(condition, syntax.booleanValue(false));
  const tests = [
    ...(operand.nulls === "column" ? [sql`${operand.sql} is not null`] : []),
    ...(absent === null ? [] : [sql`not (${absent})`]),
  ];
  return tests.length === 0 ? condition : sql`(${sql.join([condition, ...tests], sql` and `)})`;
}

/** Makes null true: null differs from every constant, and NaN differs from everything. */
function orAbsent(condition: Sql, operand: RowOperand, absent: Sql | null, syntax: DialectSyntax): Sql {
  if (operand.nulls === "computed") return syntax.ifNull(condition, syntax.booleanValue(true));
  const tests = [
    ...(operand.nulls === "column" ? [sql`${operand.sql} is null`] : []),
    ...(absent === null ? [] : [absent]),
  ];
  return tests.length === 0 ? condition : sql`(${sql.join([condition, ...tests], sql` or `)})`;
}

function compareRows(
  operator: ComparisonOperator,
  left: RowOperand,
  right: RowOperand,
  mode: ConditionMode,
  syntax: DialectSyntax,
): Sql {
  const isSame = left.form === right.form && left.form.sortable === undefined && left.form.exact !== null;
  const first = isSame ? left.sql : toComparable(left).sql;
  const second = isSame ? right.sql : toComparable(right).sql;
  const hasNulls = left.nulls !== "never" || right.nulls !== "never";
  const twoValued = (condition: Sql): Sql =>
    mode === "filter" || !hasNulls ? condition : syntax.ifNull(condition, syntax.booleanValue(false));
  switch (operator) {
    case "eq":
      return hasNulls ? syntax.isSame(first, second) : sql`${first} = ${second}`;
    case "ne":
      return hasNulls ? syntax.isDifferent(first, second) : sql`${first} <> ${second}`;
    case "gt":
      return twoValued(sql`${first} > ${second}`);
    case "ge":
      return twoValued(sql`${first} >= ${second}`);
    case "lt":
      return twoValued(sql`${first} < ${second}`);
    case "le":
      return twoValued(sql`${first} <= ${second}`);
    default:
      return assertNever(operator);
  }
}

/**
 * Translates `operand has flags`: all bits of the right value are set in the left or, for an enumeration without flags, the
 * values are equal; null if one is null.
 * @see OData URL Conventions 4.0, section 5.1.1.1.10
 */
export function translateHas({ operand, flags }: HasExpression, translator: Translator, values: DialectValues): Sql {
  const { type } = operand;
  const left = translator.operand(operand);
  const right = translator.operand(flags);
  if (left.kind === "null" || right.kind === "null" || type === null) return NULL_CONDITION;
  if (type.kind !== "EnumType") throw new Error(`"has" needs an enumeration, not ${type.name}.`);
  const numbers = values.canonicalForm(type);
  const toNumber = (side: Exclude<SqlOperand, { readonly kind: "null" }>): Sql =>
    side.kind === "row" ? toComparable(side).sql : bindFormed(side.constant, numbers);
  const [value, bits] = [toNumber(left), toNumber(right)];
  // Enumerations have no functions or arithmetic, so both sides are short.
  return type.isFlags ? sql`(${value} & ${bits}) = ${bits}` : sql`${value} = ${bits}`;
}
