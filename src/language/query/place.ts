import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { Expression, ScalarType } from "./expression.ts";
import type { MarkColumn, Row } from "./row-shape.ts";

/** One term of an order in which rows have places. */
export interface PlaceTerm {
  readonly expression: Expression;
  readonly descending: boolean;
  readonly type: ScalarType;
}

/** An order in which the values of the terms determine the rows that follow a row. The last term is a key property. */
export interface PlaceOrder {
  readonly terms: readonly PlaceTerm[];
}

/** The sorted value of a row in one term: a value of the property, or a mark of a database. */
export type PlaceValue = PrimitiveValue | null;

/** The part of a place on which the condition of the following rows depends. */
export interface PlaceKind {
  readonly order: PlaceOrder;
  /** Whether the value of each term is null. */
  readonly isNull: readonly boolean[];
}

/** The place of a row in an order. */
export interface Place {
  readonly kind: PlaceKind;
  /** The value of each term. */
  readonly values: readonly PlaceValue[];
}

/** A row of a page whose place is wanted. */
export interface MarkedRow {
  /** An order that `orderBy` begins with. */
  readonly order: PlaceOrder;
  /** The position of the row in the page, from 0 on. */
  readonly row: number;
}

/** Returns the place of a row. @param values the values that its source sorted it by */
export function placeAt(order: PlaceOrder, values: readonly PlaceValue[]): Place {
  return { kind: { order, isNull: values.map((value) => value === null) }, values };
}

/** Returns the values that a database sorted a row by; null if a cell does not contain one exactly. */
export function valuesOfRow(row: Row, marks: readonly MarkColumn[]): readonly PlaceValue[] | null {
  const values: PlaceValue[] = [];
  for (const { index, toMark } of marks) {
    const mark = index === null ? null : toMark(row[index]);
    if (mark === undefined) return null;
    values.push(mark);
  }
  return values;
}
