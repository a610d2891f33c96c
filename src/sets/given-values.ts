import type { WriteOptions } from "../definition/context.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import type { EntityType, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { isEntity } from "../memory/entity.ts";
import { declaredProperties } from "../plan/properties-to-read.ts";

/** The values that an entity must still have, by field, in canonical form. */
export type ExpectedValues = Readonly<Record<string, PrimitiveValue | null>>;

/**
 * Reads the options of a write.
 * @returns the expected values; undefined without the option
 * @throws TypeError for an unknown option, and for values that cannot be compared
 */
export function expectedOption(
  entityType: EntityType,
  options: WriteOptions<EntityTypeDeclaration>,
  call: string,
): ExpectedValues | undefined {
  const { expected, ...others }: Readonly<Record<string, unknown>> = { ...options };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new TypeError(`${call} has no option \`${unknown}\`: it takes \`expected\`.`);
  if (expected === undefined) return undefined;
  if (!isEntity(expected)) throw new TypeError(`\`expected\` of ${call} must be an object of values.`);
  return Object.fromEntries(
    Object.keys(expected).map((field) => [field, expectedValue(entityType, field, fieldOf(expected, field), call)]),
  );
}

function expectedValue(entityType: EntityType, field: string, value: unknown, call: string): PrimitiveValue | null {
  const property = declaredProperties(entityType).find((each) => each.property.field === field)?.property;
  if (property === undefined || property.isCollection || property.type.kind === "ComplexType") {
    throw new TypeError(
      `\`expected\` of ${call} names \`${field}\`, which is not a single value of ${entityType.name}.`,
    );
  }
  if (value === null) return null;
  return canonical(property, value, `\`expected\` of ${call}: \`${field}\` must be`);
}

/** Returns whether an entity in canonical form has the expected values, to the last digit. */
export function checkExpected(entityType: EntityType, entity: object, expected: ExpectedValues): boolean {
  return declaredProperties(entityType).every(({ property }) => {
    const { field } = property;
    if (!Object.hasOwn(expected, field)) return true;
    const [wanted, current] = [expected[field] ?? null, fieldOf(entity, field) ?? null];
    if (wanted === null || current === null) return wanted === current;
    const { toText } = codecOf(property);
    // `expectedOption` checked that the property has a single value.
    return toText(wanted) === toText(current as PrimitiveValue);
  });
}

/**
 * Returns a key in canonical form, as handlers receive it from a URL.
 * @param key the value of a single key property, or an object with the values of several
 * @throws TypeError for a value that is not a key of the type
 */
export function toKey({ key: properties, name }: EntityType, key: unknown, call: string): unknown {
  const [single] = properties;
  if (properties.length === 1 && single !== undefined) return valueOf(single, key, call);
  if (!isEntity(key)) throw new TypeError(`${call}: the key of ${name} must be an object of ${fieldsOf(properties)}.`);
  return Object.freeze(
    Object.fromEntries(
      properties.map((property) => [property.field, valueOf(property, fieldOf(key, property.field), call)]),
    ),
  );
}

function valueOf(property: StructuralProperty, value: unknown, call: string): PrimitiveValue {
  const { field } = property;
  if (value === null || value === undefined) throw new TypeError(`${call}: the key has no value for \`${field}\`.`);
  return canonical(property, value, `${call}: the key \`${field}\` must be`);
}

/** @param must the start of the message of an error */
function canonical(property: StructuralProperty, value: unknown, must: string): PrimitiveValue {
  try {
    return codecOf(property).fromHandler(value);
  } catch (cause) {
    throw new TypeError(`${must} a value of ${property.type.name}.`, { cause });
  }
}

function fieldsOf(properties: readonly StructuralProperty[]): string {
  return properties.map(({ field }) => `\`${field}\``).join(", ");
}
