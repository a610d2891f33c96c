import type { XmlElement } from "./csdl.ts";

/** Parses an XML document with the parser of the browser. @throws Error if the text is not well-formed */
export function parseXml(text: string): XmlElement {
  const document = new DOMParser().parseFromString(text, "application/xml");
  const fault = document.querySelector("parsererror");
  if (fault !== null) throw new Error(`The metadata of the service is not well-formed XML: ${fault.textContent ?? ""}`);
  return document.documentElement;
}
