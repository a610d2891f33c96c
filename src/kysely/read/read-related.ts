import { chain, type Maybe } from "../../base/maybe.ts";
import type { Row, RowShape } from "../../query/row-shape.ts";
import type { RelatedPage, RelatedQuery } from "../../query/source.ts";
import { readableRows } from "../../query/unreadable-cells.ts";
import { readSlots, toExecution, type Execution } from "../statement/parameter-slot.ts";
import { baseOf } from "./read-page.ts";
import type { SqlReader } from "./sql-reader.ts";

const NO_ROWS: readonly Row[] = Object.freeze([]);

/**
 * Reads the entities that are related to many parents with one statement. A second statement reads their counts, if they
 * are requested and the rows do not imply them.
 * @throws ODataError for a query that cannot be expressed in SQL; errors of the database
 */
export function readRelatedPage(reader: SqlReader, query: RelatedQuery): Maybe<RelatedPage> {
  const { values, keys, skip, top, maxRows, sources } = query;
  const statement = reader.statements.related.entities(query);
  // The shape is returned even without rows: the writer of the response needs it.
  const { rowShape } = statement;
  if (keys.length === 0 || reader.hidesAll === true) return none(query, rowShape);
  const execution = toExecution({ values, keys, top, skip, maxRows, base: baseOf(reader, sources) });
  if (top === 0) {
    if (!query.count) return none(query, rowShape);
    return chain(readCounts(reader, query, execution), (counts) => ({ ...none(query, rowShape), counts }));
  }
  const run = reader.rows.within(query.transaction);
  const parameters = readSlots(statement.slots, execution);
  if (query.count && run.local === null) {
    const counts = reader.statements.related.counts(query);
    const reads = [
      { statement, parameters },
      { statement: counts, parameters: readSlots(counts.slots, execution) },
    ];
    return run.each(reads, query).then(([found = [], counted = []]) => {
      return {
        rowShape,
        related: groupByKey(readableRows(found, rowShape), keys.length),
        counts: toCounts(counted, query),
      };
    });
  }
  return chain(run.all(statement, parameters, query), (found): Maybe<RelatedPage> => {
    const related = groupByKey(readableRows(found, rowShape), keys.length);
    const page = { rowShape, related };
    if (!query.count) return page;
    const known = knownCounts(query, related, found.length) ?? readCounts(reader, query, execution);
    return chain(known, (counts) => ({ ...page, counts }));
  });
}

function none({ keys, count }: RelatedQuery, rowShape: RowShape): RelatedPage {
  const related = keys.map(() => NO_ROWS);
  return { rowShape, related, ...(count && { counts: keys.map(() => 0) }) };
}

/** Groups rows by key: they are sorted by key and start with the position of their key. */
function groupByKey(rows: readonly Row[], length: number): readonly (readonly Row[])[] {
  const related: (readonly Row[])[] = [];
  let start = 0;
  for (let ordinal = 0; ordinal < length; ordinal += 1) {
    let end = start;
    while (end < rows.length && Number(rows[end]?.[0]) === ordinal) end += 1;
    related.push(end === start ? NO_ROWS : rows.slice(start, end));
    start = end;
  }
  if (start < rows.length) throw new Error("The database returned related rows out of the order of their keys.");
  return related;
}

/** Returns the counts that the rows imply: with fewer rows than requested for every key, there are no more. */
function knownCounts(
  { top, skip, maxRows }: RelatedQuery,
  related: readonly (readonly Row[])[],
  found: number,
): readonly number[] | undefined {
  if (maxRows !== undefined && found >= maxRows) return undefined;
  const isKnown = ({ length }: readonly Row[]): boolean =>
    (top === undefined || length < top) && (length > 0 || skip === 0);
  return related.every(isKnown) ? related.map(({ length }) => (length === 0 ? 0 : skip + length)) : undefined;
}

function readCounts(reader: SqlReader, query: RelatedQuery, execution: Execution): Maybe<readonly number[]> {
  const statement = reader.statements.related.counts(query);
  const run = reader.rows.within(query.transaction);
  const rows = run.all(statement, readSlots(statement.slots, execution), query);
  return chain(rows, (found) => toCounts(found, query));
}

/** Returns the count of each key: keys without related entities have no row. */
function toCounts(rows: readonly Row[], { keys }: RelatedQuery): readonly number[] {
  const counts = keys.map(() => 0);
  for (const [ordinal, count] of rows) counts[Number(ordinal)] = Number(count);
  return counts;
}
