import type { PrimitiveTypeName } from "../edm/primitive-type.ts";

/**
 * A literal as written in a URL. Its type is what its spelling says: `5` is Edm.Int32 (Edm.Int64 or Edm.Decimal when
 * larger), `5.0` Edm.Decimal, `5e0` Edm.Double, `'x'` Edm.String, `Ns.Color'Red'` the enum of that name.
 */
export interface Literal {
  readonly type: PrimitiveTypeName | "enum" | "geo";
  /** The value's text: without prefix, suffix and quotes, doubled quotes undone. */
  readonly text: string;
  /** The qualified name before the quote, of an enum literal; the prefix of a geo literal. */
  readonly typeName?: string | undefined;
  /** Offset of the first character in the decoded text of the option; of a literal in an alias, that of its mention. */
  readonly position: number;
}
