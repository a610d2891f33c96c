import { chain, isPromiseLike, type Maybe } from "../../base/maybe.ts";
import { inTurns } from "../../base/turn.ts";
import type { JsonEntities } from "../../query/json-entities.ts";
import type { Row } from "../../query/row-shape.ts";
import type { JsonPage, SourceQuery } from "../../query/source.ts";
import { type JsonMember, scanRows } from "../cells/json-rows.ts";
import type { JsonSyntax } from "../columns/json-syntax.ts";
import { readSlots, type Execution } from "../statement/parameter-slot.ts";
import type { SqlReader } from "./sql-reader.ts";
import { valuesInJson } from "./values-in-json.ts";

/** A page as JSON. */
export interface ReadJson {
  readonly json: JsonEntities;
  /** Absent if the statement has no total, or the page implies it. */
  readonly total: number | undefined;
  /** As in `JsonPage`. */
  readonly valuesOf: JsonPage["valuesOf"];
}

/**
 * Reads one page as JSON that the database writes, with its total if the query wants one.
 * @returns null if the query or a value of the page does not allow that: then its rows must be read
 * @throws ODataError for a query that cannot be expressed in SQL; errors of the database
 */
export function readJson(reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<ReadJson | null> {
  const { json: syntax } = reader.profile;
  const rows = reader.rows.within(query.transaction);
  if (query.json === undefined || syntax === undefined) return null;
  // A transaction reads SQLite through Kysely, with rows as objects. A refusal would end that of a server.
  // A snapshot of SQLite has rows as arrays.
  if (rows !== reader.rows && rows.local === null) return null;
  const { statements } = reader;
  const counts = query.count && reader.profile.capabilities.countsWithPage;
  const counting = counts ? statements.json(query, query.json, "counted") : null;
  const statement = counting ?? statements.json(query, query.json);
  if (statement === null) return null;
  const read = (): Maybe<Row | undefined> => rows.first(statement, readSlots(statement.slots, execution), query);
  return chain(unlessRefused(read, syntax), (row) =>
    chain(toEntities(row, statement.members), (json) => {
      if (json === null) return null;
      // The rows lead to the error for the expansion that exceeds the limit.
      if (json.total > json.length && json.total > (query.maxEntities ?? Infinity)) return null;
      const total = counting === null ? null : (row?.[3] ?? null);
      const valuesOf = valuesInJson(statement.marks, row);
      return { json, total: total === null ? undefined : Number(total), valuesOf };
    }),
  );
}

/**
 * Checks the entities that a database wrote, in turns with other requests if they are long.
 * @param row the bytes, the number of entities without JSON, and of all
 * @returns null if an entity must be read as a row
 */
export function toEntities(row: Row | undefined, members: readonly JsonMember[]): Maybe<JsonEntities | null> {
  const [bytes, unfit, count] = row ?? [];
  if (count === undefined || Number(unfit) !== 0) return null;
  const length = Number(count);
  const scanned = inTurns((pace) => scanRows(toBytes(bytes), length, members, pace));
  return chain(scanned, (rows) => (rows === null ? null : { ...rows, length }));
}

const NO_BYTES = new Uint8Array(0);

/** Returns the bytes of a cell, which is a text if the driver has no bytes. */
function toBytes(cell: unknown): Uint8Array {
  if (typeof cell === "string") return new TextEncoder().encode(cell);
  return cell instanceof Uint8Array ? cell : NO_BYTES;
}

/** Returns undefined if the database refuses to write a value as JSON. */
function unlessRefused(read: () => Maybe<Row | undefined>, { isRefused }: JsonSyntax): Maybe<Row | undefined> {
  const refused = (error: unknown): undefined => {
    if (!isRefused(error)) throw error;
  };
  try {
    const row = read();
    return isPromiseLike(row) ? row.then(undefined, refused) : row;
  } catch (error) {
    return refused(error);
  }
}
