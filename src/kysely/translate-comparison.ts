import { sql } from "kysely";
import { assertNever } from "../errors/assert-never.ts";
import type { ComparisonExpression, ComparisonOperator, ScalarType } from "../query/expression.ts";
import { canonicalForm } from "./canonical-forms.ts";
import { bindConstant, type SqlConstant } from "./parameter-slot.ts";
import { toComparable, toEquatable, toSortable, type Encode, type Sql, type SqlForm } from "./sql-form.ts";
import type { ConditionMode, ConstantOperand, RowOperand, SqlOperand } from "./sql-operand.ts";

/** The operator that says the same with its operands exchanged. */
const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: "eq",
  ne: "ne",
  gt: "lt",
  ge: "le",
  lt: "gt",
  le: "ge",
};

// A bare number would be the position of a column in an order.
const TRUE: Sql = sql`1 = 1`;
const FALSE: Sql = sql`1 = 0`;

/** `true` or `false` in place. */
export function booleanLiteral(value: boolean): Sql {
  return value ? TRUE : FALSE;
}

/**
 * Translates a comparison of two operands. `eq` and `ne` treat null as a value of its own; the others are false with it.
 * Where false and null are alike a column is compared as it stands, so that an index serves it.
 * @see OData URL Conventions 4.0, section 5.1.1.1
 */
export function translateComparison(
  { operator, operandType }: ComparisonExpression,
  left: SqlOperand,
  right: SqlOperand,
  mode: ConditionMode,
): Sql {
  if (left.kind === "null") return nullTest(operator, right);
  if (right.kind === "null") return nullTest(operator, left);
  if (operandType === null || operandType.kind === "ComplexType" || operandType.kind === "EntityType") {
    throw new Error(`Values without a primitive type cannot be compared with ${operator}.`);
  }
  if (left.kind === "constant") {
    if (right.kind === "row") return compareWithConstant(MIRRORED[operator], right, right.form, left.constant, mode);
    return compareRows(operator, asRow(left, operandType), asRow(right, operandType), mode);
  }
  return right.kind === "constant"
    ? compareWithConstant(operator, left, left.form, right.constant, mode)
    : compareRows(operator, left, right, mode);
}

/** Whether an operand equals a constant. */
export function equalsConstant(operand: RowOperand, constant: SqlConstant, mode: ConditionMode): Sql {
  return compareWithConstant("eq", operand, operand.form, constant, mode);
}

/** A constant as an operand like any other, in the form in which values of its type are compared. */
export function asRow(operand: ConstantOperand | RowOperand, type: ScalarType): RowOperand {
  if (operand.kind === "row") return operand;
  const canonical = canonicalForm(type);
  const form = canonical.comparable?.form ?? canonical;
  return { kind: "row", sql: bindConstant(operand.constant, encodeExactly(form)), form, nulls: nullsOf(form) };
}

function nullsOf(form: SqlForm): RowOperand["nulls"] {
  return form.mayBeNull ? "computed" : "never";
}

function encodeExactly(form: SqlForm): Encode {
  return form.exact ?? form.floor;
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
  ownForm: SqlForm,
  constant: SqlConstant,
  mode: ConditionMode,
): Sql {
  const isEquality = operator === "eq" || operator === "ne";
  const { sql: cells, form } = isEquality ? toEquatable(operand) : toSortable(operand);
  const bind = (encode: Encode): Sql => bindConstant(constant, encode);
  const absent = ownForm.mayBeNull || form.mayBeNull ? sql`${bind(form.exact ?? form.floor)} is null` : null;
  const condition = conditionOn(operator, cells, form, bind);
  return operator === "ne" ? orAbsent(condition, operand, absent) : exactly(condition, operand, absent, mode);
}

/** The comparison where neither side is null. */
function conditionOn(operator: ComparisonOperator, cells: Sql, form: SqlForm, bind: (encode: Encode) => Sql): Sql {
  const { floor, ceiling, exact } = form;
  switch (operator) {
    case "eq":
      return exact === null
        ? sql`${cells} between ${bind(ceiling)} and ${bind(floor)}`
        : sql`${cells} = ${bind(exact)}`;
    case "ne":
      return exact === null
        ? sql`${cells} not between ${bind(ceiling)} and ${bind(floor)}`
        : sql`${cells} <> ${bind(exact)}`;
    case "gt":
      return sql`${cells} > ${bind(floor)}`;
    case "ge":
      return sql`${cells} >= ${bind(ceiling)}`;
    case "lt":
      return sql`${cells} < ${bind(ceiling)}`;
    case "le":
      return sql`${cells} <= ${bind(floor)}`;
    default:
      return assertNever(operator);
  }
}

/** Makes null false, where that is asked for; `absent` tells whether the constant is null. */
function exactly(condition: Sql, operand: RowOperand, absent: Sql | null, mode: ConditionMode): Sql {
  if (mode === "filter") return condition;
  if (operand.nulls === "computed") return sql`ifnull(${condition}, 0)`;
  const tests = [
    ...(operand.nulls === "column" ? [sql`${operand.sql} is not null`] : []),
    ...(absent === null ? [] : [sql`not (${absent})`]),
  ];
  return tests.length === 0 ? condition : sql`(${sql.join([condition, ...tests], sql` and `)})`;
}

/** Makes null true: what is null differs from every constant, and what is not a number from everything. */
function orAbsent(condition: Sql, operand: RowOperand, absent: Sql | null): Sql {
  if (operand.nulls === "computed") return sql`ifnull(${condition}, 1)`;
  const tests = [
    ...(operand.nulls === "column" ? [sql`${operand.sql} is null`] : []),
    ...(absent === null ? [] : [absent]),
  ];
  return tests.length === 0 ? condition : sql`(${sql.join([condition, ...tests], sql` or `)})`;
}

function compareRows(operator: ComparisonOperator, left: RowOperand, right: RowOperand, mode: ConditionMode): Sql {
  const isSame = left.form === right.form && left.form.sortable === undefined && left.form.exact !== null;
  const first = isSame ? left.sql : toComparable(left).sql;
  const second = isSame ? right.sql : toComparable(right).sql;
  const hasNulls = left.nulls !== "never" || right.nulls !== "never";
  switch (operator) {
    case "eq":
      return hasNulls ? sql`${first} is ${second}` : sql`${first} = ${second}`;
    case "ne":
      return hasNulls ? sql`${first} is not ${second}` : sql`${first} <> ${second}`;
    case "gt":
      return twoValued(sql`${first} > ${second}`, left, right, mode);
    case "ge":
      return twoValued(sql`${first} >= ${second}`, left, right, mode);
    case "lt":
      return twoValued(sql`${first} < ${second}`, left, right, mode);
    case "le":
      return twoValued(sql`${first} <= ${second}`, left, right, mode);
    default:
      return assertNever(operator);
  }
}

function twoValued(condition: Sql, left: RowOperand, right: RowOperand, mode: ConditionMode): Sql {
  if (mode === "filter") return condition;
  const hasNulls = left.nulls !== "never" || right.nulls !== "never";
  return hasNulls ? sql`ifnull(${condition}, 0)` : condition;
}
