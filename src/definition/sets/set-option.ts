import type { RuleContext, User } from "../context.ts";
import type { InputOf } from "../types/edm-builders.ts";
import type { LiteralContext, LiteralText } from "../types/literal-context.ts";
import type { AnyProperty, EntityTypeDeclaration } from "../types/value-type.ts";

/** The facts that a function of `set` receives. */
export interface SetFacts {
  /** The user of the request. Reading it in an anonymous request throws 401 `Unauthorized`. */
  readonly user: User;
  /** The instant of the request: the same for all of its writes, and for all writes of a change set. */
  readonly now: Date;
  readonly ctx: RuleContext;
}

/** The functions that supply the values of one property. They are synchronous. */
export interface PropertySetters<P extends AnyProperty> {
  /** Returns the value of a new entity. */
  readonly create?: ((facts: SetFacts) => InputOf<P> | LiteralText | LiteralContext) | undefined;
  /** Returns the value of an entity that is replaced, changed, or linked to another entity. */
  readonly update?: ((facts: SetFacts) => InputOf<P> | LiteralText | LiteralContext) | undefined;
}

/**
 * The properties whose values the server sets, each with its functions. Clients read and do not write them.
 * @see docs/reference/writing.md
 */
export type SetOption<E extends EntityTypeDeclaration> = {
  readonly [F in keyof E["properties"]]?: PropertySetters<E["properties"][F]> | undefined;
};

/** The option `set`, from which the compiler infers the keys of its properties. */
export interface InferredSet<E extends EntityTypeDeclaration, S extends string> {
  readonly set?:
    | (SetOption<E> & { readonly [F in S]?: F extends keyof E["properties"] ? unknown : undefined })
    | undefined;
}

/**
 * Sets the instant of the request, with at most as many fraction digits of seconds as the property has: a function of `set`.
 * @see docs/reference/writing.md
 */
export function now({ now: instant }: Pick<SetFacts, "now">): Date {
  return instant;
}
