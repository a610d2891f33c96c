import { isPromiseLike, type Maybe } from "../../base/maybe.ts";
import type { Row } from "../../query/row-shape.ts";
import { isPatientReader, type Patience } from "../connection/patient-reader.ts";
import type { SynchronousReader } from "../connection/synchronous-reader.ts";
import { toReadFault } from "../dialects/database-fault.ts";
import type { RunningStatement } from "../statement/running-statement.ts";
import { beginRead, countOf, type Read, type ReadRows } from "./traced-read.ts";

/**
 * Reads in this process: synchronously, or as a promise if the reader runs the statement elsewhere.
 * @param name the database, for messages
 * @throws as `toReadFault`
 */
export function readLocal<Method extends "readRows" | "readOne">(
  reader: SynchronousReader,
  method: Method,
  read: Read,
  patience: Patience,
  name: string,
): Maybe<ReturnType<SynchronousReader[Method]>>;
export function readLocal(
  reader: SynchronousReader,
  method: "readRows" | "readOne",
  { statement, parameters }: Read,
  patience: Patience,
  name: string,
): Maybe<readonly Row[] | Row | undefined> {
  const { sql, table, facts } = statement;
  const running = beginRead(statement, parameters);
  const isMany = method === "readRows";
  try {
    const found: Maybe<readonly Row[] | Row | undefined> = isPatientReader(reader)
      ? reader[isMany ? "read" : "readFirst"](sql, parameters, patience, facts)
      : reader[method](sql, parameters);
    if (isPromiseLike(found)) return readElsewhere(found, { statement, running, isMany, name });
    running?.end(countOf(statement, found, isMany));
    return found;
  } catch (error) {
    running?.fail(error);
    throw toReadFault(error, name, table);
  }
}

/** A statement that the reader runs elsewhere. */
interface Elsewhere {
  readonly statement: ReadRows;
  readonly running: RunningStatement | undefined;
  readonly isMany: boolean;
  readonly name: string;
}

/** Waits for a statement that the reader runs elsewhere. */
async function readElsewhere<R extends readonly Row[] | Row | undefined>(
  found: PromiseLike<R>,
  { statement, running, isMany, name }: Elsewhere,
): Promise<R> {
  try {
    const read = await found;
    running?.end(countOf(statement, read, isMany));
    return read;
  } catch (error) {
    running?.fail(error);
    throw toReadFault(error, name, statement.table);
  }
}
