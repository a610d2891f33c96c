import { annotationPlace } from "../../edm/annotation.ts";
import { asDeclared } from "../../edm/hierarchy.ts";
import {
  type ComplexType,
  type EntityType,
  type EnumType,
  type Model,
  type NavigationProperty,
  type StructuralProperty,
  type ValueType,
  shownProperties,
} from "../../edm/model.ts";
import type { Facets } from "../../edm/primitive-type.ts";
import { typeName } from "../../edm/type-name.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import {
  acceptAnnotations,
  booleanAnnotation,
  coreTerm,
  descriptionAnnotation,
  limitAnnotations,
  mediaTypeAnnotations,
  type StatedAnnotations,
  withAnnotations,
} from "./write-annotations.ts";
import { element, type XmlElement } from "./xml.ts";

const MAX_INT32 = 2_147_483_647;
const MIN_INT32 = -2_147_483_648;

/** Writes the types of a model. */
export function writeTypes(
  { enumTypes, complexTypes, entityTypes }: Model,
  annotations?: StatedAnnotations,
): readonly XmlElement[] {
  return [
    ...[...enumTypes.values()].filter(({ isText }) => isText !== true).map((type) => writeEnumType(type, annotations)),
    ...[...complexTypes.values()].map((type) => writeComplexType(type, annotations)),
    ...[...entityTypes.values()].map((type) => writeEntityType(type, annotations)),
  ];
}

/** Writes an entity type: key, properties and navigation properties. @see OData CSDL 4.0, section 8 */
function writeEntityType(type: EntityType, annotations?: StatedAnnotations): XmlElement {
  const { hierarchy } = type;
  const base = hierarchy?.base;
  const references = type.key.map(({ name }) => element("PropertyRef", { Name: name }));
  const attributes = {
    Name: type.name,
    BaseType: base?.qualifiedName,
    Abstract: hierarchy?.isAbstract === true ? "true" : undefined,
    HasStream: type.media === undefined ? undefined : "true",
  };
  const properties = hierarchy === undefined ? shownProperties(type) : hierarchy.own.map(asDeclared);
  const inherited = new Set(base?.navigationProperties.map(({ name }) => name));
  const navigations = type.navigationProperties.filter(({ name }) => !inherited.has(name));
  return element("EntityType", attributes, [
    ...(base === undefined ? [element("Key", {}, references)] : []),
    ...properties.map((property) => writeProperty(type, property, annotations)),
    ...navigations.map((property) => writeNavigationProperty(type, property, annotations)),
    ...withAnnotations(annotations, annotationPlace("type", type.name), [
      ...acceptAnnotations(type.media?.stream),
      ...descriptionAnnotation(type.description),
    ]),
  ]);
}

/** Writes a complex type. @see OData CSDL 4.0, section 9 */
function writeComplexType(type: ComplexType, annotations?: StatedAnnotations): XmlElement {
  return element("ComplexType", { Name: type.name }, [
    ...type.properties.map((property) => writeProperty(type, property, annotations)),
    ...withAnnotations(annotations, annotationPlace("type", type.name), descriptionAnnotation(type.description)),
  ]);
}

/** Writes an enumeration type with the value of every member. @see OData CSDL 4.0, section 10 */
function writeEnumType(type: EnumType, annotations?: StatedAnnotations): XmlElement {
  const values = [...type.members.values()];
  const isInt32 = values.every((value) => value >= MIN_INT32 && value <= MAX_INT32);
  const attributes = {
    Name: type.name,
    UnderlyingType: isInt32 ? undefined : "Edm.Int64",
    IsFlags: type.isFlags ? "true" : undefined,
  };
  const members = [...type.members].map(([name, value]) =>
    element(
      "Member",
      { Name: name, Value: String(value) },
      withAnnotations(annotations, annotationPlace("type", type.name, name), []),
    ),
  );
  const description = descriptionAnnotation(type.description);
  return element("EnumType", attributes, [
    ...members,
    ...withAnnotations(annotations, annotationPlace("type", type.name), description),
  ]);
}

function writeProperty(
  type: EntityType | ComplexType,
  property: StructuralProperty,
  annotations: StatedAnnotations | undefined,
): XmlElement {
  // Keys are never null.
  const reference = { ...property, nullable: property.nullable && !property.isKey };
  const attributes = {
    Name: property.name,
    ...typeAttributes(reference),
    ...(property.stream === undefined ? {} : { Type: "Edm.Stream" }),
    DefaultValue: defaultText(reference, property.defaultValue),
  };
  const derived = [
    ...(property.computed ? [booleanAnnotation(coreTerm("Computed"), true)] : []),
    ...(property.immutable ? [booleanAnnotation(coreTerm("Immutable"), true)] : []),
    ...(property.databaseDefault === true ? [booleanAnnotation(coreTerm("ComputedDefaultValue"), true)] : []),
    ...limitAnnotations(property),
    ...mediaTypeAnnotations(property),
    ...acceptAnnotations(property.stream),
    ...descriptionAnnotation(property.description),
  ];
  const place = annotationPlace("type", type.name, property.name);
  return element("Property", attributes, withAnnotations(annotations, place, derived));
}

function writeNavigationProperty(
  type: EntityType,
  navigation: NavigationProperty,
  annotations: StatedAnnotations | undefined,
): XmlElement {
  const { name, entityType, isCollection, nullable, partner, referentialConstraints } = navigation;
  const attributes = {
    Name: name,
    Type: typeText(entityType, isCollection),
    Nullable: isCollection || nullable ? undefined : "false",
    Partner: partner,
  };
  // Only the single-valued side can be the dependent one.
  const constraints = isCollection || !agree(navigation) ? [] : referentialConstraints;
  return element("NavigationProperty", attributes, [
    ...constraints.map(({ property, referencedProperty }) =>
      element("ReferentialConstraint", { Property: property.name, ReferencedProperty: referencedProperty.name }),
    ),
    ...withAnnotations(
      annotations,
      annotationPlace("type", type.name, name),
      descriptionAnnotation(navigation.description),
    ),
  ]);
}

/**
 * Returns whether the properties of the foreign key are nullable if and only if the navigation is. Otherwise the standard
 * allows no constraint: for example, a part of the foreign key is never null.
 * @see OData CSDL 4.0, section 7.2
 */
function agree({ nullable, referentialConstraints }: NavigationProperty): boolean {
  return referentialConstraints.every(({ property }) => (property.nullable && !property.isKey) === nullable);
}

/** The maximum number of fraction digits of seconds without a declared precision. */
const TEMPORAL_PRECISION = 12;

/** The type of a property, a parameter or a result. */
interface TypeReference {
  readonly type: ValueType | EntityType;
  readonly isCollection: boolean;
  readonly nullable: boolean;
  readonly facets: Facets;
}

/**
 * Returns the attributes Type, Nullable, MaxLength, Precision and Scale of a property, parameter or result. Precision and
 * Scale are always written, because the defaults of the standard would not allow fractions.
 * @see OData CSDL 4.0, sections 6.2, 12.8 and 12.9
 */
export function typeAttributes(reference: TypeReference): Readonly<Record<string, string | undefined>> {
  const { type, facets } = reference;
  return {
    Type: typeText(type, reference.isCollection),
    Nullable: nullableAttribute(reference),
    MaxLength: facets.maxLength?.toString(),
    Precision: (facets.precision ?? (isTemporal(type) ? TEMPORAL_PRECISION : undefined))?.toString(),
    Scale: (facets.scale ?? (type.name === "Edm.Decimal" ? "variable" : undefined))?.toString(),
  };
}

/** Returns the qualified name of a type, in `Collection(…)` for a collection. */
function typeText(type: ValueType | EntityType, isCollection: boolean): string {
  return isCollection ? `Collection(${typeName(type)})` : typeName(type);
}

/** The default is nullable. For a collection, Nullable applies to the items and is required, except for entities. */
function nullableAttribute({ type, isCollection, nullable }: TypeReference): string | undefined {
  if (!isCollection) return nullable ? undefined : "false";
  return type.kind === "EntityType" ? undefined : String(nullable);
}

function isTemporal({ name }: ValueType | EntityType): boolean {
  return name === "Edm.DateTimeOffset" || name === "Edm.TimeOfDay" || name === "Edm.Duration";
}

/**
 * Returns a declared default as text; undefined for null, a complex value and a collection, which CSDL does not support.
 * @see OData CSDL 4.0, section 6.2.7
 */
export function defaultText(reference: TypeReference, value: unknown): string | undefined {
  const { type, isCollection, facets } = reference;
  if (value === undefined || value === null || isCollection) return undefined;
  if (type.kind === "ComplexType" || type.kind === "EntityType") return undefined;
  const codec = valueCodec(type, facets);
  return codec.toText(codec.fromHandler(value));
}
