import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPerPair } from "../../base/memo.ts";
import type { User, Context } from "../../definition/context.ts";
import type { ServiceDefinition, EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { type AuthorizationRequirement, refusal } from "../../definition/sets/authorization.ts";
import { nestedItems } from "../../definition/sets/judge-references.ts";
import type { EntitySet, NavigationProperty } from "../../edm/model.ts";
import type {
  EntityOwner,
  NavigationStep,
  PathGuard,
  PropertyAccess,
  StarAccess,
} from "../../language/query/capabilities.ts";
import type { ExpandedNavigation, QueryShape, SelectExpandClause } from "../../language/query/clauses.ts";
import {
  mentionsOf,
  namedIn,
  type NavigationMention,
  propertiesIn,
  type QueryClauses,
} from "../../language/query/mentions.ts";
import { oneByOne } from "../entities/concurrency.ts";
import { definitionIn, targetDefinition } from "../entities/reader.ts";
import { actionOf, judge, navigationRules, actionAlong, judgeEntity, requireRules } from "./judge-rules.ts";
import type { RuledUser } from "./property-access.ts";

/** The user who sent a query. */
export interface QueryingUser extends RuledUser {
  /** Whether the rules of the query's own set have not been checked: the first navigation then checks them. */
  readonly isOwnSkipped: boolean;
}

/** Rules that are checked before a query runs. */
interface AskedRules {
  readonly rules: readonly AuthorizationRequirement[];
  readonly action: string;
  /** The name of the navigation, for errors; undefined for a set after `$root`. */
  readonly target: string | undefined;
  /** Makes the error for a set after `$root` whose rules depend on the entity; null where the rules do not. */
  readonly unanswerable: (() => ODataError) | null;
}

/** The rules of all sets in a query: of the set that it reads, and of the sets that it uses besides. */
interface QueryRules {
  readonly asked: readonly AskedRules[];
  readonly ownAsked: readonly AskedRules[];
}

const NOTHING: readonly AskedRules[] = Object.freeze([]);
const NO_CLAUSES: QueryClauses = Object.freeze({ filter: null, orderBy: [] });

/**
 * Requires that a user may read every set that a query uses: along navigations in `$filter`, `$orderby` and `$expand`,
 * and by `$root/Set(key)`. Each navigation is checked like `GET /Set(key)/Navigation`. Also requires that the user may read
 * every property in these expressions.
 * @throws ODataError `Unauthorized`, `Forbidden`; `UnsupportedQueryOption` for a set after `$root` whose rules depend on
 *   the entity
 * @see docs/guides/authorization.md
 */
export function authorizeShape(reader: QueryingUser, shape: QueryShape): void {
  requireAll(shapeRules(shape, reader.definition), reader);
  const { properties } = reader;
  if (properties !== null) requireReadable(unreadableInShape(properties, shape));
}

/**
 * Requires the same for the expansions and computed values of one entity.
 * @param entitySet the set of the entity
 * @throws ODataError as for authorizeShape
 */
export function authorizeExpansions(reader: QueryingUser, clause: SelectExpandClause, entitySet: EntitySet): void {
  if (clause.expanded.length === 0 && clause.computed === undefined) return;
  const bySet = clauseRules(clause, reader.definition);
  let rules = bySet.get(entitySet);
  if (rules === undefined) bySet.set(entitySet, (rules = rulesOfEntity(reader.definition, clause, entitySet)));
  requireAll(rules, reader);
  const { properties } = reader;
  if (properties === null) return;
  requireReadable(unreadableInClause(properties, clause));
  requireReadable(unreadableIn(properties, namedIn(clause), entitySet));
}

const shapeRules = keptPerPair((shape: QueryShape, definition: ServiceDefinition) => rulesOfShape(definition, shape));
const clauseRules = keptPerPair(
  (_clause: SelectExpandClause, _definition: ServiceDefinition) => new Map<EntitySet, QueryRules>(),
);

/** Makes the error of a query that names a property that the user may not read; null if it names none. */
type Refusal = (() => ODataError) | null;

const unreadableInShape = keptPerPair(
  (access: PropertyAccess, shape: QueryShape): Refusal =>
    unreadableIn(access, shape, shape.entitySet) ??
    unreadableIn(access, namedIn(shape.selectExpand), shape.entitySet) ??
    unreadableInClause(access, shape.selectExpand),
);
const unreadableInClause = keptPerPair((access: PropertyAccess, clause: SelectExpandClause): Refusal => {
  for (const item of clause.expanded) {
    const owner = item.target ?? item.navigationProperty.entityType;
    const refused =
      unreadableIn(access, item, owner) ??
      unreadableIn(access, namedIn(item.selectExpand), owner) ??
      unreadableInClause(access, item.selectExpand);
    if (refused !== null) return refused;
  }
  return null;
});

/** @param own the set or type of the entities that the expressions are evaluated for */
function unreadableIn(access: PropertyAccess, clauses: QueryClauses, own: EntityOwner): Refusal {
  for (const { property, owner } of propertiesIn(clauses)) {
    const entities = owner ?? own;
    if (access.unreadableOf(entities).has(property)) return () => access.refusal(property, entities);
  }
  return null;
}

function requireReadable(refused: Refusal): void {
  if (refused !== null) throw refused();
}

/** Returns the navigations that a star in `$expand` skips, because the user may not read them. */
export function starAccessOf({ definition, user, isOwnSkipped }: QueryingUser): StarAccess {
  const closed = [...definition.entitySets.values()].filter((set) => judge(set.authorization.read, user) === "failed");
  const names = new Set(closed.map(({ entitySet }) => entitySet.name));
  const along = ({ entitySet, navigationProperty }: NavigationStep) =>
    navigationRules(definitionIn(definition, entitySet), navigationProperty);
  return {
    key: [isOwnSkipped ? "own" : "", ...names].join("/"),
    skips: (step, via) => {
      const isOwnerSkipped = via === null ? isOwnSkipped : !along(via).asksTarget;
      if (isOwnerSkipped && names.has(step.entitySet.name)) return true;
      return judge(along(step).target.read, user) === "failed";
    },
  };
}

/**
 * Returns a guard that refuses navigations and sets that the user may not read. A query with an invalid name after such a
 * navigation gets the same error as a query with a valid name.
 * @param own the set that the query reads
 */
export function pathGuardOf({ definition, user, isOwnSkipped }: QueryingUser, own: EntitySet): PathGuard {
  return {
    follow: (step) => {
      const asked = askedByStep(definition, step, isOwnSkipped && step.entitySet === own);
      for (const each of asked) require(each, user);
    },
    enter: (entitySet, option) => require(askedByRoot(definition, entitySet, option), user),
  };
}

function requireAll({ asked, ownAsked }: QueryRules, { user, isOwnSkipped }: QueryingUser): void {
  if (isOwnSkipped) for (const each of ownAsked) require(each, user);
  for (const each of asked) require(each, user);
}

function require({ rules, action, target, unanswerable }: AskedRules, user: User | null): void {
  const verdict = judge(rules, user);
  if (verdict === "failed") throw refusal(user, action, target);
  if (verdict === "pending" && unanswerable !== null) throw unanswerable();
}

function rulesOfShape(definition: ServiceDefinition, shape: QueryShape): QueryRules {
  const { apply, filter, orderBy, selectExpand, entitySet } = shape;
  const asked = [
    ...askedByExpressions(definition, { ...NO_CLAUSES, apply }, "$apply"),
    ...askedByExpressions(definition, namedIn(selectExpand), "$compute"),
    ...askedByExpressions(definition, { ...NO_CLAUSES, filter }, "$filter"),
    ...askedByExpressions(definition, { ...NO_CLAUSES, orderBy }, "$orderby"),
    ...selectExpand.expanded.flatMap((item) => askedByExpansion(definition, item, false)),
  ];
  const [first] = mentionsOf(shape)?.navigations ?? mentionsOf(namedIn(selectExpand))?.navigations ?? [];
  const navigation = first?.navigationProperty ?? selectExpand.expanded[0]?.navigationProperty;
  return freeze(asked, navigation === undefined ? [] : askedOfOwner(definition, entitySet, navigation.name));
}

function rulesOfEntity(definition: ServiceDefinition, clause: SelectExpandClause, entitySet: EntitySet): QueryRules {
  const computed = namedIn(clause);
  const asked = [
    ...askedByExpressions(definition, computed, "$compute"),
    ...clause.expanded.flatMap((item) => askedByExpansion(definition, item, false)),
  ];
  const [first] = mentionsOf(computed)?.navigations ?? clause.expanded;
  return freeze(asked, first === undefined ? [] : askedOfOwner(definition, entitySet, first.navigationProperty.name));
}

function freeze(asked: readonly AskedRules[], ownAsked: readonly AskedRules[]): QueryRules {
  const isDemanding = ({ rules }: AskedRules): boolean => rules.length > 0;
  const found = asked.filter(isDemanding);
  return { asked: found.length === 0 ? NOTHING : found, ownAsked: ownAsked.filter(isDemanding) };
}

/** Returns the rules that one item of `$expand`, and everything nested in it, must pass. */
function askedByExpansion(
  definition: ServiceDefinition,
  item: ExpandedNavigation,
  isOwnerSkipped: boolean,
): readonly AskedRules[] {
  const { selectExpand } = item;
  const isSkipped = asksNoTarget(definition, item);
  return [
    ...askedByStep(definition, item, isOwnerSkipped),
    ...askedByExpressions(definition, item, "$expand", isSkipped),
    ...askedByExpressions(definition, namedIn(selectExpand), "$expand", isSkipped),
    ...selectExpand.expanded.flatMap((below) => askedByExpansion(definition, below, isSkipped)),
  ];
}

function askedByExpressions(
  definition: ServiceDefinition,
  clauses: QueryClauses,
  option: string,
  isOwnerSkipped: boolean = false,
): readonly AskedRules[] {
  const mentions = mentionsOf(clauses);
  if (mentions === null) return NOTHING;
  const ofRoots = mentions.roots.flatMap(({ expression: { entitySet }, below }): readonly AskedRules[] => {
    const root = askedByRoot(definition, entitySet, option);
    return [root, ...below.flatMap((mention) => askedByMention(definition, mention, false))];
  });
  const ofPaths = mentions.navigations.flatMap((mention) => askedByMention(definition, mention, isOwnerSkipped));
  return [...ofPaths, ...ofRoots];
}

function askedByRoot(definition: ServiceDefinition, entitySet: EntitySet, option: string): AskedRules {
  const { authorization, rows } = definitionIn(definition, entitySet);
  const { name } = entitySet;
  const unanswerable = rows === null ? () => unanswerableRoot(name, option) : null;
  return { rules: authorization.read, action: actionOf("read", name), target: undefined, unanswerable };
}

function unanswerableRoot(name: string, target: string): ODataError {
  const message = `$root/${name} cannot be used in an expression: its rules depend on the entity.`;
  return protocolError("UnsupportedQueryOption", message, { target });
}

function askedByMention(
  definition: ServiceDefinition,
  mention: NavigationMention,
  isOwnerSkipped: boolean,
): readonly AskedRules[] {
  const isSkipped = asksNoTarget(definition, mention);
  return [
    ...askedByStep(definition, mention, isOwnerSkipped),
    ...mention.below.flatMap((below) => askedByMention(definition, below, isSkipped)),
  ];
}

/** Returns the rules for one navigation: of its target set, and of the set in which it starts unless already checked. */
function askedByStep(
  definition: ServiceDefinition,
  { entitySet, navigationProperty }: NavigationStep,
  isOwnerSkipped: boolean,
): readonly AskedRules[] {
  const { name } = navigationProperty;
  const navigation = navigationRules(definitionIn(definition, entitySet), navigationProperty);
  const action = `${actionOf("read", navigation.targetName)}, the target of '${name}' in ${entitySet.name}`;
  const owner = isOwnerSkipped ? askedOfOwner(definition, entitySet, name) : NOTHING;
  // Row rules apply in queries in place of rules that depend on entities. Startup has checked that the set has row rules.
  return [...owner, { rules: navigation.target.read, action, target: name, unanswerable: null }];
}

/** Returns the rules of the set in which a navigation starts. */
function askedOfOwner(definition: ServiceDefinition, entitySet: EntitySet, target: string): readonly AskedRules[] {
  const { authorization } = definitionIn(definition, entitySet);
  const action = `${actionOf("read", entitySet.name)}, the source of '${target}'`;
  return [{ rules: authorization.read, action, target, unanswerable: null }];
}

function asksNoTarget(definition: ServiceDefinition, { entitySet, navigationProperty }: NavigationStep): boolean {
  return !navigationRules(definitionIn(definition, entitySet), navigationProperty).asksTarget;
}

/** Where the nested entities are in the body. */
interface NestingPlace {
  /** The path in the body, with a trailing slash; empty for the body itself. */
  readonly path: string;
  /** Whether the rules of the entity's own set have not been checked. */
  readonly isOwnSkipped: boolean;
}

const BODY: NestingPlace = { path: "", isOwnSkipped: false };

/**
 * Requires that the user may create every entity that is nested in a new one: the `create` rules of each set are
 * checked.
 * @param entity the argument of the create handler
 * @throws ODataError `Unauthorized`, `Forbidden`, target the path of the navigation; the error of a rule
 * @see docs/guides/authorization.md
 */
export function authorizeNested(
  context: Context,
  set: EntitySetDefinition,
  entity: object,
  place: NestingPlace = BODY,
): Maybe<undefined> {
  return oneByOne(set.entitySet.navigationProperties.values(), (navigation) => {
    const items = nestedItems(entity, navigation);
    return items.length === 0 ? undefined : authorizeItems(context, set, navigation, items, place);
  });
}

function authorizeItems(
  context: Context,
  set: EntitySetDefinition,
  navigation: NavigationProperty,
  items: readonly object[],
  { path, isOwnSkipped }: NestingPlace,
): Maybe<undefined> {
  const { user } = context;
  const { entitySet, authorization } = set;
  const { name, isCollection } = navigation;
  const target = path + name;
  const rules = navigationRules(set, navigation);
  if (isOwnSkipped) requireRules(authorization.create, user, { action: actionOf("create", entitySet.name), target });
  const action = actionAlong("create", set, navigation);
  const pending = requireRules(rules.target.create, user, { action, target });
  const below = targetDefinition(entitySet, name, context);
  return oneByOne(items.entries(), ([index, item]) =>
    chain(judgeEntity(pending, context, item), (passed) => {
      if (!passed) throw refusal(user, action, target);
      if (below === undefined) return undefined;
      const here = isCollection ? `${target}/${String(index)}/` : `${target}/`;
      return authorizeNested(context, below, item, { path: here, isOwnSkipped: !rules.asksTarget });
    }),
  );
}
