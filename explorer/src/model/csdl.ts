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

/** Returns the root of an XML document. @throws Error if the text is not well-formed */
export type ParseXml = (text: string) => XmlElement;

/** Reads the schema of a `$metadata` document. The content of an entity type or set is parsed when it is read. */
export function readSchema(text: string, parseXml: ParseXml): CsdlElement {
  const [frame, parts] = takeApart(text);
  const [schema] = childrenOf(childrenOf(parseXml(frame), "DataServices")[0], "Schema");
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
          const part = parts[Number(attributes["Part"])];
          const { children } = part === undefined ? element : parseXml(`<Part>${part}</Part>`);
          return [...Array.from(children, (child) => read(child, below)), ...(apart.get(qualifiedName) ?? [])];
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

const START = /(<Entity(?:Type|Set)(?: \w+="[^"<>]*")*)>(.*)$/su;

/**
 * Takes the content of entity types and sets out of a document: the parser of the browser needs long for a large one. The
 * attribute `Part` is its number. Without comments, CDATA and instructions, each `<` begins a tag, so that the ends are sure.
 */
function takeApart(text: string): readonly [frame: string, parts: readonly string[]] {
  const parts: string[] = [];
  if (text.includes("<!") || text.lastIndexOf("<?") > 0) return [text, parts];
  const move = (_: string, start: string, part: string): string => `${start} Part="${parts.push(part) - 1}">`;
  const pieces = text.split("</Entity").map((piece) => piece.replace(START, move));
  return [pieces.join("</Entity"), parts];
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
