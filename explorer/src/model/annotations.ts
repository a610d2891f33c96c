import { type XmlElement, childrenOf } from "./xml-element.ts";

/** The value of an annotation: text of a constant or path, null, items, or the members of a record. */
export type AnnotationValue = string | null | readonly AnnotationValue[] | AnnotationRecord;

/** A record of an annotation. */
export interface AnnotationRecord {
  readonly [property: string]: AnnotationValue;
}

/** The annotations of one element by full term, such as `Org.OData.Core.V1.Description`. */
export type Annotations = ReadonlyMap<string, AnnotationValue>;

/** Finds annotations, whether they are written in their element or by target. */
export interface AnnotationReader {
  /** @param target the path of the element, such as `Shop.Order/Status` */
  of(element: XmlElement, target: string): Annotations;
}

/** The attributes of an annotation or of a property of a record that are no value. */
const NAMES: ReadonlySet<string> = new Set(["Term", "Qualifier", "Property"]);

/**
 * Collects the annotations by target of all schemas. Aliases of namespaces are resolved.
 * @param aliases alias → namespace
 */
export function annotationReader(
  schemas: readonly XmlElement[],
  aliases: ReadonlyMap<string, string>,
): AnnotationReader {
  const apart = new Map<string, XmlElement[]>();
  for (const block of schemas.flatMap((schema) => childrenOf(schema, "Annotations"))) {
    const target = resolveAlias(block.attributes["Target"] ?? "", aliases);
    apart.set(target, [...(apart.get(target) ?? []), ...childrenOf(block, "Annotation")]);
  }
  return {
    of: (element, target) => {
      const all = [...childrenOf(element, "Annotation"), ...(apart.get(target) ?? [])];
      const plain = all.filter(({ attributes }) => attributes["Qualifier"] === undefined);
      return new Map(plain.map((each) => [resolveAlias(each.attributes["Term"] ?? "", aliases), valueOf(each)]));
    },
  };
}

/** Returns a qualified name with the namespace instead of an alias. */
export function resolveAlias(name: string, aliases: ReadonlyMap<string, string>): string {
  const dot = name.lastIndexOf(".", name.includes("/") ? name.indexOf("/") : name.length);
  const namespace = aliases.get(name.slice(0, Math.max(dot, 0)));
  return namespace === undefined ? name : namespace + name.slice(dot);
}

/** An annotation without a value states the default of its term, which is true for the terms that the page reads. */
function valueOf(element: XmlElement): AnnotationValue {
  // Declarations of namespaces begin with a small letter.
  const stated = Object.entries(element.attributes).find(([name]) => !NAMES.has(name) && /^[A-Z]/u.test(name));
  if (stated !== undefined) return stated[1];
  const child = element.children.find(({ name }) => name !== "Annotation");
  return child === undefined ? "true" : expressionOf(child);
}

function expressionOf(element: XmlElement): AnnotationValue {
  if (element.name === "Null") return null;
  if (element.name === "Collection") return element.children.map(expressionOf);
  if (element.name !== "Record") return element.text;
  const values = childrenOf(element, "PropertyValue");
  return Object.fromEntries(values.map((each) => [each.attributes["Property"] ?? "", valueOf(each)]));
}

/** Returns the text of an annotation; null if there is none. */
export function textOf(annotations: Annotations, term: string): string | null {
  const value = annotations.get(term);
  return typeof value === "string" ? value : null;
}

/** Returns whether an annotation is stated and true. */
export function isTrue(annotations: Annotations, term: string): boolean {
  return annotations.get(term) === "true";
}

/** Returns the record of an annotation; an empty one if there is none. */
export function recordOf(value: AnnotationValue | undefined): AnnotationRecord {
  return typeof value === "object" && value !== null && !isItems(value) ? value : {};
}

/** Returns the items of a collection; none if the value is no collection. */
export function itemsOf(value: AnnotationValue | undefined): readonly AnnotationValue[] {
  return typeof value === "object" && value !== null && isItems(value) ? value : [];
}

/** Returns the items of a collection that are texts, such as paths. */
export function textsOf(value: AnnotationValue | undefined): readonly string[] {
  return itemsOf(value).filter((item) => typeof item === "string");
}

function isItems(value: readonly AnnotationValue[] | AnnotationRecord): value is readonly AnnotationValue[] {
  return Array.isArray(value);
}
