import { element, textElement, type XmlElement } from "./xml.ts";

/** The URLs of the vocabularies in use. Terms are written with their full names. */
export const VOCABULARIES: Readonly<Record<string, string>> = {
  "Org.OData.Core.V1": "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Core.V1.xml",
  "Org.OData.Capabilities.V1":
    "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Capabilities.V1.xml",
};

/** The terms of the Core vocabulary in use. */
export type CoreTerm =
  | "Description"
  | "Computed"
  | "ComputedDefaultValue"
  | "Immutable"
  | "OptimisticConcurrency"
  | "OptionalParameter";

/** The terms of the Capabilities vocabulary in use. */
export type CapabilitiesTerm =
  | "BatchSupport"
  | "CountRestrictions"
  | "DeleteRestrictions"
  | "ExpandRestrictions"
  | "FilterFunctions"
  | "FilterRestrictions"
  | "IndexableByKey"
  | "InsertRestrictions"
  | "NavigationRestrictions"
  | "QuerySegmentSupported"
  | "ReadRestrictions"
  | "SearchRestrictions"
  | "SelectSupport"
  | "SkipSupported"
  | "SortRestrictions"
  | "TopSupported"
  | "UpdateRestrictions";

/** Returns the full name of a Core term. */
export function coreTerm(name: CoreTerm): string {
  return `Org.OData.Core.V1.${name}`;
}

/** Returns the full name of a Capabilities term. */
export function capabilitiesTerm(name: CapabilitiesTerm): string {
  return `Org.OData.Capabilities.V1.${name}`;
}

/** Makes a Boolean annotation. */
export function booleanAnnotation(term: string, value: boolean): XmlElement {
  return element("Annotation", { Term: term, Bool: String(value) });
}

/** Makes an annotation with a record. */
export function recordAnnotation(term: string, properties: readonly XmlElement[]): XmlElement {
  return element("Annotation", { Term: term }, [element("Record", {}, properties)]);
}

/** Makes an annotation with a collection, such as of `PropertyPath` or `String`. */
export function collectionAnnotation(term: string, itemName: string, items: readonly string[]): XmlElement {
  return element("Annotation", { Term: term }, [collection(itemName, items)]);
}

/** Makes a Boolean property of a record. */
export function booleanValue(property: string, value: boolean): XmlElement {
  return element("PropertyValue", { Property: property, Bool: String(value) });
}

/** Makes a property of a record with a collection; returns nothing for an empty collection. */
export function collectionValue(property: string, itemName: string, items: readonly string[]): readonly XmlElement[] {
  return items.length === 0 ? [] : [element("PropertyValue", { Property: property }, [collection(itemName, items)])];
}

/** Makes the annotation for a description; returns nothing without a description. */
export function descriptionAnnotation(description: string | undefined): readonly XmlElement[] {
  if (description === undefined) return [];
  return [element("Annotation", { Term: coreTerm("Description"), String: description })];
}

function collection(itemName: string, items: readonly string[]): XmlElement {
  return element(
    "Collection",
    {},
    items.map((item) => textElement(itemName, item)),
  );
}
