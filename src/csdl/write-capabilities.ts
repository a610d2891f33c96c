import type { EntitySet } from "../edm/model.ts";
import type { Capabilities } from "../query/capabilities.ts";
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
 * Returns the annotations for the capabilities of an entity set. Every set has the annotations for query options and
 * writes. Restrictions of reads, which clients assume to be possible, are written only if a read is missing.
 * @see Org.OData.Capabilities.V1
 */
export function writeCapabilities(entitySet: EntitySet, capabilities: CsdlCapabilities): readonly XmlElement[] {
  const { query, readable, insertable, deletable } = capabilities;
  return [
    ...readRestrictions(entitySet, capabilities),
    filterRestrictions(entitySet, capabilities),
    sortRestrictions(entitySet, capabilities),
    expandRestrictions(entitySet, capabilities),
    recordAnnotation(capabilitiesTerm("SearchRestrictions"), [
      booleanValue("Searchable", readable && query.searchEnabled),
    ]),
    recordAnnotation(capabilitiesTerm("CountRestrictions"), [
      booleanValue("Countable", readable && query.countEnabled),
    ]),
    recordAnnotation(capabilitiesTerm("SelectSupport"), [booleanValue("Supported", isSelectable(capabilities))]),
    booleanAnnotation(capabilitiesTerm("TopSupported"), readable),
    booleanAnnotation(capabilitiesTerm("SkipSupported"), readable),
    recordAnnotation(capabilitiesTerm("InsertRestrictions"), [booleanValue("Insertable", insertable)]),
    updateRestrictions(capabilities),
    recordAnnotation(capabilitiesTerm("DeleteRestrictions"), [booleanValue("Deletable", deletable)]),
    ...(readable && query.computeEnabled === true
      ? [booleanAnnotation(capabilitiesTerm("ComputeSupported"), true)]
      : []),
    ...(isAggregated(capabilities) ? [writeApplySupported(entitySet, query)] : []),
  ];
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
  if (!readableByKey) restrictions.push(booleanAnnotation(capabilitiesTerm("IndexableByKey"), false));
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
function updateRestrictions({ patchable, replaceable }: CsdlCapabilities): XmlElement {
  const method = { Property: "UpdateMethod", EnumMember: "Org.OData.Capabilities.V1.HttpMethod/PUT" };
  return recordAnnotation(capabilitiesTerm("UpdateRestrictions"), [
    booleanValue("Updatable", patchable || replaceable),
    ...(replaceable && !patchable ? [element("PropertyValue", method)] : []),
  ]);
}

function navigability(type: "Single" | "None"): XmlElement {
  const member = `Org.OData.Capabilities.V1.NavigationType/${type}`;
  return element("PropertyValue", { Property: "Navigability", EnumMember: member });
}

function filterRestrictions(entitySet: EntitySet, { query, readable }: CsdlCapabilities): XmlElement {
  const isFilterable = readable && query.filterEnabled;
  const excluded = isFilterable ? excludedProperties(entitySet, query.filterProperties) : [];
  return recordAnnotation(capabilitiesTerm("FilterRestrictions"), [
    booleanValue("Filterable", isFilterable),
    ...collectionValue("NonFilterableProperties", "PropertyPath", excluded),
  ]);
}

function sortRestrictions(entitySet: EntitySet, { query, readable }: CsdlCapabilities): XmlElement {
  const isSortable = readable && query.orderByEnabled;
  const excluded = isSortable ? excludedProperties(entitySet, query.orderByProperties) : [];
  return recordAnnotation(capabilitiesTerm("SortRestrictions"), [
    booleanValue("Sortable", isSortable),
    ...collectionValue("NonSortableProperties", "PropertyPath", excluded),
  ]);
}

function expandRestrictions(
  entitySet: EntitySet,
  { query, shown, expandable, maxExpandDepth }: CsdlCapabilities,
): XmlElement {
  const isExpandable = shown && query.expandEnabled;
  const names = isExpandable ? [...entitySet.navigationProperties.keys()] : [];
  const excluded = names.filter((name) => query.expandProperties?.has(name) === false || !expandable.has(name));
  return recordAnnotation(capabilitiesTerm("ExpandRestrictions"), [
    booleanValue("Expandable", isExpandable),
    ...collectionValue("NonExpandableProperties", "NavigationPropertyPath", excluded),
    ...(isExpandable ? [element("PropertyValue", { Property: "MaxLevels", Int: String(maxExpandDepth) })] : []),
  ]);
}

function excludedProperties({ entityType }: EntitySet, allowed: ReadonlySet<string> | null): readonly string[] {
  return entityType.properties.map(({ name }) => name).filter((name) => allowed?.has(name) === false);
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
  readonly deletable: boolean;
}
