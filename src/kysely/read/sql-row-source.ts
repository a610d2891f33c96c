import type { EntitySource } from "../../definition/sets/handlers.ts";
import { declaredEntityType } from "../../definition/types/entity-type.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { QueryableSource, RelationalSource, RowRestriction } from "../../query/source.ts";
import { toExecution } from "../statement/parameter-slot.ts";
import { readRow } from "./read-entity.ts";
import { baseOf, readPage } from "./read-page.ts";
import { readRelated } from "./read-related.ts";
import { findReader, RowSource } from "./row-source.ts";
import type { SqlReader } from "./sql-reader.ts";

class SqlRowSource<E extends EntityTypeDeclaration> extends RowSource<E> {
  declare readonly reader: SqlReader;
}

/** Makes the source of a reader. */
export function sourceOf<E extends EntityTypeDeclaration>(type: E, reader: SqlReader): EntitySource<E> {
  const { key: keyProperties } = declaredEntityType(type);
  const source = new SqlRowSource(type, reader, {
    read: (query) => readPage(reader, query),
    relational: Object.freeze<RelationalSource>({
      joinsExpansions: reader.profile.capabilities.joins,
      joins: (other) => findReader(other)?.rows === reader.rows,
      readRow: (key, selected, joins, transaction) =>
        readRow(reader, keyProperties, { key, selected, joins, transaction }),
      readRelated: (query) => readRelated(reader, query),
    }),
    restrict: (restriction) => sourceOf(type, narrowedReader(reader, restriction)),
  });
  return Object.freeze(source);
}

/** What reads the rows of a source; undefined for one that is over no database. */
export function sqlReaderOf(source: QueryableSource): SqlReader | undefined {
  return source instanceof SqlRowSource ? source.reader : undefined;
}

/** Which rows are there; without `sources`: as the rows alone tell. */
type Narrowing = Pick<RowRestriction, "filter" | "values"> & Partial<Pick<RowRestriction, "sources">>;

/**
 * Makes what reads only the rows that meet a condition. Its statements are compiled once per filter, whatever the values.
 * @throws Error where the condition leads to rows of another database
 */
export function narrowedReader(reader: SqlReader, { filter, values, sources }: Narrowing): SqlReader {
  checkJoinable(reader, sources);
  const condition = toExecution({ values, base: baseOf(reader, sources) });
  return Object.freeze({ ...reader, statements: reader.statements.narrowed(filter, sources), parameters: [condition] });
}

/** @throws Error where a condition leads to rows that stand in no statement with those of the reader */
export function checkJoinable({ rows }: SqlReader, sources: RowRestriction["sources"] | undefined): void {
  if (sources === undefined) return;
  for (const [{ name }, source] of sources) {
    if (findReader(source)?.rows === rows) continue;
    throw new Error(
      `A row rule leads to ${name}, which is not in the same database: give sets of one \`db\`, all \`distributed\` or none.`,
    );
  }
}
