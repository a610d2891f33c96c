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
 * and compares them here: otherwise an error of the compiler has a level for each type around the wrong property.
 */
export type CheckedResults<E extends EntityTypeDeclaration, R extends HandlerResults> = Checked<
  "getAll",
  Settled<R["getAll"]>,
  Entities<E>,
  Fault<ResultOf<E>, ItemOf<Settled<R["getAll"]>>, "The handler must return an array or an iterable of entities.">
> &
  Checked<
    "applyQuery",
    Settled<R["applyQuery"]>,
    AppliedQueryOf<E>,
    Fault<
      ResultOf<E>,
      ItemOf<ItemsOf<Settled<R["applyQuery"]>>>,
      "The handler must return { items, count?, nextLink? }."
    >
  > &
  CheckedEntity<"getByKey", E, Settled<R["getByKey"]>> &
  CheckedEntity<"create", E, Settled<R["create"]>> &
  CheckedEntity<"replace", E, Settled<R["replace"]>> &
  CheckedEntity<"patch", E, Settled<R["patch"]>>;

type CheckedEntity<Handler extends string, E extends EntityTypeDeclaration, Result> = Checked<
  Handler,
  Result,
  ResultOf<E> | null,
  Fault<ResultOf<E>, NonNullable<Result>, "The handler must return an entity or null.">
>;

type Checked<Handler extends string, Result, Expected, Message> = [Result] extends [Expected]
  ? unknown
  : { readonly [K in Handler]: Message };

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
