import type { ODataError } from "../../base/errors/odata-error.ts";
import { keptPer } from "../../base/memo.ts";
import type { EntitySet, EntityType, Model, NavigationProperty } from "../../edm/model.ts";
import type {
  Capabilities,
  Limits,
  NavigationStep,
  PathGuard,
  PropertyAccess,
  StarAccess,
} from "../query/capabilities.ts";
import type { ExpandedForm, ExpandedNavigation, QueryParameter, SelectExpandClause } from "../query/clauses.ts";
import type { TextCalls } from "../query/expression.ts";
import type { ExpandItemSyntax, ExpandOptionsSyntax } from "../syntax/ast.ts";
import { unknownExpandOption } from "../syntax/select-expand-parser.ts";
import { rowsOf, withComputed } from "./apply-rows.ts";
import { copiesOf } from "./bind-compute.ts";
import { bindCondition, bindOrder } from "./bind-expression.ts";
import { targetSetOf } from "./bind-member-path.ts";
import { castType, setSeenAs } from "./bind-path-cast.ts";
import { toSearchClause } from "./bind-search.ts";
import { bindSelect, selectComputed, selectReadable } from "./bind-select-expand.ts";
import {
  invalidOption,
  unsupportedOption,
  type CapabilitiesBySet,
  checkMentions,
  expressionContext,
  type ExpressionPlace,
  type RowNames,
  isModelName,
  quotedName,
} from "./binding-scope.ts";
import { checkExpansion, checkLoaded, mayBeLoaded } from "./check-expansion.ts";
import { type MemberTable, resolveMember } from "./resolve-member.ts";

/** The state that all levels of one `$expand` share. */
export interface ExpandScope {
  readonly model: Model;
  readonly limits: Limits;
  /** The capabilities of each entity set; null gives the defaults. Below an expansion, those of the target set apply. */
  readonly capabilitiesOf: CapabilitiesBySet;
  /** Whether a context URL that lists a `$select` also lists the expansions of the same level. */
  readonly fullContextUrl?: boolean | undefined;
  /** The navigations that a star skips; absent: none. */
  readonly star?: StarAccess | undefined;
  /** The properties that the user may not read; absent: none. */
  readonly properties?: PropertyAccess | undefined;
  /** Whether handlers return the entities, and may have put related entities into them; absent: no. */
  readonly areObjects?: boolean | undefined;
  /** Receives each navigation; absent: navigations are not guarded. */
  readonly guard?: PathGuard | undefined;
  /** Grows by one parameter for each literal that is bound. */
  readonly parameters: QueryParameter[];
  readonly texts: TextCalls;
}

/** One level of expansions: the set that declares the navigation properties, with its capabilities. */
interface Level {
  readonly entitySet: EntitySet;
  readonly capabilities: Capabilities;
  /** 1 for the items of `$expand` itself. */
  readonly depth: number;
  /** The expansion above this level; null for the first level. */
  readonly via: NavigationStep | null;
  /** Whether the entities may be objects of handlers that contain their related entities. */
  readonly areObjects: boolean;
  /** The navigations that `join` of `$apply` added; absent: none. */
  readonly joined?: RowNames["joined"] | undefined;
}

/** The limits of one binding, and the expansions that it has counted. */
interface Work extends ExpandScope {
  readonly maxDepth: number;
  readonly maxItems: number;
  items: number;
}

/** The form of an item by its suffix. */
const FORMS: Readonly<Record<"$entities" | "$ref" | "$count", ExpandedForm>> = {
  $entities: "entities",
  $ref: "references",
  $count: "count",
};

/** Deepest nesting without a setting. Readers of the clause recurse into it. */
const MAX_DEPTH = 100;
/** Most expansions without a setting. Their number grows exponentially with the levels. */
const MAX_ITEMS = 10_000;

/**
 * Binds `$expand` with all its levels. `$levels` is unrolled; a star expands the navigation properties that no other
 * item names. Each expansion is counted before the levels below it are bound.
 * @param select the bound `$select` of the same level
 * @param joined the navigations that `join` of `$apply` added; absent: none
 * @returns the clause with its expansions
 * @throws ODataError `InvalidQueryOption` for unknown, repeated and disallowed names, for options that do not fit, and
 *   above the limits on depth, items and `$top`; `UnsupportedQueryOption` for options that the target set disables
 * @see OData URL Conventions 4.0, section 5.1.2
 */
export function bindExpand(
  items: readonly ExpandItemSyntax[],
  entitySet: EntitySet,
  select: SelectExpandClause,
  scope: ExpandScope,
  joined?: RowNames["joined"],
): SelectExpandClause {
  const { capabilitiesOf, limits, areObjects = false } = scope;
  const maxDepth = expandDepthOf(limits);
  const work: Work = { ...scope, maxDepth, maxItems: limits.maxExpandItems ?? MAX_ITEMS, items: 0 };
  const level: Level = { entitySet, capabilities: capabilitiesOf(entitySet), depth: 1, via: null, areObjects, joined };
  return withExpansions(select, bindItems(items, level, work), work);
}

/** Returns the maximum number of levels of expansions. */
export function expandDepthOf({ maxExpandDepth }: Limits): number {
  return Math.min(maxExpandDepth ?? MAX_DEPTH, MAX_DEPTH);
}

/** Adds the expansions to a clause, and to its context URL if the profile lists them there. */
function withExpansions(
  select: SelectExpandClause,
  expanded: readonly ExpandedNavigation[],
  { fullContextUrl = false }: ExpandScope,
): SelectExpandClause {
  if (expanded.length === 0) return select;
  if (fullContextUrl) {
    const isSelected = select.contextSelect.length > 0;
    const listed = expanded.flatMap((expansion) => contextOf(expansion, isSelected));
    const contextSelect = Object.freeze([...new Set([...select.contextSelect, ...listed])]);
    return Object.freeze({ ...select, contextSelect, expanded: Object.freeze(expanded) });
  }
  const listed = expanded.filter(({ selectExpand }) => selectExpand.contextSelect.length > 0);
  const names = new Set(listed.map(({ navigationProperty }) => navigationProperty.name));
  const contextSelect = [
    ...select.contextSelect.filter((name) => !names.has(name)),
    ...listed.map(({ navigationProperty, selectExpand }) => {
      return `${navigationProperty.name}(${selectExpand.contextSelect.join(",")})`;
    }),
  ];
  return Object.freeze({ ...select, contextSelect, expanded: Object.freeze(expanded) });
}

/**
 * Returns the entries of the context URL for an expansion. The grammar of 4.0 has neither references and counts nor empty
 * parentheses.
 * @param isSelected whether the level has a `$select`; without it, a bare name would mean that only this is selected
 * @see OData Protocol 4.0, sections 10.9 and 10.10
 */
function contextOf(
  { navigationProperty: { name }, form, selectExpand: { contextSelect } }: ExpandedNavigation,
  isSelected: boolean,
): readonly string[] {
  if (form !== "entities") return [];
  if (contextSelect.length > 0) return [`${name}(${contextSelect.join(",")})`];
  return isSelected ? [name] : [];
}

function bindItems(items: readonly ExpandItemSyntax[], level: Level, work: Work): readonly ExpandedNavigation[] {
  const [first] = items;
  if (first !== undefined && level.depth > work.maxDepth) {
    throw invalidOption(
      "$expand",
      first.position,
      `Expansions may nest at most ${work.maxDepth} deep here: request the levels below separately.`,
    );
  }
  const named = new Map<NavigationProperty, ExpandedNavigation>();
  let star: ExpandItemSyntax | null = null;
  for (const item of items) {
    if (item.path[0] === "*") {
      if (star !== null) throw invalidOption("$expand", item.position, "'*' appears twice: write it once.");
      star = item;
      continue;
    }
    const navigationProperty = joinedNavigation(item, level) ?? resolveNavigation(item, level, work);
    if (named.has(navigationProperty)) {
      const message = `'${navigationProperty.name}' is expanded twice: write one item with all of its options.`;
      throw invalidOption("$expand", item.position, message);
    }
    named.set(navigationProperty, bindItem(item, navigationProperty, level, work));
  }
  if (star === null) return [...named.values()];
  const item = star;
  const rest = offeredNavigations(level, work).filter((navigationProperty) => {
    // An entity without a set has no reference.
    const isReferable =
      item.suffix !== "$ref" || level.entitySet.navigationPropertyBindings.has(navigationProperty.name);
    return isReferable && !named.has(navigationProperty);
  });
  return [...named.values(), ...rest.map((navigationProperty) => bindItem(item, navigationProperty, level, work))];
}

/** Returns the navigations of a star, if the set allows them, something loads them, and the user may read them. */
function offeredNavigations(level: Level, { star }: Work): readonly NavigationProperty[] {
  const { entitySet, capabilities, via } = level;
  const { expandProperties } = capabilities;
  return [...entitySet.navigationProperties.values()].filter(
    (navigationProperty) =>
      expandProperties?.has(navigationProperty.name) !== false &&
      mayBeLoaded(navigationProperty, level) &&
      star?.skips({ entitySet, navigationProperty }, via) !== true,
  );
}

function joinedNavigation({ path, position }: ExpandItemSyntax, { joined }: Level): NavigationProperty | undefined {
  const found = path.length === 1 ? joined?.get(path[0] ?? "") : undefined;
  if (found === undefined || found.entityType === found.origin?.entityType) return found;
  const message = `Steps have made the rows of '${found.name}', so that it cannot be expanded: group by its properties.`;
  throw unsupportedOption("$expand", position, message);
}

/** Finds the navigation property of an item, which the set must declare. */
function resolveNavigation({ path, position }: ExpandItemSyntax, level: Level, work: Work): NavigationProperty {
  const { entitySet, capabilities } = level;
  const [name = "", next] = path;
  const cast = path.find((segment, index) => segment.includes(".") && !isCastOfItem(path, index, work));
  if (cast !== undefined) throw refusedCast(cast, position, work.model);
  const { members, membersIgnoringCase } = entitySet.entityType;
  const known = members.get(name) ?? membersIgnoringCase.get(name.toLowerCase());
  if (known?.kind === "StructuralProperty") {
    const message = `'${known.name}' is a structural property: $expand takes navigation properties, $select the others.`;
    throw invalidOption("$expand", position, message);
  }
  const rules = { option: "$expand", allowed: capabilities.expandProperties };
  const member = resolveMember(navigationMembers(entitySet), { name, position, isFirst: true }, rules);
  checkLoaded(member, level, position);
  if (next === undefined || isModelName(next, work.model)) return member;
  const message = `A path has one navigation property: write ${member.name}($expand=${path.slice(1).join("/")}).`;
  throw invalidOption("$expand", position, message);
}

/** Whether a segment casts the related entities of an item: `Nav/Ns.Type`. */
function isCastOfItem(path: readonly string[], index: number, { model }: Work): boolean {
  return index === 1 && path.length === 2 && isModelName(path[1] ?? "", model);
}

/** Returns the target set of an item, seen as the type of its cast. */
function targetOfItem(
  { path, position }: ExpandItemSyntax,
  navigationProperty: NavigationProperty,
  { entitySet }: Level,
  { model }: Work,
): { readonly target: EntitySet | null; readonly entityType: EntityType } {
  const target = targetSetOf(navigationProperty, entitySet, model);
  const { entityType: declared } = navigationProperty;
  const [, cast] = path;
  if (cast === undefined) return { target, entityType: declared };
  const entityType = castType(declared, cast, { option: "$expand", position, model });
  if (target !== null) return { target: setSeenAs(target, entityType, model), entityType };
  throw unsupportedOption(
    "$expand",
    position,
    `Type casts need entities of a set, which '${navigationProperty.name}' does not have.`,
  );
}

/** The navigation properties that a set declares. Its type may have more, declared by other sets. */
const navigationMembers = keptPer((entitySet: EntitySet): MemberTable<NavigationProperty> => {
  const members = entitySet.navigationProperties;
  const membersIgnoringCase = new Map([...members].map(([name, member]) => [name.toLowerCase(), member]));
  return { name: entitySet.entityType.name, members, membersIgnoringCase };
});

function bindItem(
  item: ExpandItemSyntax,
  navigationProperty: NavigationProperty,
  level: Level,
  work: Work,
): ExpandedNavigation {
  work.items += 1;
  if (work.items > work.maxItems) {
    const message = `A request may have at most ${work.maxItems} expansions on all levels together: request some of them separately.`;
    throw invalidOption("$expand", item.position, message);
  }
  work.guard?.follow({ entitySet: level.entitySet, navigationProperty });
  const { model, limits, properties } = work;
  const { options, suffix } = item;
  const { target, entityType } = targetOfItem(item, navigationProperty, level, work);
  const capabilities = work.capabilitiesOf(target);
  checkExpansion({ item, navigationProperty, target, capabilities, maxExpandTop: limits.maxExpandTop });
  const source = { ...work, entityType, entitySet: target, capabilities };
  const rows = computedRows(options.compute, source);
  const place = { ...source, rows };
  const conditions = expressionContext("filter", place, "$expand");
  const sortKeys = expressionContext("orderBy", place, "$expand");
  const { filter, orderBy = [], search, searchText = "", select, skip = 0, top, count = suffix === "$count" } = options;
  const owner = target ?? entityType;
  const allowed = capabilities.selectProperties;
  const selected =
    select === undefined
      ? selectComputed(selectReadable(owner, properties), rows)
      : bindSelect(select, { model, entityType, owner, properties, allowed, option: "$expand", rows });
  const below = target === null ? null : levelBelow({ entitySet: target, capabilities }, { navigationProperty, level });
  const items = below === null ? [] : itemsBelow(item, navigationProperty, below, work);
  const bound: ExpandedNavigation = {
    navigationProperty,
    entitySet: level.entitySet,
    target,
    isFromStar: item.path[0] === "*",
    form: FORMS[suffix ?? "$entities"],
    filter: filter === undefined ? null : { expression: bindCondition(filter, conditions) },
    orderBy: bindOrder(orderBy, sortKeys),
    search: search === undefined ? null : toSearchClause(searchText, search, properties?.unreadableOf(owner)),
    skip,
    top,
    count,
    selectExpand: below === null ? selected : withExpansions(selected, bindItems(items, below, work), work),
    ...(items.length > (options.expand?.length ?? 0) && { isRepeated: true }),
    roundingMode: capabilities.roundingMode,
  };
  checkMentions(bound, limits, "$expand");
  return Object.freeze(bound);
}

/** Binds `$compute` of an item. @returns undefined without it */
function computedRows(compute: ExpandOptionsSyntax["compute"], place: ExpressionPlace & Work): RowNames | undefined {
  if (compute === undefined) return undefined;
  const { position, items } = compute;
  if (place.capabilities.computeEnabled !== true) throw unknownExpandOption(position, "$compute");
  const { entityType, entitySet, limits } = place;
  const rows = rowsOf(entityType, entitySet, copiesOf(limits));
  return withComputed(items, rows, expressionContext("compute", { ...place, rows }, "$expand"));
}

function levelBelow(
  target: Pick<Level, "entitySet" | "capabilities">,
  { navigationProperty, level }: { readonly navigationProperty: NavigationProperty; readonly level: Level },
): Level {
  const via = { entitySet: level.entitySet, navigationProperty };
  const areObjects = level.capabilities.expansions?.objects.has(navigationProperty.name) === true;
  return { ...target, depth: level.depth + 1, via, areObjects };
}

/**
 * Returns the items below an item: its own `$expand`, and with `$levels` the item itself again. `max` ends at the limits
 * of the service or where a set cannot be expanded further; a number does so only for a star.
 * @see OData Protocol 4.0, section 11.2.4.2.1.1
 */
function itemsBelow(
  item: ExpandItemSyntax,
  navigationProperty: NavigationProperty,
  below: Level,
  work: Work,
): readonly ExpandItemSyntax[] {
  const { expand = [], levels = 1 } = item.options;
  if (levels === 1) return expand;
  const isStar = item.path[0] === "*";
  if (isStar || levels === "max") {
    const offered = below.capabilities.expandEnabled ? offeredNavigations(below, work) : [];
    const leadsOn = isStar ? offered.length > 0 : offered.some(({ name }) => name === navigationProperty.name);
    const repeated = isStar ? offered.length : 1;
    if (!leadsOn || (levels === "max" && !fitsOnceMore(expand, repeated, below, work))) return expand;
  } else if (!below.capabilities.expandEnabled) {
    const message = `$expand is not enabled for the entity set ${below.entitySet.name}, so it cannot be expanded further.`;
    throw unsupportedOption("$expand", item.position, message);
  }
  return [...expand, { ...item, options: { ...item.options, levels: levels === "max" ? levels : levels - 1 } }];
}

/** Returns whether one more level of `$levels=max`, with the other items of the level, is within the limits. */
function fitsOnceMore(expand: readonly ExpandItemSyntax[], repeated: number, { depth }: Level, work: Work): boolean {
  const isShallow = depth + heightOf(expand, work.maxDepth) <= work.maxDepth;
  return isShallow && work.items + expand.length + repeated <= work.maxItems;
}

/** Returns the number of levels of the items, at most `limit`. */
function heightOf(items: readonly ExpandItemSyntax[], limit: number): number {
  if (items.length === 0 || limit <= 0) return 0;
  const below = items.map(({ options }) => heightOf(options.expand ?? [], limit - 1));
  return 1 + Math.max(...below);
}

/**
 * Makes the error of a type cast in an item, which a path with points looks like.
 * @see OData URL Conventions 4.0, section 5.1.2
 */
function refusedCast(name: string, position: number, model: Model): ODataError {
  if (isModelName(name, model)) {
    return unsupportedOption("$expand", position, "Type casts are not supported in $expand.");
  }
  const first = quotedName(name.slice(0, name.indexOf("."))).slice(1, -1);
  const advice = first === "" ? "" : ` Write what follows in parentheses: ${first}($select=…) or ${first}($expand=…).`;
  return invalidOption("$expand", position, `There is no type ${quotedName(name)}.${advice}`);
}
