import type { EntityType } from "../../edm/model.ts";
import type { DocumentObject } from "./open-api-document.ts";
import { entitySchema, envelope, type SchemaRegistry } from "./value-schemas.ts";

/** The schema of a row of `$apply`. */
const APPLIED_ROW: DocumentObject = {
  type: "object",
  description: "With $apply: a row with the properties and aliases of its steps.",
  additionalProperties: true,
};

/**
 * Returns the schema of a page of entities. If clients can use `$apply`, the items may be rows with any members.
 * @see OData JSON Format 4.0, section 12
 */
export function collectionSchema(
  type: EntityType,
  schemas: SchemaRegistry,
  { applyEnabled = false }: { readonly applyEnabled?: boolean | undefined } = {},
): DocumentObject {
  const entity = entitySchema(type, schemas);
  const items = applyEnabled ? { anyOf: [entity, APPLIED_ROW] } : entity;
  return schemas.reference(applyEnabled ? `${type.name}.rows` : `${type.name}.collection`, () =>
    envelope({
      "@odata.count": { type: "integer", format: "int64", description: "The number of entities, with $count=true." },
      "@odata.nextLink": { type: "string", description: "The URL of the next page; absent on the last page." },
      value: { type: "array", items },
    }),
  );
}
