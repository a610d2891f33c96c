import { frozenCopy } from "../../base/frozen-copy.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { assertNever } from "../../base/required.ts";
import { type Context, ruleContextOf, type User } from "../../definition/context.ts";
import { statementScope } from "../../definition/logger.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import {
  type AuthorizationRequirement,
  type Category,
  type NavigationAuthorization,
  needsResource,
  refusal,
} from "../../definition/sets/authorization.ts";
import type { EntitySet, NavigationProperty, ComplexType, EntityType, StructuralProperty } from "../../edm/model.ts";
import { answeredValue } from "../entities/handler-answer.ts";
import { defineMissing } from "../memory/missing-value.ts";

/** The result of rules before an entity is loaded: `pending` where only a `resource` check of the entity can decide. */
type Verdict = "passed" | "failed" | "pending";

/** Judges rules that must all pass, as far as possible without an entity. */
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

/** Whether a user has a role. The application's user may lack roles, or be a value other than an object. */
function hasRole(user: User, name: string): boolean {
  const roles: unknown = Reflect.get(Object(user) as object, "roles");
  return Array.isArray(roles) && roles.includes(name);
}

/** The refused request, for the error. */
interface Refused {
  /** The attempted action, such as `read Orders`. */
  readonly action: string;
  /** The target of the error, such as the name of a navigation. */
  readonly target?: string | undefined;
}

/**
 * Requires that rules pass, as far as possible without an entity.
 * @returns the rules that only a loaded entity can decide, for `judgeEntity`
 * @throws ODataError `Unauthorized` without a user, `Forbidden` with one
 */
export function requireRules(
  rules: readonly AuthorizationRequirement[],
  user: User | null,
  { action, target }: Refused,
): readonly AuthorizationRequirement[] {
  if (rules.length === 0) return rules;
  const verdict = judge(rules, user);
  if (verdict === "failed") throw refusal(user, action, target);
  return verdict === "pending" ? rules.filter((rule) => judgeOne(rule, user) === "pending") : NO_RULES;
}

const NO_RULES: readonly AuthorizationRequirement[] = Object.freeze([]);

/**
 * Requires that a user may do something with a set, as far as possible without an entity.
 * @returns the rules that only a loaded entity can decide, for `judgeEntity`
 * @throws ODataError `Unauthorized` without a user, `Forbidden` with one
 * @see docs/guides/authorization.md
 */
export function requireCategory(
  { entitySet, authorization }: Pick<EntitySetDefinition, "entitySet" | "authorization">,
  category: Category,
  user: User | null,
): readonly AuthorizationRequirement[] {
  return requireRules(authorization[category], user, { action: actionOf(category, entitySet.name) });
}

/** Describes the action that a category allows with a set. */
export function actionOf(category: Category, entitySet: string): string {
  return ACTIONS[category] + entitySet;
}

/** Describes the action that a category allows along a navigation. */
export function actionAlong(
  category: Category,
  set: EntitySetDefinition,
  navigation: Pick<NavigationProperty, "name">,
): string {
  const { targetName } = navigationRules(set, navigation);
  return `${actionOf(category, targetName)}, the target of '${navigation.name}' in ${set.entitySet.name}`;
}

/** Returns the rules along a navigation of a set. @throws Error for a navigation of another set */
export function navigationRules(
  { entitySet, navigationAuthorization }: EntitySetDefinition,
  { name: ownName, origin }: Pick<NavigationProperty, "name" | "origin">,
): NavigationAuthorization {
  const name = origin?.name ?? ownName;
  const rules = navigationAuthorization.get(name);
  if (rules === undefined) throw new Error(`${entitySet.name}/${name} has no rules.`);
  return rules;
}

const ACTIONS: Readonly<Record<Category, string>> = {
  read: "read ",
  create: "create entities of ",
  update: "change entities of ",
  delete: "delete entities of ",
  invoke: "call operations of ",
};

/**
 * Checks rules like `judgeEntity` for an entity that was loaded from a set: a rule that reads an ignored value that no
 * handler returned fails, so that it does not pass by accident.
 * @throws TypeError from such a rule; the error that a check throws or returns
 * @see docs/guides/authorization.md
 */
export function judgeLoaded(
  rules: readonly AuthorizationRequirement[],
  context: Context,
  entity: object,
  entitySet: EntitySet,
): Maybe<boolean> {
  return passesAll(rules, context, rules.some(needsResource) ? loadedCopy(entitySet, entity, "a rule") : entity);
}

/**
 * Checks rules that must all pass for one entity. The checks run one after another and stop at the first failure. They receive a
 * frozen copy of the entity, so rules cannot change the entity that a handler saves or the service returns.
 * @param entity in canonical form
 * @returns false without a user
 * @throws the error that a check throws or returns
 * @see docs/guides/authorization.md
 */
export function judgeEntity(
  rules: readonly AuthorizationRequirement[],
  context: Context,
  entity: unknown,
): Maybe<boolean> {
  return passesAll(rules, context, rules.some(needsResource) ? frozenCopy(entity) : entity);
}

function passesAll(rules: readonly AuthorizationRequirement[], context: Context, entity: unknown): Maybe<boolean> {
  const [rule, ...rest] = rules;
  if (rule === undefined) return true;
  return chain(passes(rule, context, entity), (passed) => (passed ? passesAll(rest, context, entity) : false));
}

function passes(rule: AuthorizationRequirement, context: Context, entity: unknown): Maybe<boolean> {
  const { user } = context;
  const verdict = judgeOne(rule, user);
  if (verdict !== "pending" || user === null) return verdict === "passed";
  if (rule.kind === "anyOf") return passesAny(rule.rules, context, entity);
  if (rule.kind !== "resource") throw new Error(`The rule ${rule.kind} is judged without an entity.`);
  // The rule was declared for the type of the entity. This is the only place where that type is lost.
  const answer: Maybe<unknown> = rule.check(user, entity as never, ruleContextOf(context));
  return chain(answer, (value) => {
    const hasPassed = answeredValue(value) === true;
    if (!hasPassed) statementScope()?.follower?.hideRows();
    return hasPassed;
  });
}

function passesAny(rules: readonly AuthorizationRequirement[], context: Context, entity: unknown): Maybe<boolean> {
  const [rule, ...rest] = rules;
  if (rule === undefined) return false;
  return chain(passes(rule, context, entity), (passed) => (passed ? true : passesAny(rest, context, entity)));
}

/** The place of a value in the entities of a set, for errors. */
interface Place {
  readonly set: string;
  /** The keys of the enclosing complex properties, each with a dot. */
  readonly path: string;
  /** The code that reads the value. */
  readonly reader: string;
}

/**
 * Returns a frozen copy of a loaded entity for code of the application. To read an ignored value that the handlers did not
 * return is an error, unless it may be null.
 * @param entity in canonical form
 * @param reader the code, for the message
 * @see docs/guides/authorization.md
 */
export function loadedCopy({ name, entityType }: EntitySet, entity: object, reader: string): object {
  return copyMembers(entityType, entity, { set: name, path: "", reader });
}

function copyMembers(type: EntityType | ComplexType, owner: object, place: Place): object {
  const { properties, ignoredProperties } = type;
  const byField = new Map([...properties, ...ignoredProperties].map((property) => [property.field, property]));
  const members = Object.entries(owner).map(([field, value]) => [field, copyOf(byField.get(field), value, place)]);
  const copy = Object.fromEntries(members) as object;
  for (const { field, nullable, isCollection } of ignoredProperties) {
    if (Object.hasOwn(copy, field) || (nullable && !isCollection)) continue;
    const message = `The handlers of ${place.set} return no \`${place.path}${field}\`, which ${place.reader} reads.`;
    defineMissing(copy, field, message);
  }
  return Object.freeze(copy);
}

function copyOf(property: StructuralProperty | undefined, value: unknown, place: Place): unknown {
  const type = property?.type;
  if (property === undefined || type?.kind !== "ComplexType") return frozenCopy(value);
  const below: Place = { ...place, path: `${place.path}${property.field}.` };
  const copyItem = (item: unknown): unknown =>
    typeof item === "object" && item !== null ? copyMembers(type, item, below) : item;
  return Array.isArray(value) ? Object.freeze(value.map(copyItem)) : copyItem(value);
}
