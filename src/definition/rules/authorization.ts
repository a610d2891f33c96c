import type { RuleContext, User } from "../context.ts";
import { isObject } from "../option-table.ts";
import type { Awaitable } from "../sets/handlers.ts";
import type { EntityOf } from "../types/infer.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import type { RowOf, RowPredicate } from "./row-predicate.ts";

/** Who may do something: a rule made by `authenticated`, `role`, `anyOf` or `resource`. */
export interface AuthorizationRule<E extends EntityTypeDeclaration = never> {
  readonly kind: "AuthorizationRule";
  readonly requires: AuthorizationRequirement;
  /** For the compiler only: the entity type that the rule can judge. */
  readonly _entity?: (type: E) => void;
}

/** What a rule requires. `resource` judges one loaded entity; it cannot be part of a query. */
export type AuthorizationRequirement =
  | { readonly kind: "authenticated" }
  | { readonly kind: "role"; readonly name: string }
  | { readonly kind: "anyOf"; readonly rules: readonly AuthorizationRequirement[] }
  | {
      readonly kind: "resource";
      readonly check: (user: User, entity: never, context: RuleContext) => Awaitable<boolean>;
    };

/** One rule, or several that must all pass. */
export type AuthorizationRules<E extends EntityTypeDeclaration> =
  | AuthorizationRule<E>
  | ReadonlyArray<AuthorizationRule<E>>;

/** What requests are authorized by. @see specification, section Authentication */
export const CATEGORIES = ["read", "create", "update", "delete", "invoke"] as const;

/** What a request does, as far as rules tell it apart. */
export type Category = (typeof CATEGORIES)[number];

/** The rules that hold for each category, resolved: all of them must pass; an empty list lets everyone through. */
export type CategoryRequirements = Readonly<Record<Category, readonly AuthorizationRequirement[]>>;

/** What a request along one navigation must meet, beside the rules of the set that declares the navigation. */
export interface NavigationAuthorization {
  /** False where the navigation says `authorization: "parent"`: requests along it skip the rules of the target set. */
  readonly asksTarget: boolean;
  /** The rules of the target set; empty lists where they are skipped. */
  readonly target: CategoryRequirements;
  /** The target set in messages; the entity type where the navigation names no target set. */
  readonly targetName: string;
}

/** The rules of an entity set: a category's rules replace `all` for that category. */
export interface Authorization<E extends EntityTypeDeclaration, N = unknown> {
  readonly all?: AuthorizationRules<E> | undefined;
  readonly read?: AuthorizationRules<E> | undefined;
  readonly create?: AuthorizationRules<E> | undefined;
  readonly update?: AuthorizationRules<E> | undefined;
  readonly delete?: AuthorizationRules<E> | undefined;
  readonly invoke?: AuthorizationRules<E> | undefined;
  /** The rows that a user sees, in every query that mentions the type. Anonymous requests see none. */
  readonly rows?: ((user: User, row: RowOf<E, N>) => RowPredicate) | undefined;
}

/**
 * Requires that the request has a user.
 * @see specification, section Authentication
 */
export function authenticated(): AuthorizationRule<EntityTypeDeclaration> {
  return rule({ kind: "authenticated" });
}

/**
 * Requires that the user's `roles` hold a name.
 * @see specification, section Authentication
 */
export function role(name: string): AuthorizationRule<EntityTypeDeclaration> {
  return rule({ kind: "role", name });
}

/**
 * Requires that one of the rules passes.
 * @see specification, section Authentication
 */
export function anyOf<E extends EntityTypeDeclaration>(
  ...rules: ReadonlyArray<AuthorizationRule<NoInfer<E>>>
): AuthorizationRule<E> {
  return rule({ kind: "anyOf", rules: Object.freeze(rules.map(requirementOf)) });
}

/**
 * Requires that a check of the loaded entity passes, on every route that addresses one entity.
 * @see specification, section Authentication
 */
export function resource<E extends EntityTypeDeclaration>(
  check: (user: User, entity: EntityOf<E>, context: RuleContext) => Awaitable<boolean>,
): AuthorizationRule<E> {
  return rule({ kind: "resource", check });
}

/** What a value requires that untyped code gave in the place of a rule: the startup check refuses it. */
export interface NoRequirement {
  readonly kind: "none";
  readonly given: unknown;
}

function requirementOf(given: unknown): AuthorizationRequirement {
  if (isAuthorizationRule(given)) return given.requires;
  // Nothing that the protocol meets: no service starts with it.
  return { kind: "none", given } satisfies NoRequirement as never;
}

function rule<E extends EntityTypeDeclaration>(requires: AuthorizationRequirement): AuthorizationRule<E> {
  return Object.freeze({ kind: "AuthorizationRule", requires: Object.freeze(requires) });
}

/**
 * Resolves the rules of a set: those of a category replace `all`. Those of the registration hold beside.
 * @param declared the `authorization` of a set, as checked
 */
export function resolveCategories(declared: unknown): CategoryRequirements {
  const given: Readonly<Record<string, unknown>> = isObject(declared) ? declared : {};
  const of = (category: Category): readonly AuthorizationRequirement[] =>
    requirementsOf(given[category] ?? given["all"]);
  return Object.freeze({
    read: of("read"),
    create: of("create"),
    update: of("update"),
    delete: of("delete"),
    invoke: of("invoke"),
  });
}

/** What rules require, of one rule or a list of them; nothing where there are none. @param rules as checked */
export function requirementsOf(rules: unknown): readonly AuthorizationRequirement[] {
  const list: readonly unknown[] = Array.isArray(rules) ? rules : [rules];
  return Object.freeze(list.filter(isAuthorizationRule).map(({ requires }) => requires));
}

/** Tells whether a value was made by `authenticated`, `role`, `anyOf` or `resource`. */
export function isAuthorizationRule(value: unknown): value is AuthorizationRule<EntityTypeDeclaration> {
  return isObject(value) && value["kind"] === "AuthorizationRule" && isObject(value["requires"]);
}

/** Whether a requirement needs a loaded entity, wherever in it. */
export function needsResource(requirement: AuthorizationRequirement): boolean {
  if (requirement.kind === "anyOf") return requirement.rules.some(needsResource);
  return requirement.kind === "resource";
}
