import { sql } from "kysely";
import type { StructuralProperty } from "../../edm/model.ts";
import type { Expression, ScalarType } from "../../language/query/expression.ts";
import type { NoteUnreadable } from "../../language/query/row-shape.ts";
import type { ColumnFormat } from "../columns/column-format.ts";
import type { ScalarPlan } from "../columns/table-columns.ts";
import { asShown } from "../forms/computed-formats.ts";
import type { Database } from "../forms/database.ts";
import { bindFormed } from "../statement/parameter-slot.ts";
import {
  mayRepeatValues,
  toComparable,
  toComputable,
  toEquatable,
  type FormedSql,
  type Sql,
} from "../statement/sql-form.ts";
import type { SqlOperand, Translator } from "../statement/sql-operand.ts";
import { findProperty } from "./find-path.ts";
import type { PathScope } from "./path-scope.ts";

/** The value of an expression in a row, in the form of its column or in its canonical form. */
export interface RowValue extends FormedSql {
  /** Reads it as a value of the property that shows it. */
  readonly format: ColumnFormat;
  readonly unreadable?: NoteUnreadable | undefined;
}

/** The parts of a statement that translate values. */
export interface ValueContext {
  readonly profile: Database;
  readonly scope: PathScope;
  readonly translator: Translator;
}

/** Translates an expression whose value a property shows. @param property declared or not */
export function translateValue(expression: Expression, property: StructuralProperty, context: ValueContext): RowValue {
  const operand = context.translator.operand(expression);
  if (expression.kind === "property" && operand.kind === "row") {
    const found = findProperty(expression, context.scope);
    if (found.kind === "columns" && found.plan.kind === "scalar") {
      const { format, unreadable } = found.plan;
      return { sql: operand.sql, form: operand.form, format: asShown(property, format), unreadable };
    }
  }
  const { values } = context.profile;
  const type = scalarType(property);
  const computed = ofOperand(operand, type, values);
  return { ...computed, format: { ...values.computedFormat(property), form: computed.form } };
}

function ofOperand(operand: SqlOperand, type: ScalarType, { canonicalForm }: Database["values"]): FormedSql {
  const form = canonicalForm(type);
  switch (operand.kind) {
    case "null":
      return { sql: form.place?.(sql`null`) ?? sql`null`, form };
    case "constant":
      return { sql: bindFormed(operand.constant, form), form };
    case "row":
      // Shown unchanged: an infinite Edm.Single.
      if (operand.form === form && form.wider !== undefined) return operand;
      return type.kind === "EnumType" ? toComparable(operand) : toComputable(operand);
  }
}

/** Returns the type of a property with a single value. */
export function scalarType({ name, type }: StructuralProperty): ScalarType {
  if (type.kind === "ComplexType") throw new Error(`${name} is not a single value.`);
  return type;
}

/** The value of groups: equal values have equal terms, and the cell of any of them is shown. */
export interface GroupedValue {
  readonly term: Sql;
  /** Undefined if the term itself is shown. */
  readonly cell: Sql | undefined;
}

/** Returns the term by which a value is grouped: two values are equal if `eq` finds them equal. */
export function groupedValue(
  value: RowValue,
  type: ScalarType,
  { capabilities }: Pick<Database, "capabilities">,
): GroupedValue {
  const { equatable, gathered, merged } = value.form;
  if (gathered !== undefined) return { term: gathered(value.sql), cell: undefined };
  // Several machines return the terms, which must not be casts of texts.
  const isReturned = capabilities.joins || equatable === undefined;
  if (isReturned && !mayRepeatValues(value.form)) {
    const { sql: term } = toEquatable(value);
    return { term: isDouble(type) ? withoutNegativeZero(term) : term, cell: undefined };
  }
  const { sql: term } = toComparable(value);
  // Not every type of a column with texts has a minimum.
  return { term, cell: type.name === "Edm.String" ? undefined : (merged?.(value.sql) ?? value.sql) };
}

/** Whether the values of a type include negative zero. */
export function isDouble({ name }: ScalarType): boolean {
  return name === "Edm.Double" || name === "Edm.Single";
}

/** Makes negative zero positive, since both are equal. */
export function withoutNegativeZero(value: Sql): Sql {
  return sql`(${value} + 0e0)`;
}

/** Makes the plan of a column with such values. */
export function planOfValue(
  { format, unreadable }: Pick<RowValue, "format" | "unreadable">,
  property: StructuralProperty,
  column: string,
): ScalarPlan {
  return Object.freeze<ScalarPlan>({
    kind: "scalar",
    property,
    column,
    nullable: true,
    format,
    unreadable,
    storage: undefined,
  });
}
