import { required } from "../../base/required.ts";
import { type DeclaredSet, namesOf, propertyIn } from "../model/declared-service.ts";
import { isObject } from "../option-table.ts";
import type { DeclaredRowRule } from "../sets/authorization.ts";
import { isInherited } from "../sets/inherited-rows.ts";
import { isRowPredicate, type RowOf } from "../types/row-predicate.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** Returns the declared row rule of a set, unchecked; undefined without one. */
export function declaredRows({ options: { authorization } }: Pick<DeclaredSet, "options">): unknown {
  return isObject(authorization) ? authorization["rows"] : undefined;
}

/** Returns the set whose row rule a set takes over; undefined for a rule of its own, and for a faulty declaration. */
export function parentOf(set: DeclaredSet, sets: readonly DeclaredSet[]): DeclaredSet | undefined {
  const rows = declaredRows(set);
  if (!isInherited(rows)) return undefined;
  const target = set.navigations.find(({ field }) => field === rows.navigation)?.options["target"];
  return sets.find(({ name }) => name === target);
}

/**
 * Returns the row rule of a set as a function, whether it is its own or that of an ancestor.
 * @returns null without a rule
 */
export function rowFunctionOf(set: DeclaredSet, sets: readonly DeclaredSet[]): DeclaredRowRule | null {
  const rows = declaredRows(set);
  if (typeof rows === "function") return rows as DeclaredRowRule;
  const parent = parentOf(set, sets);
  if (!isInherited(rows) || parent === undefined) return null;
  const rule = rowFunctionOf(parent, sets);
  return rule === null ? null : alongNavigation(rule, rows.navigation, parent);
}

/** Evaluates the rule of a parent over the related row. */
function alongNavigation(rule: DeclaredRowRule, navigation: string, parent: DeclaredSet): DeclaredRowRule {
  const { entityType } = parent;
  const keys = namesOf(entityType.properties).filter((field) => propertyIn(entityType, field)?.key === true);
  const key = required(keys[0], `${parent.name} has no key.`);
  return (user, row) => {
    // The row throws for a navigation or property that it does not have.
    const related = Reflect.get(row as object, navigation) as RowOf<EntityTypeDeclaration>;
    const seen = rule(user, related);
    if (!isRowPredicate(seen) || typeof seen.term === "boolean") return seen;
    // A missing parent is not a row that the user sees, although a condition such as `ne` holds for null.
    return seen.and(required(related[key], `${parent.name} has no key.`).isNull().not());
  };
}
