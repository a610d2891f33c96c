import { chain } from "../base/maybe.ts";
import { bindEntityKey } from "../binder/bind-key.ts";
import { bindNoQuery } from "../binder/bind-query-options.ts";
import { answeredValue } from "../execution/entities/handler-answer.ts";
import { runDelete } from "../execution/writes/write-entity.ts";
import { addressEntity } from "./addressed-entity.ts";
import { checkPreconditions, missingEntityError } from "./current-entity.ts";
import type { Endpoint } from "./exchange.ts";
import { entityPathOf } from "./read-entity.ts";
import { readJsonFormat, readOptions } from "./read-options.ts";
import { entityNotFound } from "./read-property.ts";
import { noContentResponse } from "./response.ts";

/**
 * `DELETE /Set(key)`: 204, also for a missing entity unless the set returns 404.
 * @throws ODataError for negotiation, the key, a query option, a precondition; the error of the handler
 * @see docs/reference/writing.md
 */
export const deleteEntity: Endpoint = (exchange, path) => {
  const { entitySet, key } = entityPathOf(path);
  const { settings } = exchange.entitySet(entitySet);
  readJsonFormat(exchange);
  const value = bindEntityKey(key, entitySet.entityType, exchange.options.options.aliases, entitySet.name);
  bindNoQuery(readOptions(exchange));
  return chain(addressEntity(exchange, { entitySet, key: value }), (addressed) => {
    const current = checkPreconditions(exchange, { entitySet, key: value, addressed });
    return chain(current, ({ state, expected }) => {
      // If a rule or a precondition found no entity, the handler is not called.
      const isMissing = addressed === null || state === "missing";
      const deleted = isMissing ? false : runDelete(entitySet, value, exchange.writer(expected));
      return chain(deleted, (answer) => {
        const isDeleted: unknown = answeredValue(answer);
        if (typeof isDeleted !== "boolean") {
          throw new TypeError(`The delete handler of ${entitySet.name} did not return true or false.`);
        }
        if (!isDeleted) {
          const error = missingEntityError(exchange, () => entityNotFound(entitySet, key), expected);
          if (error.status !== 404 || !settings.idempotentDelete) throw error;
        }
        return noContentResponse(exchange);
      });
    });
  });
};
