import type { EntityType, ValueType } from "../edm/model.ts";
import type { Facets } from "../edm/primitive-type.ts";
import { valueCodec } from "../edm/value-codecs.ts";

/** The fraction digits of seconds that a temporal value may have when the model states no precision. */
const TEMPORAL_PRECISION = 12;

/** Something of a type: a property, a parameter or a result. */
interface TypeReference {
  readonly type: ValueType | EntityType;
  readonly isCollection: boolean;
  readonly nullable: boolean;
  readonly facets: Facets;
}

/**
 * The attributes Type, Nullable, MaxLength, Precision and Scale of a property, parameter or result. What has no stated
 * precision or scale takes any number of digits, and says so: the defaults of the standard would forbid fractions.
 * @see OData CSDL 4.0, sections 6.2, 12.8 and 12.9
 */
export function typeAttributes(reference: TypeReference): Readonly<Record<string, string | undefined>> {
  const { type, facets } = reference;
  return {
    Type: typeName(type, reference.isCollection),
    Nullable: nullableAttribute(reference),
    MaxLength: facets.maxLength?.toString(),
    Precision: (facets.precision ?? (isTemporal(type) ? TEMPORAL_PRECISION : undefined))?.toString(),
    Scale: (facets.scale ?? (type.name === "Edm.Decimal" ? "variable" : undefined))?.toString(),
  };
}

/** The qualified name of a type, inside `Collection(…)` for a collection of it. */
export function typeName(type: ValueType | EntityType, isCollection: boolean): string {
  const name = type.kind === "PrimitiveType" ? type.name : type.qualifiedName;
  return isCollection ? `Collection(${name})` : name;
}

/** Absent is nullable; of a collection it is about its items and always told, of a collection of entities never. */
function nullableAttribute({ type, isCollection, nullable }: TypeReference): string | undefined {
  if (!isCollection) return nullable ? undefined : "false";
  return type.kind === "EntityType" ? undefined : String(nullable);
}

function isTemporal({ name }: ValueType | EntityType): boolean {
  return name === "Edm.DateTimeOffset" || name === "Edm.TimeOfDay" || name === "Edm.Duration";
}

/**
 * The text of a declared default; undefined when there is none, or none that CSDL can hold (null, a complex value, a
 * collection).
 * @see OData CSDL 4.0, section 6.2.7
 */
export function defaultText(reference: TypeReference, value: unknown): string | undefined {
  const { type, isCollection, facets } = reference;
  if (value === undefined || value === null || isCollection) return undefined;
  if (type.kind === "ComplexType" || type.kind === "EntityType") return undefined;
  const codec = valueCodec(type, facets);
  return codec.toText(codec.fromHandler(value));
}
