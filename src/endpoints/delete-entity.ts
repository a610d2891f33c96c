import { chain } from "../base/maybe.ts";
import { bindEntityKey } from "../binder/bind-key.ts";
import { bindNoQuery } from "../binder/bind-query-options.ts";
import { answeredDeletion, answeredValue } from "../execution/entities/handler-answer.ts";
import { runDelete } from "../execution/writes/write-entity.ts";
import { readJsonFormat, readOptions } from "./bind-query.ts";
import { addressEntity, entityNotFound, checkPreconditions, missingEntityError } from "./current-entity.ts";
import { entityPathOf } from "./read-entity.ts";
import { runtimeOf } from "./service-runtime.ts";
import { noContentResponse, type Endpoint, inStages } from "./stages.ts";

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
  execute: ({ entitySet, keyText, key }, execution) =>
    chain(addressEntity(execution, { entitySet, key }), (addressed) => {
      const current = checkPreconditions(execution, { entitySet, key, addressed });
      return chain(current, ({ state, expected }) => {
        // If a rule or a precondition found no entity, the handler is not called.
        const isMissing = addressed === null || state === "missing";
        const deleted = isMissing ? false : runDelete(entitySet, key, execution.writer(expected));
        return chain(deleted, (answer) => {
          if (answeredDeletion(answeredValue(answer), entitySet)) return;
          const error = missingEntityError(execution, () => entityNotFound(entitySet, keyText), expected);
          const { idempotentDelete } = runtimeOf(execution.service, entitySet).settings;
          if (error.status !== 404 || !idempotentDelete) throw error;
        });
      });
    }),
  write: (_deleted, _bound, request) => noContentResponse(request),
});
