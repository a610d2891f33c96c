import { ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { attempt, chain, type Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import type { Answer } from "../../definition/handlers.ts";
import type { EntitySet, Singleton } from "../../edm/model.ts";
import { answeredValue } from "../../engine/entities/handler-answer.ts";
import { definitionOf, type Reader } from "../../engine/entities/reader.ts";
import { requireLinkable } from "../../engine/rules/authorize-body.ts";
import { ServiceContext } from "../../engine/rules/row-access.ts";
import { explainingViolations, OF_OTHERS } from "../../engine/writes/explain-violation.ts";
import { hasLinkHooks, type LinkEnd, linkHooked } from "../../engine/writes/link-hooks.ts";
import { checkLinked, sharesReferences } from "../../engine/writes/write-entity.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { bindNoQuery } from "../../language/binder/bind-query-options.ts";
import { checkCapabilities, REMOVED_LINK_OPTIONS } from "../../language/binder/option-rules.ts";
import { resolveReference } from "../../language/binder/resolve-reference.ts";
import { entityUrlOf } from "../../payload/urls.ts";
import { readReference } from "../../payload/write-entity-reference.ts";
import type { ExpectedValues } from "../sets/given-values.ts";
import { type AddressedNavigation, type BoundNavigation, noParent, openNavigation } from "./addressed-navigation.ts";
import { authorizeLink, judgesLinks } from "./authorize-link.ts";
import { type AuthorizedRequest, openBody } from "./authorized-request.ts";
import { queryReaderOf, readOptions } from "./bind-query.ts";
import {
  hidesRows,
  requireEntity,
  requireReferenced,
  checkPreconditions,
  missingEntityError,
} from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { executeJudged } from "./judged-write.ts";
import { keyOfSingleton } from "./singleton-key.ts";
import { type ExtraHeaders, minimalPreference, noContentResponse, type Endpoint, inStages, routed } from "./stages.ts";

/**
 * `POST /Set(key)/Nav/$ref`: adds a link to a collection. The handler gets the `@odata.id` as it was sent.
 * @throws ODataError for negotiation, the key, the body, a precondition; the error of the handler
 * @see docs/reference/navigation.md
 */
export const addReference: Endpoint = writesLink("addRef");

/**
 * `PUT /Set(key)/Nav/$ref`: sets the link of a single-valued navigation property.
 * @throws ODataError as for addReference
 * @see docs/reference/navigation.md
 */
export const setReference: Endpoint = writesLink("setRef");

/**
 * `DELETE /Set(key)/Nav/$ref`: removes the link of a single-valued navigation property, or one link of a collection with
 * `$id`.
 * @throws ODataError for negotiation, the key, a query option, a precondition; the error of the handler
 * @see docs/reference/navigation.md
 */
export const removeReference: Endpoint = inStages({
  bind: (request): Link => {
    const { navigation } = openNavigation(request);
    const removeRef = routed(navigation.runtime.source.handlers.removeRef, linkRoute(navigation));
    const { parentKey: key } = navigation;
    const id = navigation.navigationProperty.isCollection ? readId(request, navigation) : null;
    if (id === null) {
      bindNoQuery(readOptions(request));
      return {
        navigation,
        referenced: null,
        added: null,
        handler: removeRef,
        write: (context) => removeRef(key, context),
      };
    }
    const { byKey } = removeRef;
    const reference = { id, fault: INVALID_OPTION, target: "$id", isAdded: false };
    const referenced = referencedBy(request, navigation, byKey, reference);
    const write: Link["write"] = (context, found) =>
      byKey !== undefined && found !== null ? byKey(key, found.key, context) : removeRef(key, found?.id ?? id, context);
    return { navigation, referenced, added: null, handler: removeRef, write };
  },
  execute: writeLink,
  write: linkResponse,
});

/** Makes an endpoint that reads the reference in the body, and passes it to a handler. */
function writesLink(name: "addRef" | "setRef"): Endpoint {
  return inStages({
    bind: (request): Maybe<Link> => {
      const { navigation } = openNavigation(request);
      const handler = routed(navigation.runtime.source.handlers[name], linkRoute(navigation));
      const { parentKey: key } = navigation;
      const body = openBody(request, navigation.entitySet);
      bindNoQuery(readOptions(request));
      return body.read((json) => {
        const sent = readReference(json);
        // The handler gets a URL, also where the body refers to another operation of the batch.
        const id = request.arrival.batch?.dereference(sent) ?? sent;
        const { byKey } = handler;
        const reference = { id, fault: INVALID_BODY, target: "@odata.id", isAdded: true };
        const referenced = referencedBy(request, navigation, byKey, reference);
        const named = navigation.navigationProperty.isCollection ? entityIdOf(request, id) : undefined;
        const write: Link["write"] = (context, found) =>
          byKey !== undefined && found !== null
            ? byKey(key, found.key, context)
            : handler(key, found?.id ?? id, context);
        return { navigation, referenced, added: handler, handler, named, write };
      });
    },
    execute: writeLink,
    write: linkResponse,
  });
}

/**
 * Returns the header that names the entity of an added reference, where the profile has it and the reference is the URL of an
 * entity of the service. Handlers accept any text, which no header repeats.
 * @see OData Protocol 4.0, section 8.3.3
 */
function entityIdOf({ service, serviceRoot, requestUrl }: AuthorizedRequest, id: string): ExtraHeaders {
  const { model, profile } = service.definition;
  if (!profile.changeNamesEntity) return {};
  const found = attempt(() => resolveReference(id, { model, serviceRoot, requestUrl }, INVALID_BODY), ODataError);
  if (found instanceof ODataError || found.singleton !== undefined) return {};
  return { "OData-EntityId": entityUrlOf(serviceRoot, found.entitySet, found.key) };
}

/** Makes the error for a reference that names no entity of the target set. */
type ReferenceFault = (problem: string) => ODataError;

const INVALID_BODY: ReferenceFault = (problem) =>
  protocolError("InvalidBody", `@odata.id: ${problem}`, { target: "@odata.id" });
const INVALID_OPTION: ReferenceFault = (problem) =>
  protocolError("InvalidQueryOption", `$id: ${problem}`, { target: "$id" });

/** Returns the entity that a reference names, which must be in the target set. */
function relatedEntity(
  request: AuthorizedRequest,
  navigation: AddressedNavigation,
  id: string,
  fail: ReferenceFault,
): Pick<Referenced, "key" | "singleton"> {
  const { model } = request.service.definition;
  const { origin } = navigation.runtime;
  const { serviceRoot, requestUrl } = request;
  const { entitySet, key, singleton } = resolveReference(id, { model, serviceRoot, requestUrl }, fail);
  if (entitySet === origin) return { key, singleton };
  const { name } = navigation.navigationProperty;
  throw fail(`It is an entity of ${entitySet.name}, but '${name}' leads to ${origin.name}.`);
}

interface SentReference {
  readonly id: string;
  readonly fault: ReferenceFault;
  /** The member or option that contains it, for errors. */
  readonly target: string;
  /** Whether the link is added; else it is removed, and then no foreign key refers to another entity than before. */
  readonly isAdded: boolean;
}

/** The entity that a reference names. */
export interface Referenced {
  readonly entitySet: EntitySet;
  /** Undefined for a singleton until the service has asked the application for it. */
  readonly key: unknown;
  readonly singleton?: Singleton | undefined;
  /** The URL of the entity of a singleton, which handlers get; absent: they get the reference as it was sent. */
  readonly id?: string;
  /** The target of the error for a hidden entity; null where no rule hides entities of the set. */
  readonly hidden: string | null;
  /** The member or option that contains the reference, for errors. */
  readonly target: string;
}

/** Whether a reference names a singleton: handlers get the URL of its entity. */
function namesSingleton({ service, serviceRoot, requestUrl }: AuthorizedRequest, id: string): boolean {
  const { model } = service.definition;
  const found = attempt(() => resolveReference(id, { model, serviceRoot, requestUrl }, INVALID_BODY), ODataError);
  return !(found instanceof ODataError) && found.singleton !== undefined;
}

/** Resolves a reference where a handler or rule needs its key; null otherwise: the handler gets the URL. */
function referencedBy(
  request: AuthorizedRequest,
  navigation: AddressedNavigation,
  byKey: unknown,
  { id, fault, target, isAdded }: SentReference,
): Referenced | null {
  const { origin } = navigation.runtime;
  const isHiding = origin.kind === "EntitySet" && hidesRows(request.service, origin);
  if (origin.kind !== "EntitySet") return null;
  const isAsked =
    byKey !== undefined ||
    isHiding ||
    namesSingleton(request, id) ||
    hasLinkHooks(request.service.definition, { navigation, target: origin }) ||
    judgesLinks(request.service, navigation) ||
    (isAdded && sharesReferences(request.service.definition, { navigation, target: origin }));
  if (!isAsked) return null;
  return {
    entitySet: origin,
    ...relatedEntity(request, navigation, id, fault),
    hidden: isHiding ? target : null,
    target,
  };
}

/** A link from the entity of the navigation's key to the referenced entity; null: to the current one. */
export interface Link {
  readonly navigation: BoundNavigation;
  readonly referenced: Referenced | null;
  /** The handler that adds the link; null: the link is removed. */
  readonly added: object | null;
  readonly handler: object;
  /** The header of the response that names the referenced entity. */
  readonly named?: ExtraHeaders | undefined;
  /** Calls the handler. @param referenced as in the link, with its key */
  readonly write: (context: Context, referenced: Referenced | null) => Answer<void>;
  /** The target of a refusal of the linked entities; absent: the navigation. */
  readonly refused?: string | undefined;
}

/**
 * Writes a link. Links are part of the parent, so the rules and the ETag of the parent apply; the rules of a foreign key, too.
 */
async function writeLink(sent: Link, execution: Execution): Promise<void> {
  const link = await withKey(sent, execution);
  const { navigation, handler } = link;
  const { entitySet, parentKey: key } = navigation;
  requireLinkable(queryReaderOf(execution), entitySet, navigation.navigationProperty);
  const isJudged = execution.access.pending.length > 0 || judgesLinks(execution.service, navigation);
  await executeJudged(execution, { entitySet, key, handler }, isJudged, (inner) => writeSeenLink(link, inner));
}

/** Returns a link with the key of the singleton that it names. @throws ODataError `NotFound` for one without an entity */
async function withKey(link: Link, execution: Execution): Promise<Link> {
  const { referenced } = link;
  if (referenced?.singleton === undefined) return link;
  const key = await keyOfSingleton(execution, referenced.singleton);
  if (key === null || key === undefined) throw notThere(referenced.entitySet.name, referenced.target);
  const { service, arrival } = execution;
  const found = entityUrlOf(arrival.baseUrl + service.definition.prefix, referenced.entitySet, key);
  return { ...link, referenced: { ...referenced, key, id: found } };
}

async function writeSeenLink(link: Link, execution: Execution): Promise<void> {
  const { navigation, referenced } = link;
  const { entitySet, parentKey: key } = navigation;
  const missing = (): ODataError => missingEntityError(execution, () => noParent(navigation));
  const absent = (): ODataError => notThere(navigation.runtime.origin.name, referenced?.target);
  const parent = requireEntity(execution, { entitySet, key, mustBeSeen: true }, missing);
  const current = chain(parent, (addressed) => checkPreconditions(execution, { entitySet, key, addressed }));
  const end = await chain(current, ({ expected }) =>
    chain(requireSeen(execution, referenced), () => writeBetween(link, execution, absent, expected)),
  );
  if (end === "related") throw absent();
  if (end === "parent") throw missing();
}

/**
 * Checks the rules of the entities of a link, and its foreign keys, and calls its handler.
 * @param absent makes the error for a related entity that is missing or hidden
 * @param expected the values that the handler finds in `ctx.expected`
 * @returns the entity that is missing; null if none is
 */
export function writeBetween(
  link: Link,
  execution: Execution,
  absent: () => ODataError,
  expected?: ExpectedValues,
): Maybe<LinkEnd | null> {
  const { navigation, referenced, added } = link;
  const related = {
    navigation,
    related: referenced?.key,
    isAdded: added !== null,
    missing: absent,
    target: link.refused,
  };
  return chain(authorizeLink(execution, related), () =>
    chain(checkShared(link, execution), () => callLink(link, execution.writer(expected))),
  );
}

/** Calls the handler of a link, with the hooks of the rows that it changes. @returns the entity that is missing */
async function callLink(
  { navigation, referenced, added, handler, write }: Link,
  reader: Reader,
): Promise<LinkEnd | null> {
  const { entitySet, parentKey: key } = navigation;
  const { origin: target } = navigation.runtime;
  const set = definitionOf(entitySet, reader.context);
  const call = (context: Context): Maybe<unknown> =>
    explainingViolations(set, OF_OTHERS, () => write(ServiceContext.ofSet(entitySet, context), referenced));
  if (target.kind !== "EntitySet") {
    answeredValue(await call(reader.context));
    return null;
  }
  const link = { navigation, target, key, related: referenced?.key, isAdded: added !== null, handler };
  return linkHooked(link, reader, call);
}

/** Checks the foreign keys that share properties with an added link. */
function checkShared({ navigation, referenced, added }: Link, { reader }: Execution): Maybe<void> {
  if (added === null || referenced === null) return;
  const { parentKey: key } = navigation;
  return checkLinked({ navigation, target: referenced.entitySet, key, related: referenced.key }, added, reader);
}

function linkResponse(_written: unknown, { named }: Link, request: AuthorizedRequest): ODataResponse {
  return noContentResponse(request, { ...minimalPreference(request), ...named });
}

/** Requires that the user sees the referenced entity: a hidden entity looks like a missing one. */
function requireSeen(execution: Execution, referenced: Referenced | null): Maybe<void> {
  if (referenced === null || referenced.hidden === null) return;
  const { entitySet, key, hidden } = referenced;
  const seen = requireReferenced(execution, { entitySet, key }, () => notThere(entitySet.name, hidden));
  return chain(seen, () => undefined);
}

function notThere(entitySet: string, target: string | undefined): ODataError {
  const place = target === undefined ? "" : `${target}: `;
  return protocolError("NotFound", `${place}${entitySet} has no entity with this key.`, { target });
}

/** Reads which link of a collection to remove. */
function readId(request: AuthorizedRequest, { navigationProperty }: AddressedNavigation): string {
  const { system } = readOptions(request);
  checkCapabilities(system.keys(), REMOVED_LINK_OPTIONS, null);
  const id = system.get("$id");
  if (id !== undefined && id.trim() !== "") return id;
  throw protocolError(
    "InvalidQueryOption",
    `'${navigationProperty.name}' is a collection: name the link to remove with $id, the @odata.id of the entity.`,
    { target: "$id" },
  );
}

function linkRoute({ entitySet, navigationProperty }: AddressedNavigation): string {
  return `${entitySet.name}/${navigationProperty.name}/$ref`;
}
