import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { Expression } from "../../language/query/expression.ts";
import type { ValueOf } from "./entity-values.ts";
import type { NavigationDeclaration } from "./navigation-declaration.ts";
import type { AnyProperty, EntityTypeDeclaration } from "./value-type.ts";

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
export interface ConditionOperand<P extends AnyProperty> {
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
  readonly [F in keyof E["properties"]]: ConditionOperand<E["properties"][F]>;
} & {
  readonly [
    F in keyof N as N[F] extends NavigationDeclaration<E, EntityTypeDeclaration, "optional" | "required"> ? F : never
  ]: N[F] extends NavigationDeclaration<E, infer Target> ? RowOf<Target> : never;
};

/** A predicate that a call made from a property. */
interface MadePredicate {
  readonly predicate: RowPredicate;
  /** The key of the property. */
  readonly property: string;
}

/** One call of a function that makes predicates. */
export class PredicateCall {
  readonly #made: MadePredicate[] = [];

  /** The number of predicates that the call has made from properties. */
  get count(): number {
    return this.#made.length;
  }

  add(predicate: RowPredicate, property: string): void {
    this.#made.push({ predicate, property });
  }

  /**
   * Returns the property of a predicate that the function made but dropped from its result, such as `a` in `a && b`; null without
   * such a property. A result without parts is the same for every row, such as `allRows`.
   */
  droppedBy(result: RowPredicate): string | null {
    const made = this.#made;
    if (made.length === 0 || (made.length === 1 && made[0]?.predicate === result)) return null;
    const { call, place } = Predicate.originOf(result);
    const parts = partsOf(result);
    if (parts.size === 0) return null;
    const before = call === this ? made.slice(0, place) : made;
    return before.find(({ predicate }) => !parts.has(predicate))?.property ?? null;
  }
}

/** Where a predicate comes from. */
interface Origin {
  /** The call that made it; null for constants. */
  readonly call: PredicateCall | null;
  /** The number of predicates that the call had made from properties before. */
  readonly place: number;
  /** The predicates that it combines; null for a predicate that was made from a property. */
  readonly combined: readonly RowPredicate[] | null;
}

const CONSTANT: Origin = Object.freeze({ call: null, place: 0, combined: [] });

class Predicate implements RowPredicate {
  readonly kind = "RowPredicate";
  readonly term: RowTerm;
  /** Marks predicates: an object from a request can look like a predicate, but cannot have this field. */
  readonly #origin: Origin;

  constructor(term: RowTerm, origin: Origin) {
    this.term = term;
    this.#origin = origin;
    Object.freeze(this);
  }

  static isOne(value: object): boolean {
    return #origin in value;
  }

  static originOf(predicate: RowPredicate): Origin {
    return #origin in predicate ? predicate.#origin : CONSTANT;
  }

  and(other: RowPredicate): RowPredicate {
    return this.#combine(join("and", this.term, termOf(other)), other);
  }

  or(other: RowPredicate): RowPredicate {
    return this.#combine(join("or", this.term, termOf(other)), other);
  }

  not(): RowPredicate {
    return this.#combine(negate(this.term), null);
  }

  #combine(term: RowTerm, other: RowPredicate | null): RowPredicate {
    const call = this.#origin.call ?? (other === null ? null : Predicate.originOf(other).call);
    return new Predicate(term, { call, place: call?.count ?? 0, combined: other === null ? [this] : [this, other] });
  }
}

/** Returns the predicates from properties that a predicate combines. A rule may combine one for each of many grants. */
function partsOf(predicate: RowPredicate): ReadonlySet<RowPredicate> {
  const parts = new Set<RowPredicate>();
  // The set grows while it is visited: each predicate once.
  const seen = new Set([predicate]);
  for (const each of seen) {
    const { combined } = Predicate.originOf(each);
    if (combined === null) parts.add(each);
    else for (const one of combined) seen.add(one);
  }
  return parts;
}

/** The predicate that every row meets: `rows` returns it to hide no row. */
export const allRows: RowPredicate = new Predicate(true, CONSTANT);

/** The predicate that no row meets: `rows` returns it to hide every row. */
export const noRows: RowPredicate = new Predicate(false, CONSTANT);

/** Returns whether a value is a row predicate, and not an object that looks like one. */
export function isRowPredicate(value: unknown): value is RowPredicate {
  return typeof value === "object" && value !== null && Predicate.isOne(value);
}

/**
 * Makes a predicate from a property.
 * @param call the present call of the function that makes predicates; null after its end
 */
export function rowPredicate(term: RowTerm, property: string, call: PredicateCall | null): RowPredicate {
  const predicate = new Predicate(term, { call, place: call?.count ?? 0, combined: null });
  call?.add(predicate, property);
  return predicate;
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
