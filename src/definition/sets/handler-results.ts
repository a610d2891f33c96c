import type { ODataError } from "../../errors/odata-error.ts";
import type { Entities } from "../handlers.ts";
import type { ResultOf } from "../types/infer.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** The result of `applyQuery`: one page, with an optional total and next link. */
export interface AppliedQueryOf<E extends EntityTypeDeclaration> {
  readonly items: Entities<E>;
  /** The number of all matching entities, before paging. */
  readonly count?: number | bigint | undefined;
  readonly nextLink?: string | undefined;
}

/** The types that handlers return, by the names of the handlers. */
export type HandlerResults = InferredResults<unknown, unknown, unknown, unknown, unknown, unknown>;

/** No inferred types: handlers return what their set requires. */
export type NoResults = InferredResults<never, never, never, never, never, never>;

/** The types that the handlers of a call return, as the compiler infers them. */
export interface InferredResults<All, Applied, Found, Created, Replaced, Patched> {
  readonly getAll: All;
  readonly applyQuery: Applied;
  readonly getByKey: Found;
  readonly create: Created;
  readonly replace: Replaced;
  readonly patch: Patched;
}

/**
 * Options in which the handlers that return wrong entities have a message as type. `entitySet` infers the types of the results
 * twice: as they are, `R`, and within the types that the set requires, `Fitting`, which are other types only for wrong results.
 * Equal types are compared at once, type parameters included. Without the message, an error of the compiler has a level for
 * each type around the wrong property.
 */
export interface CheckedResults<
  E extends EntityTypeDeclaration,
  R extends HandlerResults,
  Fitting extends HandlerResults,
> {
  readonly getAll?: Checked<"list", E, R["getAll"], Fitting["getAll"]>;
  readonly applyQuery?: Checked<"page", E, R["applyQuery"], Fitting["applyQuery"]>;
  readonly getByKey?: Checked<"entity", E, R["getByKey"], Fitting["getByKey"]>;
  readonly create?: Checked<"entity", E, R["create"], Fitting["create"]>;
  readonly replace?: Checked<"entity", E, R["replace"], Fitting["replace"]>;
  readonly patch?: Checked<"entity", E, R["patch"], Fitting["patch"]>;
}

/** What is said of a result that has no entities. */
interface Otherwise {
  readonly list: "The handler must return an array or an iterable of entities.";
  readonly page: "The handler must return { items, count?, nextLink? }.";
  readonly entity: "The handler must return an entity or null.";
}

// The compiler makes the message only in the branch of a wrong result.
type Checked<Kind extends keyof Otherwise, E extends EntityTypeDeclaration, Result, Fitting> = [Result] extends [
  Fitting,
]
  ? unknown
  : Fault<ResultOf<E>, EntityIn<Kind, Settled<Result>>, Otherwise[Kind]>;

type EntityIn<Kind extends keyof Otherwise, Result> = Kind extends "list"
  ? ItemOf<Result>
  : Kind extends "page"
    ? ItemOf<ItemsOf<Result>>
    : NonNullable<Result>;

type Settled<Result> = Exclude<Awaited<Result>, ODataError>;

type ItemsOf<Page> = Page extends { readonly items: infer Items } ? Items : never;

type ItemOf<Items> = Items extends Iterable<infer Item> | AsyncIterable<infer Item> ? Item : never;

type Fault<Entity, Returned, Otherwise> = [OneOf<Faults<Entity, Returned>>] extends [never]
  ? Otherwise
  : OneOf<Faults<Entity, Returned>>;

/** The fault of each property; a union. */
type Faults<Entity, Returned> = Returned extends unknown
  ? {
      [K in keyof Entity & string]: K extends keyof Returned
        ? [Returned[K]] extends [Entity[K]]
          ? never
          : `The property '${K}' of the returned entities has a wrong type.`
        : undefined extends Entity[K]
          ? never
          : `The returned entities lack the property '${K}'.`;
    }[keyof Entity & string]
  : never;

/** One member of a union: the compiler shows a union in two levels. */
type OneOf<Union> = (Union extends unknown ? (member: () => Union) => void : never) extends (members: infer All) => void
  ? All extends () => infer Last
    ? Last
    : never
  : never;
