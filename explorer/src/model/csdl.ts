import { withLater } from "./later.ts";

/** The parts of an element of the DOM that the page reads. */
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
  /** The constant or path of an annotation; otherwise the text in the element. */
  readonly text: string;
  readonly qualifiedName: string;
  readonly names: { readonly name: string; readonly description: string | null };
}

type Now = Pick<CsdlElement, "localName" | "attributes" | "qualifiedName">;

/** Reads the schema of a `$metadata` document. */
export function readSchema(document: XmlElement): CsdlElement {
  const [schema] = childrenOf(childrenOf(document, "DataServices")[0], "Schema");
  if (schema === undefined) throw new Error("The metadata of the service contains no schema.");
  const apart = new Map<string, readonly CsdlElement[]>();
  const read = (element: XmlElement, prefix: string): CsdlElement => {
    const attributes = Object.fromEntries(Array.from(element.attributes, ({ name, value }) => [name, value]));
    const { Namespace: namespace = "", Name: name = namespace } = attributes;
    const qualifiedName = prefix + name;
    const made: CsdlElement = withLater<Now, Omit<CsdlElement, keyof Now>>(
      { localName: element.localName, attributes, qualifiedName },
      {
        children: () => {
          const below = qualifiedName + (element === schema ? "." : "/");
          return [...Array.from(element.children, (child) => read(child, below)), ...(apart.get(qualifiedName) ?? [])];
        },
        text: () => {
          const constant = Object.keys(attributes).find((key) => key !== "Term" && key !== "Property") ?? "";
          return attributes[constant] ?? element.textContent ?? "";
        },
        names: () => ({ name, description: textAt(made, "Core.Description") ?? textAt(made, "Common.QuickInfo") }),
      },
    );
    return made;
  };
  // Services may write annotations apart from their elements.
  const blocks = childrenOf(schema, "Annotations").map((each) => read(each, ""));
  for (const { attributes, children } of blocks) apart.set(attributes["Target"] ?? "", children);
  return read(schema, "");
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
export function annotation(parent: Parent, ...[name, ...path]: readonly string[]): CsdlElement | undefined {
  const values = [parent, ...childrenOf(parent, "Record")].flatMap((each) => each?.children ?? []);
  const found = values.find(
    ({ localName, attributes: { Term: term = "", Property: property, Qualifier: qualifier } }) => {
      // The service writes its own terms with namespaces such as `Org.OData.Core.V1`, and those of the application with aliases.
      const alias = term.replace(/^.*\.(\w+)\.v\d+(?=\.)/iu, "$1");
      return localName === "Annotation" ? alias === name && qualifier === undefined : property === name;
    },
  );
  return path.length === 0 ? found : annotation(found, ...path);
}

/** Returns the text that an annotation states; null for none, and for records. */
export function textAt(parent: Parent, ...path: readonly string[]): string | null {
  const text = annotation(parent, ...path)?.text.trim() ?? "";
  return text === "" ? null : text;
}

/** Returns the items of the collection that an annotation states. */
export function itemsAt(parent: Parent, ...path: readonly string[]): readonly CsdlElement[] {
  return childrenOf(annotation(parent, ...path), "Collection").flatMap(({ children }) => children);
}
