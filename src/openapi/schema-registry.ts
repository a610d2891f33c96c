import type { DocumentObject } from "./open-api-document.ts";

/** The schemas that the routes of a document refer to, by name. */
export class SchemaRegistry {
  readonly #schemas: Map<string, DocumentObject>;
  readonly #label: string;

  /** @param label the prefix of the names, if several services share a document */
  constructor(schemas: Map<string, DocumentObject>, label: string) {
    this.#schemas = schemas;
    this.#label = label;
  }

  /**
   * Returns a reference to a schema, and makes the schema on first use.
   * @param name the name of a type, optionally with a dot and a suffix: names of the model contain no dot
   */
  reference(name: string, make: () => DocumentObject): DocumentObject {
    const component = this.#label + componentName(name);
    if (!this.#schemas.has(component)) {
      // Reserves the name first, because a type may refer to itself.
      this.#schemas.set(component, {});
      this.#schemas.set(component, make());
    }
    return { $ref: `#/components/schemas/${component}` };
  }
}

/** Returns a valid name of a component: ASCII letters and digits, hyphens, dots and underscores. */
export function componentName(name: string): string {
  return name.replaceAll(/[^\w.-]/gu, (character) => `-${(character.codePointAt(0) ?? 0).toString(16)}-`);
}

/** Makes a schema nullable. */
export function nullableSchema(schema: DocumentObject): DocumentObject {
  const { type, anyOf } = schema;
  const isPlain = typeof type === "string" && schema["enum"] === undefined;
  if (isPlain) return { ...schema, type: [type, "null"] };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...(anyOf as readonly DocumentObject[]), { type: "null" }] };
  return { anyOf: [schema, { type: "null" }] };
}
