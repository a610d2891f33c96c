import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { Expression } from "../../query/expression.ts";
import type { ValueOf } from "../types/infer.ts";
import type { NavigationDeclaration } from "../types/navigation-declaration.ts";
import type { AnyProperty, EntityTypeDeclaration } from "../types/value-type.ts";

/** A condition on rows, as data: it becomes part of every query of the set. */
export interface RowPredicate {
  readonly kind: "RowPredicate";
  readonly term: RowTerm;
  /** Returns the condition that both conditions hold. */
  and(other: RowPredicate): RowPredicate;
  /** Returns the condition that at least one of the conditions holds. */
  or(other: RowPredicate): RowPredicate;
  /** Returns the condition that this condition does not hold. */
  not(): RowPredicate;
}

/** The content of a row predicate: a constant, or an expression over a row with its values. */
export type RowTerm = boolean | Expression;

/** The conditions that a row rule can make from one property. */
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

/** The row that a rule receives: its properties, and the rows of single-valued navigations. */
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
  /** Marks predicates: an object from a request can look like a predicate, but cannot have this field. */
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

/** The predicate that every row meets: `rows` returns it to hide no row. */
export const allRows: RowPredicate = rowPredicate(true);

/** The predicate that no row meets: `rows` returns it to hide every row. */
export const noRows: RowPredicate = rowPredicate(false);

/** Returns whether a value is a row predicate, and not an object that looks like one. */
export function isRowPredicate(value: unknown): value is RowPredicate {
  return typeof value === "object" && value !== null && Predicate.isOne(value);
}

/** Makes the predicate of a term. */
export function rowPredicate(term: RowTerm): RowPredicate {
  return new Predicate(term);
}

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];

/** Rejects other values, which JavaScript callers may pass: they must not count as a predicate that hides nothing. */
function termOf(other: unknown): RowTerm {
  if (isRowPredicate(other)) return other.term;
  throw new TypeError("`and` and `or` of a row rule take a condition, such as `row.ownerId.eq(user.id)`.");
}

/** Folds constants, so that no expression contains one. */
function join(operator: "and" | "or", left: RowTerm, right: RowTerm): RowTerm {
  const decisive = operator === "or";
  if (typeof left === "boolean") return left === decisive ? left : right;
  if (typeof right === "boolean") return right === decisive ? right : left;
  const operands = [...operandsOf(operator, left), ...operandsOf(operator, right)];
  return { kind: "logical", operator, operands, type: BOOLEAN };
}

/** Flattens chains of one operator: a rule may join one condition per grant, and the depth of trees is limited. */
function operandsOf(operator: "and" | "or", term: Expression): readonly Expression[] {
  return term.kind === "logical" && term.operator === operator ? term.operands : [term];
}

function negate(term: RowTerm): RowTerm {
  return typeof term === "boolean" ? !term : { kind: "not", operand: term, type: BOOLEAN };
}
