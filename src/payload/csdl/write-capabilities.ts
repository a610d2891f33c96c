import { namedProperties } from "../../edm/hierarchy.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { Capabilities } from "../../language/query/capabilities.ts";
import {
  booleanAnnotation,
  booleanValue,
  capabilitiesTerm,
  collectionValue,
  recordAnnotation,
} from "./write-annotations.ts";
import { writeApplySupported } from "./write-apply-supported.ts";
import { element, type XmlElement } from "./xml.ts";

/**
 * Returns the annotations for the capabilities of an entity set. Defaults of the vocabulary are not written: by
 * default a set supports everything but `$compute` and `$apply`.
 * @see Org.OData.Capabilities.V1
 */
export function writeCapabilities(entitySet: EntitySet, capabilities: CsdlCapabilities): readonly XmlElement[] {
  const { query, readable, insertable, deletable } = capabilities;
  return [
    ...readRestrictions(entitySet, capabilities),
    ...filterRestrictions(entitySet, capabilities),
    ...sortRestrictions(entitySet, capabilities),
    ...expandRestrictions(entitySet, capabilities),
    ...restriction("SearchRestrictions", unless("Searchable", readable && query.searchEnabled)),
    ...restriction("CountRestrictions", unless("Countable", readable && query.countEnabled)),
    ...restriction("SelectSupport", unless("Supported", isSelectable(capabilities))),
    ...(readable ? [] : [unsupported("TopSupported"), unsupported("SkipSupported")]),
    ...restriction("InsertRestrictions", unless("Insertable", insertable)),
    ...updateRestrictions(capabilities),
    ...deepUpdateSupport(capabilities),
    ...restriction("DeleteRestrictions", unless("Deletable", deletable)),
    ...(readable && query.computeEnabled === true
      ? [booleanAnnotation(capabilitiesTerm("ComputeSupported"), true)]
      : []),
    ...(isAggregated(capabilities) ? [writeApplySupported(entitySet, query)] : []),
  ];
}

/** Returns the annotations for the capabilities of a singleton over a set. @see Org.OData.Capabilities.V1 */
export function writeSingletonCapabilities(
  entitySet: EntitySet,
  capabilities: CsdlCapabilities,
): readonly XmlElement[] {
  return [
    ...navigationRestrictions(entitySet, capabilities),
    ...expandRestrictions(entitySet, capabilities),
    ...restriction("SelectSupport", unless("Supported", isSelectable(capabilities))),
    ...updateRestrictions(capabilities),
    ...restriction("DeleteRestrictions", unless("Deletable", false)),
  ];
}

/** Makes the annotation of a capability; returns nothing if all its values are defaults. */
function restriction(
  term: Parameters<typeof capabilitiesTerm>[0],
  ...values: ReadonlyArray<readonly XmlElement[]>
): readonly XmlElement[] {
  const stated = values.flat();
  return stated.length === 0 ? [] : [recordAnnotation(capabilitiesTerm(term), stated)];
}

/** States that a capability is missing; nothing if it exists, which is the default. */
function unless(property: string, exists: boolean): readonly XmlElement[] {
  return exists ? [] : [booleanValue(property, false)];
}

function unsupported(term: Parameters<typeof capabilitiesTerm>[0]): XmlElement {
  return booleanAnnotation(capabilitiesTerm(term), false);
}

/** Returns whether clients can use `$apply` with a set. */
export function isAggregated({ query, readable }: CsdlCapabilities): boolean {
  return readable && query.applyEnabled === true;
}

/** An empty allowlist disables `$select`. */
function isSelectable({ query, shown }: CsdlCapabilities): boolean {
  return shown && query.selectEnabled && query.selectProperties?.size !== 0;
}

/** Reads by key have their own restrictions only if they differ from those of the collection, which they override. */
function readRestrictions(entitySet: EntitySet, capabilities: CsdlCapabilities): readonly XmlElement[] {
  const { readable, readableByKey } = capabilities;
  const byKey = element("PropertyValue", { Property: "ReadByKeyRestrictions" }, [
    element("Record", {}, [booleanValue("Readable", readableByKey)]),
  ]);
  const restrictions: XmlElement[] = [];
  if (!readable || !readableByKey) {
    const values = [booleanValue("Readable", readable), ...(readable === readableByKey ? [] : [byKey])];
    restrictions.push(recordAnnotation(capabilitiesTerm("ReadRestrictions"), values));
  }
  if (!readableByKey) restrictions.push(unsupported("IndexableByKey"));
  return [...restrictions, ...navigationRestrictions(entitySet, capabilities)];
}

/** Navigation properties with routes have the navigability `Single`: paths follow only one navigation property. */
function navigationRestrictions(
  entitySet: EntitySet,
  { navigable, insertableAlong }: CsdlCapabilities,
): readonly XmlElement[] {
  const names = [...entitySet.navigationProperties.keys()];
  if (names.length === 0) return [];
  const isNone = navigable.size === 0;
  const restricted = names.flatMap((name) => {
    const isInsertable = insertableAlong.get(name);
    const values = [
      ...(isNone || navigable.has(name) ? [] : [navigability("None")]),
      ...(isInsertable === undefined ? [] : [insertRestrictions(isInsertable)]),
    ];
    return values.length === 0 ? [] : [restrictedProperty(name, values)];
  });
  return [
    recordAnnotation(capabilitiesTerm("NavigationRestrictions"), [
      navigability(isNone ? "None" : "Single"),
      ...(restricted.length === 0
        ? []
        : [element("PropertyValue", { Property: "RestrictedProperties" }, [element("Collection", {}, restricted)])]),
    ]),
  ];
}

function restrictedProperty(name: string, values: readonly XmlElement[]): XmlElement {
  const property = element("PropertyValue", { Property: "NavigationProperty", NavigationPropertyPath: name });
  return element("Record", {}, [property, ...values]);
}

function insertRestrictions(isInsertable: boolean): XmlElement {
  const record = element("Record", {}, [booleanValue("Insertable", isInsertable)]);
  return element("PropertyValue", { Property: "InsertRestrictions" }, [record]);
}

/** Clients send PATCH unless `UpdateMethod` is PUT. */
function updateRestrictions({ patchable, replaceable }: CsdlCapabilities): readonly XmlElement[] {
  const method = { Property: "UpdateMethod", EnumMember: "Org.OData.Capabilities.V1.HttpMethod/PUT" };
  const byPut = replaceable && !patchable ? [element("PropertyValue", method)] : [];
  return restriction("UpdateRestrictions", unless("Updatable", patchable || replaceable), byPut);
}

/** Clients assume that bodies of PUT and PATCH contain no related entities. */
function deepUpdateSupport({ updatesDeep = false }: CsdlCapabilities): readonly XmlElement[] {
  return updatesDeep
    ? restriction("DeepUpdateSupport", [booleanValue("Supported", true), booleanValue("ContentIDSupported", false)])
    : [];
}

function navigability(type: "Single" | "None"): XmlElement {
  const member = `Org.OData.Capabilities.V1.NavigationType/${type}`;
  return element("PropertyValue", { Property: "Navigability", EnumMember: member });
}

function filterRestrictions(entitySet: EntitySet, { query, readable }: CsdlCapabilities): readonly XmlElement[] {
  const isFilterable = readable && query.filterEnabled;
  const excluded = isFilterable ? excludedProperties(entitySet, query.filterProperties) : [];
  const properties = collectionValue("NonFilterableProperties", "PropertyPath", excluded);
  return restriction("FilterRestrictions", unless("Filterable", isFilterable), properties);
}

function sortRestrictions(entitySet: EntitySet, { query, readable }: CsdlCapabilities): readonly XmlElement[] {
  const isSortable = readable && query.orderByEnabled;
  const excluded = isSortable ? excludedProperties(entitySet, query.orderByProperties) : [];
  const properties = collectionValue("NonSortableProperties", "PropertyPath", excluded);
  return restriction("SortRestrictions", unless("Sortable", isSortable), properties);
}

function expandRestrictions(
  entitySet: EntitySet,
  { query, shown, expandable, maxExpandDepth }: CsdlCapabilities,
): readonly XmlElement[] {
  const isExpandable = shown && query.expandEnabled;
  const names = isExpandable ? [...entitySet.navigationProperties.keys()] : [];
  const excluded = names.filter((name) => query.expandProperties?.has(name) === false || !expandable.has(name));
  const levels = element("PropertyValue", { Property: "MaxLevels", Int: String(maxExpandDepth) });
  return restriction(
    "ExpandRestrictions",
    unless("Expandable", isExpandable),
    collectionValue("NonExpandableProperties", "NavigationPropertyPath", excluded),
    // A set without navigation properties has nothing to expand.
    names.length === 0 ? [] : [levels],
  );
}

function excludedProperties({ entityType }: EntitySet, allowed: ReadonlySet<string> | null): readonly string[] {
  return namedProperties(entityType)
    .map(({ name }) => name)
    .filter((name) => allowed?.has(name) === false);
}

/** The capabilities of an entity set in `$metadata`: its routes and query options. */
export interface CsdlCapabilities {
  /** The settings for query options. */
  readonly query: Capabilities;
  /** Whether `GET /Set` has a route. */
  readonly readable: boolean;
  /** Whether `GET /Set(key)` has a route. */
  readonly readableByKey: boolean;
  /** The navigation properties of the set that have routes, by wire name. */
  readonly navigable: ReadonlySet<string>;
  /** The navigation properties of the set that `$expand` supports, by wire name. */
  readonly expandable: ReadonlySet<string>;
  /** The maximum depth of `$expand` in one request. */
  readonly maxExpandDepth: number;
  /** Whether a route returns entities of the set, so that clients can use `$select` and `$expand`. */
  readonly shown: boolean;
  readonly insertable: boolean;
  /** Whether `POST /Set(key)/Nav` has a route, by wire name; only if this differs from `POST` of the target set. */
  readonly insertableAlong: ReadonlyMap<string, boolean>;
  readonly patchable: boolean;
  readonly replaceable: boolean;
  /** Whether PUT and PATCH write nested entities; absent: false. */
  readonly updatesDeep?: boolean;
  readonly deletable: boolean;
}
