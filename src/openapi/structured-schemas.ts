import { fullDescription } from "../edm/annotation.ts";
import type { EntitySet, EntityType, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import type { DocumentObject } from "./open-api-document.ts";
import {
  nullableSchema,
  type SchemaRegistry,
  isRequired,
  membersOf,
  objectSchema,
  type SchemaUse,
} from "./value-schemas.ts";

const TEXT: DocumentObject = { type: "string" };

/** The control information of an entity. @see OData JSON Format 4.0, section 4.5 */
const CONTROL_INFORMATION = {
  "@odata.context": { type: "string", readOnly: true },
  "@odata.id": { type: "string", readOnly: true },
  "@odata.etag": { type: "string", readOnly: true },
};

/** Returns the schema of an entity in a response: `$select` may omit any member, and `$expand` adds related entities. */
export function entitySchema(type: EntityType, schemas: SchemaRegistry): DocumentObject {
  return schemas.reference(type.name, () => {
    const navigations = type.navigationProperties.flatMap((each) => expandedMembers(each, schemas));
    const members = { ...membersOf(type.properties, "answer", schemas), ...Object.fromEntries(navigations) };
    return objectSchema(fullDescription(type), { ...CONTROL_INFORMATION, ...members }, []);
  });
}

/** Returns the schema of a page of entities. @see OData JSON Format 4.0, section 12 */
export function collectionSchema(type: EntityType, schemas: SchemaRegistry): DocumentObject {
  return schemas.reference(`${type.name}.collection`, () =>
    envelope({
      "@odata.count": { type: "integer", format: "int64", description: "The number of entities, with $count=true." },
      "@odata.nextLink": { ...TEXT, description: "The URL of the next page; absent on the last page." },
      value: { type: "array", items: entitySchema(type, schemas) },
    }),
  );
}

/** Returns the schema of an object with one value. */
export function envelope(members: Readonly<Record<"value", DocumentObject>> & DocumentObject): DocumentObject {
  return objectSchema(undefined, { "@odata.context": TEXT, ...members }, ["value"]);
}

/** Returns the schema of a complex value with its context URL. @see OData JSON Format 4.0, section 11 */
export function withContext(value: DocumentObject): DocumentObject {
  return { allOf: [value, objectSchema(undefined, { "@odata.context": { ...TEXT, readOnly: true } }, [])] };
}

/** Returns the schema of a reference to an entity. @see OData JSON Format 4.0, section 13 */
export function referenceSchema(schemas: SchemaRegistry): DocumentObject {
  return schemas.reference("odata-reference", () =>
    objectSchema(
      "A reference to an entity: its URL, absolute or relative to the service.",
      { "@odata.context": { ...TEXT, readOnly: true }, "@odata.id": TEXT },
      ["@odata.id"],
    ),
  );
}

/**
 * Returns the schema of the body of a new entity.
 * @param given the properties that the parent entity determines
 */
export function createSchema(type: EntityType, given: ReadonlySet<string>, schemas: SchemaRegistry): DocumentObject {
  const make = (): DocumentObject => bodySchema(type, type.properties, (each) => !given.has(each.name), schemas);
  // The required properties differ between navigations, so the schema has no name.
  return given.size === 0 ? schemas.reference(`${type.name}.create`, make) : make();
}

/** Returns the schema of the body of a new entity with nested entities at any depth. */
export function deepCreateSchema({ name, entityType }: EntitySet, schemas: SchemaRegistry): DocumentObject {
  const given = new Set(
    entityType.navigationProperties.flatMap(({ referentialConstraints }) =>
      referentialConstraints.map(({ property }) => property.name),
    ),
  );
  return schemas.reference(`${name}.deepCreate`, () => {
    const own = bodySchema(entityType, entityType.properties, (each) => !given.has(each.name), schemas);
    return withNested(own, entityType, new Set(), schemas);
  });
}

/** Returns the schema of the body of a PUT: absent properties are reset to their defaults. */
export function replaceSchema(type: EntityType, schemas: SchemaRegistry): DocumentObject {
  return schemas.reference(`${type.name}.replace`, () =>
    bodySchema(type, type.properties, ({ isKey, immutable }) => !isKey && !immutable, schemas),
  );
}

/** Returns the schema of the body of a PATCH: absent properties keep their values. */
export function patchSchema(type: EntityType, schemas: SchemaRegistry): DocumentObject {
  return schemas.reference(`${type.name}.patch`, () => {
    const changed = type.properties.filter(({ isKey, immutable }) => !isKey && !immutable);
    return bodySchema(type, changed, () => false, schemas, "change");
  });
}

function bodySchema(
  type: EntityType,
  properties: readonly StructuralProperty[],
  mayBeRequired: (property: StructuralProperty) => boolean,
  schemas: SchemaRegistry,
  use: SchemaUse = "body",
): DocumentObject {
  const own = properties.filter(({ computed }) => !computed);
  const required = own.filter((each) => isRequired(each) && mayBeRequired(each)).map(({ name }) => name);
  return objectSchema(fullDescription(type), membersOf(own, use, schemas), required);
}

/** @param backLinks the navigations that lead back to the outer entity */
function nestedSchema(type: EntityType, backLinks: ReadonlySet<string>, schemas: SchemaRegistry): DocumentObject {
  const name = [`${type.name}.nested`, ...backLinks].join(".");
  return schemas.reference(name, () =>
    withNested(
      bodySchema(type, type.properties, () => false, schemas),
      type,
      backLinks,
      schemas,
    ),
  );
}

function withNested(
  body: DocumentObject,
  type: EntityType,
  omitted: ReadonlySet<string>,
  schemas: SchemaRegistry,
): DocumentObject {
  const shown = type.navigationProperties.filter(({ name }) => !omitted.has(name));
  const nested = shown.map((each) => {
    const one = nestedSchema(each.entityType, backLinksOf(type, each), schemas);
    return [each.name, navigationSchema(each, one)] as const;
  });
  const { properties } = body;
  return { ...body, properties: { ...(properties as DocumentObject), ...Object.fromEntries(nested) } };
}

/** Returns the navigations of nested entities that lead back to the outer entity, which determines their links. */
function backLinksOf(type: EntityType, navigation: NavigationProperty): ReadonlySet<string> {
  const { name, partner, entityType } = navigation;
  const isBack = (other: NavigationProperty): boolean =>
    other.entityType === type && (other.name === partner || other.partner === name);
  return new Set(entityType.navigationProperties.filter(isBack).map((other) => other.name));
}

function navigationSchema({ isCollection, nullable }: NavigationProperty, one: DocumentObject): DocumentObject {
  if (isCollection) return { type: "array", items: one };
  return nullable ? nullableSchema(one) : one;
}

function expandedMembers(
  navigation: NavigationProperty,
  schemas: SchemaRegistry,
): ReadonlyArray<readonly [string, DocumentObject]> {
  const { name, isCollection } = navigation;
  const description = fullDescription(navigation);
  const related = navigationSchema(navigation, entitySchema(navigation.entityType, schemas));
  const member = [name, { ...related, description: description ?? `With $expand=${name}.` }] as const;
  if (!isCollection) return [member];
  return [member, [`${name}@odata.count`, { type: "integer", format: "int64" }], [`${name}@odata.nextLink`, TEXT]];
}
