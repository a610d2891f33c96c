import { chain, type Maybe } from "../../base/maybe.ts";
import type { Row } from "../../query/row-shape.ts";
import type { JsonPage, Page, SourceQuery, SourcesBySet } from "../../query/source.ts";
import { readableRows } from "../../query/unreadable-cells.ts";
import { readSlots, toExecution, type Execution } from "../statement/parameter-slot.ts";
import type { RowStatement } from "./compile-statement.ts";
import { mayMiss } from "./keys-first.ts";
import { readJson } from "./read-json.ts";
import { readerOfSource, type SourceReader } from "./row-source.ts";
import type { SqlReader } from "./sql-reader.ts";
import type { SqlRows } from "./sql-rows.ts";
import { toNumber } from "./traced-read.ts";

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
    if (json === null) return readRows(reader, query, execution);
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
export function executionOf(reader: SqlReader, query: SourceQuery): Execution {
  const { values, top, skip, after, marked, state, maxEntities, idStart } = query;
  const maxRows = maxEntities ?? Number.MAX_SAFE_INTEGER;
  return toExecution({
    values,
    top,
    skip,
    after,
    marked,
    maxRows,
    idStart,
    base: baseOf(reader, query.sources),
    state,
  });
}

function readRows(reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<Page> {
  const rows = reader.rows.within(query.transaction);
  // In this process a page that implies its total saves the work of counting.
  if (rows.local === null && query.count) {
    const isShort = query.top !== undefined && query.top <= MOST_WITH_TOTAL;
    const counts = isShort && reader.profile.capabilities.countsWithPage;
    return counts ? readWithTotal(rows, reader, query, execution) : readBoth(rows, reader, query, execution);
  }
  const read = (statement: RowStatement, use: (entities: readonly Row[]) => Maybe<Page>): Maybe<Page> =>
    chain(rows.all(statement, readSlots(statement.slots, execution), query), use);
  const toPage = ({ rowShape }: RowStatement, entities: readonly Row[]): Maybe<Page> =>
    counted({ entities: readableRows(entities, rowShape), rowShape }, entities.length, reader, query, execution);
  const readWhole = (): Maybe<Page> => {
    const statement = reader.statements.page(query);
    return read(statement, (entities) => toPage(statement, entities));
  };
  const keysFirst = reader.statements.keysFirst(query);
  if (keysFirst === null) return readWhole();
  return read(keysFirst, (entities) => (mayMiss(entities, keysFirst) ? readWhole() : toPage(keysFirst, entities)));
}

/** Reads a page whose rows contain the total. */
function readWithTotal(rows: SqlRows, reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<Page> {
  const statement = reader.statements.page(query, true);
  const { rowShape, width } = statement;
  return chain(rows.all(statement, readSlots(statement.slots, execution), query), (entities): Maybe<Page> => {
    const [first] = entities;
    if (first !== undefined) {
      return { entities: readableRows(entities, rowShape), rowShape, count: Number(first[width - 1]) };
    }
    return counted({ entities, rowShape }, 0, reader, query, execution);
  });
}

/** Reads a page and its total with two statements, in one round trip if the driver can. */
async function readBoth(rows: SqlRows, reader: SqlReader, query: SourceQuery, execution: Execution): Promise<Page> {
  const { statements } = reader;
  const keysFirst = statements.keysFirst(query);
  const statement = keysFirst ?? statements.page(query);
  const reads = [statement, statements.total(query)].map((each) => {
    return { statement: each, parameters: readSlots(each.slots, execution) };
  });
  const [entities = [], found = []] = await rows.each(reads, query);
  const count = toNumber(found[0]);
  if (keysFirst === null || !mayMiss(entities, keysFirst)) return rowPage(statement, entities, count);
  const whole = statements.page(query);
  return rowPage(whole, await rows.all(whole, readSlots(whole.slots, execution), query), count);
}

function rowPage({ rowShape }: RowStatement, entities: readonly Row[], count: number): Page {
  return { entities: readableRows(entities, rowShape), rowShape, count };
}

/** Adds the total to a page if it is requested. */
function counted(page: Page, length: number, reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<Page> {
  if (!query.count) return page;
  const known = knownTotal(query, length) ?? readTotal(reader, query, execution);
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
  return rows.number(statement, readSlots(statement.slots, execution), query);
}
