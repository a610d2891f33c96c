import { sql } from "kysely";
import type { StructuralProperty } from "../edm/model.ts";
import { protocolError } from "../errors/odata-error.ts";
import type { CountExpression, PathSource, PropertyExpression, VariableExpression } from "../query/expression.ts";
import { sqliteColumnFormat as columnFormat } from "./dialects/sqlite-column-format.ts";
import { DECIMAL_FORM } from "./forms/decimal-forms.ts";
import { INTEGER_FORM } from "./forms/plain-forms.ts";
import { INSTANT_FORM } from "./forms/temporal-forms.ts";
import { bindFixed } from "./parameter-slot.ts";
import type { ItemScope, PathScope } from "./path-scope.ts";
import type { Sql, SqlForm } from "./sql-form.ts";
import type { RowOperand } from "./sql-operand.ts";
import { columnNames, type ColumnPlan, type PlansByField } from "./table-columns.ts";
import { booleanLiteral } from "./translate-comparison.ts";

/** Where a path leads: to columns of the entity, or into a JSON text. */
type Found = FoundColumns | FoundMember;

interface FoundColumns {
  readonly kind: "columns";
  readonly plan: ColumnPlan;
}

/** A value within a JSON text. */
export interface FoundMember {
  readonly kind: "member";
  readonly document: Sql;
  readonly path: readonly StructuralProperty[];
  /** The property that is stored as the text, for messages. */
  readonly owner: string;
}

/** Translates a property of a single primitive or enumeration value. */
export function translateProperty(expression: PropertyExpression, scope: PathScope): RowOperand {
  const found = find(expression, scope);
  if (found.kind === "columns") return scalarOperand(found.plan, scope);
  const form = memberForm(expression.property, found.owner);
  // Decimals keep their text, for as a number of SQLite they would lose digits.
  const value = form === DECIMAL_FORM ? decimalText(sql`${found.document} -> ${jsonPath(found.path)}`) : extract(found);
  return { kind: "row", sql: value, form, nulls: "column" };
}

/** Translates a property of the entity itself. */
export function translateColumn(property: StructuralProperty, scope: PathScope): RowOperand {
  return scalarOperand(planOf(property, scope.plans), scope);
}

/** Translates the item that a lambda operator looks at, where items are primitive or enumeration values. */
export function translateVariable(expression: VariableExpression, scope: PathScope): RowOperand {
  const { collection, document, alias } = itemOf(expression, scope);
  const form = memberForm(collection, collection.name);
  const value =
    form === DECIMAL_FORM
      ? decimalText(sql`${document} -> ${sql.id(alias, "fullkey")}`)
      : sql`${sql.id(alias, "value")}`;
  return { kind: "row", sql: value, form, nulls: "column" };
}

/** Translates the test whether a complex value is null (or is not). */
export function translateComplexNull(expression: PathSource, scope: PathScope, isNull: boolean): Sql {
  const found = findSource(expression, scope);
  if (found.kind === "plans") return booleanLiteral(!isNull);
  const test = isNull ? sql`is null` : sql`is not null`;
  if (found.kind === "member") return sql`${extract(found)} ${test}`;
  const { plan } = found;
  if (!plan.nullable) return booleanLiteral(!isNull);
  const tests = columnNames(plan).map((name) => sql`${scope.column(name)} ${test}`);
  return sql`(${sql.join(tests, isNull ? sql` and ` : sql` or `)})`;
}

/** Translates the number of items of a collection. A collection that is null is empty; below a null value it is null. */
export function translateCount({ collection }: CountExpression, scope: PathScope): RowOperand {
  if (collection.kind === "navigation") throw new Error("Navigation has no form in SQL.");
  const { document, path } = findCollection(collection, scope);
  const at = path.length === 0 ? sql`` : sql`, ${jsonPath(path)}`;
  const count = sql`ifnull(json_array_length(${document}${at}), 0)`;
  const { source } = collection;
  if (source.kind === "it") return { kind: "row", sql: count, form: INTEGER_FORM, nulls: "never" };
  const hasOwner = translateComplexNull(source, scope, false);
  return { kind: "row", sql: sql`iif(${hasOwner}, ${count}, null)`, form: INTEGER_FORM, nulls: "computed" };
}

/** The JSON text that holds a collection, and where in it. */
export function findCollection(expression: PropertyExpression, scope: PathScope): FoundMember {
  const found = find(expression, scope);
  if (found.kind === "member") return found;
  const { plan } = found;
  if (plan.kind !== "document") throw new Error(`${plan.property.name} is no collection.`);
  return { kind: "member", document: scope.column(plan.column), path: [], owner: plan.property.name };
}

/** A path within a JSON text, bound as a value. */
export function jsonPath(path: readonly StructuralProperty[]): Sql {
  return bindFixed(`$${path.map(({ field }) => `."${field}"`).join("")}`);
}

function find({ property, source }: PropertyExpression, scope: PathScope): Found {
  const owner = findSource(source, scope);
  switch (owner.kind) {
    case "member":
      return { ...owner, path: [...owner.path, property] };
    case "plans":
      return { kind: "columns", plan: planOf(property, owner.plans) };
    case "columns": {
      const { plan } = owner;
      if (plan.kind === "complex") return { kind: "columns", plan: planOf(property, plan.members) };
      if (plan.kind === "scalar") throw new Error(`${plan.property.name} has no members.`);
      return { kind: "member", document: scope.column(plan.column), path: [property], owner: plan.property.name };
    }
  }
}

function findSource(
  source: PathSource,
  scope: PathScope,
): Found | { readonly kind: "plans"; readonly plans: PlansByField } {
  if (source.kind === "it") return { kind: "plans", plans: scope.plans };
  if (source.kind === "property") return find(source, scope);
  if (source.kind !== "variable") throw new Error("Navigation has no form in SQL.");
  const { alias, collection } = itemOf(source, scope);
  return { kind: "member", document: sql`${sql.id(alias, "value")}`, path: [], owner: collection.name };
}

function planOf(property: StructuralProperty, plans: PlansByField): ColumnPlan {
  const plan = plans.get(property.field);
  if (plan === undefined) throw new Error(`${property.name} has no column.`);
  return plan;
}

function itemOf({ depth }: VariableExpression, scope: PathScope): ItemScope {
  const item = scope.items[depth];
  if (item === undefined) throw new Error(`No lambda operator has the depth ${String(depth)}.`);
  return item;
}

function scalarOperand(plan: ColumnPlan, scope: PathScope): RowOperand {
  if (plan.kind !== "scalar") throw new Error(`${plan.property.name} is no single value.`);
  const { column, format, nullable } = plan;
  return { kind: "row", sql: scope.column(column), form: format.form, nulls: nullable ? "column" : "never" };
}

function memberForm({ name, type, ...others }: StructuralProperty, owner: string): SqlForm {
  const isFlags = type.kind === "EnumType" && type.isFlags;
  if (isFlags || type.name === "Edm.Binary") {
    throw protocolError(
      "UnsupportedQueryOption",
      `'${owner}' is stored as JSON, where values of ${type.name} cannot be compared.`,
    );
  }
  if (type.name === "Edm.DateTimeOffset") return INSTANT_FORM;
  const format = columnFormat({ name, type, ...others }, undefined);
  if (format === null) throw new Error(`${name} is no single value.`);
  return format.form;
}

function extract({ document, path }: FoundMember): Sql {
  return path.length === 0 ? document : sql`json_extract(${document}, ${jsonPath(path)})`;
}

/** The digits of a JSON number, or of one in quotes. */
function decimalText(json: Sql): Sql {
  return sql`nullif(trim((${json}), '"'), 'null')`;
}
