import { absentValue } from "../../edm/absent-value.ts";
import { fullDescription } from "../../edm/annotation.ts";
import { asDeclared, propertiesOfType } from "../../edm/hierarchy.ts";
import {
  type ComplexType,
  type OperationParameter,
  type StructuralProperty,
  type EntitySet,
  type EntityType,
  type NavigationProperty,
  shownProperties,
} from "../../edm/model.ts";
import type { Facets, PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { enumSchema } from "./enum-schema.ts";
import type { DocumentObject, DocumentValue } from "./open-api-document.ts";
import { controlInformation } from "./stream-content.ts";
import { bodyProperties, ofTypes } from "./type-schemas.ts";

/** The use of a value: in a response, in a body with the whole value, or in a body with changed members. */
type SchemaUse = "answer" | "body" | "change";

/** The suffixes of the names of schemas of complex values. */
const SUFFIXES: Readonly<Record<SchemaUse, string>> = { answer: "", body: ".body", change: ".patch" };

/** A property, a parameter, or the result of an operation other than entities. */
export type Valued = Pick<StructuralProperty | OperationParameter, "type" | "isCollection" | "nullable" | "facets">;

/** Returns the schema of a value in JSON: an array for a collection. Stored values and results may exceed limits of writes. */
export function valueSchema(declared: Valued, use: SchemaUse, schemas: SchemaRegistry): DocumentObject {
  const valued = use === "answer" ? { ...declared, facets: formOf(declared.facets) } : declared;
  // A change replaces the whole collection.
  const single = singleSchema(valued, use === "change" && valued.isCollection ? "body" : use, schemas);
  const item = valued.nullable ? nullableSchema(single) : single;
  const { minItems, maxItems } = valued.facets;
  return valued.isCollection ? { type: "array", items: item, minItems, maxItems } : item;
}

function formOf({ maxLength, precision, scale }: Facets): Facets {
  return { maxLength, precision, scale };
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

/**
 * Returns the schema of a complex value. In a response, `$select` may omit members, so none is required. A change keeps
 * absent members.
 */
function complexSchema(type: ComplexType, use: SchemaUse, schemas: SchemaRegistry): DocumentObject {
  return schemas.reference(type.name + SUFFIXES[use], () => {
    const own = type.properties.filter(({ computed }) => use === "answer" || !computed);
    const isStated = { answer: () => true, body: isRequired, change: () => false }[use];
    const required = own.filter(isStated).map(({ name }) => name);
    return objectSchema(fullDescription(type), membersOf(own, use, schemas), required);
  });
}

/** Returns whether a body must contain a property, because it has no default. */
export function isRequired(property: StructuralProperty): boolean {
  return property.databaseDefault !== true && absentValue(property) === undefined;
}

/** Returns the schemas of properties by their wire names. */
function membersOf(properties: readonly StructuralProperty[], use: SchemaUse, schemas: SchemaRegistry): DocumentObject {
  return Object.fromEntries(
    properties.map((property) => {
      const note = use === "answer" && property.onlyIfSelected === true ? MUST_BE_SELECTED : "";
      const schema = valueSchema(property, use, schemas);
      return [
        property.name,
        {
          ...schema,
          description: `${fullDescription(property) ?? ""} ${note}`.trim() || schema["description"],
          readOnly: use === "answer" && property.computed ? true : undefined,
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

const integer =
  (format: string, least?: number, greatest?: number) =>
  (facets: Facets): DocumentObject => {
    const { minimum = least, maximum = greatest } = boundsOf(facets);
    return { type: "integer", format, minimum, maximum };
  };

/** Infinities and NaN are strings. @see OData JSON Format 4.0, section 7.1 */
const floating =
  (format: string) =>
  (facets: Facets): DocumentObject => {
    const { minimum, maximum } = boundsOf(facets);
    const special = [minimum === undefined ? ["-INF"] : [], maximum === undefined ? ["INF"] : []].flat();
    if (special.length === 2) special.push("NaN");
    const number = { type: "number", format, minimum, maximum };
    return special.length === 0 ? number : { anyOf: [number, { type: "string", enum: special }] };
  };

/** Returns the bounds of numbers, except bounds that JSON cannot represent without loss. */
function boundsOf({ minimum, maximum }: Facets): { readonly minimum?: number; readonly maximum?: number } {
  const numberOf = (bound: Facets["minimum"]): number | undefined =>
    bound === undefined || typeof bound === "number" ? bound : exactNumber(String(bound));
  const [least, greatest] = [numberOf(minimum), numberOf(maximum)];
  return {
    ...(least === undefined ? {} : { minimum: least }),
    ...(greatest === undefined ? {} : { maximum: greatest }),
  };
}

const FRACTION = String.raw`(?:\.\d{1,12})?`;

/** The schemas of primitive types in JSON without IEEE754Compatible. @see OData JSON Format 4.0, section 7.1 */
const PRIMITIVE_SCHEMAS: Readonly<Record<PrimitiveTypeName, (facets: Facets) => DocumentObject>> = {
  "Edm.Boolean": () => ({ type: "boolean" }),
  "Edm.Byte": integer("uint8", 0, 255),
  "Edm.SByte": integer("int8", -128, 127),
  "Edm.Int16": integer("int16", -32_768, 32_767),
  "Edm.Int32": integer("int32", -2_147_483_648, 2_147_483_647),
  "Edm.Int64": integer("int64"),
  "Edm.Single": floating("float"),
  "Edm.Double": floating("double"),
  "Edm.Decimal": (facets) => ({
    type: "number",
    format: "decimal",
    ...boundsOf(facets),
    description: describeDecimal(facets.precision, facets.scale),
  }),
  "Edm.String": ({ minLength, maxLength, pattern }) => ({
    type: "string",
    minLength,
    maxLength,
    pattern: pattern?.source,
  }),
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

/** The schemas that the routes of a document refer to, by name. */
export class SchemaRegistry {
  readonly #schemas: Map<string, DocumentObject>;
  /** The schemas that a type refers to are made after its own: each may lead to the next, along thousands of types. */
  readonly #pending: Array<() => void> = [];
  #isMaking = false;
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
      this.#pending.push(() => this.#schemas.set(component, make()));
      if (!this.#isMaking) this.#makePending();
    }
    return { $ref: `#/components/schemas/${component}` };
  }

  #makePending(): void {
    this.#isMaking = true;
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) next();
    this.#isMaking = false;
  }
}

/** Returns a valid name of a component: ASCII letters and digits, hyphens, dots and underscores. */
export function componentName(name: string): string {
  return name.replaceAll(/[^\w.-]/gu, (character) => `-${(character.codePointAt(0) ?? 0).toString(16)}-`);
}

/** Makes a schema nullable. */
function nullableSchema(schema: DocumentObject): DocumentObject {
  const { type, anyOf } = schema;
  const isPlain = typeof type === "string" && schema["enum"] === undefined;
  if (isPlain) return { ...schema, type: [type, "null"] };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...(anyOf as readonly DocumentObject[]), { type: "null" }] };
  return { anyOf: [schema, { type: "null" }] };
}

const TEXT: DocumentObject = { type: "string" };
const MUST_BE_SELECTED = "Returned only if `$select` names it.";

/** Returns the schema of an entity in a response: `$select` may omit any member, and `$expand` adds related entities. */
export function entitySchema(type: EntityType, schemas: SchemaRegistry): DocumentObject {
  return schemas.reference(type.name, () => {
    const navigations = Object.fromEntries(type.navigationProperties.flatMap((each) => expandedMembers(each, schemas)));
    const whole = (each: EntityType): DocumentObject => {
      const own = each.hierarchy === undefined ? shownProperties(each) : propertiesOfType(each).map(asDeclared);
      const shown = own.filter(({ stream }) => stream === undefined);
      const members = membersOf(shown, "answer", schemas);
      return objectSchema(fullDescription(each), { ...controlInformation(each), ...members, ...navigations }, []);
    };
    return ofTypes(type, whole);
  });
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
  const make = (): DocumentObject =>
    ofTypes(type, (each) => bodySchema(each, bodyProperties(each), ({ name }) => !given.has(name), schemas));
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
    return ofTypes(entityType, (type) => {
      const own = bodySchema(type, bodyProperties(type), (each) => !given.has(each.name), schemas);
      return withNested(own, entityType, new Set(), schemas);
    });
  });
}

/** Returns the schema of the body of a PUT: absent properties are reset to their defaults. */
export function replaceSchema(type: EntityType, schemas: SchemaRegistry, given: ReadonlySet<string>): DocumentObject {
  const isOwn = ({ isKey, immutable, name }: StructuralProperty) => !isKey && !immutable && !given.has(name);
  const make = (): DocumentObject => ofTypes(type, (each) => bodySchema(each, bodyProperties(each), isOwn, schemas));
  return given.size === 0 ? schemas.reference(`${type.name}.replace`, make) : make();
}

/** Returns the schema of the body of a PATCH: absent properties keep their values. */
export function patchSchema(type: EntityType, schemas: SchemaRegistry): DocumentObject {
  return schemas.reference(`${type.name}.patch`, () => {
    const changesOf = (each: EntityType): DocumentObject => {
      const changed = bodyProperties(each).filter(({ isKey, immutable }) => !isKey && !immutable);
      return bodySchema(each, changed, () => false, schemas, "change");
    };
    return ofTypes(type, changesOf, true);
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
    ofTypes(type, (each) =>
      withNested(
        bodySchema(each, bodyProperties(each), () => false, schemas),
        type,
        backLinks,
        schemas,
      ),
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
