import { chain, recover, type Maybe } from "../../base/maybe.ts";
import type { EntitySource } from "../../definition/handlers.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { NavigationJoin } from "../../edm/model.ts";
import type { Page, QueryableSource, RelationalSource, RowRestriction, SourceQuery } from "../../query/source.ts";
import { toExecution } from "../statement/parameter-slot.ts";
import { isJoinedLocally } from "../translate/join-navigation.ts";
import type { Rows } from "../translate/relation.ts";
import { openPageStream } from "./open-page-stream.ts";
import { readRow } from "./read-entity.ts";
import { baseOf, readPage, statementOf } from "./read-page.ts";
import { readRelatedPage } from "./read-related.ts";
import { findReader, RowSource } from "./row-source.ts";
import type { SqlReader } from "./sql-reader.ts";
import { explainUnsupported, type RefusableQuery } from "./unsupported-query.ts";

class SqlRowSource<E extends EntityTypeDeclaration> extends RowSource<E> {
  declare readonly reader: SqlReader;
}

/** Makes the source over a reader. */
export function sourceOf<E extends EntityTypeDeclaration>(type: E, reader: SqlReader): EntitySource<E> {
  const { key: keyProperties } = declaredEntityType(type);
  const { name, capabilities } = reader.profile;
  const explained = <T>(read: () => Maybe<T>, query: RefusableQuery): Maybe<T> =>
    capabilities.joins
      ? read()
      : recover(read, (error) => {
          throw explainUnsupported(error, query, name);
        });
  const { hidesAll = false } = reader;
  const prepare = (query: SourceQuery): Maybe<undefined> => reader.statements.prepare(query, reader.rows);
  const source = new SqlRowSource(type, reader, {
    read: (query) =>
      hidesAll
        ? explained(() => emptyPage(reader, query), query)
        : explained(() => chain(prepare(query), () => readPage(reader, query)), query),
    stream: (query) =>
      hidesAll ? null : explained(() => chain(prepare(query), () => openPageStream(reader, query)), query),
    relational: Object.freeze<RelationalSource>({
      joinsExpansions: capabilities.joins || joinsLocally,
      joins: (other) => findReader(other)?.rows === reader.rows,
      readRow: (key, selected, joins, scope) =>
        hidesAll
          ? null
          : explained(() => readRow(reader, keyProperties, { key, selected, joins, ...scope }), joins ?? {}),
      readRelated: (query) => explained(() => readRelatedPage(reader, query), query.shape),
    }),
    restrict: (restriction) => sourceOf(type, narrowedReader(reader, restriction)),
  });
  return Object.freeze(source);
}

/** Whether a distributed database joins an expansion on each machine. */
function joinsLocally(join: NavigationJoin, parents: QueryableSource, target: QueryableSource): boolean {
  const [from, to] = [placedRows(parents), placedRows(target)];
  return from !== undefined && to !== undefined && isJoinedLocally(join, from, to);
}

function placedRows(source: QueryableSource): (Pick<Rows, "placement"> & { readonly rows: Rows }) | undefined {
  const rows = findReader(source)?.statements.rowsFor(null);
  return rows === undefined ? undefined : { rows, placement: rows.placement };
}

/** Returns the reader of a source; undefined for a source without a database. */
export function sqlReaderOf(source: QueryableSource): SqlReader | undefined {
  return source instanceof SqlRowSource ? source.reader : undefined;
}

/** Returns the page of a source without visible rows. @throws as `statementOf`: what a query may ask does not depend on rows */
function emptyPage(reader: SqlReader, query: SourceQuery): Page {
  const { count } = query;
  statementOf(reader, query);
  return { entities: [], ...(count && { count: 0 }) };
}

/** The condition of visible rows; without `sources` it uses no related rows. */
type Narrowing = Pick<RowRestriction, "filter" | "values" | "hidesAll"> & Partial<Pick<RowRestriction, "sources">>;

/**
 * Makes a reader of only the rows that meet a condition. Its statements are compiled once per filter, for all values.
 * @throws Error if the condition navigates to rows of another database
 */
export function narrowedReader(reader: SqlReader, { filter, values, sources, hidesAll }: Narrowing): SqlReader {
  checkJoinable(reader, sources);
  const condition = toExecution({ values, base: baseOf(reader, sources) });
  const narrowed = { ...reader, statements: reader.statements.narrowed(filter, sources), parameters: [condition] };
  return Object.freeze(hidesAll === true ? { ...narrowed, hidesAll } : narrowed);
}

/** @throws Error if a condition navigates to rows that cannot be in the same statement as those of the reader */
export function checkJoinable({ rows }: SqlReader, sources: RowRestriction["sources"] | undefined): void {
  if (sources === undefined) return;
  for (const [{ name }, source] of sources) {
    if (findReader(source)?.rows === rows) continue;
    throw new Error(
      `A row rule navigates to ${name}, which is not in the same database: use sets with the same \`db\`, either all \`distributed\` or none.`,
    );
  }
}
