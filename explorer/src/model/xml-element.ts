/** An element of an XML document. */
export interface XmlElement {
  /** The name without its prefix. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** The text of the element and all elements in it. */
  readonly text: string;
}

/** Returns the children with a name. */
export function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name);
}
