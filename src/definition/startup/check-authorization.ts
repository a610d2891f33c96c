import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { keptPer } from "../../base/memo.ts";
import type { NavigationHandlers, OfferedHandler } from "../handlers.ts";
import {
  type DeclaredOperation,
  type DeclaredService,
  type DeclaredSet,
  operationPlace,
  navigationPlace,
  type DeclaredNavigation,
  entriesOf,
  namesOf,
  propertyIn,
} from "../model/declared-service.ts";
import { everyOption, adviseName, describe, type FaultPlace, isObject, pickStated } from "../option-table.ts";
import {
  type AuthorizationRequirement,
  CATEGORIES,
  isAuthorizationRule,
  needsResource,
  type NoRequirement,
  requirementsOf,
  resolveCategories,
  type Category,
  type NavigationAuthorization,
} from "../sets/authorization.ts";
import { isInherited } from "../sets/inherited-rows.ts";
import { declaredPropertyRules } from "../sets/property-rules.ts";
import { isOverTable } from "./check-links.ts";

/** The members of the `authorization` of a set that contain rules. */
const RULE_OPTIONS = ["all", ...CATEGORIES] as const;

const RULE_FIX =
  "Use `authenticated()`, `role(…)`, `anyOf(…)` or `resource(…)`, or a list of rules that must all pass.";

/**
 * Checks that every authorization option contains rules that can be evaluated at its place. Any other value must not count
 * as a rule that every user passes.
 * @see docs/guides/authorization.md
 */
export function* checkAuthorization({ options, sets, operations }: DeclaredService): Iterable<ConfigurationFault> {
  yield* checkWithoutEntity(options["authorization"], "`authorization` of odataService", {});
  for (const set of sets) {
    yield* checkSet(set);
    for (const operation of set.operations) yield* checkBound(set, operation);
  }
  for (const operation of operations) {
    const name = `\`authorization\` of \`${operation.name}\``;
    yield* checkWithoutEntity(operation.options["authorization"], name, operationPlace(undefined, operation));
  }
}

/** Returns whether an option contains rules; an empty list does not. */
export function statesRules(rules: unknown): boolean {
  return rules !== undefined && !(Array.isArray(rules) && rules.length === 0);
}

/** Returns whether a set has any rules. */
export function isGuarded({ options: { authorization } }: DeclaredSet): boolean {
  if (!isObject(authorization)) return false;
  if (authorization["rows"] !== undefined || Object.keys(declaredPropertyRules(authorization)).length > 0) return true;
  return RULE_OPTIONS.some((name) => statesRules(authorization[name]));
}

/** Checks rules for requests that address no entity. */
export function* checkWithoutEntity(rules: unknown, name: string, place: FaultPlace): Iterable<ConfigurationFault> {
  yield* checkRules(rules, name, place);
  if (!requirementsOf(rules).some(needsResource)) return;
  const message = `${name} contains resource(…), but these requests address no entity.`;
  yield { ...place, message, fix: "Move it into the `authorization` of an entity set." };
}

function* checkSet({ name: set, options: { authorization } }: DeclaredSet): Iterable<ConfigurationFault> {
  if (authorization === undefined) return;
  if (!isObject(authorization) || isAuthorizationRule(authorization)) {
    const is = isAuthorizationRule(authorization) ? "a rule" : describe(authorization);
    const fix = "Give an object of categories, such as { all: authenticated() }.";
    yield { set, message: `\`authorization\` of entitySet is ${is}.`, fix };
    return;
  }
  const known = [...RULE_OPTIONS, "rows", "properties"];
  for (const name of Object.keys(everyOption(authorization)).filter((each) => !known.includes(each))) {
    yield { set, message: `\`authorization\` has no category \`${name}\`.`, fix: adviseName(name, known) };
  }
  for (const name of RULE_OPTIONS) yield* checkRules(authorization[name], `\`authorization.${name}\``, { set });
  const { rows } = authorization;
  // `checkInheritedRows` checks the navigation of an inherited rule.
  if (rows === undefined || typeof rows === "function" || isInherited(rows)) return;
  const fix = "Give a function that returns a condition: (user, row) => row.ownerId.eq(user.id).";
  yield { set, message: `\`authorization.rows\` is ${describe(rows)}.`, fix };
}

function* checkBound(set: DeclaredSet, operation: DeclaredOperation): Iterable<ConfigurationFault> {
  // `checkBindings` reports an unbound operation of a set.
  if (operation.bound === undefined || operation.options["authorization"] === undefined) return;
  const message = `\`${operation.name}\` has \`authorization\`, but is bound: the \`invoke\` rules of its set apply.`;
  yield { ...operationPlace(set, operation), message, fix: "Move its rules to `authorization.invoke` of the set." };
}

/** Checks that a value is a rule or a list of rules. @param name the option, for messages */
export function* checkRules(rules: unknown, name: string, place: FaultPlace): Iterable<ConfigurationFault> {
  if (rules === undefined) return;
  const list: readonly unknown[] = Array.isArray(rules) ? rules : [rules];
  for (const [index, each] of list.entries()) {
    if (isAuthorizationRule(each)) {
      for (const problem of problemsOf(each.requires)) {
        yield { ...place, message: `${name} contains ${problem.part}.`, fix: problem.fix };
      }
    } else {
      const is = Array.isArray(rules)
        ? `contains ${describe(each)} at position ${String(index)}`
        : `is ${describe(each)}`;
      yield { ...place, message: `${name} ${is}.`, fix: RULE_FIX };
    }
  }
}

/** A part of a rule that cannot be evaluated, and its correction. */
interface Problem {
  readonly part: string;
  readonly fix: string;
}

/** Finds wrong arguments of rules, which the types exclude, but JavaScript callers may pass. */
function* problemsOf(requirement: AuthorizationRequirement | NoRequirement): Iterable<Problem> {
  switch (requirement.kind) {
    case "authenticated":
      return;
    case "role": {
      const name: unknown = requirement.name;
      if (typeof name === "string" && name.trim() !== "") return;
      yield { part: `role(${describe(name)})`, fix: 'Give the name of a role: role("editor").' };
      return;
    }
    case "resource": {
      const check: unknown = requirement.check;
      if (typeof check === "function") return;
      const fix = "Give a function: resource((user, order) => order.ownerId === user.id).";
      yield { part: `resource(${describe(check)})`, fix };
      return;
    }
    case "anyOf":
      if (requirement.rules.length === 0) {
        yield { part: "anyOf() without rules, which no user passes", fix: "Pass rules, one of which must pass." };
      }
      for (const each of requirement.rules) yield* problemsOf(each);
      return;
    case "none":
      yield {
        part: `anyOf(…) of ${describe(requirement.given)}`,
        fix: 'Give each rule as an argument: anyOf(role("editor"), role("admin")).',
      };
      return;
    default:
      yield { part: "an unknown kind of rule", fix: RULE_FIX };
  }
}

/**
 * Checks that the service can load the related entities that `resource` rules check when a link is written: by key from
 * the target set, or along the navigation if the request names no entity.
 * @see docs/guides/authorization.md
 */
export function* checkNavigationRules({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const from of sets) {
    for (const navigation of from.navigations) {
      const into: NavigationInto = { from, navigation };
      if (!asksTargetOf(navigation)) continue;
      const [judging] = setsAlong(navigation, sets).filter((set) => judgesLinks(into, set, sets));
      const [route] = linkRoutes(into, sets);
      if (judging === undefined || route === undefined) continue;
      const place = { ...navigationPlace(from, navigation), route: route.route, method: route.method };
      const rule = `${judging.name} has a resource(…) rule for the entities that \`${navigation.field}\` links`;
      if (navigation.options["target"] === undefined) {
        const fix = `Give \`target\`: "${judging.name}", or skip its rules: authorization: "parent".`;
        yield { ...place, message: `${rule}, but \`${navigation.field}\` names no \`target\`.`, fix };
      } else if (changesUnnamed(into, sets) && !isReadable(into, judging, sets)) {
        const fix = 'Give `get`, or skip the rules of the target set: authorization: "parent".';
        yield { ...place, message: `${rule}, but no handler reads the currently linked entity.`, fix };
      }
    }
  }
}

/** Returns whether writing a link along a navigation evaluates a `resource` rule of a set. */
function judgesLinks({ navigation }: NavigationInto, set: DeclaredSet, sets: readonly DeclaredSet[]): boolean {
  const { read, update } = resolveCategories(set.options["authorization"]);
  return [...read, ...(relatedHoldsKey(navigation, sets) ? update : [])].some(needsResource);
}

/** Returns whether requests change a link without naming its entity. */
function changesUnnamed({ navigation }: NavigationInto, sets: readonly DeclaredSet[]): boolean {
  if (navigation.declaration.cardinality === "many") return false;
  const { setRef, removeRef } = navigationHandlersOf(navigation, sets);
  return removeRef !== undefined || (setRef !== undefined && relatedHoldsKey(navigation, sets));
}

function isReadable({ from, navigation }: NavigationInto, target: DeclaredSet, sets: readonly DeclaredSet[]): boolean {
  const { get, getBatch } = navigationHandlersOf(navigation, sets);
  if ((get ?? getBatch) !== undefined) return true;
  const isJoined = (navigation.options["on"] ?? navigation.options["through"]) !== undefined;
  return isJoined && isOverTable(from) && from.options["getByKey"] !== undefined && isOverTable(target);
}

/** A route that addresses one entity of a set, and its category. */
export interface EntityRoute {
  readonly category: Category;
  readonly route: string;
  readonly method: string;
}

/** A navigation, and the set that declares it. */
interface NavigationInto {
  readonly from: DeclaredSet;
  readonly navigation: DeclaredNavigation;
}

/** Returns the navigations that name a set as their target. */
export function navigationsInto({ name }: DeclaredSet, sets: readonly DeclaredSet[]): readonly NavigationInto[] {
  return everyNavigation(sets).filter(({ navigation }) => navigation.options["target"] === name);
}

/** Returns the navigations along which the rules of a set apply. */
export function askingNavigations(set: DeclaredSet, sets: readonly DeclaredSet[]): readonly NavigationInto[] {
  return everyNavigation(sets).filter(({ navigation }) => asksTargetOf(navigation) && leadsTo(navigation, set));
}

/** Returns the routes of other sets that load one entity of a set by its key to check its rules. */
export function* judgingRoutes(set: DeclaredSet, sets: readonly DeclaredSet[]): Iterable<EntityRoute> {
  for (const { from, navigation } of askingNavigations(set, sets)) {
    const path = `/${from.name}({key})/${navigation.name}`;
    if (navigation.declaration.cardinality !== "many") yield { category: "read", route: path, method: "GET" };
    const changed = relatedHoldsKey(navigation, sets);
    for (const { route, method } of linkRoutes({ from, navigation }, sets)) {
      yield { category: "read", route, method };
      if (changed) yield { category: "update", route, method };
    }
  }
}

/** Returns the routes that write links along a navigation. */
export function linkRoutes({ from, navigation }: NavigationInto, sets: readonly DeclaredSet[]): readonly EntityRoute[] {
  const routes = navigationRoutes(`/${from.name}({key})/${navigation.name}`, navigationHandlersOf(navigation, sets));
  return [...routes].filter(({ route }) => route.endsWith("/$ref"));
}

/** Returns the routes along a navigation, each with the category of the set that declares it. */
export function* navigationRoutes(route: string, handlers: Readonly<Record<string, unknown>>): Iterable<EntityRoute> {
  const has = (name: string): boolean => handlers[name] !== undefined;
  if (has("get") || has("getBatch")) yield { category: "read", route, method: "GET" };
  if (has("create")) yield { category: "create", route, method: "POST" };
  if (has("addRef")) yield { category: "create", route: `${route}/$ref`, method: "POST" };
  if (has("setRef")) yield { category: "update", route: `${route}/$ref`, method: "PUT" };
  if (has("removeRef")) yield { category: "update", route: `${route}/$ref`, method: "DELETE" };
}

/** Returns whether the related entities of a navigation may contain the foreign key; `keyHolderOf` decides it for a model. */
function relatedHoldsKey(navigation: DeclaredNavigation, sets: readonly DeclaredSet[]): boolean {
  const { declaration, options, target } = navigation;
  if (isObject(options["through"]) || target === undefined) return false;
  const isOne = declaration.cardinality !== "many";
  if (entriesOf(options["on"]).length > 0) return !(isOne && namesKey(navigation));
  return everyNavigation(sets).some(({ from, navigation: partner }) => {
    const leadsBack = from.entityType === target && partner.field === options["partner"];
    return leadsBack && partner.declaration.cardinality !== "many" && namesKey(partner);
  });
}

/** Returns whether `on` names the whole key of the related type. */
function namesKey({ target, options }: DeclaredNavigation): boolean {
  if (target === undefined) return false;
  const related = entriesOf(options["on"]).map(([, to]) => to);
  const keys = namesOf(target.properties).filter((field) => propertyIn(target, field)?.key === true);
  return related.length > 0 && keys.every((key) => related.includes(key));
}

/** Returns the navigations of all sets, a list for each registration. */
export const everyNavigation: (sets: readonly DeclaredSet[]) => readonly NavigationInto[] = keptPer(
  (sets: readonly DeclaredSet[]) =>
    sets.flatMap((from) => from.navigations.map((navigation) => ({ from, navigation }))),
);

/**
 * Resolves the rules along a navigation. Without a target set, the rules of every set of the related type apply:
 * omitting `target` must not give access to more entities.
 * @see docs/guides/authorization.md
 */
export function navigationAuthorizationOf(
  navigation: DeclaredNavigation,
  sets: readonly DeclaredSet[],
): NavigationAuthorization {
  const asksTarget = asksTargetOf(navigation);
  const all = asksTarget
    ? setsAlong(navigation, sets).map((set) => resolveCategories(set.options["authorization"]))
    : [];
  const of = (category: Category): readonly AuthorizationRequirement[] =>
    Object.freeze(all.flatMap((categories) => categories[category]));
  const { target: name } = navigation.options;
  return Object.freeze({
    asksTarget,
    target: Object.freeze({
      read: of("read"),
      create: of("create"),
      update: of("update"),
      delete: of("delete"),
      invoke: of("invoke"),
    }),
    targetName: typeof name === "string" ? name : (navigation.target?.name ?? navigation.name),
  });
}

/** Returns whether requests along a navigation also obey the rules of the target set. */
function asksTargetOf({ options }: DeclaredNavigation): boolean {
  return options["authorization"] !== "parent";
}

/** Returns the target set of a navigation; without a target set, every set of the related type. */
function setsAlong(navigation: DeclaredNavigation, sets: readonly DeclaredSet[]): readonly DeclaredSet[] {
  return sets.filter((each) => leadsTo(navigation, each));
}

function leadsTo({ options, target }: DeclaredNavigation, { name, entityType }: DeclaredSet): boolean {
  return typeof options["target"] === "string" ? options["target"] === name : target === entityType;
}

const NAVIGATION_HANDLERS = [
  "get",
  "getBatch",
  "create",
  "addRef",
  "setRef",
  "removeRef",
] as const satisfies ReadonlyArray<keyof NavigationHandlers<never>>;

/**
 * Returns the handlers of a navigation, without handlers of the framework that cannot work with its target set.
 * @param sets all sets of the registration
 */
export function navigationHandlersOf(
  { options }: DeclaredNavigation,
  sets: readonly DeclaredSet[],
): Readonly<Record<string, unknown>> {
  const target = sets.find((each) => each.name === options["target"])?.options;
  return Object.fromEntries(
    Object.entries(pickStated(options, NAVIGATION_HANDLERS)).filter(([, handler]) => {
      const { isOffered } = Object(handler) as OfferedHandler;
      return isOffered === undefined || isOffered(target);
    }),
  );
}
