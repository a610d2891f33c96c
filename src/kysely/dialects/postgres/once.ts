import { sql } from "kysely";
import { protocolError } from "../../../errors/odata-error.ts";
import type { Sql } from "../../statement/sql-form.ts";
import type { DialectSyntax } from "../dialect-profile.ts";

/** How a statement uses a value several times. */
export interface Once {
  readonly value: DialectSyntax["once"];
  /** The same for two values, of the same type. */
  readonly pair: (left: Sql, right: Sql, make: (left: Sql, right: Sql) => Sql) => Sql;
}

const inSubquery: Once["value"] = (value, make) =>
  sql`(select ${make(sql`odata_value`)} from (select ${value} as odata_value) as odata_once)`;

/** Writes values once, in a subquery. */
export const IN_SUBQUERY: Once = Object.freeze<Once>({
  value: inSubquery,
  pair: (left, right, make) =>
    inSubquery(sql`array[${left}, ${right}]`, (pair) => make(sql`${pair}[1]`, sql`${pair}[2]`)),
});

/** Repeats values, for distributed databases, which refuse subqueries without tables. */
export const REPEATED: Once = Object.freeze<Once>({
  value: (value, make) => make(repeatable(value)),
  pair: (left, right, make) => make(repeatable(left), repeatable(right)),
});

/** The most pieces of a value that is repeated: each level of nested calls would multiply them. */
const MOST_PIECES = 500;

function repeatable(value: Sql): Sql {
  if (countPieces(value.toOperationNode(), new Map()) <= MOST_PIECES) return sql`(${value})`;
  const message = "The functions of the query are nested too deeply for a distributed database: nest fewer of them.";
  throw protocolError("UnsupportedQueryOption", message);
}

/** @param counted the pieces of parts that are counted already, since a value may contain a part many times */
function countPieces(node: object, counted: Map<object, number>): number {
  const known = counted.get(node);
  if (known !== undefined) return known;
  const parts: unknown = "parameters" in node ? node.parameters : [];
  let pieces = 1;
  for (const part of Array.isArray(parts) ? parts : []) {
    if (typeof part === "object" && part !== null) pieces += countPieces(part as object, counted);
  }
  counted.set(node, pieces);
  return pieces;
}
