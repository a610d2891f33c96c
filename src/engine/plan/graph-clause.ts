import { BoundedCache, keptPer } from "../../base/memo.ts";
import type { EntitySet, NavigationProperty } from "../../edm/model.ts";
import type { EntityOwner } from "../../language/query/capabilities.ts";
import type { ExpandedNavigation, SelectExpandClause } from "../../language/query/clauses.ts";

/** The populated navigation properties of entities, recursively. */
export type GraphShape = ReadonlyMap<NavigationProperty, GraphShape>;

/** Finds the target set of a navigation property; null: none is declared. */
export type TargetOf = (entitySet: EntitySet, navigationProperty: NavigationProperty) => EntitySet | null;

/** Maximum number of cached clauses per set. Clients rarely send more different graphs. */
const CLAUSES_KEPT = 100;

const clausesOf = keptPer((_entitySet: EntitySet) => new BoundedCache<string, SelectExpandClause>(CLAUSES_KEPT));

/** The clauses of entities without navigation properties. */
export interface PlainClauses {
  /** Equal keys mean equal clauses. */
  readonly key: string;
  readonly of: (owner: EntityOwner) => SelectExpandClause;
}

/**
 * Returns the clause that writes an entity with its populated navigation properties.
 * @see docs/reference/writing.md
 */
export function graphClause(
  entitySet: EntitySet,
  shape: GraphShape,
  plain: PlainClauses,
  targetOf: TargetOf,
): SelectExpandClause {
  if (shape.size === 0) return plain.of(entitySet);
  return clausesOf(entitySet).getOrMake(`${keyOf(shape)} ${plain.key}`, () =>
    makeClause(entitySet, shape, plain, targetOf),
  );
}

function makeClause(
  entitySet: EntitySet,
  shape: GraphShape,
  plain: PlainClauses,
  targetOf: TargetOf,
): SelectExpandClause {
  const expanded = [...shape].map(([navigationProperty, below]): ExpandedNavigation => {
    const target = targetOf(entitySet, navigationProperty);
    const { entityType } = navigationProperty;
    return {
      navigationProperty,
      entitySet,
      target,
      form: "entities",
      filter: null,
      orderBy: [],
      search: null,
      skip: 0,
      top: undefined,
      count: false,
      selectExpand: target === null ? plain.of(entityType) : makeClause(target, below, plain, targetOf),
      roundingMode: "spec-compliant",
    };
  });
  return Object.freeze({ ...plain.of(entitySet), expanded: Object.freeze(expanded) });
}

/** Names contain neither commas nor parentheses. */
function keyOf(shape: GraphShape): string {
  return [...shape].map(([{ name }, below]) => `${name}(${keyOf(below)})`).join(",");
}
