import type { XmlElement } from "./xml.ts";

/** Writes the names of one document. */
export interface NameWriter {
  /** Returns a qualified name with the alias of its namespace, if the document declares one. */
  readonly aliased: (name: string) => string;
  /** Returns the reference to a type for `@odata.type`: the document of its namespace, and the name. */
  readonly typeReference: (name: string) => string;
}

/**
 * Returns how a document writes names. In CSDL JSON, a namespace with an alias is written as this alias everywhere.
 * @param references the `edmx:Reference` elements of the document
 * @see https://docs.oasis-open.org/odata/odata-csdl-json/v4.01/odata-csdl-json-v4.01.html
 */
export function aliasNames(references: readonly XmlElement[]): NameWriter {
  const included = references.flatMap((reference) =>
    reference.children.map(({ attributes }) => ({
      namespace: attributes["Namespace"] ?? "",
      alias: attributes["Alias"],
      uri: reference.attributes["Uri"] ?? "",
    })),
  );
  const find = (name: string): (typeof included)[number] | undefined => {
    const prefix = name.slice(0, name.lastIndexOf("."));
    return included.find(({ namespace, alias }) => namespace === prefix || alias === prefix);
  };
  const aliased = (name: string): string => {
    const alias = find(name)?.alias;
    return alias === undefined ? name : `${alias}${name.slice(name.lastIndexOf("."))}`;
  };
  return { aliased, typeReference: (name) => `${find(name)?.uri ?? ""}#${aliased(name)}` };
}
