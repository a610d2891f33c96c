import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import {
  type DeclaredOperation,
  type DeclaredService,
  type DeclaredSet,
  operationPlace,
  navigationPlace,
} from "../model/declared-service.ts";
import { everyOption, adviseName, describe, type FaultPlace, isObject } from "../option-table.ts";
import {
  type AuthorizationRequirement,
  CATEGORIES,
  isAuthorizationRule,
  needsResource,
  type NoRequirement,
  requirementsOf,
  resolveCategories,
} from "../sets/authorization.ts";
import { isOverTable } from "./check-links.ts";
import {
  asksTargetOf,
  setsAlong,
  linkRoutes,
  type NavigationInto,
  relatedHoldsKey,
  navigationHandlersOf,
} from "./routes-into.ts";

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
  return authorization["rows"] !== undefined || RULE_OPTIONS.some((name) => statesRules(authorization[name]));
}

/** Checks rules for requests that address no entity. */
function* checkWithoutEntity(rules: unknown, name: string, place: FaultPlace): Iterable<ConfigurationFault> {
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
  const known = [...RULE_OPTIONS, "rows"];
  for (const name of Object.keys(everyOption(authorization)).filter((each) => !known.includes(each))) {
    yield { set, message: `\`authorization\` has no category \`${name}\`.`, fix: adviseName(name, known) };
  }
  for (const name of RULE_OPTIONS) yield* checkRules(authorization[name], `\`authorization.${name}\``, { set });
  const { rows } = authorization;
  if (rows === undefined || typeof rows === "function") return;
  const fix = "Give a function that returns a condition: (user, row) => row.ownerId.eq(user.id).";
  yield { set, message: `\`authorization.rows\` is ${describe(rows)}.`, fix };
}

function* checkBound(set: DeclaredSet, operation: DeclaredOperation): Iterable<ConfigurationFault> {
  // `checkBindings` reports an unbound operation of a set.
  if (operation.bound === undefined || operation.options["authorization"] === undefined) return;
  const message = `\`${operation.name}\` has \`authorization\`, but is bound: the \`invoke\` rules of its set apply.`;
  yield { ...operationPlace(set, operation), message, fix: "Move its rules to `authorization.invoke` of the set." };
}

function* checkRules(rules: unknown, name: string, place: FaultPlace): Iterable<ConfigurationFault> {
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
