import { protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import { required } from "../../base/required.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { StreamTraits } from "../../edm/stream-property.ts";
import { readStreamReference, type StreamReference } from "../../edm/stream-reference.ts";
import { rowReader, toRow } from "../../engine/entities/canonical-entity.ts";
import { fieldOf } from "../../engine/memory/compile-property.ts";
import { asEntity } from "../../engine/memory/evaluation.ts";
import { keyProperties } from "../../engine/plan/properties-to-read.ts";
import { readByKey } from "../../engine/reads/read-by-key.ts";
import { matchesEntityTag } from "../../http/conditional.ts";
import { bindNoQuery } from "../../language/binder/bind-query-options.ts";
import type { PropertyPath } from "../../language/query/resource-path.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { queryReaderOf, readOptions } from "./bind-query.ts";
import { addressEntity, checkMissingMatch, entityNotFound, readerFor } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { bindPropertyKey, propertyPathOf } from "./read-property.ts";

/** The stream that a request addresses. */
export interface AddressedStream {
  readonly addressed: PropertyPath;
  /** In the application's form. */
  readonly key: unknown;
  readonly stream: StreamTraits;
}

/**
 * Reads the address of a stream.
 * @throws ODataError `InvalidKey`; an error for a query option; `Unauthorized`, `Forbidden` for a stream that the user may not read
 */
export function bindStream(request: AuthorizedRequest): AddressedStream {
  const addressed = propertyPathOf(request.path);
  const key = bindPropertyKey(request, addressed);
  bindNoQuery(readOptions(request));
  const { property } = addressed;
  return { addressed, key, stream: required(property.stream, `${property.name} is no stream.`) };
}

/** Refuses a stream that the user may not read. @throws ODataError `Unauthorized`, `Forbidden` */
export function checkReadable(
  request: AuthorizedRequest,
  { addressed: { entitySet, property } }: AddressedStream,
): void {
  const { properties } = queryReaderOf(request);
  if (properties?.unreadableOf(entitySet).has(property) === true) throw properties.refusal(property, entitySet);
}

/** A stream as an entity has it. */
export interface FoundStream {
  /** Null: the entity has no bytes. */
  readonly reference: StreamReference | null;
  /** The text of the reference, as it is stored. */
  readonly stored: unknown;
  /** The bytes in a column, if they were read; otherwise null. */
  readonly content: Uint8Array | null;
}

/**
 * Finds the stream of an entity that the user sees, after the rules that depend on the entity.
 * @param readsContent whether to read the bytes in a column, too
 * @throws ODataError `NotFound`, or `PreconditionFailed` with If-Match, for a missing entity; `Forbidden`; the error of a handler
 */
export function findStream(
  execution: Execution,
  { addressed, key, stream }: AddressedStream,
  readsContent: boolean,
): Maybe<FoundStream> {
  const { entitySet } = addressed;
  const { entityType } = entitySet;
  const fields = readsContent && stream.content !== null ? [stream.field, stream.content] : [stream.field];
  const stored = entityType.ignoredProperties.filter(({ field }) => fields.includes(field));
  const selected = (): ReadonlyArray<{ readonly property: StructuralProperty }> => [
    ...keyProperties(entityType),
    ...stored.map((property) => ({ property })),
  ];
  return chain(addressEntity(execution, { entitySet, key, isUnbound: true }), (judged) => {
    const loaded = judged === undefined ? readByKey(entitySet, key, readerFor(execution, true), selected) : judged;
    return chain(loaded, (found): FoundStream => {
      if (found === null) {
        checkMissingMatch(execution, entitySet);
        throw entityNotFound(entitySet, addressed.key);
      }
      const { entity, rowShape } = found;
      const values = asEntity(rowShape === undefined ? entity : rowReader(rowShape)(toRow(entity)), entityType);
      const text = fieldOf(values, stream.field) ?? null;
      const content = stream.content === null ? null : fieldOf(values, stream.content);
      return {
        reference: readStreamReference(text),
        stored: text,
        content: content instanceof Uint8Array ? content : null,
      };
    });
  });
}

/** Returns the ETag of a stream, which is strong: it names the bytes. */
export function etagOfStream({ etag }: StreamReference): string {
  return `"${etag}"`;
}

/**
 * Checks If-Match and, for a write, If-None-Match with the ETag of a stream. Without bytes, it has none.
 * @throws ODataError `PreconditionFailed`
 * @see RFC 9110, section 13.2.2
 */
export function checkStreamMatch({ arrival: { odata } }: Execution, reference: StreamReference | null): void {
  const ifMatch = odata.header("if-match");
  if (ifMatch !== undefined && (reference === null || !matchesEntityTag(ifMatch, etagOfStream(reference)))) {
    throw failed("If-Match", reference === null ? "There are no bytes." : "The bytes have changed: read them again.");
  }
  const { method } = odata;
  const ifNoneMatch = method === "GET" || method === "HEAD" ? undefined : odata.header("if-none-match");
  if (ifNoneMatch === undefined || reference === null) return;
  if (matchesEntityTag(ifNoneMatch, etagOfStream(reference))) throw failed("If-None-Match", "There are bytes already.");
}

function failed(header: string, reason: string): Error {
  return protocolError("PreconditionFailed", `${header} does not hold. ${reason}`);
}
