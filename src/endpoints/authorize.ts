import type { AuthorizationRequirement, Category } from "../definition/authorization.ts";
import type { User } from "../definition/context.ts";
import { refusal } from "../definition/refusal.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import { assertNever } from "../errors/assert-never.ts";
import { chain } from "../execution/chain.ts";
import { type MaybeResult, orThrow } from "../execution/handler-answer.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import type { Exchange } from "./exchange.ts";

/** What rules say of a user before an entity is loaded: `pending` where only the entity can tell. */
export type Verdict = "passed" | "failed" | "pending";

/** Whether any request of a service can be refused: where none can, nothing is asked. */
export function hasRules({ authorization, entitySets, operations }: ServiceDefinition): boolean {
  return (
    authorization.length > 0 ||
    [...operations.values()].some((operation) => operation.authorization.length > 0) ||
    [...entitySets.values()].some((set) => Object.values(set.authorization).some((rules) => rules.length > 0))
  );
}

/**
 * Judges the rules of the registration, then those of what a path addresses, for the user of the request. What only the
 * entity can tell is left in `exchange.pending`.
 * @param category what the request does with its set; null: the service itself is addressed
 * @throws ODataError `Unauthorized` without a user, `Forbidden` with one
 * @see specification, section Authentication; decisions, Authorization
 */
export function authorize(exchange: Exchange, path: ResourcePath, category: Category | null): void {
  const { user, service } = exchange;
  const { authorization } = service.definition;
  if (judge(authorization, user) !== "passed") throw refusal(user, "use this service");
  const { rules, action } = rulesOf(service.definition, path, category);
  const verdict = judge(rules, user);
  if (verdict === "failed") throw refusal(user, action);
  exchange.pending = verdict === "pending" ? rules.filter((rule) => judgeOne(rule, user) === "pending") : [];
}

/** The rules beside those of the registration, and what they are about in words. */
interface RouteRules {
  readonly rules: readonly AuthorizationRequirement[];
  readonly action: string;
}

function rulesOf(
  { entitySets, operations }: ServiceDefinition,
  path: ResourcePath,
  category: Category | null,
): RouteRules {
  if (path.kind === "operationImport") {
    const [{ name } = { name: "" }] = path.operations;
    const operation = operations.get(name);
    if (operation === undefined) throw new Error(`The operation ${name} has a route, but no definition.`);
    return { rules: operation.authorization, action: `call ${name}` };
  }
  if (category === null || !("entitySet" in path)) return { rules: [], action: "use this service" };
  const { name } = path.entitySet;
  const set = entitySets.get(name);
  if (set === undefined) throw new Error(`The entity set ${name} has a route, but no definition.`);
  return { rules: set.authorization[category], action: actionOf(category, path.entitySet) };
}

/** What a category lets a user do, in words. */
export function actionOf(category: Category, { name }: EntitySet): string {
  return ACTIONS[category] + name;
}

const ACTIONS: Readonly<Record<Category, string>> = {
  read: "read ",
  create: "create entities of ",
  update: "change entities of ",
  delete: "delete entities of ",
  invoke: "call operations of ",
};

/** Judges rules that must all pass, as far as they tell without an entity. */
export function judge(rules: readonly AuthorizationRequirement[], user: User | null): Verdict {
  let verdict: Verdict = "passed";
  for (const rule of rules) {
    const one = judgeOne(rule, user);
    if (one === "failed") return one;
    if (one === "pending") verdict = one;
  }
  return verdict;
}

function judgeOne(rule: AuthorizationRequirement, user: User | null): Verdict {
  switch (rule.kind) {
    case "authenticated":
      return user === null ? "failed" : "passed";
    case "role":
      return user !== null && hasRole(user, rule.name) ? "passed" : "failed";
    case "resource":
      return user === null ? "failed" : "pending";
    case "anyOf": {
      const verdicts = new Set(rule.rules.map((each) => judgeOne(each, user)));
      if (verdicts.has("passed")) return "passed";
      return verdicts.has("pending") ? "pending" : "failed";
    }
    default:
      return assertNever(rule);
  }
}

/** The application's user need not have roles, nor be an object: then no role is theirs. */
function hasRole(user: User, name: string): boolean {
  const roles: unknown = Reflect.get(Object(user) as object, "roles");
  return Array.isArray(roles) && roles.includes(name);
}

/**
 * Judges rules that must all pass on one entity. Checks are asked one after the other, no more of them than it takes.
 * @param entity in canonical form
 * @returns false without a user
 * @throws whatever a check throws, or an ODataError that it returns
 */
export function judgeEntity(
  rules: readonly AuthorizationRequirement[],
  exchange: Exchange,
  entity: unknown,
): MaybeResult<boolean> {
  const [rule, ...rest] = rules;
  if (rule === undefined) return true;
  return chain(passes(rule, exchange, entity), (passed) => (passed ? judgeEntity(rest, exchange, entity) : false));
}

function passes(rule: AuthorizationRequirement, exchange: Exchange, entity: unknown): MaybeResult<boolean> {
  const { user, context } = exchange;
  const verdict = judgeOne(rule, user);
  if (verdict !== "pending" || user === null) return verdict === "passed";
  if (rule.kind === "anyOf") return passesAny(rule.rules, exchange, entity);
  if (rule.kind !== "resource") throw new Error(`The rule ${rule.kind} is judged without an entity.`);
  // The rule was declared for the type of the entity: the one place where that is forgotten.
  const answer: MaybeResult<unknown> = rule.check(user, entity as never, context);
  return chain(answer, (value) => orThrow(value) === true);
}

function passesAny(
  rules: readonly AuthorizationRequirement[],
  exchange: Exchange,
  entity: unknown,
): MaybeResult<boolean> {
  const [rule, ...rest] = rules;
  if (rule === undefined) return false;
  return chain(passes(rule, exchange, entity), (passed) => (passed ? true : passesAny(rest, exchange, entity)));
}
