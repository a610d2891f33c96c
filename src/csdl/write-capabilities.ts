import type { EntitySet } from "../edm/model.ts";
import type { CsdlCapabilities } from "./csdl-capabilities.ts";
import {
  booleanAnnotation,
  booleanValue,
  capabilitiesTerm,
  collectionValue,
  recordAnnotation,
} from "./write-annotations.ts";
import { element, type XmlElement } from "./xml.ts";

/**
 * The annotations that tell what an entity set offers. Those of query options and writes are there for every set, true
 * or false; what clients take for granted (reads) is told only where it is missing.
 * @see Org.OData.Capabilities.V1
 */
export function writeCapabilities(entitySet: EntitySet, capabilities: CsdlCapabilities): readonly XmlElement[] {
  const { query, readable, insertable, updatable, deletable } = capabilities;
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
    recordAnnotation(capabilitiesTerm("SelectSupport"), [booleanValue("Supported", query.selectEnabled)]),
    booleanAnnotation(capabilitiesTerm("TopSupported"), readable),
    booleanAnnotation(capabilitiesTerm("SkipSupported"), readable),
    recordAnnotation(capabilitiesTerm("InsertRestrictions"), [booleanValue("Insertable", insertable)]),
    recordAnnotation(capabilitiesTerm("UpdateRestrictions"), [booleanValue("Updatable", updatable)]),
    recordAnnotation(capabilitiesTerm("DeleteRestrictions"), [booleanValue("Deletable", deletable)]),
  ];
}

/** By key is told apart only where it differs from the collection: its restrictions override the others. */
function readRestrictions(entitySet: EntitySet, capabilities: CsdlCapabilities): readonly XmlElement[] {
  const { readable, readableByKey, navigable } = capabilities;
  const byKey = element("PropertyValue", { Property: "ReadByKeyRestrictions" }, [
    element("Record", {}, [booleanValue("Readable", readableByKey)]),
  ]);
  const restrictions: XmlElement[] = [];
  if (!readable || !readableByKey) {
    const values = [booleanValue("Readable", readable), ...(readable === readableByKey ? [] : [byKey])];
    restrictions.push(recordAnnotation(capabilitiesTerm("ReadRestrictions"), values));
  }
  if (!readableByKey) restrictions.push(booleanAnnotation(capabilitiesTerm("IndexableByKey"), false));
  return [...restrictions, ...navigationRestrictions(entitySet, navigable)];
}

/** Paths lead over one navigation property: those that have routes do so singly. */
function navigationRestrictions(entitySet: EntitySet, navigable: ReadonlySet<string>): readonly XmlElement[] {
  const names = [...entitySet.navigationProperties.keys()];
  if (names.length === 0) return [];
  const missing = names.filter((name) => !navigable.has(name));
  const isNone = missing.length === names.length;
  const restricted = isNone ? [] : missing.map(restrictedProperty);
  return [
    recordAnnotation(capabilitiesTerm("NavigationRestrictions"), [
      navigability(isNone ? "None" : "Single"),
      ...(restricted.length === 0
        ? []
        : [element("PropertyValue", { Property: "RestrictedProperties" }, [element("Collection", {}, restricted)])]),
    ]),
  ];
}

function restrictedProperty(name: string): XmlElement {
  return element("Record", {}, [
    element("PropertyValue", { Property: "NavigationProperty", NavigationPropertyPath: name }),
    navigability("None"),
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

function expandRestrictions(entitySet: EntitySet, { query, expandable }: CsdlCapabilities): XmlElement {
  const names = query.expandEnabled ? [...entitySet.navigationProperties.keys()] : [];
  const excluded = names.filter((name) => query.expandProperties?.has(name) === false || !expandable.has(name));
  return recordAnnotation(capabilitiesTerm("ExpandRestrictions"), [
    booleanValue("Expandable", query.expandEnabled),
    ...collectionValue("NonExpandableProperties", "NavigationPropertyPath", excluded),
  ]);
}

/** The structural properties that an allowlist leaves out. */
function excludedProperties({ entityType }: EntitySet, allowed: ReadonlySet<string> | null): readonly string[] {
  return entityType.properties.map(({ name }) => name).filter((name) => allowed?.has(name) === false);
}
