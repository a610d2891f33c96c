import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/service-definition.ts";
import { isODataError } from "../../errors/odata-error.ts";
import { tableOf } from "./sql-table.ts";

/**
 * Whether a set shows an entity to whoever asks: one whose rows the application chooses, by handlers of its own, may not.
 * Where it chooses them, and nothing reads one by its key, none is. To be asked before a transaction begins, for the
 * handlers of an application may wait for the same connection.
 * @throws ODataError that a handler answered
 */
export async function isShown(set: EntitySetDefinition, key: unknown, context: Context): Promise<boolean> {
  const { getByKey, queryable, getAll, applyQuery } = set.handlers;
  if (getByKey === undefined) {
    return getAll === undefined && applyQuery === undefined && (queryable === undefined || tableOf(queryable) !== null);
  }
  if (tableOf(getByKey) !== null) return true;
  const found: unknown = await (set.getSeen ?? getByKey)(key, context);
  if (isODataError(found)) throw found;
  return found !== null && found !== undefined;
}
