import { chain, type Maybe } from "../../base/maybe.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { ServiceContext } from "../../engine/rules/row-access.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import type { Execution } from "./execution.ts";
import { plannedWrites } from "./planned-writes.ts";

/** The steps of a write that may be a transaction of its own. */
interface SettledWrite<Result> {
  readonly execute: (inner: Execution) => Maybe<Result>;
  /** Reads the result again, without the content of the response. */
  readonly refresh: (result: Result, inner: Execution) => Maybe<Result>;
  /** Reads the content of the response. */
  readonly content: (result: Result) => Maybe<Result>;
}

/**
 * Executes a write. If triggers of its database run at the end of a transaction, it is one, which reads the result again after
 * them. What only the response needs is read after the transaction: it holds no locks, and its errors undo nothing.
 * @see docs/reference/table-writes.md
 */
export function executeSettled<Result>(
  { path, arrival }: AuthorizedRequest,
  execution: Execution,
  steps: SettledWrite<Result>,
): Maybe<Result> {
  const { definition } = execution.service;
  if (!("entitySet" in path)) return steps.execute(execution);
  const { database, settle } = definitionIn(definition, path.entitySet);
  if (database === undefined || settle === undefined) return steps.execute(execution);
  const { reader } = execution;
  const settled = async (): Promise<Result> => {
    const writes = plannedWrites(definition, path, arrival.odata.method);
    if (writes.length === 0 || writes.some(({ by }) => by === "handler")) return steps.execute(execution);
    const call = { database, isRepeatable: writes.every(({ by }) => by === "table") };
    const left = await ServiceContext.atomically(reader.context, call, async (context) => {
      const inner = execution.within({ ...reader, context }, true);
      const result = await steps.execute(inner);
      await settle(context);
      return steps.refresh(result, inner);
    });
    return steps.content(left);
  };
  return chain(database.defers(reader.context), (defers) => (defers ? settled() : steps.execute(execution)));
}
