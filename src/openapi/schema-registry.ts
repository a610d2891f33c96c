import type { DocumentObject } from "./open-api-document.ts";

/** The schemas of a document that are referred to, by name: what no route mentions is not there. */
export class SchemaRegistry {
  readonly #schemas: Map<string, DocumentObject>;
  readonly #label: string;

  /** @param label begins the names, where several services share a document */
  constructor(schemas: Map<string, DocumentObject>, label: string) {
    this.#schemas = schemas;
    this.#label = label;
  }

  /**
   * A reference to a schema, which is made when it is first referred to.
   * @param name a type, and behind a dot what of it: a dot is in no name of a model
   */
  reference(name: string, make: () => DocumentObject): DocumentObject {
    const component = this.#label + componentName(name);
    if (!this.#schemas.has(component)) {
      // A type may lead to itself: its place is taken before it is made.
      this.#schemas.set(component, {});
      this.#schemas.set(component, make());
    }
    return { $ref: `#/components/schemas/${component}` };
  }
}

/** A name as components may have it: letters and digits of ASCII, hyphens, dots and underscores. */
export function componentName(name: string): string {
  return name.replaceAll(/[^\w.-]/gu, (character) => `-${(character.codePointAt(0) ?? 0).toString(16)}-`);
}

/** A schema, or null. */
export function nullableSchema(schema: DocumentObject): DocumentObject {
  const { type, anyOf } = schema;
  const isPlain = typeof type === "string" && schema["enum"] === undefined;
  if (isPlain) return { ...schema, type: [type, "null"] };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...(anyOf as readonly DocumentObject[]), { type: "null" }] };
  return { anyOf: [schema, { type: "null" }] };
}
