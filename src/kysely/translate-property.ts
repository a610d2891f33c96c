import { sql } from "kysely";
import type { StructuralProperty } from "../edm/model.ts";
import { protocolError } from "../errors/odata-error.ts";
import type { CountExpression, ItExpression, PropertyExpression } from "../query/expression.ts";
import { columnFormat } from "./column-format.ts";
import { DECIMAL_FORM } from "./forms/decimal-forms.ts";
import { INTEGER_FORM } from "./forms/plain-forms.ts";
import { INSTANT_FORM } from "./forms/temporal-forms.ts";
import { bindFixed } from "./parameter-slot.ts";
import type { Sql, SqlForm } from "./sql-form.ts";
import type { RowOperand } from "./sql-operand.ts";
import { columnNames, type ColumnPlan, type DocumentPlan, type PlansByField } from "./table-columns.ts";
import { booleanLiteral } from "./translate-comparison.ts";

/** Where a property of an expression stands: in columns of its own, or at a path within a document. */
type Found =
  | { readonly kind: "column"; readonly plan: ColumnPlan }
  | { readonly kind: "member"; readonly document: DocumentPlan; readonly path: readonly StructuralProperty[] };

/** The reference to a column. */
export function columnRef(name: string): Sql {
  return sql`${sql.id(name)}`;
}

/** Translates a property of a single primitive or enumeration value. */
export function translateProperty(expression: PropertyExpression, plans: PlansByField): RowOperand {
  const found = find(expression, plans);
  if (found.kind === "member") return memberOperand(expression, found.document, found.path);
  return scalarOperand(found.plan);
}

/** Translates a property of the entity itself. */
export function translateColumn(property: StructuralProperty, plans: PlansByField): RowOperand {
  const plan = plans.get(property.field);
  if (plan === undefined) throw new Error(`${property.name} has no column.`);
  return scalarOperand(plan);
}

function scalarOperand(plan: ColumnPlan): RowOperand {
  if (plan.kind !== "scalar") throw new Error(`${plan.property.name} is no single value.`);
  return {
    kind: "row",
    sql: columnRef(plan.column),
    form: plan.format.form,
    nulls: plan.nullable ? "column" : "never",
  };
}

/** Translates the test whether a complex value is null (or is not). */
export function translateComplexNull(expression: PropertyExpression, plans: PlansByField, isNull: boolean): Sql {
  const found = find(expression, plans);
  const test = isNull ? sql`is null` : sql`is not null`;
  if (found.kind === "member") return sql`${extract(found.document, found.path)} ${test}`;
  const { plan } = found;
  if (!plan.nullable) return booleanLiteral(!isNull);
  const tests = columnNames(plan).map((name) => sql`${columnRef(name)} ${test}`);
  return sql`(${sql.join(tests, isNull ? sql` and ` : sql` or `)})`;
}

/** Translates the number of items of a collection. A collection that is null is empty; below a null value it is null. */
export function translateCount({ collection }: CountExpression, plans: PlansByField): RowOperand {
  const found = find(collection, plans);
  const items =
    found.kind === "member"
      ? sql`json_array_length(${columnRef(found.document.column)}, ${bindFixed(jsonPath(found.path))})`
      : sql`json_array_length(${columnRef(columnOf(found.plan))})`;
  const { source } = collection;
  const count = sql`ifnull(${items}, 0)`;
  if (source.kind === "it") return { kind: "row", sql: count, form: INTEGER_FORM, nulls: "never" };
  const hasOwner = translateComplexNull(source, plans, false);
  return { kind: "row", sql: sql`iif(${hasOwner}, ${count}, null)`, form: INTEGER_FORM, nulls: "computed" };
}

function columnOf(plan: ColumnPlan): string {
  if (plan.kind === "complex") throw new Error(`${plan.property.name} has several columns.`);
  return plan.column;
}

function find(expression: PropertyExpression, plans: PlansByField): Found {
  const { property } = expression;
  const owner = findOwner(expression.source, plans);
  if (owner.kind === "member") return { ...owner, path: [...owner.path, property] };
  const plan = owner.plans.get(property.field);
  if (plan === undefined) throw new Error(`${property.name} has no column.`);
  return { kind: "column", plan };
}

function findOwner(
  source: ItExpression | PropertyExpression,
  plans: PlansByField,
): { readonly kind: "plans"; readonly plans: PlansByField } | Extract<Found, { readonly kind: "member" }> {
  if (source.kind === "it") return { kind: "plans", plans };
  const found = find(source, plans);
  if (found.kind === "member") return found;
  const { plan } = found;
  if (plan.kind === "complex") return { kind: "plans", plans: plan.members };
  if (plan.kind === "document") return { kind: "member", document: plan, path: [] };
  throw new Error(`${plan.property.name} has no members.`);
}

/** A value within a document. Decimals keep their text, for as a number of SQLite they would lose digits. */
function memberOperand(
  expression: PropertyExpression,
  document: DocumentPlan,
  path: readonly StructuralProperty[],
): RowOperand {
  const form = memberForm(expression, document);
  if (form !== DECIMAL_FORM) return { kind: "row", sql: extract(document, path), form, nulls: "column" };
  const text = sql`(${columnRef(document.column)} -> ${bindFixed(jsonPath(path))})`;
  return { kind: "row", sql: sql`nullif(trim(${text}, '"'), 'null')`, form, nulls: "column" };
}

function memberForm({ property }: PropertyExpression, document: DocumentPlan): SqlForm {
  const { type } = property;
  const isFlags = type.kind === "EnumType" && type.isFlags;
  if (isFlags || type.name === "Edm.Binary") {
    throw protocolError(
      "UnsupportedQueryOption",
      `'${property.name}' is part of '${document.property.name}', which is stored as one document: values of ${type.name} cannot be compared there.`,
    );
  }
  if (type.name === "Edm.DateTimeOffset") return INSTANT_FORM;
  const format = columnFormat(property, undefined);
  if (format === null) throw new Error(`${property.name} is no single value.`);
  return format.form;
}

function extract(document: DocumentPlan, path: readonly StructuralProperty[]): Sql {
  const column = columnRef(document.column);
  return path.length === 0 ? column : sql`json_extract(${column}, ${bindFixed(jsonPath(path))})`;
}

function jsonPath(path: readonly StructuralProperty[]): string {
  return `$${path.map(({ field }) => `."${field}"`).join("")}`;
}
