import { sql } from "kysely";
import type { CountExpression, PathSource, PropertyExpression } from "../../language/query/expression.ts";
import { columnNames, type ColumnPlan } from "../columns/table-columns.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { findCollection, findPath, findProperty, isEntityPresent } from "./find-path.ts";
import type { PathScope } from "./path-scope.ts";
import { plannedOperand } from "./relation.ts";
import { booleanLiteral } from "./translate-comparison.ts";
import { countRelated } from "./translate-lambda.ts";

/** Translates a single-valued primitive or enumeration property. */
export function translateProperty(expression: PropertyExpression, scope: PathScope): RowOperand {
  const found = findProperty(expression, scope);
  const { notes, profile } = scope.statement;
  if (found.kind === "columns") return readableOperand(found.plan, plannedOperand(found.plan, found.relation, notes));
  const { documents } = profile.values;
  const member = documents.member(found.document, found.path, expression.property, found.owner);
  return { kind: "row", ...member, nulls: "column" };
}

/** A cell that responses show as null is null in every expression. */
function readableOperand(plan: ColumnPlan, operand: RowOperand): RowOperand {
  const readable = plan.kind === "scalar" && plan.unreadable !== undefined ? plan.format.readable : undefined;
  if (readable === undefined) {
    if (plan.kind === "complex" || plan.unreadable === undefined || operand.isSuspect !== true) return operand;
    // A null that should not be is one in responses.
    return { ...operand, nulls: "column", bare: operand.sql, bareNulls: operand.nulls };
  }
  // The test of a text is cheap enough to be repeated, so functions of texts keep their ways.
  const nulls = plan.property.type.name === "Edm.String" ? "column" : "computed";
  return { ...operand, sql: readable(operand.sql), nulls, bare: operand.sql, bareNulls: operand.nulls };
}

/** Translates the test whether a complex value or an entity is null, or is not null. */
export function translateStructuredNull(expression: PathSource, scope: PathScope, isNull: boolean): Sql {
  const found = findPath(expression, scope);
  switch (found.kind) {
    case "relation": {
      if (!found.relation.isOptional) return booleanLiteral(!isNull);
      const isPresent = found.relation.isPresent();
      return isNull ? sql`not (${isPresent})` : isPresent;
    }
    case "member": {
      const test = scope.statement.profile.values.documents.isNull(found.document, found.path);
      return isNull ? test : sql`not (${test})`;
    }
    case "columns": {
      const { plan, relation } = found;
      if (!plan.nullable && !relation.isOptional) return booleanLiteral(!isNull);
      const test = isNull ? sql`is null` : sql`is not null`;
      const presence = plan.kind === "complex" ? plan.presence : undefined;
      const names = presence === undefined ? columnNames(plan) : [presence];
      const tests = names.map((name) => sql`${relation.column(name)} ${test}`);
      return sql`(${sql.join(tests, isNull ? sql` and ` : sql` or `)})`;
    }
  }
}

/**
 * Translates the number of items of a collection, or of related entities. A null collection counts as empty; the count of a
 * collection in a null value is null.
 */
export function translateCount({ collection, type }: CountExpression, scope: PathScope): RowOperand {
  if (collection.kind === "navigation") return countRelated(collection, scope);
  const { syntax, values } = scope.statement.profile;
  const { documents } = values;
  const form = values.canonicalForm(type);
  const { document, path, array } = findCollection(collection, scope);
  const length = array === undefined ? documents.length(document, path) : array.syntax.length(document);
  const count = syntax.ifNull(length, sql`0`);
  const { source } = collection;
  if (source.kind === "it") return { kind: "row", sql: count, form, nulls: "never" };
  const hasOwner =
    source.kind === "property" ? translateStructuredNull(source, scope, false) : ownerTest(source, scope);
  return {
    kind: "row",
    sql: syntax.choose(hasOwner, count, sql`null`),
    form,
    nulls: "computed",
  };
}

function ownerTest(source: Exclude<PathSource, PropertyExpression>, scope: PathScope): Sql {
  const found = findPath(source, scope);
  return found.kind === "relation" ? isEntityPresent(found.relation) : translateStructuredNull(source, scope, false);
}
