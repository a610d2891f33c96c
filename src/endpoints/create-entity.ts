import { chain, type Maybe } from "../base/maybe.ts";
import { WRITTEN_ENTITY_OPTIONS } from "../binder/option-rules.ts";
import type { EntitySet } from "../edm/model.ts";
import { protocolError } from "../errors/odata-error.ts";
import { answeredValue } from "../execution/entities/handler-answer.ts";
import { type Reader, definitionIn } from "../execution/entities/reader.ts";
import { authorizeNested } from "../execution/rules/authorize-nested.ts";
import { runCreate } from "../execution/writes/write-entity.ts";
import { entityContext } from "../payload/context-url.ts";
import { authorizeCreation } from "./addressed-entity.ts";
import { bindEntity } from "./bind-query.ts";
import { entityResult } from "./entity-result.ts";
import { type Endpoint, routed } from "./exchange.ts";
import { entitySetOf } from "./read-collection.ts";
import { readJsonFormat } from "./read-options.ts";
import { openBody } from "./request-body.ts";

/**
 * `POST /Set`: creates an entity, with nested entities where the set allows deep insert.
 * @throws ODataError for negotiation, the body, a query option, a rule; the error of the handler
 * @see docs/reference/writing.md
 */
export const createEntity: Endpoint = (exchange, path) => {
  const entitySet = entitySetOf(path);
  const { handlers, settings, target, bodies } = exchange.entitySet(entitySet);
  const create = routed(handlers.create, `POST ${entitySet.name}`);
  const format = readJsonFormat(exchange);
  const body = openBody(exchange, entitySet);
  const query = bindEntity(exchange, target, WRITTEN_ENTITY_OPTIONS);
  const { allowDeepInsert } = settings;
  return chain(
    body.read((json, ieee754Compatible) => bodies.readNew(json, ieee754Compatible)),
    (given) => {
      const authorized = chain(authorizeCreation(exchange, entitySet, given), () =>
        allowDeepInsert && exchange.service.hasRules
          ? authorizeNested(exchange.context, definitionIn(exchange.service.definition, entitySet), given)
          : undefined,
      );
      const created = chain(authorized, () => callCreate(entitySet, given, exchange.reader));
      return chain(created, (entity) =>
        entityResult(exchange, format, {
          origin: entitySet,
          query,
          outcome: "created",
          entity,
          handler: create,
          inserted: allowDeepInsert ? given : null,
          contextUrl: (contextSelect) => entityContext(exchange.serviceRoot, entitySet, contextSelect),
        }),
      );
    },
  );
};

/**
 * Returns the entity that a create handler saved.
 * @throws ODataError `InvalidBody` when it returned null; the error of the handler
 */
export function callCreate(entitySet: EntitySet, given: object, reader: Reader): Maybe<unknown> {
  return chain(runCreate(entitySet, given, reader), (answer) => {
    const saved = answeredValue(answer);
    if (saved === null || saved === undefined) throw protocolError("InvalidBody", "Post handler returned null.");
    return saved;
  });
}
