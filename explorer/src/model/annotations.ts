import { type XmlElement, childrenOf } from "./xml-element.ts";

/** The value of an annotation: text of a constant or path, null, items, or the members of a record. */
export type AnnotationValue = string | null | readonly AnnotationValue[] | AnnotationRecord;

/** A record of an annotation; or the annotations of an element by full term, such as `Org.OData.Core.V1.Description`. */
export interface AnnotationRecord {
  readonly [name: string]: AnnotationValue;
}

/** Returns the annotations of an element. Their target is its path, such as `Shop.Order/Status`. */
export type AnnotationReader = (element: XmlElement, target: string) => AnnotationRecord;

/** Collects the annotations that are written by target, apart from their elements. */
export function annotationReader(schemas: readonly XmlElement[]): AnnotationReader {
  const apart = new Map<string, XmlElement[]>();
  for (const block of schemas.flatMap((schema) => childrenOf(schema, "Annotations"))) {
    const target = block.attributes["Target"] ?? "";
    apart.set(target, [...(apart.get(target) ?? []), ...childrenOf(block, "Annotation")]);
  }
  return (element, target) => {
    const all = [...childrenOf(element, "Annotation"), ...(apart.get(target) ?? [])];
    const plain = all.filter(({ attributes }) => attributes["Qualifier"] === undefined);
    return recordBy("Term", plain);
  };
}

function recordBy(name: "Term" | "Property", elements: readonly XmlElement[]): AnnotationRecord {
  return Object.fromEntries(elements.map((each) => [each.attributes[name] ?? "", valueOf(each)]));
}

/** An annotation without a value states the default of its term, which is true for the terms that the page reads. */
function valueOf(element: XmlElement): AnnotationValue {
  // Declarations of namespaces begin with a small letter.
  const stated = Object.entries(element.attributes).find(([name]) => /^(?!(?:Term|Property)$)[A-Z]/u.test(name));
  if (stated !== undefined) return stated[1];
  const child = element.children.find(({ name }) => name !== "Annotation");
  return child === undefined ? "true" : expressionOf(child);
}

function expressionOf(element: XmlElement): AnnotationValue {
  if (element.name === "Null") return null;
  if (element.name === "Collection") return element.children.map(expressionOf);
  return element.name === "Record" ? recordBy("Property", childrenOf(element, "PropertyValue")) : element.text;
}

/** Returns a member that is a text; null if there is none. */
export function textIn(record: AnnotationRecord, name: string): string | null {
  const value = record[name];
  return typeof value === "string" ? value : null;
}

/** Returns the texts, such as paths, of a member that is a collection. */
export function textsIn(record: AnnotationRecord, name: string): readonly string[] {
  return itemsIn(record, name).filter((item) => typeof item === "string");
}

/** Returns a member that is a record; an empty one if there is none. */
export function recordIn(record: AnnotationRecord, name: string): AnnotationRecord {
  const value = record[name];
  return value !== undefined && isRecord(value) ? value : {};
}

/** Returns the records of a member that is a collection. */
export function recordsIn(record: AnnotationRecord, name: string): readonly AnnotationRecord[] {
  return itemsIn(record, name).filter(isRecord);
}

function itemsIn(record: AnnotationRecord, name: string): readonly AnnotationValue[] {
  const value: unknown = record[name];
  return isItems(value) ? value : [];
}

function isItems(value: unknown): value is readonly AnnotationValue[] {
  return Array.isArray(value);
}

function isRecord(value: AnnotationValue): value is AnnotationRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
