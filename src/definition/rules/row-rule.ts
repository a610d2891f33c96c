import type { EntitySet } from "../../edm/model.ts";
import type { User } from "../context.ts";
import { type RowCondition, rowConditions } from "./row-conditions.ts";

/** The row rule of one set. */
export interface RowRule {
  /**
   * What the rule says of a user; nobody that is unknown sees a row.
   * @throws whatever the rule throws; TypeError when it answers anything but a row predicate
   */
  conditionFor(user: User | null): RowCondition;
}

/** The rule as the application declares it. */
export type DeclaredRowRule = (user: User, row: unknown) => unknown;

/**
 * Makes the row rule of a set.
 * @param entitySets the sets of the registration by name: where paths of the rule lead
 * @see specification, section Authentication
 */
export function compileRowRule(
  declared: DeclaredRowRule,
  entitySet: EntitySet,
  entitySets: ReadonlyMap<string, EntitySet>,
): RowRule {
  const conditions = rowConditions(entitySet, entitySets, {
    any: "A row rule",
    noun: "rule",
    this: `The row rule of ${entitySet.name}`,
    instead: "Load what it needs in `authenticate`.",
    example: "row.ownerId.eq(user.id), allRows or noRows",
  });
  return Object.freeze<RowRule>({
    conditionFor: (user) => (user === null ? "none" : conditions.of((row) => declared(user, row))),
  });
}
