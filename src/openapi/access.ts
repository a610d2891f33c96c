import { assertNever } from "../base/assert-never.ts";
import { type AuthorizationRequirement, type Category, needsResource } from "../definition/rules/authorization.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";

/** Who may send a request, beside what the registration requires. */
export interface Access {
  /** What every request must meet. */
  readonly rules: readonly AuthorizationRequirement[];
  /** What a request must meet as well where it comes to that. */
  readonly further?: FurtherRules | undefined;
  /** Whether rows that it is about may be hidden from the user. */
  readonly hidesRows?: boolean;
  /** Whether it is refused where the user could not see what is written; nobody that is unknown sees it. */
  readonly checksRows?: boolean;
}

/** Rules that only some of the requests to a route meet. */
interface FurtherRules {
  /** What they are about, such as `Creating it`. */
  readonly action: string;
  readonly rules: readonly AuthorizationRequirement[];
}

/** How requests to a route may be turned away for who sends them. */
export interface Refusals {
  /** Whether each of them takes a user. */
  readonly needsUser: boolean;
  /** Whether one may be answered by 401. */
  readonly unauthorized: boolean;
  /** Whether one may be answered by 403. */
  readonly forbidden: boolean;
}

/** Parameters that hold expressions, which may name other sets. */
const EXPRESSIONS: ReadonlySet<unknown> = new Set(["$filter", "$orderby", "$expand"]);

/** What requests to a set must meet, by what they do. @param target the set that they lead to, where they lead on */
export function accessOf(set: EntitySetDefinition, category: Category, target?: EntitySetDefinition): Access {
  return {
    rules: set.authorization[category],
    hidesRows: set.rows !== null || (target !== undefined && target.rows !== null),
  };
}

/** Who may create entities of a set: where its rows are hidden, it takes a user to see one afterwards. */
export function creationAccessOf(set: EntitySetDefinition): Access {
  const access = accessOf(set, "create");
  return set.rows === null ? access : { ...access, rules: [...access.rules, { kind: "authenticated" }] };
}

/** Who may read a set as a collection: its rows tell what of it, so that no entity is judged. */
export function collectionAccessOf(set: EntitySetDefinition): Access {
  const { rules, ...access } = accessOf(set, "read");
  return { ...access, rules: rules.map(withoutEntity) };
}

/**
 * What requests along a navigation must meet: the rules of the set that declares it, and those of its target set.
 * @param category what they do with the entity that the navigation starts from
 * @param along what they do with the target set
 */
export function accessAlong(
  set: EntitySetDefinition,
  navigation: string,
  { category, along, target }: AccessAlong,
): Access {
  const { rules, ...access } = accessOf(set, category, target);
  const asked = set.navigationAuthorization.get(navigation)?.target;
  const related = asked === undefined ? [] : along.flatMap((each) => asked[each]);
  return { ...access, rules: [...rules, ...related.map(withoutEntity)] };
}

/** What requests along a navigation do. */
export interface AccessAlong {
  readonly category: Category;
  readonly along: readonly Category[];
  /** The set that the navigation leads to; undefined where it names none. */
  readonly target: EntitySetDefinition | undefined;
}

/** The rules of a set's navigation for one category, which only a loaded entity decides. */
export function judgedAlong(
  set: EntitySetDefinition,
  navigation: string,
  categories: readonly Category[],
): readonly AuthorizationRequirement[] {
  const asked = set.navigationAuthorization.get(navigation)?.target;
  const rules = asked === undefined ? [] : categories.flatMap((each) => asked[each]);
  return rules.some(needsResource) ? rules : [];
}

/** What a rule takes where no entity is addressed: a check of one takes a user. */
function withoutEntity(rule: AuthorizationRequirement): AuthorizationRequirement {
  if (rule.kind === "anyOf") return { kind: "anyOf", rules: rule.rules.map(withoutEntity) };
  return rule.kind === "resource" ? { kind: "authenticated" } : rule;
}

/**
 * How requests to a route may be turned away.
 * @param method its method
 * @param parameters the names of its parameters
 * @see decisions, Authorization
 */
export function refusalsOf(
  definition: ServiceDefinition,
  { rules, further, checksRows = false }: Access,
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
    // What tells who calls may refuse credentials, and handlers may ask for a user.
    unauthorized: any.length > 0 || checksRows || definition.authenticate !== undefined,
    forbidden: any.some(mayRefuseUser) || checksRows || isCrossSite,
  };
}

/** Whether there is a user whom a rule does not let through. */
function mayRefuseUser(rule: AuthorizationRequirement): boolean {
  return rule.kind === "anyOf" ? rule.rules.every(mayRefuseUser) : rule.kind !== "authenticated";
}

/** Tells in words who may send a request; undefined where everybody may, and sees everything. */
export function describeAccess(
  { authorization }: ServiceDefinition,
  { rules, further, hidesRows = false, checksRows = false }: Access,
): string | undefined {
  const required = requirementsOf([...authorization, ...rules]);
  const more = requirementsOf(further?.rules ?? []).filter((each) => !required.includes(each) && each !== USER);
  const sentences = [
    ...(required.length === 0 ? [] : [`Requires ${required.join(", and ")}.`]),
    ...(further === undefined || more.length === 0 ? [] : [`${further.action} requires ${more.join(", and ")}.`]),
    ...(hidesRows ? ["What the user may not see is not there."] : []),
    ...(checksRows ? ["The user must be able to see what is written."] : []),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

const USER = "a user";

/** What rules require, in words; that there is a user goes without saying where more is required. */
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

/** A text as Markdown shows it, whatever it holds. @see CommonMark, Code spans */
function codeOf(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
