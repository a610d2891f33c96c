import { isSameValue, type EntityValues } from "../../format/merge-columns.ts";
import type { Property, StructuredType } from "../../model/model.ts";
import { readTypedJson, typedOf } from "../../query/typed-json.ts";

/** What was typed for a property: null is the value null, undefined leaves the property to the service. */
export type Typed = string | null | undefined;

/** Returns the properties that a form shows: those that a write may state. */
export function editedProperties(type: StructuredType, isNew: boolean): readonly Property[] {
  return [...type.properties.values()].filter(
    (property) =>
      !property.computed && !property.readOnly && (isNew || (!property.immutable && !type.key.includes(property))),
  );
}

/** Returns the fields of a form as it begins. A new record leaves to the service what it can set. */
export function firstTyped(properties: readonly Property[], values: EntityValues | null): ReadonlyMap<string, Typed> {
  const first = (property: Property): Typed => {
    if (values !== null) {
      const value = values[property.name];
      return value === null ? null : typedOf(value, property);
    }
    if (property.defaultValue !== null || property.hasComputedDefault) return undefined;
    return property.isNullable ? null : "";
  };
  return new Map(
    properties
      .filter(({ name }) => values === null || Object.hasOwn(values, name))
      .map((property) => [property.name, first(property)]),
  );
}

/** What the fields of a form say. */
export interface FormValues {
  readonly values: EntityValues;
  /** What is wrong, by the name of the property. */
  readonly faults: ReadonlyMap<string, string>;
}

/**
 * Reads the fields of a form.
 * @param base the values that the form began with; values that did not change are left out. Null for a new record.
 */
export function readForm(
  properties: readonly Property[],
  typed: ReadonlyMap<string, Typed>,
  base: EntityValues | null,
): FormValues {
  const values: Record<string, unknown> = {};
  const faults = new Map<string, string>();
  for (const property of properties) {
    const { name } = property;
    const read = readField(property, typed.get(name), base?.[name]);
    if (read === null) continue;
    if (read.message !== null) faults.set(name, read.message);
    else if (base === null || !isSameValue(base[name], read.value, property)) values[name] = read.value;
  }
  return { values, faults };
}

function readField(property: Property, typed: Typed, before: unknown): ReturnType<typeof readTypedJson> | null {
  if (typed === undefined) return null;
  // A value that nobody edited is not judged: it may be of another form than people type.
  if (before !== undefined && typed === (before === null ? null : typedOf(before, property))) {
    return { value: before, message: null };
  }
  if (typed !== null) return readTypedJson(typed, property);
  return property.isNullable ? { value: null, message: null } : { value: null, message: "A value is missing." };
}
