import type { WriteOptions } from "../definition/sets/entity-set-access.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import type { EntityType } from "../edm/model.ts";
import { InvalidValueError, type PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { isEntity } from "../memory/entity.ts";

/** Values that an entity must still have, by field, in canonical form. */
export type ExpectedValues = Readonly<Record<string, PrimitiveValue | null>>;

/**
 * Reads the options of a write.
 * @returns undefined where nothing is expected
 * @throws TypeError for an option that there is not, and for values that cannot be compared
 */
export function toExpected(
  entityType: EntityType,
  options: WriteOptions<EntityTypeDeclaration>,
  call: string,
): ExpectedValues | undefined {
  const { expected, ...others }: Readonly<Record<string, unknown>> = { ...options };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new TypeError(`${call} has no option \`${unknown}\`: it takes \`expected\`.`);
  if (expected === undefined) return undefined;
  if (!isEntity(expected)) throw new TypeError(`\`expected\` of ${call} is no object of values.`);
  return Object.fromEntries(
    Object.keys(expected).map((field) => [field, expectedValue(entityType, field, fieldOf(expected, field), call)]),
  );
}

function expectedValue(entityType: EntityType, field: string, value: unknown, call: string): PrimitiveValue | null {
  const property = entityType.properties.find((each) => each.field === field);
  if (property === undefined || property.isCollection || property.type.kind === "ComplexType") {
    throw new TypeError(`\`expected\` of ${call} names \`${field}\`, which is no single value of ${entityType.name}.`);
  }
  if (value === null) return null;
  try {
    return codecOf(property).fromHandler(value);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new TypeError(`\`expected\` of ${call}: \`${field}\` is no value of ${property.type.name}.`, {
      cause: error,
    });
  }
}

/** Whether an entity, in canonical form, has the expected values, to the last digit. */
export function checkExpected(entityType: EntityType, entity: object, expected: ExpectedValues): boolean {
  return entityType.properties.every((property) => {
    const { field } = property;
    if (!Object.hasOwn(expected, field)) return true;
    const [wanted, current] = [expected[field] ?? null, fieldOf(entity, field) ?? null];
    if (wanted === null || current === null) return wanted === current;
    const { toText } = codecOf(property);
    // A single value, as checked when the option was read, and in canonical form.
    return toText(wanted) === toText(current as PrimitiveValue);
  });
}
