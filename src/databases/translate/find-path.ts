import { sql } from "kysely";
import { required } from "../../base/required.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type {
  PathSource,
  PropertyExpression,
  VariableExpression,
  RootExpression,
} from "../../language/query/expression.ts";
import { comparedPlanOf, type ArrayPlan, type ColumnPlan } from "../columns/table-columns.ts";
import type { Sql } from "../statement/sql-form.ts";
import { unfoldOf } from "./constant-condition.ts";
import { joinedRows } from "./gathered-relation.ts";
import { joinNavigation } from "./join-navigation.ts";
import type { ItemScope, PathScope } from "./path-scope.ts";
import { Relation, columnOperand, joinOuter } from "./relation.ts";
import { equalsConstant } from "./translate-comparison.ts";

/** The target of a path of properties: an entity, columns of an entity, or a value within JSON text. */
type FoundPath = FoundRelation | FoundColumns | FoundMember;

/** An entity. */
interface FoundRelation {
  readonly kind: "relation";
  readonly relation: Relation;
}

/** Columns of an entity. */
interface FoundColumns {
  readonly kind: "columns";
  readonly relation: Relation;
  readonly plan: ColumnPlan;
}

/** A value within JSON text. */
interface FoundMember {
  readonly kind: "member";
  readonly document: Sql;
  readonly path: readonly StructuralProperty[];
  /** The name of the property that is stored as JSON, for messages. */
  readonly owner: string;
  /** Present if `document` is an array of the database. */
  readonly array?: ArrayPlan;
}

/** Finds the value of a property. */
export function findProperty({ property, source }: PropertyExpression, scope: PathScope): FoundColumns | FoundMember {
  const owner = findPath(source, scope);
  switch (owner.kind) {
    case "relation": {
      const { relation } = owner;
      return { kind: "columns", relation, plan: comparedPlanOf(property, relation.rows.plans) };
    }
    case "member":
      return { ...owner, path: [...owner.path, property] };
    case "columns": {
      const { plan, relation } = owner;
      if (plan.kind === "complex") return { kind: "columns", relation, plan: comparedPlanOf(property, plan.members) };
      if (plan.kind !== "document") throw new Error(`${plan.property.name} has no members.`);
      return { kind: "member", document: relation.column(plan.column), path: [property], owner: plan.property.name };
    }
  }
}

/** Finds the target of a path of properties and navigations, and joins the navigations on the way. */
export function findPath(source: PathSource, scope: PathScope): FoundPath {
  switch (source.kind) {
    case "property":
      return findProperty(source, scope);
    case "it":
    case "root":
    case "navigation":
      return { kind: "relation", relation: findRelation(source, scope) };
    case "variable": {
      const item = itemOf(source, scope);
      if (item instanceof Relation) return { kind: "relation", relation: item };
      const document = scope.statement.profile.values.documents.itemDocument(item.alias);
      return { kind: "member", document, path: [], owner: item.collection.name };
    }
  }
}

/** Finds the relation of an entity, and joins the navigations on the way. */
export function findRelation(source: Exclude<PathSource, PropertyExpression>, scope: PathScope): Relation {
  switch (source.kind) {
    case "it":
      return scope.it;
    case "variable": {
      const item = itemOf(source, scope);
      if (item instanceof Relation) return item;
      throw new Error(`An item of ${item.collection.name} is not an entity.`);
    }
    case "root":
      return joinRoot(source, scope);
    case "navigation":
      return joinNavigation(findRelation(source.source, scope), source, scope.statement);
  }
}

/** Finds the JSON text or array that contains a collection, and its path within. */
export function findCollection(expression: PropertyExpression, scope: PathScope): FoundMember {
  const found = findProperty(expression, scope);
  if (found.kind === "member") return found;
  const { plan, relation } = found;
  if (plan.kind !== "document" && plan.kind !== "array") throw new Error(`${plan.property.name} is not a collection.`);
  const member = {
    kind: "member",
    document: relation.column(plan.column),
    path: [],
    owner: plan.property.name,
  } as const;
  return plan.kind === "array" ? { ...member, array: plan } : member;
}

/** Returns the current item of a lambda operator. */
export function itemOf({ depth }: VariableExpression, scope: PathScope): ItemScope {
  return required(scope.items[depth], `No lambda operator has the depth ${String(depth)}.`);
}

/** Returns the test whether an entity exists. */
export function isEntityPresent(relation: Relation): Sql {
  return relation.isOptional ? relation.isPresent() : sql`1 = 1`;
}

/** Returns the relation of the entity that `$root` addresses. */
function joinRoot(root: RootExpression, { level, statement }: PathScope): Relation {
  const known = level.roots.get(root);
  if (known !== undefined) return known;
  const rows = statement.rowsOf(root.entitySet);
  const hasKey = (related: Relation): readonly Sql[] =>
    root.entitySet.entityType.key.map((property, index) => {
      const part = required(root.key[index], `The key of ${root.entitySet.name} lacks ${property.name}.`);
      const constant = part.kind === "parameter" ? part : ({ kind: "fixed", value: part.value } as const);
      return equalsConstant(columnOperand(property, related), constant, "filter", unfoldOf(statement));
    });
  const { related, optional } = joinedRows({ rows, level, statement, where: hasKey });
  const tests = statement.profile.capabilities.joins ? [...related.alive(statement), ...hasKey(related)] : [sql`1 = 1`];
  joinOuter(level, statement, () => sql`${related.from} on ${sql.join(tests, sql` and `)}`);
  const found = optional();
  level.roots.set(root, found);
  return found;
}
