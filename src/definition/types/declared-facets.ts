import type { PatternInput } from "../../edm/linear-pattern.ts";
import type { Facets } from "../../edm/primitive-type.ts";

/** The facets of a declaration, checked at startup. */
export interface DeclaredFacets extends Omit<Facets, "pattern"> {
  readonly pattern?: PatternInput | undefined;
}

/** The facets of a string; lengths in characters. */
export interface StringFacets {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression without flags, which a part of the text must match: `^` and `$` make that the whole text. */
  readonly pattern?: PatternInput;
}

/** The least and the greatest value that clients may write. */
export interface NumberFacets<Bound> {
  readonly minimum?: Bound;
  readonly maximum?: Bound;
}

/** The least and the greatest number of items that clients may write. */
export interface CollectionFacets {
  readonly minItems?: number;
  readonly maxItems?: number;
}
