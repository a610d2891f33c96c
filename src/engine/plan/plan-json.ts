import { keptPer, keptPerPair } from "../../base/memo.ts";
import type { EntitySet } from "../../edm/model.ts";
import { isInteger } from "../../edm/primitive-type.ts";
import { selectsKey, type ExpandedNavigation, type SelectExpandClause } from "../../language/query/clauses.ts";
import { computedIn, mentionsOf } from "../../language/query/mentions.ts";
import type { PlaceOrder } from "../../language/query/place.ts";
import type { JsonExpansion, JsonId, JsonMembers } from "../../language/query/source.ts";
import { streamsIn, virtualIn } from "../../language/query/virtual-values.ts";
import { orderedProperties } from "./keyset-order.ts";
import type { ExpandPlan, ExpandStep } from "./plan-expand.ts";
import { totalOrder } from "./total-order.ts";

/**
 * Plans the members of entities that are written with nothing but values, and their ETags.
 * @param entitySet null: their set is unknown, so they have no ETags
 * @param expand the expansions of the clause
 * @param hasControl whether the response contains the ETags of sets that have some, and the ids of entities without their key
 * @returns null if an entity has other members, or an expansion is read otherwise
 *   than from its target set
 */
export function planJson(
  clause: SelectExpandClause,
  entitySet: EntitySet | null,
  expand: ExpandPlan | null,
  hasControl: boolean,
): JsonMembers | null {
  if (isMade(clause, entitySet)) return null;
  const members = expand === null ? plainMembers(clause) : expandedOf(clause, expand, hasControl);
  if (entitySet === null || !hasControl || entitySet.etag.length === 0 || members === null) return members;
  // Rows have the ETags with a mark of hidden properties.
  const isMarked = clause.unreadable !== undefined && clause.unreadable.size > 0;
  return isMarked ? null : withEtag(members, entitySet);
}

const withEtag = keptPerPair((plain: JsonMembers, { etag, digest, valuesDigest }: EntitySet): JsonMembers | null => {
  const made = digest ?? valuesDigest;
  return made === undefined ? null : members({ ...plain, etag: Object.freeze({ properties: etag, digest: made }) });
});

function expandedOf(clause: SelectExpandClause, expand: ExpandPlan, hasControl: boolean): JsonMembers | null {
  return hasControl ? withControl(expand, clause) : withoutControl(expand, clause);
}

/**
 * Plans the members of entities without their key and without expansions, which begin with an `@odata.id`.
 * @returns as `planJson`; null unless the key is one integer
 */
export const planNamedJson: (clause: SelectExpandClause, entitySet: EntitySet) => JsonMembers | null = keptPerPair(
  (clause: SelectExpandClause, entitySet: EntitySet) =>
    isMade(clause, entitySet) ? null : named(plainMembers(clause), entitySet),
);

/** Whether entities have members that are no stored values. */
function isMade(clause: SelectExpandClause, entitySet: EntitySet | null): boolean {
  const { media, hierarchy } = entitySet?.entityType ?? {};
  // The members of an entity of a hierarchy depend on its type.
  return virtualIn(clause).length + streamsIn(clause).length > 0 || media !== undefined || hierarchy !== undefined;
}

/** Returns members that begin with an `@odata.id`; null unless the key is one integer. */
function named(plain: JsonMembers, entitySet: EntitySet): JsonMembers | null {
  const [key, second] = entitySet.entityType.key;
  if (key === undefined || second !== undefined || !isInteger(key.type)) return null;
  const id: JsonId = Object.freeze({ key, entitySet });
  return members({ ...plain, id });
}

const plainMembers = keptPer(({ selected }: SelectExpandClause): JsonMembers => members({ selected, expanded: [] }));
const withControl = keptPerPair((expand: ExpandPlan, clause: SelectExpandClause) =>
  expandedMembers(clause, expand, true),
);
const withoutControl = keptPerPair((expand: ExpandPlan, clause: SelectExpandClause) =>
  expandedMembers(clause, expand, false),
);

function members(made: JsonMembers): JsonMembers {
  return Object.freeze(made);
}

function expandedMembers(
  { selected }: SelectExpandClause,
  { steps }: ExpandPlan,
  hasControl: boolean,
): JsonMembers | null {
  const expanded = steps.map((step) => planExpansion(step, hasControl)).filter((each) => each !== null);
  return expanded.length < steps.length ? null : members({ selected, expanded });
}

function planExpansion(
  { expansion, related, search, page, below }: ExpandStep,
  hasControl: boolean,
): JsonExpansion | null {
  const { form, filter, orderBy, skip, count, navigationProperty, selectExpand, roundingMode } = expansion;
  if (related === null || search !== null || form === "references") return null;
  const { join, target, isJoinable, isReadByKey } = related;
  const isWithoutKey = isReadByKey && !selectsKey(selectExpand, target.entityType);
  if (mentionsLists(expansion) || computedIn(selectExpand) !== null) return null;
  const plain = form === "count" ? null : planJson(selectExpand, target, below, hasControl);
  const inner = plain !== null && hasControl && isWithoutKey ? named(plain, target) : plain;
  if (form === "entities" && inner === null) return null;
  return Object.freeze({
    expansion: Object.freeze({ navigationProperty, filter, orderBy, skip, count, roundingMode }),
    join,
    target,
    isKeyed: isJoinable,
    orderBy: totalOrder(orderBy, navigationProperty.entityType),
    size: page.size,
    readSize: page.readSize,
    members: inner,
  });
}

/**
 * Whether the options of an expansion use other entities than those of single-valued paths. The rows of all parents together
 * find these once, and not once per parent.
 */
function mentionsLists(expansion: ExpandedNavigation): boolean {
  const mentions = mentionsOf(expansion);
  if (mentions === null) return false;
  return mentions.roots.length > 0 || mentions.allNavigations.some((each) => each.navigationProperty.isCollection);
}

/** Whether the entities of a page as JSON contain the properties that the order names, and the order has no other terms. */
export const tellsOrder: (json: JsonMembers, order: PlaceOrder) => boolean = keptPerPair(({ selected }, order) => {
  const properties = new Set(selected.map(({ property }) => property));
  return orderedProperties(order)?.every((property) => properties.has(property)) === true;
});

/** Returns the sets of all expansions, and the sets that their expressions mention. */
export const setsOfJson: (json: JsonMembers) => readonly EntitySet[] = keptPer(({ expanded }) =>
  Object.freeze([...new Set(expanded.flatMap(setsOf))]),
);

function setsOf({ target, expansion, members: inner }: JsonExpansion): readonly EntitySet[] {
  const mentioned = mentionsOf(expansion)?.entitySets ?? [];
  return [target, ...mentioned, ...(inner === null ? [] : setsOfJson(inner))];
}
