import { type AnnotationReader, annotationReader } from "./annotations.ts";
import { type XmlElement, childrenOf } from "./xml-element.ts";

/** The schemas of a metadata document. Names have namespaces instead of aliases. */
export interface Schemas {
  readonly elements: readonly XmlElement[];
  readonly annotationsOf: AnnotationReader;
}

/** The attributes whose values are names with a namespace or an alias. */
const NAMED: ReadonlySet<string> = new Set(["Term", "Target", "Type", "BaseType", "EntityType", "Function", "Action"]);

/** Finds the schemas of a `$metadata` document. */
export function readSchemas(document: XmlElement): Schemas {
  const stated = childrenOf(document, "DataServices").flatMap((services) => childrenOf(services, "Schema"));
  const includes = childrenOf(document, "Reference").flatMap((reference) => childrenOf(reference, "Include"));
  const aliases = new Map(
    [...includes, ...stated].map(({ attributes }) => [attributes["Alias"] ?? "", attributes["Namespace"] ?? ""]),
  );
  const elements = stated.map((schema) => withNamespaces(schema, aliases));
  return { elements, annotationsOf: annotationReader(elements) };
}

function withNamespaces(element: XmlElement, aliases: ReadonlyMap<string, string>): XmlElement {
  const resolve = (value: string): string =>
    value.replace(/(?<=^|\()[^.()/]+(?=\.[^.()/]+(?:[)/]|$))/u, (alias) => aliases.get(alias) ?? alias);
  return {
    ...element,
    attributes: Object.fromEntries(
      Object.entries(element.attributes).map(([name, value]) => [name, NAMED.has(name) ? resolve(value) : value]),
    ),
    children: element.children.map((child) => withNamespaces(child, aliases)),
  };
}
