import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { Expression } from "../../query/expression.ts";
import type { NavigationDeclaration } from "../sets/navigation-declaration.ts";
import type { ValueOf } from "../types/infer.ts";
import type { AnyProperty, EntityTypeDeclaration } from "../types/value-type.ts";

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

/** What a row predicate says: the same for all rows, or an expression over a row with its values in place. */
export type RowTerm = boolean | Expression;

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

class Predicate implements RowPredicate {
  readonly kind = "RowPredicate";
  readonly term: RowTerm;
  /** What no other object has: rules are trusted, the objects that they are given need not be. */
  readonly #made = true;

  constructor(term: RowTerm) {
    this.term = term;
    Object.freeze(this);
  }

  static isOne(value: object): boolean {
    return #made in value && value.#made;
  }

  and(other: RowPredicate): RowPredicate {
    return new Predicate(join("and", this.term, termOf(other)));
  }

  or(other: RowPredicate): RowPredicate {
    return new Predicate(join("or", this.term, termOf(other)));
  }

  not(): RowPredicate {
    return new Predicate(negate(this.term));
  }
}

/** The rule that hides no row. */
export const allRows: RowPredicate = rowPredicate(true);

/** The rule that hides every row. */
export const noRows: RowPredicate = rowPredicate(false);

/** Tells what a rule made from anything else that it may have returned, made to look like a predicate or not. */
export function isRowPredicate(value: unknown): value is RowPredicate {
  return typeof value === "object" && value !== null && Predicate.isOne(value);
}

/** Makes the predicate of a term. */
export function rowPredicate(term: RowTerm): RowPredicate {
  return new Predicate(term);
}

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];

/** Untyped code may give anything: what is no predicate must not count as one that hides nothing. */
function termOf(other: unknown): RowTerm {
  if (isRowPredicate(other)) return other.term;
  throw new TypeError("`and` and `or` of a row rule take a row predicate, such as `row.ownerId.eq(user.id)`.");
}

/** What is the same for all rows decides, or falls away, so that no expression holds it. */
function join(operator: "and" | "or", left: RowTerm, right: RowTerm): RowTerm {
  const decisive = operator === "or";
  if (typeof left === "boolean") return left === decisive ? left : right;
  if (typeof right === "boolean") return right === decisive ? right : left;
  const operands = [...operandsOf(operator, left), ...operandsOf(operator, right)];
  return { kind: "logical", operator, operands, type: BOOLEAN };
}

/** One list for a chain of one operator: rules join as many conditions as a user has grants, and trees have bounds. */
function operandsOf(operator: "and" | "or", term: Expression): readonly Expression[] {
  return term.kind === "logical" && term.operator === operator ? term.operands : [term];
}

function negate(term: RowTerm): RowTerm {
  return typeof term === "boolean" ? !term : { kind: "not", operand: term, type: BOOLEAN };
}
