import { bindNoQuery } from "../binder/bind-query-options.ts";
import { checkOptions } from "../binder/check-capabilities.ts";
import { REMOVED_LINK_OPTIONS } from "../binder/option-rules.ts";
import type { Answer } from "../definition/handlers.ts";
import { protocolError } from "../errors/odata-error.ts";
import { chain } from "../execution/chain.ts";
import { orThrow, type MaybeResult } from "../execution/handler-answer.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { readReference } from "../payload/read-reference.ts";
import { checkPreconditions } from "./current-entity.ts";
import type { Endpoint, Exchange } from "./exchange.ts";
import { bindParentKey, navigationOf, type Navigation } from "./read-navigation.ts";
import { readJsonFormat, readOptions } from "./read-options.ts";
import { openBody } from "./request-body.ts";
import { noContentResponse } from "./response.ts";

/**
 * `POST /Set(key)/Nav/$ref`: adds a link to a collection. The handler gets the `@odata.id` as it was sent.
 * @throws ODataError for negotiation, the key, the body, a precondition, or what the handler answered
 * @see specification, Navigation routes, 6
 */
export const addReference: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  const { addRef } = navigation.runtime.source.handlers;
  if (addRef === undefined) throw noHandler(navigation);
  return writeLink(exchange, navigation, (key, id) => addRef(key, id, exchange.context));
};

/**
 * `PUT /Set(key)/Nav/$ref`: sets the link of a single-valued navigation property.
 * @throws ODataError as for adding a link
 * @see specification, Navigation routes, 6
 */
export const setReference: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  const { setRef } = navigation.runtime.source.handlers;
  if (setRef === undefined) throw noHandler(navigation);
  return writeLink(exchange, navigation, (key, id) => setRef(key, id, exchange.context));
};

/**
 * `DELETE /Set(key)/Nav/$ref`: removes the link of a single-valued navigation property, or, with `$id`, one of those
 * of a collection.
 * @throws ODataError for negotiation, the key, a query option, a precondition, or what the handler answered
 * @see specification, Navigation routes, 6; decisions, Writing
 */
export const removeReference: Endpoint = (exchange, path) => {
  const navigation = navigationOf(exchange, path);
  const { isCollection } = navigation.navigationProperty;
  const { removeRef } = navigation.runtime.source.handlers;
  if (removeRef === undefined) throw noHandler(navigation);
  readJsonFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  const id = isCollection ? readId(exchange, navigation) : null;
  if (id === null) bindNoQuery(readOptions(exchange));
  const { context } = exchange;
  return writeBelow(exchange, navigation, key, () =>
    id === null ? removeRef(key, context) : removeRef(key, id, context),
  );
};

/** Reads the reference of the body, and hands it to the handler. */
function writeLink(
  exchange: Exchange,
  navigation: Navigation,
  write: (key: unknown, id: string) => Answer<void>,
): MaybeResult<ODataResponse> {
  readJsonFormat(exchange);
  const key = bindParentKey(exchange, navigation);
  const body = openBody(exchange, navigation.entitySet);
  bindNoQuery(readOptions(exchange));
  return chain(
    body.read((json) => readReference(json)),
    (id) => writeBelow(exchange, navigation, key, () => write(key, id)),
  );
}

/** Links are part of the parent, so the parent's ETag guards them. */
function writeBelow(
  exchange: Exchange,
  { entitySet }: Navigation,
  key: unknown,
  write: () => Answer<void>,
): MaybeResult<ODataResponse> {
  return chain(checkPreconditions(exchange, { entitySet, key }), () =>
    chain(write(), (answer) => {
      orThrow(answer);
      return noContentResponse();
    }),
  );
}

/** The link to remove: a collection has many. */
function readId(exchange: Exchange, { navigationProperty }: Navigation): string {
  const { system } = readOptions(exchange);
  checkOptions(system.keys(), REMOVED_LINK_OPTIONS, null);
  const id = system.get("$id");
  if (id !== undefined && id.trim() !== "") return id;
  throw protocolError(
    "InvalidQueryOption",
    `'${navigationProperty.name}' is a collection: say which link to remove, as $id with the @odata.id of the entity.`,
    { target: "$id" },
  );
}

function noHandler({ entitySet, navigationProperty }: Navigation): Error {
  return new Error(`${entitySet.name}/${navigationProperty.name} has a route for its links, but no handler.`);
}
