import type { Context, SetContext } from "../context.ts";
import type { Answer, ValueSource } from "../handlers.ts";
import { isObject } from "../option-table.ts";
import { type Annotations, describe } from "../types/entity-type.ts";
import type { InputOf, KeyOf, ResultOf, ValueOf } from "../types/entity-values.ts";
import type { AnyProperty, EntityCollection, EntityTypeDeclaration } from "../types/value-type.ts";
import type { AuthorizationRules } from "./authorization.ts";

/** The binding of an operation: to one entity, or to a collection of entities. */
type Binding = "entity" | "collection";

/** The parameters of an operation by their wire names. */
export interface OperationParameters {
  readonly [name: string]: AnyProperty;
}

/** The declared result of an operation. */
type OperationResult = AnyProperty | EntityTypeDeclaration | EntityCollection;

/** The arguments that a handler gets. */
type ArgumentsOf<P extends OperationParameters> = { readonly [N in keyof P]: ValueOf<P[N]> };

/** The values that a handler may return for the declared result. */
type ReturnedOf<R> = R extends AnyProperty
  ? InputOf<R> | (R extends { readonly _types: { readonly value: readonly object[] } } ? ValueSource : never)
  : R extends EntityTypeDeclaration
    ? ResultOf<R>
    : R extends EntityCollection<infer E>
      ? readonly ResultOf<E>[] | Iterable<ResultOf<E>>
      : R extends undefined
        ? void
        : never;

/** The handler of an operation. The handler of an operation bound to an entity receives the key first. */
type OperationHandlerOf<Key, B, P extends OperationParameters, R, E extends EntityTypeDeclaration> = B extends "entity"
  ? (key: NoInfer<Key>, parameters: ArgumentsOf<P>, context: SetContext<NoInfer<E>>) => Answer<ReturnedOf<R> | null>
  : (
      parameters: ArgumentsOf<P>,
      context: B extends "collection" ? SetContext<NoInfer<E>> : Context,
    ) => Answer<ReturnedOf<R> | null>;

/** A function or action as declared with `fn` or `action`. */
export interface OperationDeclaration<Key = never, B = unknown, E extends EntityTypeDeclaration = never> {
  readonly kind: "OperationDeclaration";
  readonly operationKind: "Function" | "Action";
  readonly bound: B;
  /** The entity type, if the operation was declared outside its set. */
  readonly entityType: EntityTypeDeclaration | undefined;
  /** The options as given; checked at startup. */
  readonly options: object;
  /** The text of `describe`, checked at startup. */
  readonly description?: string | undefined;
  /** Returns the operation with a description in `$metadata` and generated API descriptions. */
  describe(text: string): OperationDeclaration<Key, B, E>;
  /** For the compiler only: the key of the entity type that the operation is bound to. */
  readonly _key?: (key: Key) => void;
  /** For the compiler only: the entity type that the operation is bound to. */
  readonly _owner?: (type: E) => void;
}

/** The options of `action`. */
interface ActionOptions<
  Key,
  B,
  P extends OperationParameters,
  R,
  E extends EntityTypeDeclaration = EntityTypeDeclaration,
> {
  /** `"entity"` or `"collection"`; an unbound action if absent. */
  readonly bound?: B;
  readonly params?: P;
  /** The type of the result; without it, the service responds with 204. */
  readonly returns?: R;
  /**
   * Whether the handler uses `ctx.transaction` if it is open, so that a change set of a batch may contain the action. A
   * bound action inherits the option of its set; false if absent.
   */
  readonly transactional?: boolean | undefined;
  /** Rules of an unbound action, in addition to the rules of the service. Bound actions obey `invoke` of their set. */
  readonly authorization?: AuthorizationRules<EntityTypeDeclaration> | undefined;
  /** Annotations in `$metadata`. @see docs/reference/annotations.md */
  readonly annotations?: Annotations | undefined;
  readonly handler: OperationHandlerOf<Key, B, P, R, E>;
}

/** The options of `fn`. */
export interface FunctionOptions<
  Key,
  B,
  P extends OperationParameters,
  R,
  E extends EntityTypeDeclaration = EntityTypeDeclaration,
> {
  /** `"entity"` or `"collection"`; an unbound function if absent. */
  readonly bound?: B;
  readonly params?: P;
  readonly returns: R;
  /** Whether query options apply to the result, a collection of entities; false if absent. */
  readonly composable?: boolean;
  /** Rules of an unbound function, in addition to the rules of the service. Bound functions obey `invoke` of their set. */
  readonly authorization?: AuthorizationRules<EntityTypeDeclaration> | undefined;
  /** Annotations in `$metadata`. @see docs/reference/annotations.md */
  readonly annotations?: Annotations | undefined;
  readonly handler: OperationHandlerOf<Key, B, P, R, E>;
}

/** No parameters. */
type None = Readonly<Record<never, AnyProperty>>;

/**
 * Declares a function: it has no side effects, and clients call it with GET.
 * Inside `entitySet` the key type comes from the set; outside, pass the entity type as the first argument.
 * @see docs/reference/operations.md
 */
export function fn<
  Key,
  const B extends Binding | undefined = undefined,
  const P extends OperationParameters = None,
  const R extends OperationResult = OperationResult,
  E extends EntityTypeDeclaration = EntityTypeDeclaration,
>(options: FunctionOptions<Key, B, P, R, E>): OperationDeclaration<Key, B, E>;
export function fn<
  E extends EntityTypeDeclaration,
  const B extends Binding,
  const P extends OperationParameters = None,
  const R extends OperationResult = OperationResult,
>(type: E, options: FunctionOptions<KeyOf<E>, B, P, R, E>): OperationDeclaration<KeyOf<E>, B, E>;
export function fn(first: object, second?: object): OperationDeclaration {
  return declareOperation("Function", first, second);
}

/**
 * Declares an action: it may have side effects, and clients call it with POST.
 * Inside `entitySet` the key type comes from the set; outside, pass the entity type as the first argument.
 * @see docs/reference/operations.md
 */
export function action<
  Key,
  const B extends Binding | undefined = undefined,
  const P extends OperationParameters = None,
  const R extends OperationResult | undefined = undefined,
  E extends EntityTypeDeclaration = EntityTypeDeclaration,
>(options: ActionOptions<Key, B, P, R, E>): OperationDeclaration<Key, B, E>;
export function action<
  E extends EntityTypeDeclaration,
  const B extends Binding,
  const P extends OperationParameters = None,
  const R extends OperationResult | undefined = undefined,
>(type: E, options: ActionOptions<KeyOf<E>, B, P, R, E>): OperationDeclaration<KeyOf<E>, B, E>;
export function action(first: object, second?: object): OperationDeclaration {
  return declareOperation("Action", first, second);
}

function declareOperation(
  operationKind: "Function" | "Action",
  first: object,
  second: object | undefined,
): OperationDeclaration {
  const given: object & { readonly bound?: unknown } = second ?? first;
  // JavaScript callers may pass nothing: the startup check reports the missing options.
  const options = isObject(given) ? given : {};
  // With two arguments, the overloads make the first one the entity type.
  const entityType = second === undefined ? undefined : (first as EntityTypeDeclaration);
  const { bound } = options;
  const kind = "OperationDeclaration";
  const declaration: OperationDeclaration = { kind, operationKind, bound, entityType, options, describe };
  return Object.freeze(declaration);
}
