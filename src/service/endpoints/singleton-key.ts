import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { SingletonDefinition } from "../../definition/model/service-definition.ts";
import type { Singleton } from "../../edm/model.ts";
import { entityKeyReader } from "../../engine/entities/entity-key.ts";
import { answeredValue } from "../../engine/entities/handler-answer.ts";
import { ServiceContext } from "../../engine/rules/row-access.ts";
import { splitHeaderList } from "../../http/headers.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { REFERENCE_OPTIONS } from "../../language/binder/option-rules.ts";
import type { EntityAddress, ResourcePath } from "../../language/query/resource-path.ts";
import { isOfOtherKey, markedByKey } from "../../payload/etag.ts";
import { keyPredicateOf } from "../../payload/urls.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { bindEntity, readJsonFormat } from "./bind-query.ts";
import { checkMissingMatch } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { runtimeOf } from "./service-runtime.ts";
import { noContentResponse } from "./stages.ts";

/** Returns the singleton whose entity a response contains; undefined for the entity of a set. */
export function answeredSingleton(path: ResourcePath): Singleton | undefined {
  return path.kind === "entity" ? path.singleton : undefined;
}

/** Returns the name and the key predicate of an entity in context URLs. A singleton has no key. @param key in the application's form */
export function contextOwner(
  { singleton, entitySet }: Pick<EntityAddress, "entitySet" | "singleton">,
  key: unknown,
): { readonly owner: Pick<Singleton, "name">; readonly predicate: string } {
  if (singleton !== undefined) return { owner: singleton, predicate: "" };
  return { owner: entitySet, predicate: keyPredicateOf(entitySet.entityType, key) };
}

/** Returns the ETag of the entity of a path for a header: it also names the entity, unless the path does. */
export function addressedEtag(
  etag: string | undefined,
  address: Pick<EntityAddress, "singleton" | "step" | "key"> | undefined,
): string | undefined {
  if (etag === undefined || address === undefined || !isChosen(address)) return etag;
  return markedByKey(etag, address.key);
}

/** Returns whether the same path may lead to another entity later. */
function isChosen({ singleton, step }: Pick<EntityAddress, "singleton" | "step">): boolean {
  return singleton !== undefined || (step !== undefined && (step.relatedKey === null || isChosen(step.from)));
}

/** Checks that If-Match names no other entity to which the path has led. @throws ODataError `PreconditionFailed` */
export function checkSameEntity({ arrival: { odata } }: Execution, keyText: string): void {
  const ifMatch = odata.header("if-match");
  if (ifMatch === undefined || !splitHeaderList(ifMatch).every((tag) => isOfOtherKey(tag, keyText))) return;
  const message =
    "If-Match does not hold. The path leads to another entity now: read it again before you repeat the request.";
  throw protocolError("PreconditionFailed", message);
}

/** Returns the key of the entity of a singleton, which a body names; null or undefined without one. @throws as `answerAddressed` */
export function keyOfSingleton(execution: Execution, singleton: Singleton): Maybe<unknown> {
  return singletonKey(execution, singletonDefinition(execution, singleton));
}

/** Returns the definition of a singleton. */
export function singletonDefinition({ service }: Execution, { name }: Singleton): SingletonDefinition {
  const definition = service.definition.singletons.get(name);
  if (definition === undefined) throw new Error(`The singleton ${name} has no definition.`);
  return definition;
}

/** Asks the application for the key of a singleton, with the context that the handlers of the set receive; null without an entity. */
export function singletonKey(execution: Execution, { singleton, source }: SingletonDefinition): Maybe<unknown> {
  const { entitySet } = singleton;
  const context = ServiceContext.ofSet(entitySet, execution.context);
  if (source.kind === "key") return chain(source.keyOf(context), (answer) => answeredValue(answer) ?? null);
  // A write compares the entity as it is immediately before.
  return chain(source.load(context, isRead(execution)), (answer): unknown => {
    const entity = answeredValue(answer) ?? null;
    return entity === null ? null : entityKeyReader(entitySet.entityType, undefined)(entity).value;
  });
}

/** Answers a request to a singleton without an entity: a read of a nullable one has no content. */
export function answerMissing(
  request: AuthorizedRequest,
  execution: Execution,
  { singleton, isNullable }: SingletonDefinition,
): ODataResponse {
  checkMissingMatch(execution, singleton.entitySet);
  const { kind } = request.path;
  const rules = kind === "entityReference" ? REFERENCE_OPTIONS : undefined;
  if (!isNullable || !isRead(execution) || (kind !== "entity" && rules === undefined)) throw noEntity(singleton);
  readJsonFormat(request);
  bindEntity(request, runtimeOf(request.service, singleton.entitySet).target, rules);
  return noContentResponse(request);
}

/** Returns whether a request only reads. */
export function isRead({ arrival: { odata, sent } }: Execution): boolean {
  return odata.method === "GET" || odata.method === "HEAD" || sent !== undefined;
}

/** Makes the error for a singleton without an entity. */
export function noEntity({ name }: Singleton): ODataError {
  return protocolError("NotFound", `The singleton '${name}' has no entity.`);
}
