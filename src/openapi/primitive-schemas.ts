import type { Facets, PrimitiveTypeName } from "../edm/primitive-type.ts";
import type { DocumentObject } from "./open-api-document.ts";

const integer = (format: string, minimum?: number, maximum?: number) => (): DocumentObject => ({
  type: "integer",
  format,
  minimum,
  maximum,
});

/** Infinities and NaN are strings. @see OData JSON Format 4.0, section 7.1 */
const floating = (format: string) => (): DocumentObject => ({
  anyOf: [
    { type: "number", format },
    { type: "string", enum: ["-INF", "INF", "NaN"] },
  ],
});

const FRACTION = String.raw`(?:\.\d{1,12})?`;

/** The schemas of primitive types in JSON without IEEE754Compatible. @see OData JSON Format 4.0, section 7.1 */
export const PRIMITIVE_SCHEMAS: Readonly<Record<PrimitiveTypeName, (facets: Facets) => DocumentObject>> = {
  "Edm.Boolean": () => ({ type: "boolean" }),
  "Edm.Byte": integer("uint8", 0, 255),
  "Edm.SByte": integer("int8", -128, 127),
  "Edm.Int16": integer("int16", -32_768, 32_767),
  "Edm.Int32": integer("int32", -2_147_483_648, 2_147_483_647),
  "Edm.Int64": integer("int64"),
  "Edm.Single": floating("float"),
  "Edm.Double": floating("double"),
  "Edm.Decimal": ({ precision, scale }) => ({
    type: "number",
    format: "decimal",
    description: describeDecimal(precision, scale),
  }),
  "Edm.String": ({ maxLength }) => ({ type: "string", maxLength }),
  "Edm.Guid": () => ({ type: "string", format: "uuid", examples: ["01234567-89ab-cdef-0123-456789abcdef"] }),
  "Edm.Binary": ({ maxLength }) => ({
    type: "string",
    format: "base64url",
    contentEncoding: "base64url",
    description: maxLength === undefined ? undefined : `At most ${String(maxLength)} bytes.`,
    examples: ["T0RhdGE"],
  }),
  "Edm.Date": () => ({ type: "string", format: "date", examples: ["2024-02-29"] }),
  "Edm.TimeOfDay": () => ({
    type: "string",
    pattern: String.raw`^\d{2}:\d{2}(?::\d{2}${FRACTION})?$`,
    examples: ["13:20:00"],
  }),
  "Edm.DateTimeOffset": () => ({ type: "string", format: "date-time", examples: ["2024-02-29T13:20:00Z"] }),
  "Edm.Duration": () => ({ type: "string", format: "duration", examples: ["P1DT2H"] }),
};

function describeDecimal(precision: number | undefined, scale: Facets["scale"]): string | undefined {
  const parts = [
    precision === undefined ? [] : [`at most ${String(precision)} digits`],
    typeof scale === "number" ? [`at most ${String(scale)} fraction digits`] : [],
  ].flat();
  if (parts.length === 0) return undefined;
  const text = parts.join(", ");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
