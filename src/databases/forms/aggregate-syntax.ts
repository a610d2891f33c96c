import { isInteger, type PrimitiveType } from "../../edm/primitive-type.ts";
import type { FormedSql, Sql } from "../statement/sql-form.ts";

/** The kinds of values that have sums. The sum of `integer` has 64 bits; that of `long`, Edm.Int64, is an Edm.Decimal. */
export type SummedKind = "integer" | "long" | "decimal" | "double" | "duration";

/** The total and the average of values of one kind, in the canonical form of the result. Null without any value. */
export interface SummedSyntax {
  readonly sum: (operand: FormedSql) => Sql;
  /** @param digits the fraction digits of a Decimal, which is rounded half away from zero */
  readonly average: (operand: FormedSql, digits: number) => Sql;
}

/** The aggregates of one kind of database. They leave out null operands, and are exact, except for doubles. */
export interface AggregateSyntax {
  readonly summed: Readonly<Record<SummedKind, SummedSyntax>>;
  /** The cell with the least or the greatest key. A cell whose key is null is left out. */
  readonly cellOf: Readonly<Record<"min" | "max", (key: Sql, cell: Sql) => Sql>>;
  /** Whether some versions of the database have no `min` and `max` of bytes, so that `cellOf` is used; absent: none. */
  readonly lacksBytes?: true | undefined;
  /**
   * The end of a derived table with the values that are grouped, and when it is needed: for computed values, or for aggregates
   * that sort or distinguish values. Absent if the database groups any values.
   */
  readonly valuesFirst?:
    | {
        readonly end: Sql;
        readonly when: "computes" | "sorts";
        /** Reads a computed Decimal of the derived table, and fails if its column cannot have it; absent: any value fits. */
        readonly decimal?: (column: Sql) => Sql;
      }
    | undefined;
}

/** Returns the kind of the values of a type. @throws Error for a type without sums, which the binder refuses */
export function summedKind(type: PrimitiveType): SummedKind {
  if (isInteger(type)) return type.name === "Edm.Int64" ? "long" : "integer";
  switch (type.name) {
    case "Edm.Decimal":
      return "decimal";
    case "Edm.Single":
    case "Edm.Double":
      return "double";
    case "Edm.Duration":
      return "duration";
    default:
      throw new Error(`Values of ${type.name} have no sum.`);
  }
}
