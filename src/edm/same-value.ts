import type { StructuralProperty } from "./model.ts";
import type { PrimitiveValue } from "./value-codec.ts";
import { codecOf } from "./value-codecs.ts";

/** A complex value, by field. */
type Members = Readonly<Record<string, unknown>>;

/**
 * Returns whether two values of a property in canonical form are the same, to the last digit: 1.1 is not 1.10. Absent members of
 * complex values are null.
 */
export function isSameValue(property: StructuralProperty, value: unknown, current: unknown): boolean {
  if (!property.isCollection) return isSameItem(property, value, current);
  const [items, others]: readonly unknown[] = [value ?? [], current ?? []];
  if (!Array.isArray(items) || !Array.isArray(others) || items.length !== others.length) return false;
  return items.every((item, index) => isSameItem(property, item, others[index]));
}

function isSameItem(property: StructuralProperty, value: unknown, current: unknown): boolean {
  if (value === null || current === null || current === undefined) return value === null && (current ?? null) === null;
  const { type } = property;
  if (type.kind === "ComplexType") {
    const [members, others] = [value as Members, current as Members];
    return type.properties.every((member) => isSameValue(member, members[member.field] ?? null, others[member.field]));
  }
  const { toText } = codecOf(property);
  return toText(value as PrimitiveValue) === toText(current as PrimitiveValue);
}
