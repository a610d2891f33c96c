import { required } from "../../base/required.ts";
import { toWireName } from "../../definition/names.ts";
import { edm, type Property } from "../../definition/types/edm-builders.ts";
import { entityType, enumType } from "../../definition/types/entity-type.ts";
import type {
  EntityTypeDeclaration,
  EnumTypeDeclaration,
  PropertyTrait,
  Shape,
} from "../../definition/types/value-type.ts";
import type { DescribedProperty, DescribedService, DescribedSet } from "../described-service.ts";

/** A property whose values the compiler does not know. */
type LooseProperty = Property<unknown, unknown, PropertyTrait>;

/** The declared types of a service. */
export interface DeclaredTypes {
  /** @throws Error for an unknown name */
  readonly entityType: (name: string) => EntityTypeDeclaration;
}

/** Declares the types of a service. @param isWritten returns whether requests can write a set */
export function declareTypes(service: DescribedService, isWritten: (set: DescribedSet) => boolean): DeclaredTypes {
  const enumTypes = new Map(
    service.enumTypes.map(({ name, members, description }) => {
      const declared = enumType(name, Object.fromEntries(members.map((member) => [member.name, member.value])));
      return [name, description === null ? declared : declared.describe(description)];
    }),
  );
  const entityTypes = new Map(
    service.sets.map((set): readonly [string, EntityTypeDeclaration] => {
      const written = isWritten(set);
      const properties = set.properties.map((property): readonly [string, LooseProperty] => [
        property.field,
        declareProperty(property, written, enumTypes),
      ]);
      const shape: Shape = Object.fromEntries(properties);
      const declared: EntityTypeDeclaration = entityType(set.typeName, shape);
      return [set.typeName, set.description === null ? declared : declared.describe(set.description)];
    }),
  );
  return {
    entityType: (name) => required(entityTypes.get(name), `There is no entity type ${name}.`),
  };
}

function declareProperty(
  described: DescribedProperty,
  isWritten: boolean,
  enumTypes: ReadonlyMap<string, EnumTypeDeclaration>,
): LooseProperty {
  const { name, field, type, isKey, nullable, databaseDefault, defaultValue, description, isCollection } = described;
  const item = itemOf(described, enumTypes);
  let property = isCollection ? (edm.collection(item.nullable()) as LooseProperty) : item;
  if (isKey) property = property.key();
  if (nullable && !isCollection) property = property.nullable();
  if (described.computed || (isWritten && described.isReadOnly)) property = property.computed();
  if (databaseDefault) property = property.databaseDefault();
  if (defaultValue !== undefined) {
    property = property.default(type === "Edm.Int64" ? BigInt(defaultValue) : defaultValue);
  }
  if (toWireName(field, "PascalCase") !== name) property = property.json(name);
  return description === null ? property : property.describe(description);
}

function itemOf(
  { type, facets }: DescribedProperty,
  enumTypes: ReadonlyMap<string, EnumTypeDeclaration>,
): LooseProperty {
  if (typeof type === "object") {
    return edm.enum(required(enumTypes.get(type.enumType), `There is no enumeration type ${type.enumType}.`));
  }
  // All builders take facets, and ignore those of other types.
  const builder = type.slice("Edm.".length).replace(/^./, (letter) => letter.toLowerCase()) as "string";
  return edm[builder](facets);
}
