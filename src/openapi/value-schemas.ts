import { fullDescription } from "../edm/annotation.ts";
import type { ComplexType, EnumType, OperationParameter, ReturnType, StructuralProperty } from "../edm/model.ts";
import type { DocumentObject, DocumentValue } from "./open-api-document.ts";
import { PRIMITIVE_SCHEMAS } from "./primitive-schemas.ts";
import { nullableSchema, type SchemaRegistry } from "./schema-registry.ts";

/** The use of a value: in a response, in a body with the whole value, or in a body with changed members. */
export type SchemaUse = "answer" | "body" | "change";

/** The suffixes of the names of schemas of complex values. */
const SUFFIXES: Readonly<Record<SchemaUse, string>> = { answer: "", body: ".body", change: ".patch" };

/** A property, a parameter, or the result of an operation other than entities. */
export type Valued = Pick<StructuralProperty | OperationParameter, "type" | "isCollection" | "nullable" | "facets">;

/** A result other than entities. */
export function isValued(returns: ReturnType): returns is ReturnType & Valued {
  return returns.type.kind !== "EntityType";
}

/** Returns the schema of a value in JSON: an array for a collection. */
export function valueSchema(valued: Valued, use: SchemaUse, schemas: SchemaRegistry): DocumentObject {
  // A change replaces the whole collection.
  const single = singleSchema(valued, use === "change" && valued.isCollection ? "body" : use, schemas);
  const item = valued.nullable ? nullableSchema(single) : single;
  return valued.isCollection ? { type: "array", items: item } : item;
}

/** Returns a declared default in JSON; undefined without a default, or if JSON cannot represent it without loss. */
export function defaultOf({ type, defaultValue }: Pick<StructuralProperty, "type" | "defaultValue">): DocumentValue {
  if (defaultValue === null || typeof defaultValue === "boolean") return defaultValue;
  if (typeof defaultValue === "number") return Number.isFinite(defaultValue) ? defaultValue : String(defaultValue);
  if (typeof defaultValue === "bigint") return exactNumber(String(defaultValue));
  if (typeof defaultValue !== "string") return undefined;
  return type.name === "Edm.Decimal" ? exactNumber(defaultValue) : defaultValue;
}

function exactNumber(text: string): number | undefined {
  const number = Number(text);
  return String(number) === text ? number : undefined;
}

function singleSchema({ type, facets }: Valued, use: SchemaUse, schemas: SchemaRegistry): DocumentObject {
  switch (type.kind) {
    case "PrimitiveType":
      return PRIMITIVE_SCHEMAS[type.name](facets);
    case "EnumType":
      return schemas.reference(type.name, () => enumSchema(type));
    case "ComplexType":
      return complexSchema(type, use, schemas);
  }
}

function enumSchema(type: EnumType): DocumentObject {
  const { members, isFlags, memberDescriptions } = type;
  const description = fullDescription(type);
  // Documentation tools show the texts of members from this extension.
  const texts = memberDescriptions === undefined ? undefined : Object.fromEntries(memberDescriptions);
  const names = [...members.keys()];
  if (!isFlags) return { type: "string", enum: names, description, "x-enumDescriptions": texts };
  const one = `(?:${names.join("|")})`;
  const text = `One or more of ${names.join(", ")}, separated by commas.`;
  return {
    type: "string",
    pattern: `^${one}(?:, ?${one})*$`,
    description: description === undefined ? text : `${description} ${text}`,
    "x-enumDescriptions": texts,
    examples: [names.slice(0, 2).join(",")],
  };
}

/**
 * Returns the schema of a complex value. In a response, `$select` may omit members, so none is required. A change keeps
 * absent members.
 */
export function complexSchema(type: ComplexType, use: SchemaUse, schemas: SchemaRegistry): DocumentObject {
  return schemas.reference(type.name + SUFFIXES[use], () => {
    const own = type.properties.filter(({ computed }) => use === "answer" || !computed);
    const isStated = { answer: () => true, body: isRequired, change: () => false }[use];
    const required = own.filter(isStated).map(({ name }) => name);
    return objectSchema(fullDescription(type), membersOf(own, use, schemas), required);
  });
}

/** Returns whether a body must contain a property, because it has no default. */
export function isRequired({ nullable, isCollection, databaseDefault, defaultValue }: StructuralProperty): boolean {
  return !nullable && !isCollection && databaseDefault !== true && defaultValue === undefined;
}

/** Returns the schemas of properties by their wire names. */
export function membersOf(
  properties: readonly StructuralProperty[],
  use: SchemaUse,
  schemas: SchemaRegistry,
): DocumentObject {
  return Object.fromEntries(
    properties.map((property) => {
      const { name, computed } = property;
      const description = fullDescription(property);
      const schema = valueSchema(property, use, schemas);
      return [
        name,
        {
          ...schema,
          description: description ?? schema["description"],
          readOnly: use === "answer" && computed ? true : undefined,
          default: use === "body" ? defaultOf(property) : undefined,
        },
      ];
    }),
  );
}

/** Makes the schema of an object, without undefined members. */
export function objectSchema(
  description: string | undefined,
  properties: DocumentObject,
  required: readonly string[],
): DocumentObject {
  return { type: "object", description, properties, required: required.length === 0 ? undefined : required };
}
