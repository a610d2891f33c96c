import type { ComplexType, EntityType, EnumType, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import { booleanAnnotation, coreTerm, descriptionAnnotation } from "./write-annotations.ts";
import { defaultText, typeAttributes, typeName } from "./write-type-reference.ts";
import { element, type XmlElement } from "./xml.ts";

const MAX_INT32 = 2_147_483_647;
const MIN_INT32 = -2_147_483_648;

/** Writes an entity type: key, properties and navigation properties. @see OData CSDL 4.0, section 8 */
export function writeEntityType(type: EntityType): XmlElement {
  const references = type.key.map(({ name }) => element("PropertyRef", { Name: name }));
  return element("EntityType", { Name: type.name }, [
    element("Key", {}, references),
    ...type.properties.map(writeProperty),
    ...type.navigationProperties.map(writeNavigationProperty),
    ...descriptionAnnotation(type.description),
  ]);
}

/** Writes a complex type. @see OData CSDL 4.0, section 9 */
export function writeComplexType(type: ComplexType): XmlElement {
  return element("ComplexType", { Name: type.name }, [
    ...type.properties.map(writeProperty),
    ...descriptionAnnotation(type.description),
  ]);
}

/** Writes an enumeration type with the value of every member. @see OData CSDL 4.0, section 10 */
export function writeEnumType(type: EnumType): XmlElement {
  const values = [...type.members.values()];
  const isInt32 = values.every((value) => value >= MIN_INT32 && value <= MAX_INT32);
  const attributes = {
    Name: type.name,
    UnderlyingType: isInt32 ? undefined : "Edm.Int64",
    IsFlags: type.isFlags ? "true" : undefined,
  };
  const members = [...type.members].map(([name, value]) => element("Member", { Name: name, Value: String(value) }));
  return element("EnumType", attributes, [...members, ...descriptionAnnotation(type.description)]);
}

function writeProperty(property: StructuralProperty): XmlElement {
  // Keys are never null.
  const reference = { ...property, nullable: property.nullable && !property.isKey };
  const attributes = {
    Name: property.name,
    ...typeAttributes(reference),
    DefaultValue: defaultText(reference, property.defaultValue),
  };
  return element("Property", attributes, [
    ...(property.computed ? [booleanAnnotation(coreTerm("Computed"), true)] : []),
    ...(property.immutable ? [booleanAnnotation(coreTerm("Immutable"), true)] : []),
    ...descriptionAnnotation(property.description),
  ]);
}

function writeNavigationProperty(navigation: NavigationProperty): XmlElement {
  const { name, entityType, isCollection, nullable, partner, referentialConstraints } = navigation;
  const attributes = {
    Name: name,
    Type: typeName(entityType, isCollection),
    Nullable: isCollection || nullable ? undefined : "false",
    Partner: partner,
  };
  // Only the single-valued side can be the dependent one.
  const constraints = isCollection || !agree(navigation) ? [] : referentialConstraints;
  return element("NavigationProperty", attributes, [
    ...constraints.map(({ property, referencedProperty }) =>
      element("ReferentialConstraint", { Property: property.name, ReferencedProperty: referencedProperty.name }),
    ),
    ...descriptionAnnotation(navigation.description),
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
