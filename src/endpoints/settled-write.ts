import { chain, type Maybe } from "../base/maybe.ts";
import { definitionIn } from "../execution/entities/reader.ts";
import { ServiceContext } from "../execution/rules/row-access.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import type { Execution } from "./execution.ts";
import { plannedWrites } from "./planned-writes.ts";

/**
 * Executes a write. If triggers of its database run at the end of a transaction, it is one, which reads the result again after
 * them.
 * @param refresh reads the result again
 * @see docs/reference/table-writes.md
 */
export function executeSettled<Result>(
  { path, arrival }: AuthorizedRequest,
  execution: Execution,
  execute: (inner: Execution) => Maybe<Result>,
  refresh: (result: Result, inner: Execution) => Maybe<Result>,
): Maybe<Result> {
  const { definition } = execution.service;
  if (!("entitySet" in path)) return execute(execution);
  const { database, settle } = definitionIn(definition, path.entitySet);
  if (database === undefined || settle === undefined) return execute(execution);
  const { reader } = execution;
  return chain(database.defers(reader.context), (defers): Maybe<Result> => {
    const writes = defers ? plannedWrites(definition, path, arrival.odata.method) : [];
    if (writes.length === 0 || writes.some(({ by }) => by === "handler")) return execute(execution);
    const call = { database, isRepeatable: writes.every(({ by }) => by === "table") };
    return ServiceContext.atomically(reader.context, call, async (context) => {
      const inner = execution.within({ ...reader, context });
      const result = await execute(inner);
      await settle(context);
      return refresh(result, inner);
    });
  });
}
