import type { Context, User } from "./context.ts";
import type { Awaitable } from "./handlers.ts";
import type { EntityOf } from "./infer.ts";
import type { RowOf, RowPredicate } from "./row-predicate.ts";
import type { EntityTypeDeclaration } from "./value-type.ts";

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
  | { readonly kind: "resource"; readonly check: (user: User, entity: never, context: Context) => Awaitable<boolean> };

/** One rule, or several that must all pass. */
export type AuthorizationRules<E extends EntityTypeDeclaration> =
  | AuthorizationRule<E>
  | ReadonlyArray<AuthorizationRule<E>>;

/** The rules of an entity set: a category's rules replace `all` for that category. */
export interface Authorization<E extends EntityTypeDeclaration, N = unknown> {
  readonly all?: AuthorizationRules<E>;
  readonly read?: AuthorizationRules<E>;
  readonly create?: AuthorizationRules<E>;
  readonly update?: AuthorizationRules<E>;
  readonly delete?: AuthorizationRules<E>;
  readonly invoke?: AuthorizationRules<E>;
  /** The rows that a user sees, in every query that mentions the type. Anonymous requests see none. */
  readonly rows?: (user: User, row: RowOf<E, N>) => RowPredicate;
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
  return rule({ kind: "anyOf", rules: Object.freeze(rules.map(({ requires }) => requires)) });
}

/**
 * Requires that a check of the loaded entity passes, on every route that addresses one entity.
 * @see specification, section Authentication
 */
export function resource<E extends EntityTypeDeclaration>(
  check: (user: User, entity: EntityOf<E>, context: Context) => Awaitable<boolean>,
): AuthorizationRule<E> {
  return rule({ kind: "resource", check });
}

function rule<E extends EntityTypeDeclaration>(requires: AuthorizationRequirement): AuthorizationRule<E> {
  return Object.freeze({ kind: "AuthorizationRule", requires: Object.freeze(requires) });
}
