import type { EnumType } from "../edm/model.ts";
import type { PrimitiveTypeName } from "../edm/primitive-type.ts";
import type { ScalarType } from "../query/expression.ts";

const EXAMPLES: Readonly<Record<PrimitiveTypeName, string>> = {
  "Edm.Boolean": "true",
  "Edm.Byte": "5",
  "Edm.SByte": "5",
  "Edm.Int16": "5",
  "Edm.Int32": "5",
  "Edm.Int64": "5",
  "Edm.Single": "1.5",
  "Edm.Double": "1.5",
  "Edm.Decimal": "9.99",
  "Edm.String": "'text'",
  "Edm.Guid": "01234567-89ab-cdef-0123-456789abcdef",
  "Edm.Binary": "binary'T0RhdGE'",
  "Edm.Date": "2024-01-31",
  "Edm.TimeOfDay": "13:30:00",
  "Edm.DateTimeOffset": "2024-01-31T13:30:00Z",
  "Edm.Duration": "duration'PT90M'",
};

/** A literal of a type as a client writes it, for messages. @see OData URL Conventions 4.0, ABNF primitiveLiteral */
export function literalExample(type: ScalarType): string {
  return type.kind === "PrimitiveType" ? EXAMPLES[type.name] : enumExample(type);
}

function enumExample(type: EnumType): string {
  const [member = "Member"] = type.members.keys();
  return `'${member}'`;
}
