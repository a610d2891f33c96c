import { BoundedCache, once } from "../base/memo.ts";
import type {
  BatchDefinition,
  EntitySetDefinition,
  ServiceDefinition,
} from "../definition/model/service-definition.ts";
import type { EntitySet, Model } from "../edm/model.ts";
import { readForm } from "../engine/plan/plan-collection.ts";
import { hasNavigationRoute } from "../engine/plan/table-navigation.ts";
import { permissionsOf } from "../engine/rules/property-permissions.ts";
import { expandDepthOf } from "../language/binder/bind-expand.ts";
import { withPermissions } from "../payload/csdl/with-permissions.ts";
import type { CsdlCapabilities } from "../payload/csdl/write-capabilities.ts";
import { writeCsdlJson } from "../payload/csdl/write-csdl-json.ts";
import { csdlDocument } from "../payload/csdl/write-csdl-xml.ts";
import { printXml, type XmlElement } from "../payload/csdl/xml.ts";
import { metadataRepresentation, type Metadata, type ServiceRuntime } from "./endpoints/service-runtime.ts";

/** The most documents for users with different permissions that a service keeps, and their bytes in each format. */
const DOCUMENTS_KEPT = 100;
const BYTES_KEPT = 16_000_000;

/** Receives each place and term at which an annotation of the application replaces one of the service. */
type OnReplaced = (place: string, term: string) => void;

/**
 * Returns the function that finds `$metadata` for a user: one document for all, unless the service has `metadataPerUser`.
 * Annotations of the application need the XML at startup, which warns about some.
 * @see docs/guides/authorization.md
 */
export function metadataOf(definition: ServiceDefinition): ServiceRuntime["metadata"] {
  const { model, metadataPerUser } = definition;
  const whole = toMetadata(definition, model, (place, term) => warnReplaced(definition, place, term));
  if ((model.annotations?.byPlace.size ?? 0) > 0) whole.xml();
  if (!metadataPerUser) return () => whole;
  const kept = once(() => {
    const fitting = Math.floor(BYTES_KEPT / whole.xml().body.length);
    return new BoundedCache<string, Metadata>(Math.max(1, Math.min(fitting, DOCUMENTS_KEPT)));
  });
  return (user) => {
    const permissions = permissionsOf(definition, user);
    if (permissions.size === 0) return whole;
    return kept().getOrMake([...permissions].join(" "), () =>
      toMetadata(definition, withPermissions(model, permissions)),
    );
  };
}

/** Makes each format at its first request. */
function toMetadata(definition: ServiceDefinition, model: Model, onReplaced?: OnReplaced): Metadata {
  const { profile, batch } = definition;
  const toElements = (warn?: OnReplaced): XmlElement =>
    csdlDocument(model, csdlCapabilitiesOf(definition), profile.listsEveryImport, batchFormatsOf(batch), warn);
  const encoder = new TextEncoder();
  const xml = (): Uint8Array => encoder.encode(printXml(toElements(onReplaced)));
  const json = (): Uint8Array => encoder.encode(writeCsdlJson(toElements()));
  return {
    xml: metadataRepresentation("application/xml", xml),
    json: profile.metadataAsJson ? metadataRepresentation("application/json", json) : null,
  };
}

function warnReplaced({ logger }: ServiceDefinition, place: string, term: string): void {
  const element = elementAt(place);
  const message = `The annotation ${term} of the ${element} replaces that of the service in $metadata only.`;
  logger.warn(message, { term, element, fix: "Remove it, unless clients need it: the service behaves as before." });
}

/** @param place the element, as `annotationPlace` names it */
function elementAt(place: string): string {
  const [kind = "", ...names] = place.split(" ");
  return [kind, names.join("/")].join(" ").trimEnd();
}

/**
 * Returns the capabilities of a set for `$metadata`, derived from its routes.
 * @see docs/reference/formats.md
 */
function csdlCapabilitiesOf(definition: ServiceDefinition): (entitySet: EntitySet) => CsdlCapabilities {
  return ({ name }) => {
    const set = definition.entitySets.get(name);
    if (set === undefined) throw new Error(`The entity set ${name} has no definition.`);
    const { create, replace, patch, delete: remove } = set.handlers;
    const names = [...set.entitySet.navigationProperties.keys()];
    return {
      query: set.capabilities,
      readable: readForm(set.handlers) !== undefined,
      readableByKey: set.handlers.getByKey !== undefined,
      shown: showsItself(set) || [...definition.entitySets.values()].some((each) => leadsTo(definition, each, name)),
      navigable: new Set(names.filter((each) => hasNavigationRoute(definition, set.entitySet, each))),
      maxExpandDepth: expandDepthOf(definition.limits),
      expandable: new Set(names.filter((each) => isExpandable(set, each))),
      insertable: create !== undefined,
      insertableAlong: insertableAlong(definition, set),
      patchable: patch !== undefined,
      replaceable: replace !== undefined,
      updatesDeep: set.settings.deepUpdateEnabled && names.length > 0 && (patch ?? replace) !== undefined,
      deletable: remove !== undefined,
    };
  };
}

/** Returns whether routes of a set return its entities. */
function showsItself({ handlers }: EntitySetDefinition): boolean {
  const { getByKey, create, replace, patch } = handlers;
  return readForm(handlers) !== undefined || (getByKey ?? create ?? replace ?? patch) !== undefined;
}

/** Returns whether requests to a set can return entities of another set, along a navigation or in an expansion. */
function leadsTo(definition: ServiceDefinition, set: EntitySetDefinition, target: string): boolean {
  const { expandEnabled, expandProperties } = set.capabilities;
  const expands = expandEnabled && showsItself(set);
  return [...set.entitySet.navigationPropertyBindings].some(([name, each]) => {
    if (each !== target) return false;
    if (hasNavigationRoute(definition, set.entitySet, name)) return true;
    return expands && expandProperties?.has(name) !== false && isExpandable(set, name);
  });
}

/** Returns the navigations whose insertability differs from that of their target set, which clients assume. */
function insertableAlong(
  { entitySets }: ServiceDefinition,
  { entitySet, navigationHandlers }: EntitySetDefinition,
): ReadonlyMap<string, boolean> {
  const differing = [...entitySet.navigationProperties.values()].flatMap(({ name, isCollection }) => {
    // Clients cannot create entities along a single-valued navigation.
    if (!isCollection) return [];
    const target = entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
    const isAssumed = target === undefined || target.handlers.create !== undefined;
    const isInsertable = navigationHandlers.get(name)?.create !== undefined;
    return isAssumed === isInsertable ? [] : [[name, isInsertable] as const];
  });
  return new Map(differing);
}

/** Returns whether a handler, the target set, or the parents themselves provide the related entities. */
function isExpandable({ capabilities }: EntitySetDefinition, name: string): boolean {
  return capabilities.expansions?.unloaded.has(name) !== true;
}

/** Returns the media types of the batches that a service accepts. */
function batchFormatsOf(batch: BatchDefinition | null): readonly string[] {
  if (batch === null) return [];
  return [...(batch.multipart ? ["multipart/mixed"] : []), ...(batch.json ? ["application/json"] : [])];
}
