import type { RuleContext, SetContext, Transaction, User } from "../context.ts";
import type { Answer } from "../handlers.ts";
import type { BodyOf, DeltaOf, InputOf, KeyOf, ReadEntityOf } from "../types/entity-values.ts";
import type { LiteralContext, LiteralText } from "../types/literal-context.ts";
import type { AnyProperty, EntityTypeDeclaration } from "../types/value-type.ts";
import type { InferredVirtual } from "./virtual-option.ts";

/** The facts that every function of `set` receives. */
export interface SetFacts {
  /** The user of the request. Reading it in an anonymous request throws 401 `Unauthorized`. */
  readonly user: User;
  /** The instant of the request: the same for all of its writes, and for all writes of a change set. */
  readonly now: Date;
  readonly ctx: RuleContext;
}

/** The facts that a function of `set` receives for a new entity. */
export interface CreationFacts<
  E extends EntityTypeDeclaration,
  N = unknown,
  T extends Transaction = Transaction,
> extends SetFacts {
  /**
   * The entity that the client sent, with its defaults, without the values of `set`. Values that follow from an outer entity
   * may be absent.
   */
  readonly input: Readonly<BodyOf<E>>;
  /** The context of the handlers of the set; for an `async` function, within the transaction of the write. */
  readonly ctx: SetContext<E, N, T>;
}

/** The facts that a function of `set` receives for a change. */
export interface ChangeFacts<
  E extends EntityTypeDeclaration,
  N = unknown,
  T extends Transaction = Transaction,
> extends SetFacts {
  /** The changes that the client sent; for a replacement, the whole entity. */
  readonly input: DeltaOf<E>;
  readonly key: KeyOf<E>;
  /** Loads the stored entity, and locks it. A missing entity ends the write. Only for `async` functions. */
  readonly current: () => Promise<ReadEntityOf<E>>;
  /** The context of the handlers of the set; for an `async` function, within the transaction of the write. */
  readonly ctx: SetContext<E, N, T>;
}

/**
 * The functions that supply the values of one property. A function that is declared as `async` runs in the transaction of the
 * write, once per entity; no other function may return a promise.
 */
export interface PropertySetters<
  P extends AnyProperty,
  Creation extends SetFacts = SetFacts,
  Change extends SetFacts = SetFacts,
> {
  /** Returns the value of a new entity. */
  readonly create?: ((facts: Creation) => Answer<InputOf<P> | LiteralText | LiteralContext>) | undefined;
  /** Returns the value of an entity that is replaced, changed, or linked to another entity. */
  readonly update?: ((facts: Change) => Answer<InputOf<P> | LiteralText | LiteralContext>) | undefined;
}

/**
 * The properties whose values the server sets, each with its functions. Clients read and do not write them.
 * @see docs/reference/writing.md
 */
export type SetOption<E extends EntityTypeDeclaration, N = unknown, T extends Transaction = Transaction> = {
  readonly [F in keyof E["properties"]]?:
    | PropertySetters<E["properties"][F], CreationFacts<E, N, T>, ChangeFacts<E, N, T>>
    | undefined;
};

/** The option `set`, from which the compiler infers the keys of its properties. */
export interface InferredSet<
  E extends EntityTypeDeclaration,
  N,
  S extends string,
  W,
  Y,
  T extends Transaction = Transaction,
> {
  readonly virtual?: InferredVirtual<E, W, Y> | undefined;
  readonly set?:
    | (SetOption<E, NoInfer<N>, T> & { readonly [F in S]?: F extends keyof E["properties"] ? unknown : undefined })
    | undefined;
}

/**
 * Sets the instant of the request, with at most as many fraction digits of seconds as the property has: a function of `set`.
 * @see docs/reference/writing.md
 */
export function now({ now: instant }: Pick<SetFacts, "now">): Date {
  return instant;
}
