import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import { type DeclaredOperation, type DeclaredService, type DeclaredSet, operationPlace } from "../declared-service.ts";
import { everyOption, adviseName, describe, type FaultPlace, isObject } from "../option-table.ts";
import {
  type AuthorizationRequirement,
  CATEGORIES,
  isAuthorizationRule,
  needsResource,
  type NoRequirement,
  requirementsOf,
} from "../rules/authorization.ts";

/** What may hold rules in the `authorization` of a set. */
const RULE_OPTIONS = ["all", ...CATEGORIES] as const;

const RULE_FIX =
  "Give what `authenticated()`, `role(…)`, `anyOf(…)` or `resource(…)` returns, or a list of rules that must all pass.";

/**
 * Where rules are asked there are rules, and each can be judged where it stands: what is no rule must not count as one
 * that everybody passes.
 * @see specification, section Authentication
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

/** Whether an option states rules; an empty list states that there are none. */
export function statesRules(rules: unknown): boolean {
  return rules !== undefined && !(Array.isArray(rules) && rules.length === 0);
}

/** Whether a set lets not everybody do and see everything. */
export function isGuarded({ options: { authorization } }: DeclaredSet): boolean {
  if (!isObject(authorization)) return false;
  return authorization["rows"] !== undefined || RULE_OPTIONS.some((name) => statesRules(authorization[name]));
}

/** Rules of what addresses no entity. */
function* checkWithoutEntity(rules: unknown, name: string, place: FaultPlace): Iterable<ConfigurationFault> {
  yield* checkRules(rules, name, place);
  if (!requirementsOf(rules).some(needsResource)) return;
  const message = `${name} holds resource(…), but no entity is addressed that it could judge.`;
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
  // One that is not bound is told to leave the set.
  if (operation.bound === undefined || operation.options["authorization"] === undefined) return;
  const message = `\`${operation.name}\` has \`authorization\`, but is bound: what its set requires for \`invoke\` holds.`;
  yield { ...operationPlace(set, operation), message, fix: "Move its rules to `authorization.invoke` of the set." };
}

function* checkRules(rules: unknown, name: string, place: FaultPlace): Iterable<ConfigurationFault> {
  if (rules === undefined) return;
  const list: readonly unknown[] = Array.isArray(rules) ? rules : [rules];
  for (const [index, each] of list.entries()) {
    if (isAuthorizationRule(each)) {
      for (const problem of problemsOf(each.requires)) {
        yield { ...place, message: `${name} holds ${problem.what}.`, fix: problem.fix };
      }
    } else {
      const is = Array.isArray(rules) ? `holds ${describe(each)} at position ${String(index)}` : `is ${describe(each)}`;
      yield { ...place, message: `${name} ${is}.`, fix: RULE_FIX };
    }
  }
}

/** What stands in a rule and can never be judged, and what to do about it. */
interface Problem {
  readonly what: string;
  readonly fix: string;
}

/** The types say what arguments rules have; untyped code may have given others. */
function* problemsOf(requirement: AuthorizationRequirement | NoRequirement): Iterable<Problem> {
  switch (requirement.kind) {
    case "authenticated":
      return;
    case "role": {
      const name: unknown = requirement.name;
      if (typeof name === "string" && name.trim() !== "") return;
      yield { what: `role(${describe(name)})`, fix: 'Give the name of a role: role("editor").' };
      return;
    }
    case "resource": {
      const check: unknown = requirement.check;
      if (typeof check === "function") return;
      const fix = "Give a function: resource((user, order) => order.ownerId === user.id).";
      yield { what: `resource(${describe(check)})`, fix };
      return;
    }
    case "anyOf":
      if (requirement.rules.length === 0) {
        yield { what: "anyOf() of no rule, which nobody passes", fix: "Name the rules of which one must pass." };
      }
      for (const each of requirement.rules) yield* problemsOf(each);
      return;
    case "none":
      yield {
        what: `anyOf(…) of ${describe(requirement.given)}`,
        fix: 'Give each rule as an argument: anyOf(role("editor"), role("admin")).',
      };
      return;
    default:
      yield { what: "a rule of no known kind", fix: RULE_FIX };
  }
}
