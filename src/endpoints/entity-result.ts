import { chain, type Maybe } from "../base/maybe.ts";
import { selectAll } from "../binder/bind-select-expand.ts";
import { starAccessOf } from "../execution/rules/authorize-query.ts";
import { isSavedSeen } from "../execution/writes/check-written.ts";
import { readableGraph, readGraph, shapeOf, toExpanded, visibleGraph } from "../execution/writes/populated-graph.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { isEntity } from "../memory/entity.ts";
import type { EntityText } from "../payload/entity-text.ts";
import { entityUrl } from "../payload/entity-url.ts";
import { etagOf } from "../payload/etag.ts";
import type { PayloadFormat } from "../payload/payload-format.ts";
import { graphClause, type TargetOf } from "../plan/graph-clause.ts";
import type { BoundEntityQuery } from "../query/clauses.ts";
import { queryReaderOf } from "./bind-query.ts";
import { entityBody } from "./entity-response.ts";
import { entityWriterFor, type EntityOrigin } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";
import { createdResponse, jsonResponse, noContentResponse } from "./response.ts";

/** The kind of write that saved an entity. */
export type WriteOutcome = "patched" | "updated" | "created" | "upserted";

/** An entity as a handler saved it, and how to return it. */
interface EntityResult {
  /** The set or type of the entity. Without a set it has neither URL nor ETag. */
  readonly origin: EntityOrigin;
  readonly query: BoundEntityQuery;
  readonly outcome: WriteOutcome;
  /** The value that the handler returned; not null. */
  readonly entity: unknown;
  readonly handler: object;
  /**
   * The body of a deep insert, whose populated navigation properties are returned too unless a query option selects
   * otherwise. Null: they are not returned.
   */
  readonly inserted: unknown;
  contextUrl(contextSelect: readonly string[]): string;
}

/**
 * Makes the response of a write: 201 for a new entity, else 200; 204 when the client prefers no content. A hidden entity
 * is not returned: a handler may have found an existing one, or assigned it to another user.
 * @throws ODataError that a handler of an expansion returned or threw; Error for an entity that does not match the model
 * @see docs/reference/writing.md
 */
export function entityResult(exchange: Exchange, format: JsonFormat, result: EntityResult): Maybe<ODataResponse> {
  const { origin, entity, handler } = result;
  const isSeen = origin.kind !== "EntitySet" || isSavedSeen(origin, entity, handler, exchange.reader);
  return chain(isSeen, (seen) => (seen ? seenResult(exchange, format, result) : noContentResponse(exchange)));
}

function seenResult(exchange: Exchange, format: JsonFormat, result: EntityResult): Maybe<ODataResponse> {
  const { origin, entity, outcome } = result;
  const { return: preferred } = exchange.preferences;
  const etag = origin.kind === "EntitySet" ? etagOf(origin, entity, undefined) : undefined;
  const headers = resultHeaders(exchange, result, etag);
  if (preferred !== undefined) headers["Preference-Applied"] = `return=${preferred}`;
  if (preferred === "minimal") return noContentResponse(exchange, headers);
  const respond = isNew(outcome) ? createdResponse : jsonResponse;
  return chain(resultBody(exchange, format, result), (body) => respond(exchange, format, body, headers));
}

function resultHeaders(
  exchange: Exchange,
  { origin, outcome, entity }: EntityResult,
  etag: string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (origin.kind !== "EntitySet") return headers;
  if (etag !== undefined) headers["ETag"] = etag;
  const isCreated = isNew(outcome);
  const isNamed = isCreated || (outcome === "patched" && exchange.service.definition.profile.changeNamesEntity);
  if (!isNamed) return headers;
  const url = entityUrl(exchange.serviceRoot, origin, entity);
  if (isCreated) headers["Location"] = url;
  if (outcome === "created") headers["Content-Location"] = url;
  if (exchange.preferences.return === "minimal") headers["OData-EntityId"] = url;
  return headers;
}

function isNew(outcome: WriteOutcome): boolean {
  return outcome === "created" || outcome === "upserted";
}

function resultBody(exchange: Exchange, format: JsonFormat, result: EntityResult): Maybe<EntityText> {
  const { origin, query, entity, inserted } = result;
  const contextUrl = result.contextUrl(query.selectExpand.contextSelect);
  if (inserted === null || origin.kind !== "EntitySet" || query.selectExpand !== selectAll(origin.entityType)) {
    return entityBody(
      exchange,
      { ...format, saved: "entity" },
      { origin, query, contextUrl },
      { entity, rowShape: undefined },
    );
  }
  const written: PayloadFormat = { ...format, saved: "graph" };
  const targetOf = targetsIn(exchange);
  if (!isEntity(entity)) {
    const writer = entityWriterFor(exchange.service, origin, selectAll(origin.entityType), written, undefined);
    return writer.writeEntity(entity, exchange.serviceRoot, contextUrl);
  }
  const graph = laterIfLong(exchange, () => readGraph(entity, origin, targetOf));
  const readable = chain(graph, (read) =>
    exchange.service.hasRules
      ? readableGraph(
          read,
          { entitySet: origin, via: null, sent: isEntity(inserted) ? [inserted] : [] },
          { targetOf, access: starAccessOf(queryReaderOf(exchange)) },
        )
      : read,
  );
  const visible = chain(readable, (read) => visibleGraph(read, origin, targetOf, exchange.reader));
  return chain(visible, (seen) =>
    laterIfLong(exchange, () => {
      const clause = graphClause(origin, shapeOf([seen], origin, targetOf), selectAll, targetOf);
      const writer = entityWriterFor(exchange.service, origin, clause, written, undefined);
      return writer.writeEntity(toExpanded(seen, clause), exchange.serviceRoot, contextUrl);
    }),
  );
}

/** Reads or writes the graph of a deep insert: in the next turn if this one is over. */
function laterIfLong<T>({ turn }: Exchange, work: () => T): Maybe<T> {
  return turn.isOver ? turn.next().then(work) : work();
}

function targetsIn(exchange: Exchange): TargetOf {
  return (entitySet, { name }) => {
    const runtime = exchange.entitySet(entitySet).navigations.get(name);
    return runtime?.origin.kind === "EntitySet" ? runtime.origin : null;
  };
}
