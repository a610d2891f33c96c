import { chain } from "../base/maybe.ts";
import { bindEntityKey } from "../binder/bind-key.ts";
import { readExpandedByKey } from "../execution/reads/read-by-key.ts";
import { entityContext } from "../payload/context-url.ts";
import { planExpand } from "../plan/plan-expand.ts";
import { propertiesToRead } from "../plan/properties-to-read.ts";
import type { EntityPath, ResourcePath } from "../query/resource-path.ts";
import { addressEntity } from "./addressed-entity.ts";
import { bindEntity } from "./bind-query.ts";
import { checkMissingMatch } from "./current-entity.ts";
import { entityResponse } from "./entity-response.ts";
import type { Endpoint } from "./exchange.ts";
import { readJsonFormat } from "./read-options.ts";
import { entityNotFound } from "./read-property.ts";

/**
 * `GET /Set(key)`: one entity; 304 when the client has it, 404 when it is missing.
 * @throws ODataError for negotiation, the key, a query option, a missing entity, a rule; the error of the handler
 * @see OData Protocol 4.0, section 11.2.2; docs/reference/etags.md
 */
export const readEntity: Endpoint = (exchange, path) => {
  const { entitySet, key } = entityPathOf(path);
  const { target, settings } = exchange.entitySet(entitySet);
  const format = readJsonFormat(exchange);
  const value = bindEntityKey(key, entitySet.entityType, exchange.options.options.aliases, entitySet.name);
  const query = bindEntity(exchange, target);
  const plan = planExpand(query.selectExpand, exchange.service.definition);
  const selected = (): ReturnType<typeof propertiesToRead> =>
    // The links in the response contain the key, even if it is not selected.
    propertiesToRead(entitySet, query.selectExpand, {
      key: true,
      pushdown: settings.selectPushdownEnabled,
      join: plan?.joinProperties,
    });
  const found = chain(addressEntity(exchange, { entitySet, key: value }), (addressed) => {
    // An entity that was loaded whole for a rule is read again only for expansions.
    if (addressed === null || (addressed !== undefined && plan === null)) return addressed;
    return readExpandedByKey(entitySet, value, exchange.reader, selected, { plan, values: query.values });
  });
  return chain(found, (entity) => {
    if (entity === null) {
      checkMissingMatch(exchange, entitySet);
      throw entityNotFound(entitySet, key);
    }
    const contextUrl = entityContext(exchange.serviceRoot, entitySet, query.selectExpand.contextSelect);
    return entityResponse(exchange, format, { origin: entitySet, query, contextUrl }, entity);
  });
};

/** Returns the entity that a path addresses; the route table passes no other path. */
export function entityPathOf(path: ResourcePath): EntityPath {
  if (path.kind === "entity") return path;
  throw new Error(`A path of kind ${path.kind} addresses no entity.`);
}
