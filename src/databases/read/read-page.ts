import type { ByteCount } from "../../base/byte-count.ts";
import { isODataError } from "../../base/errors/odata-error.ts";
import { parseJson } from "../../base/json/parse-json.ts";
import { isJsonObject, JsonNumber, type JsonValue } from "../../base/json/write-json.ts";
import { withSignalOf } from "../../base/later.ts";
import { chain, type Maybe, isPromiseLike, inTurns } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { JsonEntities } from "../../language/query/json-entities.ts";
import { type PlaceValue, valuesOfRow } from "../../language/query/place.ts";
import type { Row, DocumentColumn, RowColumn, RowShape, ScalarColumn } from "../../language/query/row-shape.ts";
import type { JsonPage, Page, SourceQuery, SourcesBySet } from "../../language/query/source.ts";
import { type JsonMember, scanRows } from "../cells/json-rows.ts";
import type { JsonSyntax } from "../columns/json-syntax.ts";
import type { Patience } from "../connection/patient-reader.ts";
import { readSlots, toExecution, type Execution } from "../statement/parameter-slot.ts";
import type { JsonMarks, MarkMember } from "../translate/json-marks.ts";
import type { RowStatement } from "./compile-statement.ts";
import { endsEarly, fewerRows, refusableBytes } from "./fewer-rows.ts";
import { mayMiss } from "./keys-first.ts";
import { pastePage, pasteTotal } from "./paste-page.ts";
import { readerOfSource, type SourceReader } from "./row-source.ts";
import type { SqlReader } from "./sql-reader.ts";
import type { SqlRows } from "./sql-rows.ts";
import { pastable, toNumber } from "./traced-read.ts";

/** The most rows that contain the total. More rows take longer to do so than a second statement. */
const MOST_WITH_TOTAL = 100;

const NO_ENTITIES: Pick<JsonPage, "entities"> = Object.freeze({ entities: Object.freeze([]) });

/**
 * Reads one page and its total with one statement. If the rows cannot contain the total, and the page does not imply it, a
 * second statement reads it. A page of zero rows reads nothing.
 * @throws ODataError for a query that cannot be expressed in SQL; errors of the database
 */
export function readPage(reader: SqlReader, query: SourceQuery): Maybe<Page> {
  const execution = executionOf(reader, query);
  if (query.top === 0) {
    if (!query.count) return NO_ENTITIES;
    return chain(readTotal(reader, query, execution), (count): Page => ({ ...NO_ENTITIES, count }));
  }
  return chain(readJson(reader, query, execution), (json) => {
    if (json === null) return readRefused(reader, query, readRows(reader, query, execution));
    const page: JsonPage = { ...NO_ENTITIES, json: json.json, valuesOf: json.valuesOf };
    if (json.total !== undefined) return { ...page, count: json.total };
    return counted(page, json.json.length, reader, query, execution);
  });
}

/** Returns the statement that reads a page as rows, with its parameters. @throws as `readPage`, except errors of the database */
export function statementOf(
  reader: SqlReader,
  query: SourceQuery,
): { readonly statement: RowStatement; readonly parameters: readonly unknown[] } {
  const statement = reader.statements.page(query);
  return { statement, parameters: readSlots(statement.slots, executionOf(reader, query)) };
}

/** Returns the values of one execution of the statements of a page. */
function executionOf(reader: SqlReader, query: SourceQuery): Execution {
  const { values, top, skip, after, marked, state, maxEntities, idStart, bytes } = query;
  const maxRows = maxEntities ?? Number.MAX_SAFE_INTEGER;
  return toExecution({
    values,
    top,
    skip,
    after,
    marked,
    maxRows,
    maxBytes: bytes === undefined || bytes.left === Infinity ? undefined : bytes.left,
    bytes: refusableBytes(query),
    idStart,
    base: baseOf(reader, query.sources),
    state,
  });
}

/** Reads fewer rows if the database has refused one of them. */
function readRefused(reader: SqlReader, query: SourceQuery, read: Maybe<Page>): Maybe<Page> {
  return chain(read, (page): Maybe<Page> => {
    const top = fewerRows(query, page.isCut === true && page.entities.length === 0);
    if (top === undefined) return page;
    const fewer = { ...query, top, marked: undefined, count: false };
    const again = readRows(reader, fewer, executionOf(reader, fewer));
    return chain(readRefused(reader, fewer, again), (some) => ({
      ...some,
      count: page.count,
      isCut: endsEarly(query.bytes, some.isCut, some.entities.length, top),
    }));
  });
}

function readRows(reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<Page> {
  const rows = reader.rows.within(query.transaction);
  // In this process a page that implies its total saves the work of counting.
  if (rows.local === null && query.count) {
    const isShort = query.top !== undefined && query.top <= MOST_WITH_TOTAL;
    // A second statement would group the rows again, and maybe others.
    const counts = (isShort || query.shape.apply !== undefined) && reader.profile.capabilities.countsWithPage;
    return counts ? readWithTotal(rows, reader, query, execution) : readBoth(rows, reader, query, execution);
  }
  const paste = pastePage(reader, query, execution);
  const read = (statement: RowStatement, use: (entities: readonly Row[]) => Maybe<Page>): Maybe<Page> =>
    chain(rows.all(pastable(statement, paste), readSlots(statement.slots, execution), query), use);
  const toPage = ({ rowShape }: RowStatement, entities: readonly Row[]): Maybe<Page> => {
    const page: Page = { entities: readableRows(entities, rowShape), rowShape, isCut: query.bytes?.isOver };
    return counted(page, entities.length, reader, query, execution);
  };
  const readWhole = (): Maybe<Page> => {
    const statement = reader.statements.page(query);
    return read(statement, (entities) => toPage(statement, entities));
  };
  const keysFirst = reader.statements.keysFirst(query);
  if (keysFirst === null) return readWhole();
  return read(keysFirst, (entities) =>
    mayMiss(entities, keysFirst, query) ? readWhole() : toPage(keysFirst, entities),
  );
}

/** Reads a page whose rows contain the total. */
function readWithTotal(rows: SqlRows, reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<Page> {
  const statement = reader.statements.page(query, true);
  const { rowShape, width } = statement;
  const traced = pastable(statement, pastePage(reader, query, execution, { hasTotal: true }));
  return chain(rows.all(traced, readSlots(statement.slots, execution), query), (entities): Maybe<Page> => {
    const [first] = entities;
    if (first !== undefined) {
      const count = Number(first[width - 1]);
      return { entities: readableRows(entities, rowShape), rowShape, count, isCut: query.bytes?.isOver };
    }
    return counted({ entities, rowShape, isCut: query.bytes?.isOver }, 0, reader, query, execution);
  });
}

/** Reads a page and its total with two statements, in one round trip if the driver can. */
async function readBoth(rows: SqlRows, reader: SqlReader, query: SourceQuery, execution: Execution): Promise<Page> {
  const { statements } = reader;
  const keysFirst = statements.keysFirst(query);
  const statement = keysFirst ?? statements.page(query);
  const reads = [
    pastable(statement, pastePage(reader, query, execution)),
    pastable(statements.total(query), pasteTotal(reader, query, execution)),
  ].map((each) => ({ statement: each, parameters: readSlots(each.slots, execution) }));
  const [entities = [], found = []] = await rows.each(reads, query);
  const count = toNumber(found[0]);
  const toPage = ({ rowShape }: RowStatement, all: readonly Row[]): Page => {
    return { entities: readableRows(all, rowShape), rowShape, count, isCut: query.bytes?.isOver };
  };
  if (keysFirst === null || !mayMiss(entities, keysFirst, query)) return toPage(statement, entities);
  const whole = statements.page(query);
  const traced = pastable(whole, pastePage(reader, query, execution));
  return toPage(whole, await rows.all(traced, readSlots(whole.slots, execution), query));
}

/** Adds the total to a page if it is requested. */
function counted(page: Page, length: number, reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<Page> {
  if (!query.count) return page;
  const known = (page.isCut === true ? undefined : knownTotal(query, length)) ?? readTotal(reader, query, execution);
  return chain(known, (count): Page => ({ ...page, count }));
}

/** Returns the parameters of base queries: of the source itself and of the sets that a query mentions. */
export function baseOf({ parameters }: SourceReader, sources: SourcesBySet | undefined): Execution["base"] {
  return (entitySet) => {
    const source = entitySet === null ? undefined : sources?.get(entitySet);
    return source === undefined ? parameters : readerOfSource(source).parameters;
  };
}

/** Returns the total that a page from an offset on implies: with fewer rows than requested, they are the last ones. */
function knownTotal({ skip, top, after }: SourceQuery, length: number): number | undefined {
  if (after !== undefined) return undefined;
  const isLast = top === undefined || length < top;
  return isLast && (length > 0 || skip === 0) ? skip + length : undefined;
}

function readTotal(reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<number> {
  const statement = reader.statements.total(query);
  const rows = reader.rows.within(query.transaction);
  const traced = pastable(statement, pasteTotal(reader, query, execution));
  return rows.number(traced, readSlots(statement.slots, execution), query);
}

/** A page as JSON. */
interface ReadJson {
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
function readJson(reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<ReadJson | null> {
  const { json: syntax } = reader.profile.syntax;
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
  const { bytes } = query;
  const part = bytes?.part();
  const patience = part === undefined ? query : patienceOf(query, part);
  const traced = pastable(
    statement,
    pastePage(reader, query, execution, { hasTotal: counting !== null, json: query.json }),
  );
  const read = (): Maybe<Row | undefined> => rows.first(traced, readSlots(statement.slots, execution), patience);
  return chain(unlessRefused(read, syntax), (row) => {
    const isLong = bytes !== undefined && lengthOf(row) > bytes.left;
    const isRefused = row === undefined && syntax.needsListLimit;
    if (bytes !== undefined && bytes.most !== Infinity && (isLong || isRefused)) bytes.isExceeded = true;
    // A page that is too long is read as rows, which end where the bytes do.
    return chain(isLong ? null : toEntities(row, statement.members), (json) => {
      part?.drop();
      if (json === null) return null;
      // The characters of the text fitted.
      if (bytes !== undefined && json.bytes.length > bytes.left) return null;
      // The rows lead to the error for the expansion that exceeds the limit.
      if (json.total > json.length && json.total > (query.maxEntities ?? Infinity)) return null;
      bytes?.merge(json.bytes.length, false);
      const total = counting === null ? null : (row?.[3] ?? null);
      const valuesOf = valuesInJson(statement.marks, row);
      return { json, total: total === null ? undefined : Number(total), valuesOf };
    });
  });
}

/** Returns the patience of a query, with another count. The signal is made on first use. */
function patienceOf(query: SourceQuery, bytes: ByteCount): Patience {
  const { timeout, reading, caller } = query;
  return withSignalOf({ timeout, reading, caller, bytes }, query);
}

/** Returns the length of the JSON in a row. */
function lengthOf(row: Row | undefined): number {
  const cell = row?.[0];
  return typeof cell === "string" || cell instanceof Uint8Array ? cell.length : 0;
}

/**
 * Checks the entities that a database wrote, in turns with other requests if they are long.
 * @param row the bytes, the number of entities without JSON, and of all
 * @returns null if an entity must be read as a row
 */
function toEntities(row: Row | undefined, members: readonly JsonMember[]): Maybe<JsonEntities | null> {
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

/** More than the depth of any expansion. */
const MAX_DEPTH = 1000;
const WHOLE = /^-?\d+$/;

/** Returns the function that finds the place of the marked row of a page. @param row the row with all objects */
function valuesInJson(marks: JsonMarks | undefined, row: Row | undefined): JsonPage["valuesOf"] {
  switch (marks?.kind) {
    case "cells":
      return () => valuesOfRow(row ?? [], marks.columns);
    case "members":
      return (json) => valuesOfEntity(json, marks.terms);
    case undefined:
      return undefined;
  }
}

/** Returns the marks of the last entity; null if one of them is not exact. */
export function valuesOfEntity(
  { bytes, lastStart }: JsonEntities,
  terms: readonly MarkMember[],
): readonly PlaceValue[] | null {
  const entity = parseJson(new TextDecoder().decode(bytes.subarray(lastStart)), { maxDepth: MAX_DEPTH });
  if (!isJsonObject(entity)) return null;
  const values: PlaceValue[] = [];
  for (const { name, toMark } of terms) {
    const mark = toMark(cellOf(entity[name]));
    if (mark === undefined) return null;
    values.push(mark);
  }
  return values;
}

/** Returns the cell that a database wrote as a value. */
function cellOf(value: JsonValue | undefined): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (!(value instanceof JsonNumber)) return value;
  return WHOLE.test(value.text) ? BigInt(value.text) : Number(value.text);
}

/** A column whose unreadable cells become null, with the columns of the key for the log. */
interface Forgiven {
  readonly column: ScalarColumn | DocumentColumn;
  readonly key: ReadonlyArray<ScalarColumn | DocumentColumn>;
}

/** As `readableRow`, for several rows. */
export function readableRows(rows: readonly Row[], shape: RowShape): readonly Row[] {
  const columns = forgivenColumns(shape);
  return columns.length === 0 ? rows : rows.map((row) => withNulls(row, columns));
}

/** Returns a row with null in place of cells that cannot be read, in the columns whose layout allows that. */
export function readableRow(row: Row, shape: RowShape): Row {
  return withNulls(row, forgivenColumns(shape));
}

const forgivenColumns: (shape: RowShape) => readonly Forgiven[] = keptPer(({ columns, joined }: RowShape) => {
  const key = [...columns].flatMap(([property, column]) =>
    property.isKey && column.kind !== "complex" ? [column] : [],
  );
  const own = [...columns.values()].flatMap(leavesOf).filter(({ unreadable }) => unreadable !== undefined);
  const below = [...(joined?.values() ?? [])].flatMap((each) => forgivenColumns(each));
  return [...own.map((column) => ({ column, key })), ...below];
});

function leavesOf(column: RowColumn): ReadonlyArray<ScalarColumn | DocumentColumn> {
  if (column.kind !== "complex") return [column];
  return [...column.members.values(), ...(column.ignored?.values() ?? [])].flatMap(leavesOf);
}

function withNulls(row: Row, columns: readonly Forgiven[]): Row {
  let copy: unknown[] | undefined;
  for (const { column, key } of columns) {
    const cell = row[column.index];
    if (cell === null || cell === undefined) continue;
    // The form of most cells proves that they are valid.
    if (column.kind === "scalar" && typeof column.toJson?.(cell, false) === "string") continue;
    const error = errorOf(column, cell);
    if (error === undefined) continue;
    copy ??= [...row];
    copy[column.index] = null;
    column.unreadable?.(
      error,
      key.map((each) => valueOf(each, row)),
    );
  }
  return copy ?? row;
}

/** Whether the cell of a column in a row cannot be read. @throws ODataError as `errorOf` */
export function isUnreadable(column: ScalarColumn | DocumentColumn, row: Row): boolean {
  const cell = row[column.index] ?? null;
  return cell !== null && errorOf(column, cell) !== undefined;
}

/** @throws ODataError of a conversion of the application, which is meant for the client */
function errorOf({ toValue }: ScalarColumn | DocumentColumn, cell: unknown): unknown {
  try {
    toValue(cell);
    return undefined;
  } catch (error) {
    if (isODataError(error)) throw error;
    return error;
  }
}

function valueOf({ toValue, index }: ScalarColumn | DocumentColumn, row: Row): unknown {
  try {
    return toValue(row[index]);
  } catch {
    return row[index];
  }
}
