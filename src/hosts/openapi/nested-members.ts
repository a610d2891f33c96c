import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { NavigationProperty } from "../../edm/model.ts";
import type { DocumentObject } from "./open-api-document.ts";
import { createSchema, objectSchema, type SchemaRegistry, valueSchema } from "./value-schemas.ts";

type Schemas = SchemaRegistry;

/**
 * Adds the entities that PUT and PATCH write with an entity to the schema of the body.
 * @see docs/reference/deep-update.md
 */
export function withNestedChanges(
  definition: ServiceDefinition,
  set: EntitySetDefinition,
  body: DocumentObject,
  schemas: Schemas,
): DocumentObject {
  const { entitySet, settings } = set;
  if (!settings.deepUpdateEnabled) return body;
  const members = [...entitySet.navigationProperties.values()].flatMap((navigation) => {
    const target = definition.entitySets.get(entitySet.navigationPropertyBindings.get(navigation.name) ?? "");
    return target === undefined ? [] : membersOf(navigation, nestedSchema(definition, target, schemas));
  });
  if (members.length === 0) return body;
  const make = (): DocumentObject => ({
    type: "object",
    description: `The related entities that a change of an entity of ${entitySet.name} writes.`,
    properties: Object.fromEntries(members),
  });
  return { allOf: [body, schemas.reference(`${entitySet.name}.nestedChanges`, make)] };
}

function membersOf(
  { name, isCollection, nullable }: NavigationProperty,
  entity: DocumentObject,
): ReadonlyArray<readonly [string, DocumentObject]> {
  if (!isCollection) return [[name, nullable ? { anyOf: [entity, { type: "null" }] } : entity]];
  return [
    [name, { type: "array", items: entity, description: `All entities of ${name}: absent ones are removed.` }],
    [`${name}@odata.delta`, { type: "array", items: entity, description: `The changes of ${name}.` }],
  ];
}

function nestedSchema(definition: ServiceDefinition, set: EntitySetDefinition, schemas: Schemas): DocumentObject {
  const { name, entityType } = set.entitySet;
  return schemas.reference(`${name}.nested`, () => {
    const names = new Set(entityType.properties.map((property) => property.name));
    const key = entityType.key.map((property) => [property.name, valueSchema(property, "body", schemas)] as const);
    const own = {
      allOf: [
        createSchema(entityType, names, schemas),
        objectSchema(ABOUT, { ...CONTROL, ...Object.fromEntries(key) }, []),
      ],
    };
    return withNestedChanges(definition, set, own, schemas);
  });
}

const ABOUT = "With its key, or its `@odata.id`, an existing entity; otherwise a new one.";

/** The control information of nested entities. @see OData JSON Format 4.01, sections 4.5 and 15.3 */
const CONTROL = {
  "@odata.id": { type: "string" },
  "@odata.etag": { type: "string" },
  "@odata.removed": {
    type: "object",
    properties: { reason: { type: "string", enum: ["changed", "deleted"] } },
    required: ["reason"],
    description: "In a delta only: the entity is removed from the collection, or deleted.",
  },
};
