import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import type { EntitySet, JoinPair, NavigationProperty } from "../../edm/model.ts";
import type { RowRestriction } from "../../language/query/source.ts";
import type { RuleContext, User, Context } from "../context.ts";
import type { Awaitable, Answer } from "../handlers.ts";
import { isObject } from "../option-table.ts";
import type { EntityOf } from "../types/entity-values.ts";
import type { NavigationDeclaration } from "../types/navigation-declaration.ts";
import { type RowCondition, rowConditions } from "../types/row-conditions.ts";
import type { RowOf, RowPredicate } from "../types/row-predicate.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import type { InheritedRows } from "./inherited-rows.ts";

/** A rule that decides who may make a request: the result of `authenticated`, `role`, `anyOf` or `resource`. */
export interface AuthorizationRule<E extends EntityTypeDeclaration = never> {
  readonly kind: "AuthorizationRule";
  readonly requires: AuthorizationRequirement;
  /** For the compiler only: the entity type that the rule can judge. */
  readonly _entity?: (type: E) => void;
}

/** The requirement of a rule. `resource` checks a loaded entity, so it cannot become part of a query. */
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

/** The categories of requests that rules can distinguish. @see docs/guides/authorization.md */
export const CATEGORIES = ["read", "create", "update", "delete", "invoke"] as const;

/** The category of a request. */
export type Category = (typeof CATEGORIES)[number];

/** The resolved rules of each category. All rules of a list must pass; an empty list lets every request through. */
export type CategoryRequirements = Readonly<Record<Category, readonly AuthorizationRequirement[]>>;

/** The rules for requests along one navigation, in addition to the rules of the set that declares it. */
export interface NavigationAuthorization {
  /** False if the navigation has `authorization: "parent"`: requests along it skip the rules of the target set. */
  readonly asksTarget: boolean;
  /** The rules of the target set; empty lists if they are skipped. */
  readonly target: CategoryRequirements;
  /** The name of the target set in messages; the name of the entity type if the navigation has no target set. */
  readonly targetName: string;
}

/**
 * The rules of one property, which depend on the user alone. Without a rule, `create` and `update` obey `read`.
 * A rule that is present but undefined is a `ConfigurationError`, because it would open the property.
 * @see docs/guides/authorization.md
 */
export interface PropertyAuthorization {
  /** Who sees the property. */
  readonly read?: AuthorizationRules<EntityTypeDeclaration> | undefined;
  /** Who may give the property to a new entity. */
  readonly create?: AuthorizationRules<EntityTypeDeclaration> | undefined;
  /** Who may change the property. */
  readonly update?: AuthorizationRules<EntityTypeDeclaration> | undefined;
}

/** The keys of the navigations that `hasRequired` declares. */
type RequiredIn<E extends EntityTypeDeclaration, N> = keyof {
  [F in keyof N as N[F] extends NavigationDeclaration<E, EntityTypeDeclaration, "required"> ? F : never]: F;
} &
  string;

/** The rules of an entity set. The rules of a category replace `all` for that category. */
export interface Authorization<E extends EntityTypeDeclaration, N = unknown, V = unknown> {
  readonly all?: AuthorizationRules<E> | undefined;
  readonly read?: AuthorizationRules<E> | undefined;
  readonly create?: AuthorizationRules<E> | undefined;
  readonly update?: AuthorizationRules<E> | undefined;
  readonly delete?: AuthorizationRules<E> | undefined;
  readonly invoke?: AuthorizationRules<E> | undefined;
  /**
   * The rows that a user sees, as a condition in every query of the set; or `inherit("order")`, the rule of the set that a
   * required navigation leads to. Anonymous users see no rows.
   */
  readonly rows?: ((user: User, row: RowOf<E, N>) => RowPredicate) | InheritedRows<RequiredIn<E, N>> | undefined;
  /** The properties that only some users may read or write. */
  readonly properties?:
    | { readonly [F in (keyof E["properties"] & string) | keyof V]?: PropertyAuthorization }
    | undefined;
}

/**
 * Requires an authenticated user.
 * @see docs/guides/authorization.md
 */
export function authenticated(): AuthorizationRule<EntityTypeDeclaration> {
  return rule({ kind: "authenticated" });
}

/**
 * Requires that the `roles` of the user contain a name.
 * @see docs/guides/authorization.md
 */
export function role(name: string): AuthorizationRule<EntityTypeDeclaration> {
  return rule({ kind: "role", name });
}

/**
 * Requires that at least one of the rules passes.
 * @see docs/guides/authorization.md
 */
export function anyOf<E extends EntityTypeDeclaration>(
  ...rules: ReadonlyArray<AuthorizationRule<NoInfer<E>>>
): AuthorizationRule<E> {
  return rule({ kind: "anyOf", rules: Object.freeze(rules.map(requirementOf)) });
}

/**
 * Requires that a check of the loaded entity passes, on every route that addresses one entity.
 * @see docs/guides/authorization.md
 */
export function resource<E extends EntityTypeDeclaration>(
  check: (user: User, entity: EntityOf<E>, context: RuleContext) => Awaitable<boolean>,
): AuthorizationRule<E> {
  return rule({ kind: "resource", check });
}

/** The requirement of a value that is not a rule, such as an array: the startup check rejects it. */
export interface NoRequirement {
  readonly kind: "none";
  readonly given: unknown;
}

function requirementOf(given: unknown): AuthorizationRequirement {
  if (isAuthorizationRule(given)) return given.requires;
  // No service starts with this requirement, so no request meets it.
  return { kind: "none", given } satisfies NoRequirement as never;
}

function rule<E extends EntityTypeDeclaration>(requires: AuthorizationRequirement): AuthorizationRule<E> {
  return Object.freeze({ kind: "AuthorizationRule", requires: Object.freeze(requires) });
}

/**
 * Resolves the rules of a set. The rules of the registration apply in addition.
 * @param declared the checked `authorization` of the set
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

/** Returns the requirements of one rule or a list of rules. @param rules checked rules */
export function requirementsOf(rules: unknown): readonly AuthorizationRequirement[] {
  const list: readonly unknown[] = Array.isArray(rules) ? rules : [rules];
  return Object.freeze(list.filter(isAuthorizationRule).map(({ requires }) => requires));
}

/** Returns whether a value is a rule. */
export function isAuthorizationRule(value: unknown): value is AuthorizationRule<EntityTypeDeclaration> {
  return isObject(value) && value["kind"] === "AuthorizationRule" && isObject(value["requires"]);
}

/** Returns whether a requirement, or a requirement nested in it, needs a loaded entity. */
export function needsResource(requirement: AuthorizationRequirement): boolean {
  if (requirement.kind === "anyOf") return requirement.rules.some(needsResource);
  return requirement.kind === "resource";
}

/** The row rule of one set. */
export interface RowRule {
  /**
   * Returns the condition for a user. Anonymous users see no rows.
   * @throws any error of the rule; TypeError if it does not return a row predicate
   */
  conditionFor(user: User | null): RowCondition;
}

/** A foreign key that clients can write and that refers to a set with a row rule. */
export interface GuardedReference {
  readonly navigationProperty: NavigationProperty;
  /** The set with the foreign key. */
  readonly entitySet: EntitySet;
  /** The set that the foreign key refers to. */
  readonly target: EntitySet;
  /** The properties of the foreign key, each with the property of the related entity that has the same value. */
  readonly pairs: readonly JoinPair[];
}

/** The checks of row rules in writes of databases. `execution` implements them, because definitions call no handlers. */
export interface RowRuleChecks {
  /**
   * Returns the row rule of a set as a predicate.
   * @returns null if the user sees all rows
   * @throws any error of the rule
   */
  restrictionOf(set: RuledSet, context: Context): Answer<RowRestriction | null>;
  /** Reads an entity by its key with the handler of the application; null for a missing or hidden entity. */
  findSeen(entitySet: EntitySet, key: unknown, context: Context): Answer<unknown>;
  /**
   * Whether the user sees the entity that a foreign key refers to, by the handlers of the application.
   * @param values the foreign key, by the fields of that entity
   */
  seesReferred(
    reference: GuardedReference,
    values: Readonly<Record<string, unknown>>,
    context: Context,
  ): Maybe<boolean>;
}

/** A set with its row rule; null if every user sees all rows. */
export interface RuledSet {
  readonly entitySet: EntitySet;
  readonly rows: RowRule | null;
}

/** The `rows` function of the application. */
export type DeclaredRowRule = (user: User, row: unknown) => unknown;

/**
 * Makes the row rule of a set.
 * @param entitySets the sets of the registration by name, for paths
 * @see docs/guides/authorization.md
 */
export function compileRowRule(
  declared: DeclaredRowRule,
  entitySet: EntitySet,
  entitySets: ReadonlyMap<string, EntitySet>,
): RowRule {
  const conditions = rowConditions(entitySet, entitySets, {
    isOne: true,
    any: "A row rule",
    noun: "rule",
    this: `The row rule of ${entitySet.name}`,
    instead: "Load the required values in `authenticate`.",
    example: "row.ownerId.eq(user.id), allRows or noRows",
  });
  return Object.freeze<RowRule>({
    conditionFor: (user) => (user === null ? "none" : conditions.of((row) => declared(user, row))),
  });
}

/**
 * Makes the error for a refused request: 401 if credentials may help, otherwise 403.
 * @param action the refused action, such as `read Orders`; it must not contain data
 * @param target the target of the error, such as the name of a navigation
 * @see docs/guides/authorization.md
 */
export function refusal(user: User | null, action: string, target?: string): ODataError {
  return refusalTo(user === null ? "anonymous" : "known", action, target);
}

/** Makes the same error where only the kind of user is known. */
export function refusalTo(user: "anonymous" | "known", action: string, target?: string): ODataError {
  if (user === "known") return protocolError("Forbidden", `The user of this request may not ${action}.`, { target });
  const message = `Authentication is required to ${action}. Send credentials with the request.`;
  return protocolError("Unauthorized", message, { target });
}

/** Makes the error for a write of an entity that the user could not see afterwards. */
export function refusalOfUnseen(user: User | null, { name }: EntitySet): ODataError {
  if (user === null) return refusal(user, `write entities of ${name}`);
  return protocolError("Forbidden", `You may not write this entity of ${name}: you could not see it afterwards.`);
}

/**
 * Returns the user of the request.
 * @throws ODataError `Unauthorized` (401) for an anonymous request
 * @see docs/guides/authorization.md
 */
export function requireUser(context: Pick<Context, "user">): User {
  if (context.user === null) {
    throw protocolError("Unauthorized", "This request requires authentication. Send credentials with the request.");
  }
  return context.user;
}
