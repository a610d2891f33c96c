import { chain } from "../base/maybe.ts";
import type { ODataError } from "../errors/odata-error.ts";
import { answeredValue } from "../execution/handler-answer.ts";
import { runCreateRelated } from "../execution/write-entity.ts";
import { entityContext } from "../payload/context-url.ts";
import { requireEntity } from "./addressed-entity.ts";
import { authorizeCreationAlong } from "./authorize-created.ts";
import { bindEntity } from "./bind-query.ts";
import { checkPreconditions, missingEntityError } from "./current-entity.ts";
import { entityResult } from "./entity-result.ts";
import { type Endpoint, routed } from "./exchange.ts";
import { navigationContext } from "./navigation-answer.ts";
import { bindParentKey, navigationOf, noParent, optionsOf } from "./read-navigation.ts";
import { readJsonFormat } from "./read-options.ts";
import { openBody } from "./request-body.ts";

/**
 * `POST /Set(key)/Nav`: creates a related entity in a collection. It has a URL where the navigation has a target set.
 * @throws ODataError for negotiation, the key, the body, a query option, a precondition, a missing parent; the error of
 * the handler
 * @see docs/reference/navigation.md
 */
export const createRelated: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  const { entitySet, navigationProperty, runtime } = navigation;
  const { origin } = runtime;
  const create = routed(runtime.source.handlers.create, `POST ${entitySet.name}/${navigationProperty.name}`);
  const format = readJsonFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  const body = openBody(exchange, entitySet);
  const query = bindEntity(exchange, runtime.target, optionsOf(exchange).entity);
  return chain(
    body.read((json, ieee754Compatible) => runtime.readNew(json, ieee754Compatible, key)),
    (given) => {
      const missing = (): ODataError => missingEntityError(exchange, () => noParent(navigation));
      const parent = requireEntity(exchange, { entitySet, key, mustBeSeen: true }, missing);
      const state = chain(parent, (addressed) =>
        chain(authorizeCreationAlong(exchange, navigation, { key, given, parent: addressed }), () =>
          checkPreconditions(exchange, { entitySet, key, addressed }),
        ),
      );
      const saved = chain(state, ({ expected }) => {
        const writer = exchange.writer(expected);
        return chain(runCreateRelated(runtime.source, create, key, given, writer), (answer) => answeredValue(answer));
      });
      return chain(saved, (entity) => {
        if (entity === null || entity === undefined) throw noParent(navigation);
        return entityResult(exchange, format, {
          origin,
          query,
          outcome: "upserted",
          entity,
          handler: create,
          inserted: null,
          contextUrl: (contextSelect) => {
            if (origin.kind === "EntitySet") return entityContext(exchange.serviceRoot, origin, contextSelect);
            return navigationContext(exchange, navigation, key, false, contextSelect);
          },
        });
      });
    },
  );
};
