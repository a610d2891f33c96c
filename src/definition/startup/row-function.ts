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
  const key = namesOf(parent.entityType.properties).find(
    (field) => propertyIn(parent.entityType, field)?.key === true && !parent.uncomparable.includes(field),
  );
  return (user, row) => {
    const related = (row as Readonly<Record<string, RowOf<EntityTypeDeclaration>>>)[navigation];
    const seen = rule(user, related);
    if (!isRowPredicate(seen) || typeof seen.term === "boolean") return seen;
    // A missing parent is not a row that the user sees, although a condition such as `ne` holds for null.
    const present = key === undefined ? undefined : related?.[key]?.isNull().not();
    return present === undefined ? seen : seen.and(present);
  };
}
