import {
  AndNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  ParensNode,
  type QueryId,
  RawNode,
  type SelectQueryNode,
  sql,
  WhereNode,
} from "kysely";
import type { Alive } from "../../forms/dialect-profile.ts";

/** The function that `sqliteDialect` registers. It returns 1, or ends the statement. */
const CALL = "odata_alive()";

/** Writes the function before the other conditions of each `select` of a query. */
class AliveSelects extends OperationNodeTransformer {
  protected override transformSelectQuery(node: SelectQueryNode, queryId?: QueryId): SelectQueryNode {
    const select = super.transformSelectQuery(node, queryId);
    if (select.from === undefined) return select;
    const call = RawNode.createWithSql(`likelihood(${CALL}, 1.0)`);
    const all = select.where === undefined ? call : AndNode.create(call, ParensNode.create(select.where.where));
    return { ...select, where: WhereNode.create(all) };
  }
}

const SELECTS = new AliveSelects();

/**
 * The conditions that end a statement of `sqliteDialect`: they call its function `odata_alive()`. A call costs ten times as
 * much as the remainder of a row id, and keeps 16 bytes until the statement ends. 1021 is prime, so ids in steps meet it, too.
 * Without `likelihood`, SQLite would expect fewer rows of each condition, and scan some tables instead of making an index.
 * @see docs/decisions/0026-reader-threads.md
 */
export const SQLITE_ALIVE: Alive = Object.freeze<Alive>({
  // A view, and a table that is `without rowid`, have none.
  hasRowIds: (table, reader) => {
    try {
      return reader.readRows(`select _rowid_ from ${table} limit 0`, []).length === 0;
    } catch {
      return false;
    }
  },
  ofRowIds: (alias) => sql`likelihood(iif(${sql.id(alias)}._rowid_ % 1021, 1, ${sql.raw(CALL)}), 1.0)`,
  // Most lists are short: their first items need no call.
  ofItems: (alias) => sql`likelihood(iif((${sql.id(alias, "key")} + 1) % 1021, 1, ${sql.raw(CALL)}), 1.0)`,
  // The function returns 1, so the column is never read. A plus keeps an index from serving it.
  ofRows: (column) => sql`likelihood(${sql.raw(CALL)} or +${column} = 0, 1.0)`,
  inSelects: Object.freeze<KyselyPlugin>({
    transformQuery: ({ node, queryId }) => SELECTS.transformNode(node, queryId),
    transformResult: ({ result }) => Promise.resolve(result),
  }),
});
