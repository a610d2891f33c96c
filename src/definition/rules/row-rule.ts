import type { Maybe } from "../../base/maybe.ts";
import type { EntitySet, JoinPair, NavigationProperty } from "../../edm/model.ts";
import type { RowRestriction } from "../../query/source.ts";
import type { Context, User } from "../context.ts";
import type { Answer } from "../handlers.ts";
import { type RowCondition, rowConditions } from "../types/row-conditions.ts";

/** The row rule of one set. */
export interface RowRule {
  /**
   * Returns the condition for a user. Anonymous users see no rows.
   * @throws any error of the rule; TypeError if it does not return a row predicate
   */
  conditionFor(user: User | null): RowCondition;
}

/** A foreign key that clients can write and that refers to a set with a row rule. */
export interface GuardedReference {
  readonly navigationProperty: NavigationProperty;
  /** The set with the foreign key. */
  readonly entitySet: EntitySet;
  /** The set that the foreign key refers to. */
  readonly target: EntitySet;
  /** The properties of the foreign key, each with the property of the related entity that has the same value. */
  readonly pairs: readonly JoinPair[];
}

/** The checks of row rules in writes of databases. `execution` implements them, because definitions call no handlers. */
export interface RowRuleChecks {
  /**
   * Returns the row rule of a set as a predicate.
   * @returns null if the user sees all rows
   * @throws any error of the rule
   */
  restrictionOf(set: RuledSet, context: Context): Answer<RowRestriction | null>;
  /** Reads an entity by its key with the handler of the application; null for a missing or hidden entity. */
  findSeen(entitySet: EntitySet, key: unknown, context: Context): Answer<unknown>;
  /**
   * Whether the user sees the entity that a foreign key refers to, by the handlers of the application.
   * @param values the foreign key, by the fields of that entity
   */
  seesReferred(
    reference: GuardedReference,
    values: Readonly<Record<string, unknown>>,
    context: Context,
  ): Maybe<boolean>;
}

/** A set with its row rule; null if every user sees all rows. */
export interface RuledSet {
  readonly entitySet: EntitySet;
  readonly rows: RowRule | null;
}

/** The `rows` function of the application. */
export type DeclaredRowRule = (user: User, row: unknown) => unknown;

/**
 * Makes the row rule of a set.
 * @param entitySets the sets of the registration by name, for paths
 * @see docs/guides/authorization.md
 */
export function compileRowRule(
  declared: DeclaredRowRule,
  entitySet: EntitySet,
  entitySets: ReadonlyMap<string, EntitySet>,
): RowRule {
  const conditions = rowConditions(entitySet, entitySets, {
    isOne: true,
    any: "A row rule",
    noun: "rule",
    this: `The row rule of ${entitySet.name}`,
    instead: "Load the required values in `authenticate`.",
    example: "row.ownerId.eq(user.id), allRows or noRows",
  });
  return Object.freeze<RowRule>({
    conditionFor: (user) => (user === null ? "none" : conditions.of((row) => declared(user, row))),
  });
}
