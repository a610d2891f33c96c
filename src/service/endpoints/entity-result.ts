import type { Maybe, Turn } from "../../base/maybe.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { isEntity } from "../../engine/memory/evaluation.ts";
import { graphClause, type PlainClauses, type TargetOf } from "../../engine/plan/graph-clause.ts";
import { showEntities } from "../../engine/reads/show-virtual.ts";
import { starAccessOf } from "../../engine/rules/authorize-query.ts";
import { isSavedSeen } from "../../engine/writes/check-written.ts";
import { readableGraph, readGraph, shapeOf, toExpanded, visibleGraph } from "../../engine/writes/populated-graph.ts";
import { readLeft } from "../../engine/writes/run-hooks.ts";
import type { Preferences } from "../../http/headers.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import type { ODataResponse, ResponseBody } from "../../http/odata-response.ts";
import { selectReadable } from "../../language/binder/bind-select-expand.ts";
import type { BoundEntityQuery, SelectExpandClause } from "../../language/query/clauses.ts";
import type { BodyObject } from "../../payload/body-members.ts";
import { etagOf } from "../../payload/etag.ts";
import type { BoundLink } from "../../payload/link-reading.ts";
import { entityContext, entityUrl } from "../../payload/urls.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { queryReaderOf } from "./bind-query.ts";
import type { Execution } from "./execution.ts";
import { expandEntity, showEntity } from "./read-entity.ts";
import { entityWriterFor, type EntityOrigin, runtimeOf, type ServiceRuntime } from "./service-runtime.ts";
import { addressedEtag, answeredSingleton } from "./singleton-key.ts";
import { type Endpoint, type ExtraHeaders, inStages, jsonResponse, noContentResponse } from "./stages.ts";

/** The kind of write that saved an entity. */
export type WriteOutcome = "patched" | "updated" | "created" | "upserted";

/** How the client wants the entity of a write back. */
export interface WantedEntity {
  readonly query: BoundEntityQuery;
  readonly preferred: Preferences["return"];
}

/** An entity as a handler saved it. */
export interface SavedEntity {
  /** The set or type of the entity. Without a set it has neither URL nor ETag. */
  readonly origin: EntityOrigin;
  readonly outcome: WriteOutcome;
  /** The value that the handler returned; not null. */
  readonly entity: unknown;
  readonly handler: object;
  /**
   * The body of a deep insert, whose populated navigation properties are returned too unless a query option selects
   * otherwise. Null: they are not returned.
   */
  readonly inserted: unknown;
}

/** The result of a write. */
interface WriteResult extends SavedEntity {
  /** Null if the client prefers no content; undefined for a hidden entity. */
  readonly returned: ReturnedEntity | null | undefined;
}

/** An entity with its expansions, or with the populated navigation properties of its deep insert. */
interface ReturnedEntity {
  readonly entity: unknown;
  readonly clause: SelectExpandClause;
  readonly saved: "entity" | "graph";
}

/** The stages of an endpoint that saves an entity. */
interface SavingStages<Bound> {
  readonly bind: (request: AuthorizedRequest) => Maybe<Bound>;
  /** Checks the rules and preconditions that depend on entities, and calls the handler. */
  readonly save: (bound: Bound, execution: Execution) => Promise<SavedEntity>;
}

/** The stages of a write of one entity, whose body may be a part of another one. */
export interface EntityWrite<Bound> extends SavingStages<Bound> {
  /** Returns the entity in the body, or its changes. */
  readonly bodyOf: (bound: Bound) => BodyObject;
  /** Returns the request with a copy of its body, and with further links: their foreign keys become part of the copy. */
  readonly linked: (bound: Bound, more: readonly Omit<BoundLink, "entity">[]) => Bound;
}

/** Makes an endpoint that saves an entity, and responds with it. */
export function savesEntity<Bound extends WantedEntity & SavedPayload>({ bind, save }: SavingStages<Bound>): Endpoint {
  return inStages<Bound, WriteResult>({
    bind,
    execute: async (bound, execution) => readSaved(await save(bound, execution), bound, execution),
    write: savedResponse,
    refresh: readSavedAgain,
    content: readSaved,
  });
}

/**
 * Reads the content of the response of a write, unless it is read after its transaction. A hidden entity is not returned: a handler may have found an existing one, or
 * assigned it to another user.
 * @throws ODataError that a handler of an expansion returned or threw
 */
async function readSaved(saved: SavedEntity, wanted: WantedEntity, execution: Execution): Promise<WriteResult> {
  const { origin, entity, handler } = saved;
  if (execution.readsLater) return { ...saved, returned: null };
  // The write is kept, whatever happens to its response.
  execution.commit();
  const isSeen = origin.kind !== "EntitySet" || (await isSavedSeen(origin, entity, handler, execution.reader));
  if (!isSeen) return { ...saved, returned: undefined };
  if (wanted.preferred === "minimal") return { ...saved, returned: null };
  return { ...saved, returned: await readReturned(execution, wanted, saved) };
}

/** Reads the result of a write again, after later writes of its change set. */
async function readSavedAgain(result: WriteResult, wanted: WantedEntity, execution: Execution): Promise<WriteResult> {
  const { origin, entity, handler, inserted, returned } = result;
  if (origin.kind !== "EntitySet" || returned === undefined) return result;
  const by = { set: definitionIn(execution.service.definition, origin), handler };
  const left = await readLeft(by, entity, inserted !== null, execution.reader);
  return readSaved({ ...result, entity: left }, wanted, execution);
}

async function readReturned(
  execution: Execution,
  { query }: WantedEntity,
  { origin, entity, handler, inserted }: SavedEntity,
): Promise<ReturnedEntity> {
  const { selectExpand: clause } = query;
  const { properties } = execution.access;
  if (inserted === null || origin.kind !== "EntitySet" || clause !== selectReadable(origin, properties)) {
    const read = await expandEntity(execution, { origin, query }, { entity, rowShape: undefined });
    const shown = { ...read, entity: withShown(execution, entity, read.entity) };
    return { entity: (await showEntity(execution, { origin, query }, shown)).entity, clause, saved: "entity" };
  }
  if (!isEntity(entity)) return { entity, clause, saved: "graph" };
  const { service, turn } = execution;
  const targetOf = targetsIn(service);
  await nextIfOver(turn);
  const graph = readGraph(entity, origin, targetOf);
  const place = { entitySet: origin, via: null, sent: isEntity(inserted) ? [inserted] : [] };
  const rules = { targetOf, access: starAccessOf(queryReaderOf(execution)) };
  const readable = service.hasRules ? readableGraph(graph, place, rules) : graph;
  // A handler that checks row rules has checked each row that it added, with ignored properties that it does not return.
  const isChecked = service.definition.handlersCheckingRows.has(handler);
  const seen = isChecked ? readable : await visibleGraph(readable, origin, targetOf, execution.reader);
  const plain: PlainClauses = {
    key: properties?.key ?? "",
    of: (owner) => selectReadable(owner, properties),
  };
  await nextIfOver(turn);
  const populated = graphClause(origin, shapeOf([seen], origin, targetOf), plain, targetOf);
  const page = { entities: [toExpanded(seen, populated, execution)], rowShape: undefined };
  const { entities } = await showEntities(page, populated, origin.entityType, execution.reader);
  return { entity: entities[0], clause: populated, saved: "graph" };
}

/**
 * Returns a saved entity as the response shows it. Its expansions follow from the stored values.
 * @param read the entity, or the object that contains it with its expansions
 */
function withShown(execution: Execution, entity: unknown, read: unknown): unknown {
  const shown = execution.shown(entity);
  if (shown === entity) return read;
  return read === entity || !isEntity(read) ? shown : { ...read, entity: shown };
}

/** Lets other requests run if the turn is over: a graph may be large. */
async function nextIfOver(turn: Turn): Promise<void> {
  if (turn.isOver) await turn.next();
}

function targetsIn(service: ServiceRuntime): TargetOf {
  return (entitySet, { name }) => {
    const runtime = runtimeOf(service, entitySet).navigations.get(name);
    return runtime?.origin.kind === "EntitySet" ? runtime.origin : null;
  };
}

/** How a saved entity is written. */
export interface SavedPayload {
  readonly format: JsonFormat;
  /** Returns the context URL of an entity without a set. */
  readonly contextUrl?: (contextSelect: readonly string[]) => string;
}

/**
 * Makes the response of a write: 201 for a new entity, else 200; 204 when the client prefers no content.
 * @throws Error for an entity that does not match the model
 * @see docs/reference/writing.md
 */
function savedResponse(
  result: WriteResult,
  { format, contextUrl = () => "" }: SavedPayload,
  request: AuthorizedRequest,
): ODataResponse {
  const { origin, returned, outcome } = result;
  if (returned === undefined) return noContentResponse(request);
  const { service, serviceRoot } = request;
  const headers = resultHeaders(request, result);
  const { return: preferred } = request.preferences;
  if (preferred !== undefined) headers["Preference-Applied"] = `return=${preferred}`;
  if (returned === null) return noContentResponse(request, headers);
  const { entity, clause, saved } = returned;
  const { contextSelect } = clause;
  const writer = entityWriterFor(service, origin, clause, { ...format, saved }, undefined);
  const named = answeredSingleton(request.path) ?? origin;
  const isOfSet = named.kind !== "EntityType";
  const context = isOfSet ? entityContext(serviceRoot, named, contextSelect) : contextUrl(contextSelect);
  const body = writer.writeEntity(entity, serviceRoot, context);
  return (isNew(outcome) ? createdResponse : jsonResponse)(request, format, body, headers);
}

function resultHeaders(request: AuthorizedRequest, { origin, outcome, entity }: WriteResult): Record<string, string> {
  const headers: Record<string, string> = {};
  if (origin.kind !== "EntitySet") return headers;
  const { path } = request;
  const state = etagOf(origin, entity, undefined, request.access.properties);
  const etag = path.kind === "entity" ? addressedEtag(state, path) : state;
  if (etag !== undefined) headers["ETag"] = etag;
  const isCreated = isNew(outcome);
  const isNamed = isCreated || (outcome === "patched" && request.service.definition.profile.changeNamesEntity);
  if (!isNamed) return headers;
  const url = entityUrl(request.serviceRoot, origin, entity);
  if (isCreated) headers["Location"] = url;
  if (outcome === "created") headers["Content-Location"] = url;
  if (request.preferences.return === "minimal") headers["OData-EntityId"] = url;
  return headers;
}

function isNew(outcome: WriteOutcome): boolean {
  return outcome === "created" || outcome === "upserted";
}

/** Makes a 201 response with JSON. */
function createdResponse(
  request: AuthorizedRequest,
  format: JsonFormat,
  body: ResponseBody,
  extra: ExtraHeaders,
): ODataResponse {
  return { ...jsonResponse(request, format, body, extra), status: 201 };
}
