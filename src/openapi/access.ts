import { assertNever } from "../base/required.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/model/service-definition.ts";
import { type AuthorizationRequirement, type Category, needsResource } from "../definition/sets/authorization.ts";

/** The rules for a request, in addition to the rules of the registration. */
export interface RequestRules {
  /** The rules for every request. */
  readonly rules: readonly AuthorizationRequirement[];
  /** The rules for some requests. */
  readonly further?: FurtherRules | undefined;
  /** Whether rows may be hidden from the user. */
  readonly hidesRows?: boolean;
  /** Whether a write is refused if the user cannot see the written entity; anonymous users never can. */
  readonly checksRows?: boolean;
}

/** Rules for some of the requests to a route. */
interface FurtherRules {
  /** The action of these requests, such as `Creating nested entities`. */
  readonly action: string;
  readonly rules: readonly AuthorizationRequirement[];
}

/** The refusals of a route that depend on the user. */
interface Refusals {
  /** Whether every request needs a user. */
  readonly needsUser: boolean;
  /** Whether a request may receive 401. */
  readonly unauthorized: boolean;
  /** Whether a request may receive 403. */
  readonly forbidden: boolean;
}

/** Parameters with expressions, which may name other sets. */
const EXPRESSIONS: ReadonlySet<unknown> = new Set(["$filter", "$orderby", "$expand"]);

/** Returns the rules for requests of a category. @param target the target set of a navigation */
export function accessOf(set: EntitySetDefinition, category: Category, target?: EntitySetDefinition): RequestRules {
  return {
    rules: set.authorization[category],
    hidesRows: set.rows !== null || (target !== undefined && target.rows !== null),
  };
}

/** Returns the rules for creating entities. With a row rule, only an authenticated user can see the new entity. */
export function creationAccessOf(set: EntitySetDefinition): RequestRules {
  const access = accessOf(set, "create");
  return set.rows === null ? access : { ...access, rules: [...access.rules, { kind: "authenticated" }] };
}

/** Returns the rules for reading a collection: row rules apply instead of `resource` rules. */
export function collectionAccessOf(set: EntitySetDefinition): RequestRules {
  const { rules, ...access } = accessOf(set, "read");
  return { ...access, rules: rules.map(withoutEntity) };
}

/**
 * Returns the rules for requests along a navigation: the rules of the set that declares it, and of its target set.
 * @param category the category for the set that declares the navigation
 * @param along the category for the target set
 */
export function accessAlong(
  set: EntitySetDefinition,
  navigation: string,
  { category, along, target }: AccessAlong,
): RequestRules {
  const { rules, ...access } = accessOf(set, category, target);
  const asked = set.navigationAuthorization.get(navigation)?.target;
  const related = asked === undefined ? [] : along.flatMap((each) => asked[each]);
  return { ...access, rules: [...rules, ...related.map(withoutEntity)] };
}

/** Requests along a navigation. */
interface AccessAlong {
  readonly category: Category;
  readonly along: readonly Category[];
  /** The target set; undefined if the navigation names none. */
  readonly target: EntitySetDefinition | undefined;
}

/** Returns the rules along a navigation for one category that need a loaded entity. */
export function judgedAlong(
  set: EntitySetDefinition,
  navigation: string,
  categories: readonly Category[],
): readonly AuthorizationRequirement[] {
  const asked = set.navigationAuthorization.get(navigation)?.target;
  const rules = asked === undefined ? [] : categories.flatMap((each) => asked[each]);
  return rules.some(needsResource) ? rules : [];
}

/** Replaces rules that need an entity for requests that address none: such a rule then only needs a user. */
function withoutEntity(rule: AuthorizationRequirement): AuthorizationRequirement {
  if (rule.kind === "anyOf") return { kind: "anyOf", rules: rule.rules.map(withoutEntity) };
  return rule.kind === "resource" ? { kind: "authenticated" } : rule;
}

/**
 * Returns how a route may refuse requests.
 * @param method the method of the route
 * @param parameters the names of its parameters
 * @see docs/guides/authorization.md
 */
export function refusalsOf(
  definition: ServiceDefinition,
  { rules, further, checksRows = false }: RequestRules,
  { method, parameters }: { readonly method: string; readonly parameters: readonly unknown[] },
): Refusals {
  const always = [...definition.authorization, ...rules];
  const named = parameters.some((name) => EXPRESSIONS.has(name))
    ? [...definition.entitySets.values()].flatMap(({ authorization }) => authorization.read.map(withoutEntity))
    : [];
  const any = [...always, ...(further?.rules ?? []), ...named];
  const isCrossSite = definition.refusesCrossSiteWrites && method !== "GET";
  return {
    needsUser: always.length > 0,
    // `authenticate` may reject credentials, and handlers may require a user.
    unauthorized: any.length > 0 || checksRows || definition.authenticate !== undefined,
    forbidden: any.some(mayRefuseUser) || checksRows || isCrossSite,
  };
}

function mayRefuseUser(rule: AuthorizationRequirement): boolean {
  return rule.kind === "anyOf" ? rule.rules.every(mayRefuseUser) : rule.kind !== "authenticated";
}

/** Describes the rules for a request; undefined without rules. */
export function describeAccess(
  { authorization }: ServiceDefinition,
  { rules, further, hidesRows = false, checksRows = false }: RequestRules,
): string | undefined {
  const required = requirementsOf([...authorization, ...rules]);
  const more = requirementsOf(further?.rules ?? []).filter((each) => !required.includes(each) && each !== USER);
  const sentences = [
    ...(required.length === 0 ? [] : [`Requires ${required.join(", and ")}.`]),
    ...(further === undefined || more.length === 0 ? [] : [`${further.action} requires ${more.join(", and ")}.`]),
    ...(hidesRows ? ["The result excludes rows that the user may not see."] : []),
    ...(checksRows ? ["The user must be able to see the written entity."] : []),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

const USER = "a user";

/** Describes the requirements of rules. `a user` is omitted if another requirement implies it. */
function requirementsOf(rules: readonly AuthorizationRequirement[]): readonly string[] {
  if (rules.length === 0) return [];
  const demanding = [...new Set(rules.filter(mayRefuseUser).map(wordsOf))];
  return demanding.length === 0 ? [USER] : demanding;
}

function wordsOf(rule: AuthorizationRequirement): string {
  switch (rule.kind) {
    case "authenticated":
      return USER;
    case "role":
      return `the role ${codeOf(rule.name)}`;
    case "resource":
      return "a check of the entity";
    case "anyOf":
      return [...new Set(rule.rules.map(wordsOf))].join(" or ");
    default:
      return assertNever(rule);
  }
}

/** Formats a string as a code span of Markdown. @see CommonMark, Code spans */
function codeOf(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
