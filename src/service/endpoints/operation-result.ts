import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { EntitySet, EntityType, Operation } from "../../edm/model.ts";
import { collectEntities } from "../../engine/entities/handler-answer.ts";
import { visibleOfType } from "../../engine/reads/gate.ts";
import { readLeft } from "../../engine/writes/run-hooks.ts";
import type { JsonFormat } from "../../http/media-type.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { selectReadable } from "../../language/binder/bind-select-expand.ts";
import type { SelectExpandClause } from "../../language/query/clauses.ts";
import { etagOf } from "../../payload/etag.ts";
import { originContext } from "../../payload/urls.ts";
import { writeCollection } from "../../payload/write-collection.ts";
import { isEntityResult, isValueResult, resultWriter } from "../../payload/write-result.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { startBody } from "./collection-page.ts";
import type { Execution } from "./execution.ts";
import { fittingText, wholeEnd } from "./response-bytes.ts";
import { entityWriterFor, type ServiceRuntime } from "./service-runtime.ts";
import { jsonResponse, noContentResponse } from "./stages.ts";

/** A called operation, and the set to which it is bound; null for an unbound one. */
export interface CalledOperation {
  readonly operation: Operation;
  readonly entitySet: EntitySet | null;
}

/** The result of an operation without hidden entities; null for a response without content. */
export type SeenResult = { readonly value: unknown; readonly expanded?: ExpandedResult } | null;

/** The entities of a result with their expansions. */
interface ExpandedResult {
  readonly entities: readonly unknown[];
  /** The number of entities, expansions included. */
  readonly total: number;
}

/**
 * Reads the result of an operation: nothing, null and a hidden entity have no content.
 * @throws ODataError that the handler threw while its entities were read, `InvalidQueryOption` for more entities than a
 * response may contain
 */
export function readResult(execution: Execution, called: CalledOperation, result: unknown): Maybe<SeenResult> {
  const { returnType, name } = called.operation;
  if (returnType === undefined || result === null || result === undefined) return null;
  if (isValueResult(returnType)) return { value: result };
  if (!isEntityResult(returnType)) return null;
  const entityType = returnType.type;
  const returned = { entityType, own: ownSet(called, entityType), name };
  if (!returnType.isCollection) {
    return chain(isSeen(execution, returned, result), (seen) => (seen ? { value: result } : null));
  }
  return chain(seenEntities(execution, returned, result), (entities) => ({ value: entities }));
}

/**
 * Returns the result of an operation as later writes of its transaction leave its entities: those of the set to which it is bound,
 * or of the only set of their type.
 */
export function readResultAgain(execution: Execution, called: CalledOperation, result: SeenResult): Maybe<SeenResult> {
  const { returnType } = called.operation;
  if (result === null || returnType === undefined || !isEntityResult(returnType)) return result;
  const { type, isCollection } = returnType;
  const sets = [...execution.service.definition.entitySets.values()].filter(({ entitySet }) => {
    return entitySet.entityType === type && entitySet.isOfSingleton !== true;
  });
  const own = ownSet(called, type);
  const set = own === null ? sets[0] : sets.find(({ entitySet }) => entitySet === own);
  if (set === undefined || (own === null && sets.length > 1)) return result;
  return readEntitiesAgain(set, isCollection ? (result.value as readonly unknown[]) : [result.value], execution).then(
    (left) => ({ value: isCollection ? left : left[0] }),
  );
}

async function readEntitiesAgain(
  set: EntitySetDefinition,
  entities: readonly unknown[],
  { reader }: Execution,
): Promise<readonly unknown[]> {
  const left: unknown[] = [];
  for (const entity of entities) {
    left.push(await readLeft({ set, handler: set.handlers.patch ?? set }, entity, false, reader));
  }
  return left;
}

/**
 * Makes the response with the result of an operation: entities of the set's own type as the set returns them; a primitive value
 * of a bound operation in an envelope; anything else as bare JSON.
 * @throws Error for a value that does not match the declared type
 * @see docs/reference/operations.md
 */
export function operationResponse(
  request: AuthorizedRequest,
  format: JsonFormat,
  called: CalledOperation,
  result: SeenResult,
  { execution, clause }: ResultWriting,
): ODataResponse {
  const { operation } = called;
  const { returnType } = operation;
  if (result === null || returnType === undefined) return noContentResponse(request);
  const { value, expanded } = result;
  if (isValueResult(returnType)) {
    const { profile } = request.service.definition;
    const write = resultWriter(operation, returnType, format, profile);
    return jsonResponse(
      request,
      format,
      fittingText(execution, () => write(value, request.serviceRoot)),
    );
  }
  if (!isEntityResult(returnType)) return noContentResponse(request);
  const { type, isCollection } = returnType;
  const shown = clause ?? selectReadable(ownSet(called, type) ?? type, request.access.properties);
  const returned = { called, entityType: type, execution, clause: shown, expanded };
  return isCollection
    ? collectionBody(request, format, returned, value as readonly unknown[])
    : entityResponse(request, format, returned, value);
}

/** How a result is written. */
interface ResultWriting {
  readonly execution: Execution;
  /** The selected properties and expansions; null: all properties that the user may read. */
  readonly clause: SelectExpandClause | null;
}

/** Returns the set of the entities that an operation returns, if it is bound to their set; else null: they are bare. */
export function ownSet({ entitySet }: CalledOperation, entityType: EntityType): EntitySet | null {
  if (entitySet === null || entitySet.isOfSingleton === true) return null;
  return entitySet.entityType === entityType ? entitySet : null;
}

/** Whether entities without a set are in an envelope all the same, with their type as context. */
export function isEnvelopedByType({ definition }: ServiceRuntime): boolean {
  return definition.profile.resultsEnveloped;
}

/** Returns the format without control information, which requires an envelope. */
export function bareFormat(format: JsonFormat): JsonFormat {
  return { ...format, metadata: "none" };
}

interface EntitiesReturned {
  readonly called: CalledOperation;
  readonly execution: Execution;
  readonly entityType: EntityType;
  readonly clause: SelectExpandClause;
  readonly expanded: ExpandedResult | undefined;
}

function entityResponse(
  request: AuthorizedRequest,
  format: JsonFormat,
  { called, entityType, execution, clause, expanded }: EntitiesReturned,
  entity: unknown,
): ODataResponse {
  const { service, serviceRoot } = request;
  const own = ownSet(called, entityType);
  const { contextSelect } = clause;
  const shown = expanded === undefined ? entity : expanded.entities[0];
  if (own === null && isEnvelopedByType(service)) {
    const writer = entityWriterFor(service, entityType, clause, format, undefined);
    const contextUrl = originContext(serviceRoot, entityType, false, contextSelect);
    return jsonResponse(
      request,
      format,
      fittingText(execution, () => writer.writeEntity(shown, serviceRoot, contextUrl)),
    );
  }
  if (own === null) {
    const writer = entityWriterFor(service, entityType, clause, bareFormat(format), undefined);
    return jsonResponse(
      request,
      format,
      fittingText(execution, () => writer.writeItem(shown, serviceRoot)),
    );
  }
  const writer = entityWriterFor(service, own, clause, format, undefined);
  const contextUrl = originContext(serviceRoot, own, false, contextSelect);
  const body = fittingText(execution, () => writer.writeEntity(shown, serviceRoot, contextUrl));
  const etag = etagOf(own, entity, undefined, request.access.properties);
  return jsonResponse(request, format, body, etag === undefined ? undefined : { ETag: etag });
}

function collectionBody(
  request: AuthorizedRequest,
  format: JsonFormat,
  { called, entityType, execution, clause, expanded }: EntitiesReturned,
  entities: readonly unknown[],
): ODataResponse {
  const { service, serviceRoot } = request;
  const own = ownSet(called, entityType);
  const isBare = own === null && !isEnvelopedByType(service);
  const written = isBare ? bareFormat(format) : format;
  const origin = own ?? entityType;
  const body = writeCollection({
    contextUrl: isBare ? null : originContext(serviceRoot, origin, true, clause.contextSelect),
    serviceRoot,
    parts: [{ entities, ...expanded, writer: entityWriterFor(service, origin, clause, written, undefined) }],
    end: wholeEnd(execution),
  });
  return jsonResponse(request, format, startBody(body));
}

/** The type and set of the entities that the handler of an operation returned. */
interface ReturnedEntities {
  readonly entityType: EntityType;
  /** The set of the entities; null: unknown, so every set of their type must show them. */
  readonly own: EntitySet | null;
  /** The name of the operation. */
  readonly name: string;
}

/** Whether a rule may hide some of the entities. */
export function mayBeHidden({ definition }: ServiceRuntime, { entityType, own }: ReturnedEntities): boolean {
  return [...definition.entitySets.values()].some(
    ({ entitySet, rows }) => rows !== null && (own === null ? entitySet.entityType === entityType : entitySet === own),
  );
}

/**
 * Returns the entities that an operation returned, without hidden ones. An endless iterable is cut off. Hidden entities
 * do not count, so that no limit reveals them.
 * @param result the value that the handler returned: a list or an async iterable
 * @throws TypeError for a value that is not a list; ODataError that the handler threw while its entities were read,
 * `InvalidQueryOption` for more entities than a response may contain; the error of a rule
 * @see docs/guides/authorization.md
 */
export function seenEntities(
  execution: Execution,
  returned: ReturnedEntities,
  result: unknown,
): Maybe<readonly unknown[]> {
  return chain(collectEntities(result, `The handler of ${returned.name}`, execution.reader), (entities) =>
    chain(visible(execution, returned, entities), (seen) => take(seen, execution.maxEntities)),
  );
}

/** Whether the user sees the one entity that an operation returned. @throws the error of a rule */
function isSeen(execution: Execution, returned: ReturnedEntities, entity: unknown): Maybe<boolean> {
  return chain(visible(execution, returned, [entity]), (seen) => [...seen].length > 0);
}

function visible(
  { reader }: Execution,
  { own, entityType }: ReturnedEntities,
  entities: Iterable<unknown>,
): Maybe<Iterable<unknown>> {
  if (own === null) return visibleOfType(entityType, entities, reader);
  return reader.gate?.keep(own, entities, reader.context) ?? entities;
}

/** Returns the entities as a list; an endless iterable is cut off. */
function take(entities: Iterable<unknown>, most: number | null): readonly unknown[] {
  const taken: unknown[] = [];
  for (const entity of entities) {
    if (most !== null && taken.length >= most) throw tooMany(most);
    taken.push(entity);
  }
  return taken;
}

function tooMany(most: number): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `The response would contain more than ${String(most)} entities: narrow it with the parameters of the operation.`,
  );
}
