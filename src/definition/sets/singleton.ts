import { chain } from "../../base/maybe.ts";
import type { Context, SetContext, WriteContext } from "../context.ts";
import type { Answer } from "../handlers.ts";
import { everyOption, frozenCopy, isObject } from "../option-table.ts";
import type { Annotations } from "../types/entity-type.ts";
import type { BodyOf, DeltaOf, KeyOf } from "../types/entity-values.ts";
import type { LiteralContext } from "../types/literal-context.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import type { Authorization } from "./authorization.ts";
import type { ConstraintsOption } from "./constraints.ts";
import { type BoundOperations, type EntityAnswer, entitySet, type EntitySetDeclaration } from "./entity-set.ts";
import type { Navigations } from "./navigation.ts";
import type { SetOption } from "./set-option.ts";
import type { InheritedSettings } from "./set-settings.ts";
import type { ValidateOption } from "./validation.ts";
import type { AfterHooks, BeforeHooks } from "./write-hooks.ts";

/** The settings of sets that have a meaning for one entity. */
type SingletonSettings = Pick<
  InheritedSettings,
  | "selectEnabled"
  | "expandEnabled"
  | "computeEnabled"
  | "maxRequestBodyBytes"
  | "propertyAccessEnabled"
  | "propertyRouteDocsEnabled"
  | "requireIfMatch"
  | "cacheControl"
  | "vary"
  | "roundingMode"
  | "unknownMembers"
>;

/** The options of every singleton. */
interface SingletonName {
  /** The name in URLs and `$metadata`. */
  readonly name: string;
  /** Whether a missing entity is null, so that GET returns 204; false if absent: GET returns 404. */
  readonly nullable?: boolean | undefined;
}

/** The options of a singleton whose entity belongs to an entity set. */
export interface SetSingletonOptions<E extends EntityTypeDeclaration> extends SingletonName {
  /** The entity set, which the service lists in `entitySets`. Its handlers, rules and settings apply. */
  readonly from: EntitySetDeclaration<NoInfer<E>>;
  /** Returns the key of the entity for a request; null or undefined without one. */
  readonly key: (context: SetContext<NoInfer<E>>) => Answer<KeyOf<NoInfer<E>> | null | undefined>;
}

/** The result of a handler. Next to `LiteralContext`, the compiler keeps literals. */
type OwnAnswer<E extends EntityTypeDeclaration> = EntityAnswer<E> | LiteralContext;

/** The options of a singleton with handlers of its own. Properties are named by their keys in `entityType`. */
export interface SingletonOptions<
  E extends EntityTypeDeclaration,
  N extends Navigations<E> = Navigations<E>,
  F = unknown,
  A = unknown,
>
  extends SingletonName, SingletonSettings {
  readonly from?: undefined;
  /** Returns the entity; null if it does not exist. */
  readonly get: (context: SetContext<E, NoInfer<N>>) => OwnAnswer<E>;
  /** Changes some members and returns the saved entity; null if it does not exist. */
  readonly patch?: ((delta: DeltaOf<E>, context: WriteContext<E, NoInfer<N>>) => OwnAnswer<E>) | undefined;
  /** Replaces the entity and returns the saved entity; null if it does not exist. */
  readonly replace?: ((entity: BodyOf<E>, context: WriteContext<E, NoInfer<N>>) => OwnAnswer<E>) | undefined;
  /** The properties that `$select` may name; all if absent. */
  readonly selectProperties?: ReadonlyArray<(keyof E["properties"] | keyof NoInfer<N>) & string> | undefined;
  /** The navigation properties that `$expand` may name; all if absent. */
  readonly expandProperties?: ReadonlyArray<keyof NoInfer<N> & string> | undefined;
  /** The properties from whose values the ETag is made, `"all"` for all; if absent, the entity has no ETag. */
  readonly etag?: ReadonlyArray<keyof E["properties"] & string> | "all" | undefined;
  /** As in `entitySet`. */
  readonly enumsAsStrings?: boolean | undefined;
  /** Navigation properties, made with `hasMany`, `hasOptional` and `hasRequired`. */
  readonly navigation?: N;
  /** Functions that are bound to the entity by name, made with `fn`. */
  readonly functions?: F;
  /** Actions that are bound to the entity by name, made with `action`. */
  readonly actions?: A;
  /** As in `entitySet`. */
  readonly transactional?: boolean | undefined;
  /** Functions that run before a write. @see docs/reference/handlers.md, Hooks */
  readonly before?: Pick<BeforeHooks<E, NoInfer<N>>, "patch" | "replace"> | undefined;
  /** Functions that run after a write. @see docs/reference/handlers.md, Hooks */
  readonly after?: Pick<AfterHooks<E, NoInfer<N>>, "patch" | "replace"> | undefined;
  /** Annotations of the singleton in `$metadata`. @see docs/reference/annotations.md */
  readonly annotations?: Annotations | undefined;
  /** Rules that requests must pass. A singleton has no `rows`: `get` decides which entity a user sees. */
  readonly authorization?: Omit<Authorization<E, NoInfer<N>>, "rows"> | undefined;
  /** Judges values of clients. @see docs/reference/validation.md */
  readonly validate?: ValidateOption<E, NoInfer<N>> | undefined;
  /** The errors for clients by the names of violated constraints of the database. @see docs/reference/validation.md */
  readonly constraints?: ConstraintsOption<keyof E["properties"] & string> | undefined;
  /** The properties whose values the server sets. @see docs/reference/writing.md */
  readonly set?: SetOption<E, NoInfer<N>> | undefined;
}

/** The result of `singleton`. */
export interface SingletonDeclaration {
  readonly kind: "SingletonDeclaration";
  readonly entityType: EntityTypeDeclaration;
  /** The options, which `odataService` checks. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The set that contains the entity: `from`, or the one of the handlers, which has no URL. */
  readonly set: EntitySetDeclaration;
  readonly source: SingletonSource;
}

/** How a singleton finds its entity for a request. */
export type SingletonSource =
  /** By its key in the set. */
  | { readonly kind: "key"; readonly keyOf: (context: Context) => Answer<unknown> }
  /** By its handler, whose entity has the key. `isKept`: the next `getByKey` with the same context returns the same entity. */
  | { readonly kind: "entity"; readonly load: (context: Context, isKept: boolean) => Answer<unknown> };

/**
 * Declares a singleton: one entity with a name of its own, such as `Me`. Its entity belongs to an entity set (`from` and `key`),
 * or has handlers of its own (`get`, `patch`, `replace`).
 * @see docs/guides/singletons.md
 */
export function singleton<
  const E extends EntityTypeDeclaration,
  const N extends Navigations<E> = Readonly<Record<never, never>>,
  const F extends BoundOperations<E> = Readonly<Record<never, never>>,
  const A extends BoundOperations<E> = Readonly<Record<never, never>>,
>(entityType: E, given: SingletonOptions<E, N, F, A> | SetSingletonOptions<E>): SingletonDeclaration {
  const copy: unknown = frozenCopy(everyOption<object>(given));
  const options: SingletonDeclaration["options"] = isObject(copy) ? copy : {};
  const { set, source } = options["from"] === undefined ? ownSet(entityType, options) : givenSet(options);
  return Object.freeze({ kind: "SingletonDeclaration", entityType, options, set, source });
}

type Found = Pick<SingletonDeclaration, "set" | "source">;

/** The startup check finds a `from` that is not a set, and a `key` that is not a function. */
function givenSet({ from, key }: SingletonDeclaration["options"]): Found {
  return {
    set: from as EntitySetDeclaration,
    source: { kind: "key", keyOf: key as (context: Context) => Answer<unknown> },
  };
}

type Handler = (...parameters: readonly unknown[]) => Answer<unknown>;

/** Makes a set of one entity, whose handlers ignore the key. The startup check finds handlers that are no functions. */
function ownSet(
  entityType: EntityTypeDeclaration,
  { nullable: _nullable, get, patch, replace, ...rest }: SingletonDeclaration["options"],
): Found {
  const load = get as (context: Context) => Answer<unknown>;
  const kept = new WeakMap<Context, unknown>();
  const getByKey = (_key: unknown, context: Context): Answer<unknown> => {
    if (!kept.has(context)) return load(context);
    const entity = kept.get(context);
    kept.delete(context);
    return entity;
  };
  const handlers = {
    ...(get === undefined ? {} : { getByKey }),
    ...(patch === undefined ? {} : { patch: withoutKey(patch as Handler) }),
    ...(replace === undefined ? {} : { replace: withoutKey(replace as Handler) }),
  };
  const options: object = { ...rest, ...handlers };
  const keep = (context: Context, entity: unknown): unknown => {
    kept.set(context, entity);
    return entity;
  };
  return {
    set: entitySet(entityType, options),
    source: {
      kind: "entity",
      load: (context, isKept) => (isKept ? chain(load(context), (entity) => keep(context, entity)) : load(context)),
    },
  };
}

function withoutKey(handler: Handler): Handler {
  return (_key, ...parameters) => handler(...parameters);
}
