import { element, textElement, type XmlElement } from "./xml.ts";

/** The vocabularies that are used, with the address of each; terms are written with their full names. */
export const VOCABULARIES: Readonly<Record<string, string>> = {
  "Org.OData.Core.V1": "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Core.V1.xml",
  "Org.OData.Capabilities.V1":
    "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Capabilities.V1.xml",
};

/** A term of the Core vocabulary that is applied here. */
export type CoreTerm = "Description" | "Computed" | "Immutable" | "OptimisticConcurrency" | "OptionalParameter";

/** A term of the Capabilities vocabulary that is applied here. */
export type CapabilitiesTerm =
  | "CountRestrictions"
  | "DeleteRestrictions"
  | "ExpandRestrictions"
  | "FilterFunctions"
  | "FilterRestrictions"
  | "IndexableByKey"
  | "InsertRestrictions"
  | "NavigationRestrictions"
  | "ReadRestrictions"
  | "SearchRestrictions"
  | "SelectSupport"
  | "SkipSupported"
  | "SortRestrictions"
  | "TopSupported"
  | "UpdateRestrictions";

/** The full name of a term. */
export function coreTerm(name: CoreTerm): string {
  return `Org.OData.Core.V1.${name}`;
}

/** The full name of a term. */
export function capabilitiesTerm(name: CapabilitiesTerm): string {
  return `Org.OData.Capabilities.V1.${name}`;
}

/** An annotation whose value is true or false. */
export function booleanAnnotation(term: string, value: boolean): XmlElement {
  return element("Annotation", { Term: term, Bool: String(value) });
}

/** An annotation whose value is a record. */
export function recordAnnotation(term: string, properties: readonly XmlElement[]): XmlElement {
  return element("Annotation", { Term: term }, [element("Record", {}, properties)]);
}

/** An annotation whose value is a list, such as of `PropertyPath` or `String`. */
export function collectionAnnotation(term: string, itemName: string, items: readonly string[]): XmlElement {
  return element("Annotation", { Term: term }, [collection(itemName, items)]);
}

/** A property of a record, true or false. */
export function booleanValue(property: string, value: boolean): XmlElement {
  return element("PropertyValue", { Property: property, Bool: String(value) });
}

/** A property of a record whose value is a list; nothing when the list is empty. */
export function collectionValue(property: string, itemName: string, items: readonly string[]): readonly XmlElement[] {
  return items.length === 0 ? [] : [element("PropertyValue", { Property: property }, [collection(itemName, items)])];
}

/** The annotation of a description; nothing without one. */
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
