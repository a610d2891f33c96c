import { chain } from "../base/maybe.ts";
import { bindEntityKey } from "../binder/bind-key.ts";
import { readExpandedByKey } from "../execution/reads/read-by-key.ts";
import { entityContext } from "../payload/context-url.ts";
import { planExpand } from "../plan/plan-expand.ts";
import { propertiesToRead } from "../plan/properties-to-read.ts";
import type { EntityPath, ResourcePath } from "../query/resource-path.ts";
import { addressEntity, entityNotFound } from "./addressed-entity.ts";
import { bindEntity } from "./bind-query.ts";
import { checkMissingMatch } from "./current-entity.ts";
import { entityResponse, expandUnlessKnown } from "./entity-response.ts";
import { readJsonFormat } from "./read-options.ts";
import { runtimeOf } from "./service-runtime.ts";
import { type Endpoint, inPlannedStages } from "./stages.ts";

/**
 * `GET /Set(key)`: one entity; 304 when the client has it, 404 when it is missing.
 * @throws ODataError for negotiation, the key, a query option, a missing entity, a rule; the error of the handler
 * @see OData Protocol 4.0, section 11.2.2; docs/reference/etags.md
 */
export const readEntity: Endpoint = inPlannedStages({
  bind: (request) => {
    const { entitySet, key: keyText } = entityPathOf(request.path);
    const { target, settings } = runtimeOf(request.service, entitySet);
    const format = readJsonFormat(request);
    const key = bindEntityKey(keyText, entitySet.entityType, request.options.options.aliases, entitySet.name);
    return { origin: entitySet, keyText, key, format, query: bindEntity(request, target), settings };
  },
  plan: (bound, { service }) => ({ ...bound, plan: planExpand(bound.query.selectExpand, service.definition) }),
  execute: (entityPlan, execution) => {
    const { origin, keyText, key, query, plan, settings } = entityPlan;
    const selected = (): ReturnType<typeof propertiesToRead> =>
      // The links in the response contain the key, even if it is not selected.
      propertiesToRead(origin, query.selectExpand, {
        key: true,
        pushdown: settings.selectPushdownEnabled,
        join: plan?.joinProperties,
      });
    const found = chain(addressEntity(execution, { entitySet: origin, key }), (addressed) => {
      // An entity that was loaded whole for a rule is read again only for expansions.
      if (addressed === null || (addressed !== undefined && plan === null)) return addressed;
      return readExpandedByKey(origin, key, execution.reader, selected, { plan, values: query.values });
    });
    return chain(found, (entity) => {
      if (entity !== null) return expandUnlessKnown(execution, entityPlan, entity);
      checkMissingMatch(execution, origin);
      throw entityNotFound(origin, keyText);
    });
  },
  write: (result, { format, origin, query }, request) => {
    const contextUrl = entityContext(request.serviceRoot, origin, query.selectExpand.contextSelect);
    return entityResponse(request, { format, origin, query, contextUrl }, result);
  },
});

/** Returns the entity that a path addresses; the route table passes no other path. */
export function entityPathOf(path: ResourcePath): EntityPath {
  if (path.kind === "entity") return path;
  throw new Error(`A path of kind ${path.kind} addresses no entity.`);
}
