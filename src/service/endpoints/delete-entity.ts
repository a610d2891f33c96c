import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySet } from "../../edm/model.ts";
import { answeredDeletion, answeredValue } from "../../engine/entities/handler-answer.ts";
import { runDelete } from "../../engine/writes/write-entity.ts";
import { bindEntityKey } from "../../language/binder/bind-key.ts";
import { bindNoQuery } from "../../language/binder/bind-query-options.ts";
import { readJsonFormat, readOptions } from "./bind-query.ts";
import { addressEntity, entityNotFound, checkPreconditions, missingEntityError } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { executeJudged } from "./judged-write.ts";
import { entityPathOf } from "./read-entity.ts";
import { runtimeOf } from "./service-runtime.ts";
import { noContentResponse, type Endpoint, inStages, routed } from "./stages.ts";

/**
 * `DELETE /Set(key)`: 204, also for a missing entity unless the set returns 404.
 * @throws ODataError for negotiation, the key, a query option, a precondition; the error of the handler
 * @see docs/reference/writing.md
 */
export const deleteEntity: Endpoint = inStages({
  bind: (request) => {
    const { entitySet, key: keyText } = entityPathOf(request.path);
    readJsonFormat(request);
    const key = bindEntityKey(keyText, entitySet.entityType, request.options.options.aliases, entitySet.name);
    bindNoQuery(readOptions(request));
    return { entitySet, keyText, key };
  },
  execute: (bound, execution) => deleteOne(execution, bound),
  write: (_deleted, _bound, request) => noContentResponse(request),
});

/** Deletes an entity. @throws ODataError as for deleteEntity */
export function deleteOne(execution: Execution, deleted: DeletedEntity): Maybe<void> {
  const { entitySet, key } = deleted;
  const handler = routed(runtimeOf(execution.service, entitySet).handlers.delete, `DELETE ${entitySet.name}`);
  const isJudged = execution.access.pending.length > 0;
  return executeJudged(execution, { entitySet, key, handler }, isJudged, (inner) => deleteStored(inner, deleted));
}

/** An entity to delete. */
interface DeletedEntity {
  readonly entitySet: EntitySet;
  /** The key as written in the URL. */
  readonly keyText: string;
  readonly key: unknown;
}

async function deleteStored(execution: Execution, { entitySet, keyText, key }: DeletedEntity): Promise<void> {
  const addressed = await addressEntity(execution, { entitySet, key });
  return chain(checkPreconditions(execution, { entitySet, key, addressed }), async ({ state, expected }) => {
    // If a rule or a precondition found no entity, the handler is not called.
    const isMissing = addressed === null || state === "missing";
    const answer = isMissing ? false : await runDelete(entitySet, key, execution.writer(expected));
    if (answeredDeletion(answeredValue(answer), entitySet)) return;
    const error = missingEntityError(execution, () => entityNotFound(entitySet, keyText), expected);
    const { idempotentDelete } = runtimeOf(execution.service, entitySet).settings;
    if (error.status !== 404 || !idempotentDelete) throw error;
  });
}
