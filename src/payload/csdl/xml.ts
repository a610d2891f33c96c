/** An XML element: attributes in order, undefined attributes omitted, then text or child elements. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: readonly XmlElement[];
  readonly text?: string | undefined;
  /** Whether CSDL JSON states the type of the text, because no term declares it. */
  readonly statesType?: boolean;
}

/** Makes an element with attributes and child elements. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
  children: readonly XmlElement[] = [],
): XmlElement {
  return { name, attributes, children };
}

/** Makes an element with text. */
export function textElement(name: string, text: string): XmlElement {
  return { name, attributes: {}, children: [], text };
}

/**
 * Prints a document with a root element, without white space between elements.
 * @see W3C XML 1.0
 */
export function printXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="utf-8"?>${printElement(root)}`;
}

function printElement({ name, attributes, children, text }: XmlElement): string {
  const start = `<${name}${printAttributes(attributes)}`;
  if (text !== undefined) return `${start}>${escapeXml(text)}</${name}>`;
  return children.length === 0 ? `${start}/>` : `${start}>${children.map(printElement).join("")}</${name}>`;
}

function printAttributes(attributes: Readonly<Record<string, string | undefined>>): string {
  let text = "";
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) text += ` ${name}="${escapeXml(value)}"`;
  }
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  // XML does not allow `]]>` in text.
  ">": "&gt;",
  '"': "&quot;",
  // As references, because parsers normalize white space.
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/**
 * Escapes text for an attribute or the content of an element.
 * @see W3C XML 1.0, section 2.4
 */
export function escapeXml(text: string): string {
  return text.replaceAll(
    /[&<>"\p{Cc}\p{Surrogate}\uFFFE\uFFFF]/gu,
    (character) => ESCAPES[character] ?? toXmlCharacter(character),
  );
}

/**
 * Replaces characters that XML 1.0 does not allow (most control characters, lone surrogates, U+FFFE, U+FFFF) by U+FFFD.
 * @see W3C XML 1.0, section 2.2
 */
export function toXmlText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Surrogate}\uFFFE\uFFFF]/gu, toXmlCharacter);
}

/** XML allows white space and the control characters from U+007F on. */
function toXmlCharacter(character: string): string {
  return /[\t\n\r\u007F-\u009F]/.test(character) ? character : "\uFFFD";
}
