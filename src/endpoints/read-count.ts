import { chain } from "../base/maybe.ts";
import { runCount } from "../execution/run-collection.ts";
import { bindCount } from "./bind-query.ts";
import type { Endpoint } from "./exchange.ts";
import { entitySetOf } from "./read-collection.ts";
import { readTextFormat } from "./read-options.ts";
import { okResponse } from "./response.ts";

/**
 * `GET /Set/$count`: the number of entities that `$filter` leaves, as text.
 * @throws ODataError for negotiation, a query option, or what the handler answered
 * @see specification, Collection read, `$count`; decisions, Reading
 */
export const readCount: Endpoint = (exchange, path) => {
  const entitySet = entitySetOf(path);
  const { target, form, handlers } = exchange.entitySet(entitySet);
  const contentType = readTextFormat(exchange);
  const query = bindCount(exchange, target);
  if (form === undefined) throw new Error(`${entitySet.name} has a route for counting, but no handler.`);
  return chain(runCount(form, query, { handlers, entitySet }, exchange.reader), (count) =>
    okResponse(exchange, contentType, String(count)),
  );
};
