import { chain, type Maybe } from "../../base/maybe.ts";
import type { JsonPage, Page, SourceQuery, SourcesBySet } from "../../query/source.ts";
import { readSlots, toExecution, type Execution } from "../statement/parameter-slot.ts";
import type { RowStatement } from "./compile-statement.ts";
import { readJson } from "./read-json.ts";
import { readerOfSource, type SourceReader } from "./row-source.ts";
import type { SqlReader } from "./sql-reader.ts";
import { toNumber } from "./sql-rows.ts";

const NO_ENTITIES: Pick<JsonPage, "entities"> = Object.freeze({ entities: Object.freeze([]) });

/**
 * Reads one page with one statement. A second statement reads the total, if it is requested and the page does not imply it.
 * A page of zero rows reads nothing.
 * @throws ODataError for a query that cannot be expressed in SQL; errors of the database
 */
export function readPage(reader: SqlReader, query: SourceQuery): Maybe<Page> {
  const { values, top, skip, state, maxEntities } = query;
  const maxRows = maxEntities ?? Number.MAX_SAFE_INTEGER;
  const execution = toExecution({ values, top, skip, maxRows, base: baseOf(reader, query.sources), state });
  if (query.top === 0) {
    if (!query.count) return NO_ENTITIES;
    return chain(readTotal(reader, query, execution), (count): Page => ({ ...NO_ENTITIES, count }));
  }
  return chain(readJson(reader, query, execution), (json) => {
    if (json === null) return readRows(reader, query, execution);
    return counted({ ...NO_ENTITIES, json }, json.length, reader, query, execution);
  });
}

/** Returns the statement that reads a page as rows, with its parameters. @throws as `readPage`, except errors of the database */
export function statementOf(
  reader: SqlReader,
  query: SourceQuery,
): { readonly statement: RowStatement; readonly parameters: readonly unknown[] } {
  const { values, top, skip, state, sources } = query;
  const execution = toExecution({ values, top, skip, base: baseOf(reader, sources), state });
  const statement = reader.statements.page(query);
  return { statement, parameters: readSlots(statement.slots, execution) };
}

function readRows(reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<Page> {
  const statement = reader.statements.page(query);
  const { rowShape } = statement;
  const rows = reader.rows.within(query.transaction);
  const parameters = readSlots(statement.slots, execution);
  if (query.count && rows.local === null) {
    const total = reader.statements.total(query);
    const reads = [
      { statement, parameters },
      { statement: total, parameters: readSlots(total.slots, execution) },
    ];
    return rows.each(reads, query).then(([entities = [], counted = []]): Page => {
      return { entities, rowShape, count: toNumber(counted[0]) };
    });
  }
  return chain(rows.all(statement, parameters, query), (entities): Maybe<Page> => {
    return counted({ entities, rowShape }, entities.length, reader, query, execution);
  });
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

/** Returns the total that a page implies: with fewer rows than requested, they are the last ones. */
function knownTotal({ skip, top }: SourceQuery, length: number): number | undefined {
  const isLast = top === undefined || length < top;
  return isLast && (length > 0 || skip === 0) ? skip + length : undefined;
}

function readTotal(reader: SqlReader, query: SourceQuery, execution: Execution): Maybe<number> {
  const statement = reader.statements.total(query);
  const rows = reader.rows.within(query.transaction);
  return rows.number(statement, readSlots(statement.slots, execution), query);
}
