import { refusal } from "../definition/refusal.ts";
import type { EntitySet } from "../edm/model.ts";
import { protocolError } from "../errors/odata-error.ts";
import type {
  ExpandedNavigation,
  FilterClause,
  OrderByItem,
  QueryShape,
  SelectExpandClause,
} from "../query/clauses.ts";
import { mentionsOf } from "../query/mentions.ts";
import { actionOf, judge } from "./authorize.ts";
import type { Exchange } from "./exchange.ts";

/** A set that a query names by `$root`, and the query option that does. */
interface NamedRoot {
  readonly entitySet: EntitySet;
  readonly option: string;
}

/** Found once for a shape, or for the clause of one entity. */
const known = new WeakMap<QueryShape | SelectExpandClause, readonly NamedRoot[]>();

/**
 * Authorizes the sets that expressions of a query name by `$root/Set(key)`: whoever may not read a set learns nothing
 * of it in a condition either.
 * @throws ODataError `Unauthorized`, `Forbidden`; `UnsupportedQueryOption` for a set of which only the loaded entity
 * tells who may read it
 * @see decisions, Authorization
 */
export function authorizeRoots(exchange: Exchange, shape: QueryShape): void {
  if (!exchange.service.hasRules) return;
  let roots = known.get(shape);
  if (roots === undefined) known.set(shape, (roots = rootsOfShape(shape)));
  authorizeEach(exchange, roots);
}

/** Does the same for the expansions of one entity. @throws ODataError as for a shape */
export function authorizeEntityRoots(exchange: Exchange, clause: SelectExpandClause): void {
  if (!exchange.service.hasRules) return;
  let roots = known.get(clause);
  if (roots === undefined) known.set(clause, (roots = rootsOfExpansions(clause.expanded)));
  authorizeEach(exchange, roots);
}

function authorizeEach({ service, user }: Exchange, roots: readonly NamedRoot[]): void {
  for (const { entitySet, option } of roots) {
    const set = service.definition.entitySets.get(entitySet.name);
    if (set === undefined) throw new Error(`The entity set ${entitySet.name} has no definition.`);
    const verdict = judge(set.authorization.read, user);
    if (verdict === "failed") throw refusal(user, actionOf("read", entitySet));
    if (verdict === "pending" && set.rows === null) {
      throw protocolError(
        "UnsupportedQueryOption",
        `$root/${entitySet.name} cannot stand in an expression: only the entity itself tells who may read it.`,
        { target: option },
      );
    }
  }
}

function rootsOfShape({ filter, orderBy, selectExpand }: QueryShape): readonly NamedRoot[] {
  return [
    ...rootsOf(filter, [], "$filter"),
    ...rootsOf(null, orderBy, "$orderby"),
    ...rootsOfExpansions(selectExpand.expanded),
  ];
}

function rootsOfExpansions(expanded: readonly ExpandedNavigation[]): readonly NamedRoot[] {
  return expanded.flatMap(({ filter, orderBy, selectExpand }) => [
    ...rootsOf(filter, orderBy, "$expand"),
    ...rootsOfExpansions(selectExpand.expanded),
  ]);
}

function rootsOf(filter: FilterClause | null, orderBy: readonly OrderByItem[], option: string): readonly NamedRoot[] {
  const roots = mentionsOf({ filter, orderBy })?.roots ?? [];
  return roots.map(({ expression }) => ({ entitySet: expression.entitySet, option }));
}
