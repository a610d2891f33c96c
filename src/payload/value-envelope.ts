import type { StructuralProperty } from "../edm/model.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { typeAnnotation, typeFragment } from "./type-annotation.ts";

/**
 * Makes the writer of the body `{"@odata.context":…,"value":…}` around the text of a value.
 * @param property a property, or the result of an operation
 * @param isBare whether a complex value is the body itself, with the context as its first member
 * @returns a writer that takes the JSON text of a value, which is not `null`, and its context URL
 * @see OData JSON Format 4.0, sections 11 and 13
 */
export function compileEnvelope(
  property: StructuralProperty,
  format: PayloadFormat,
  isBare: boolean,
): (text: string, contextUrl: string) => string {
  if (isBare && property.type.kind === "ComplexType" && !property.isCollection) return compileBare(format);
  const isFull = format.metadata === "full";
  const name = typeFragment(property.type, property.isCollection);
  const type = isFull ? `"@odata.type":${JSON.stringify(name)},` : "";
  const isTyped = typeAnnotation(property) !== "";
  // INF, -INF and NaN are strings, so they need a type annotation.
  const isDouble = property.type.name === "Edm.Double" && !property.isCollection;
  return (text, contextUrl) => {
    const context = format.metadata === "none" ? "" : `"@odata.context":${JSON.stringify(contextUrl)},`;
    return `{${context}${isTyped || (isDouble && text.startsWith('"')) ? type : ""}"value":${text}}`;
  };
}

/** A complex value contains its type, so that only the context is added. */
function compileBare({ metadata }: PayloadFormat): (text: string, contextUrl: string) => string {
  if (metadata === "none") return (text) => text;
  return (text, contextUrl) => {
    const members = text.slice(1);
    return `{"@odata.context":${JSON.stringify(contextUrl)}${members === "}" ? "" : ","}${members}`;
  };
}
