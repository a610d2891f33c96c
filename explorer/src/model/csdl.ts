/** What the page reads of an element of the DOM. */
export interface XmlElement {
  readonly localName: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  readonly children: Iterable<XmlElement>;
  readonly textContent: string | null;
}

/** An element of a schema, with its annotations among its children. */
export interface CsdlElement {
  readonly localName: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly CsdlElement[];
  readonly text: string;
  readonly qualifiedName: string;
  readonly names: { readonly name: string; readonly description: string | null };
}

/** Reads the schema of a `$metadata` document. */
export function readSchema(document: XmlElement): CsdlElement {
  const [schema] = childrenOf(childrenOf(document, "DataServices")[0], "Schema");
  if (schema === undefined) throw new Error("The metadata of the service contains no schema.");
  // Services may write annotations apart from their elements.
  const apart = new Map(childrenOf(schema, "Annotations").map((each) => [attributesOf(each)["Target"], each.children]));
  const read = (element: XmlElement, prefix: string): CsdlElement => {
    const { localName, textContent } = element;
    const attributes = attributesOf(element);
    const name = attributes["Name"] ?? attributes["Namespace"] ?? "";
    const qualifiedName = prefix + name;
    const all = [...element.children, ...(apart.get(qualifiedName) ?? [])];
    const children = all.map((child) => read(child, `${qualifiedName}${element === schema ? "." : "/"}`));
    const description = textAt({ children }, "Core.Description") ?? textAt({ children }, "Common.QuickInfo");
    const names = { name, description };
    return { localName, attributes, children, text: textContent ?? "", qualifiedName, names };
  };
  return read(schema, "");
}

function attributesOf({ attributes }: XmlElement): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from(attributes, ({ name, value }) => [name, value]));
}

/** Returns the children with a name. */
export function childrenOf<Kind extends Pick<XmlElement, "localName">>(
  parent: { readonly children: Iterable<Kind> } | undefined,
  name: string,
): readonly Kind[] {
  return [...(parent?.children ?? [])].filter(({ localName }) => localName === name);
}

type Parent = Pick<CsdlElement, "children"> | undefined;

/** Returns an annotation such as `Core.Description`, or the value to which a path of members of its record leads. */
export function annotation(parent: Parent, term: string, ...path: readonly string[]): CsdlElement | undefined {
  return path.reduce((holder, name) => valueIn(holder, name), valueIn(parent, term));
}

function valueIn(parent: Parent, name: string): CsdlElement | undefined {
  const values = [parent, ...childrenOf(parent, "Record")].flatMap((each) => each?.children ?? []);
  return values.find(({ localName, attributes: { Term: term = "", Property: property, Qualifier: qualifier } }) => {
    // The service writes its own terms with namespaces such as `Org.OData.Core.V1`, and those of the application with aliases.
    const alias = term.replace(/^.*\.(\w+)\.v\d+(?=\.)/iu, "$1");
    return localName === "Annotation" ? alias === name && qualifier === undefined : property === name;
  });
}

/** Returns the constant, path or other text that an annotation states. */
export function textAt(parent: Parent, term: string, ...path: readonly string[]): string | null {
  const { attributes = {}, children: [expression] = [] } = annotation(parent, term, ...path) ?? {};
  const constant = Object.keys(attributes).find((name) => name !== "Term" && name !== "Property");
  if (constant !== undefined) return attributes[constant] ?? null;
  return expression?.localName === "Null" ? null : (expression?.text ?? null);
}

/** Returns the items of the collection that an annotation states. */
export function itemsAt(parent: Parent, term: string, ...path: readonly string[]): readonly CsdlElement[] {
  return childrenOf(annotation(parent, term, ...path), "Collection").flatMap(({ children }) => children);
}
