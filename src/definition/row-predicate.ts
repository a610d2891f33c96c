import type { ValueOf } from "./infer.ts";
import type { NavigationDeclaration } from "./navigation.ts";
import type { AnyProperty, EntityTypeDeclaration } from "./value-type.ts";

/** A condition on rows, as data: it becomes a part of every query that mentions the type. */
export interface RowPredicate {
  readonly kind: "RowPredicate";
  readonly term: RowTerm;
  /** Both conditions hold. */
  and(other: RowPredicate): RowPredicate;
  /** One of the conditions holds. */
  or(other: RowPredicate): RowPredicate;
  /** The condition does not hold. */
  not(): RowPredicate;
}

/** What a row predicate says. */
export type RowTerm =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "and" | "or"; readonly operands: readonly RowTerm[] }
  | { readonly kind: "not"; readonly operand: RowTerm };

/** What a row rule may ask of one property. */
export interface RowOperand<P extends AnyProperty> {
  eq(value: ValueOf<P>): RowPredicate;
  ne(value: ValueOf<P>): RowPredicate;
  gt(value: ValueOf<P>): RowPredicate;
  ge(value: ValueOf<P>): RowPredicate;
  lt(value: ValueOf<P>): RowPredicate;
  le(value: ValueOf<P>): RowPredicate;
  in(values: ReadonlyArray<ValueOf<P>>): RowPredicate;
  isNull(): RowPredicate;
  startsWith(text: ValueOf<P> & string): RowPredicate;
}

/** A row as a rule sees it: its properties, and those of related entities through navigations to one. */
export type RowOf<E extends EntityTypeDeclaration, N = unknown> = {
  readonly [F in keyof E["properties"]]: RowOperand<E["properties"][F]>;
} & {
  readonly [
    F in keyof N as N[F] extends NavigationDeclaration<E, EntityTypeDeclaration, "optional" | "required"> ? F : never
  ]: N[F] extends NavigationDeclaration<E, infer Target> ? RowOf<Target> : never;
};

/** The rule that hides no row. */
export const allRows: RowPredicate = rowPredicate({ kind: "constant", value: true });

/** The rule that hides every row. */
export const noRows: RowPredicate = rowPredicate({ kind: "constant", value: false });

/** Makes the predicate of a term. */
function rowPredicate(term: RowTerm): RowPredicate {
  return Object.freeze({
    kind: "RowPredicate",
    term: Object.freeze(term),
    and: (other: RowPredicate) => rowPredicate({ kind: "and", operands: Object.freeze([term, other.term]) }),
    or: (other: RowPredicate) => rowPredicate({ kind: "or", operands: Object.freeze([term, other.term]) }),
    not: () => rowPredicate({ kind: "not", operand: term }),
  });
}
