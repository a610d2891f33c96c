import type { XmlElement } from "./xml-element.ts";

/**
 * Parses an XML document with the parser of the browser.
 * @throws Error if the text is not well-formed
 */
export function parseXml(text: string): XmlElement {
  const document = new DOMParser().parseFromString(text, "application/xml");
  const fault = document.querySelector("parsererror");
  if (fault !== null) throw new Error(`The metadata of the service is not well-formed XML: ${fault.textContent ?? ""}`);
  return toElement(document.documentElement);
}

function toElement(element: Element): XmlElement {
  return {
    name: element.localName,
    attributes: Object.fromEntries(Array.from(element.attributes, ({ name, value }) => [name, value])),
    children: Array.from(element.children, toElement),
    text: element.textContent ?? "",
  };
}
