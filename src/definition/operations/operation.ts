import type { Context } from "../context.ts";
import { isObject } from "../option-table.ts";
import type { AuthorizationRules } from "../rules/authorization.ts";
import type { Answer } from "../sets/handlers.ts";
import type { InputOf, KeyOf, ResultOf, ValueOf } from "../types/infer.ts";
import type { AnyProperty, EntityCollection, EntityTypeDeclaration } from "../types/value-type.ts";

/** What an operation is bound to: one entity, or a collection of them. */
export type Binding = "entity" | "collection";

/** The parameters of an operation by name; the names are those on the wire. */
export interface OperationParameters {
  readonly [name: string]: AnyProperty;
}

/** What an operation may be declared to return. */
export type OperationResult = AnyProperty | EntityTypeDeclaration | EntityCollection;

/** The arguments that a handler gets. */
export type ArgumentsOf<P extends OperationParameters> = { readonly [N in keyof P]: ValueOf<P[N]> };

/** What a handler may return for the declared result. */
export type ReturnedOf<R> = R extends AnyProperty
  ? InputOf<R>
  : R extends EntityTypeDeclaration
    ? ResultOf<R>
    : R extends EntityCollection<infer E>
      ? Iterable<ResultOf<E>>
      : R extends undefined
        ? void
        : never;

/** The handler of an operation: one that is bound to an entity gets the key first. */
export type OperationHandlerOf<Key, B, P extends OperationParameters, R> = B extends "entity"
  ? (key: NoInfer<Key>, parameters: ArgumentsOf<P>, context: Context) => Answer<ReturnedOf<R> | null>
  : (parameters: ArgumentsOf<P>, context: Context) => Answer<ReturnedOf<R> | null>;

/** A function or action as declared with `fn` or `action`. */
export interface OperationDeclaration<Key = never, B = unknown> {
  readonly kind: "OperationDeclaration";
  readonly operationKind: "Function" | "Action";
  readonly bound: B;
  /** The entity type where the operation was declared apart from its set. */
  readonly entityType: EntityTypeDeclaration | undefined;
  /** The options as given; checked at startup. */
  readonly options: object;
  /** For the compiler only: the key of the entity type that the operation is bound to. */
  readonly _key?: (key: Key) => void;
}

/** What `action` takes. */
export interface ActionOptions<Key, B, P extends OperationParameters, R> {
  /** Absent: unbound. */
  readonly bound?: B;
  readonly params?: P;
  /** Absent: nothing, which is answered by 204. */
  readonly returns?: R;
  /** Of an unbound one: who may call it, among those that the registration lets through. Bound ones obey their set. */
  readonly authorization?: AuthorizationRules<EntityTypeDeclaration> | undefined;
  readonly handler: OperationHandlerOf<Key, B, P, R>;
}

/** What `fn` takes. */
export interface FunctionOptions<Key, B, P extends OperationParameters, R> {
  /** Absent: unbound. */
  readonly bound?: B;
  readonly params?: P;
  readonly returns: R;
  /** Whether the query options apply to the result, a collection of entities; false when absent. */
  readonly composable?: boolean;
  /** Of an unbound one: who may call it, among those that the registration lets through. Bound ones obey their set. */
  readonly authorization?: AuthorizationRules<EntityTypeDeclaration> | undefined;
  readonly handler: OperationHandlerOf<Key, B, P, R>;
}

/** No parameters. */
type None = Readonly<Record<never, AnyProperty>>;

/**
 * Declares a function: it has no side effects and answers GET.
 * Inside `entitySet` the key type comes from the set; declared apart, the entity type is the first argument.
 * @see specification, section Operations
 */
export function fn<
  Key,
  const B extends Binding | undefined = undefined,
  const P extends OperationParameters = None,
  const R extends OperationResult = OperationResult,
>(options: FunctionOptions<Key, B, P, R>): OperationDeclaration<Key, B>;
export function fn<
  E extends EntityTypeDeclaration,
  const B extends Binding,
  const P extends OperationParameters = None,
  const R extends OperationResult = OperationResult,
>(type: E, options: FunctionOptions<KeyOf<E>, B, P, R>): OperationDeclaration<KeyOf<E>, B>;
export function fn(first: object, second?: object): OperationDeclaration {
  return declareOperation("Function", first, second);
}

/**
 * Declares an action: it may have side effects and answers POST.
 * Inside `entitySet` the key type comes from the set; declared apart, the entity type is the first argument.
 * @see specification, section Operations
 */
export function action<
  Key,
  const B extends Binding | undefined = undefined,
  const P extends OperationParameters = None,
  const R extends OperationResult | undefined = undefined,
>(options: ActionOptions<Key, B, P, R>): OperationDeclaration<Key, B>;
export function action<
  E extends EntityTypeDeclaration,
  const B extends Binding,
  const P extends OperationParameters = None,
  const R extends OperationResult | undefined = undefined,
>(type: E, options: ActionOptions<KeyOf<E>, B, P, R>): OperationDeclaration<KeyOf<E>, B>;
export function action(first: object, second?: object): OperationDeclaration {
  return declareOperation("Action", first, second);
}

function declareOperation(
  operationKind: "Function" | "Action",
  first: object,
  second: object | undefined,
): OperationDeclaration {
  const given: object & { readonly bound?: unknown } = second ?? first;
  // Untyped code may give nothing at all: the startup check tells what is missing.
  const options = isObject(given) ? given : {};
  // Two arguments: the overloads make the first one the entity type.
  const entityType = second === undefined ? undefined : (first as EntityTypeDeclaration);
  return Object.freeze({ kind: "OperationDeclaration", operationKind, bound: options.bound, entityType, options });
}
