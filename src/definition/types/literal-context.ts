declare const none: unique symbol;

/** A type without values, see `LiteralContext`: the compiler keeps the literal of a text that is returned in its place. */
export type LiteralText = "" & { readonly [none]: never };

/**
 * A type without values. Beside the type of a result it makes the compiler keep the literals of returned objects, such as the
 * member of an enumeration: before it has inferred the entity type, it would take each for a string.
 */
export interface LiteralContext {
  readonly [name: string]: LiteralText | LiteralContext | readonly LiteralContext[];
  readonly [none]: never;
}
