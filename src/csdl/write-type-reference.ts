import type { EntityType, ValueType } from "../edm/model.ts";
import type { Facets } from "../edm/primitive-type.ts";
import { valueCodec } from "../edm/value-codecs.ts";

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
    Type: typeName(type, reference.isCollection),
    Nullable: nullableAttribute(reference),
    MaxLength: facets.maxLength?.toString(),
    Precision: (facets.precision ?? (isTemporal(type) ? TEMPORAL_PRECISION : undefined))?.toString(),
    Scale: (facets.scale ?? (type.name === "Edm.Decimal" ? "variable" : undefined))?.toString(),
  };
}

/** Returns the qualified name of a type, in `Collection(…)` for a collection. */
export function typeName(type: ValueType | EntityType, isCollection: boolean): string {
  const name = type.kind === "PrimitiveType" ? type.name : type.qualifiedName;
  return isCollection ? `Collection(${name})` : name;
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
