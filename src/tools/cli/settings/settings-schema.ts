import { FILE_SETTINGS } from "./file-settings.ts";
import type { DescribedShape, SettingShape } from "./setting-shape.ts";

/** A JSON schema, or a part of one. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the JSON schema of `odatakit.json`. @see https://json-schema.org/draft/2020-12/json-schema-core */
export function settingsSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "odatakit.json",
    description: "The settings of the command odatakit. An option of the command line replaces its setting.",
    ...objectSchema(FILE_SETTINGS),
  };
}

function objectSchema(members: Iterable<readonly [name: string, DescribedShape]>): JsonSchema {
  const properties = [...members].map(([name, { shape, summary }]) => [
    name,
    { description: summary, ...schemaOf(shape) },
  ]);
  return { type: "object", properties: Object.fromEntries(properties) as JsonSchema, additionalProperties: false };
}

function schemaOf(shape: SettingShape): JsonSchema {
  switch (shape.kind) {
    case "boolean":
    case "string":
      return { type: shape.kind };
    case "number":
      return { type: "integer", minimum: 1 };
    case "scalar":
      return { type: ["string", "number", "boolean"] };
    case "choice":
      return { enum: shape.values };
    case "list":
      return { type: "array", items: schemaOf(shape.items) };
    case "record":
      return { type: "object", additionalProperties: schemaOf(shape.values) };
    case "object":
      return {
        ...objectSchema(Object.entries(shape.members)),
        ...(shape.needsAll === true ? { required: Object.keys(shape.members) } : {}),
      };
    case "either":
      return { anyOf: shape.shapes.map(schemaOf) };
  }
}
