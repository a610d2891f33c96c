import { isPromiseLike } from "../base/maybe.ts";
import type { EntityType, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue, ValueCodec } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { nearestName } from "../errors/nearest-name.ts";
import type { RowShape } from "../query/row-shape.ts";
import { describeValue, handlerValueError } from "./handler-value-error.ts";
import { compileCellReader, scalarColumnOf } from "./row-reader.ts";

/** Reads one field of an application's object; undefined when it has none. */
export type FieldReader = (source: object) => unknown;

/**
 * Makes the reader of a field. Getters of a class are fields too, but what every object inherits
 * (`constructor`, `__proto__`, `toString`) is not: such a name counts only as an own property.
 * @param field key in the application's objects
 */
export function compileFieldReader(field: string): FieldReader {
  if (field in Object.prototype) {
    return (source) => (Object.hasOwn(source, field) ? (Reflect.get(source, field) as unknown) : undefined);
  }
  // An object is indexed by any string; what is found stays unknown.
  return (source) => (source as Readonly<Record<string, unknown>>)[field];
}

/**
 * Tells whether a value that a handler returned can be read as a structured value.
 * @param path type or property that the value stands for, such as `Shop.Product`
 * @throws Error when it is no object
 */
export function requireObject(value: unknown, path: string): object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw handlerValueError(path, `the handler returned ${describeValue(value)} where an object is expected.`);
}

/**
 * Tells a row from anything else, where the layout of a row is given.
 * @throws Error when it is no array
 */
export function requireRow(value: unknown, path: string): object {
  if (typeof value === "object" && Array.isArray(value)) return value as readonly unknown[];
  throw handlerValueError(path, `the source returned ${describeValue(value)} where a row is expected.`);
}

/**
 * Makes the reader of a primitive or enumeration property that must have a value, as a key must.
 * @param owner the type of the entity, for messages
 * @param property a property that is neither complex nor a collection
 * @param rowShape the layout of the entities when they are rows; otherwise they are the application's objects
 * @returns a reader that throws Error when the value is missing or not one of its type
 */
export function compileRequiredReader(
  owner: EntityType,
  property: StructuralProperty,
  rowShape?: RowShape,
): (source: object) => PrimitiveValue {
  const path = `${owner.qualifiedName}/${property.name}`;
  if (rowShape !== undefined) return requireCell(path, compileCellReader(scalarColumnOf(rowShape, property, path)));
  const read = compileFieldReader(property.field);
  const convert = compileConversion(codecOf(property), path);
  return (source) => {
    const value = read(source);
    if (value === null || value === undefined) throw missingField(path, property.field, source, value);
    return convert(value);
  };
}

function requireCell(
  path: string,
  read: (source: object) => PrimitiveValue | null,
): (source: object) => PrimitiveValue {
  return (source) => {
    const value = read(source);
    if (value === null) throw missingCell(path);
    return value;
  };
}

/**
 * Makes the reader of a primitive or enumeration property; null where a nullable one has no value.
 * @param owner the type of the entity, for messages
 * @param property a property that is neither complex nor a collection
 * @param rowShape the layout of the entities when they are rows; otherwise they are the application's objects
 * @returns a reader that throws Error when a value is not one of its type, or missing though not nullable
 */
export function compileScalarReader(
  owner: EntityType,
  property: StructuralProperty,
  rowShape?: RowShape,
): (source: object) => PrimitiveValue | null {
  const readRequired = compileRequiredReader(owner, property, rowShape);
  if (!property.nullable || property.isKey) return readRequired;
  if (rowShape !== undefined) {
    return compileCellReader(scalarColumnOf(rowShape, property, `${owner.qualifiedName}/${property.name}`));
  }
  const read = compileFieldReader(property.field);
  return (source) => {
    const value = read(source);
    return value === null || value === undefined ? null : readRequired(source);
  };
}

/**
 * Makes the conversion of a value that a handler returned to its canonical form.
 * @param codec the codec of the value's type
 * @param path type and property, for messages
 * @returns a conversion that throws Error, naming type and property, when a value is not one of its type
 */
export function compileConversion(codec: ValueCodec, path: string): (value: unknown) => PrimitiveValue {
  return (value) => {
    try {
      return codec.fromHandler(value);
    } catch (cause) {
      if (isPromiseLike(value)) throw handlerValueError(path, "the handler returned a promise: await it.", cause);
      const reason = cause instanceof Error ? cause.message : describeValue(value);
      throw handlerValueError(
        path,
        `the handler returned a value that is not one of ${codec.type.name}. ${reason}`,
        cause,
      );
    }
  };
}

/**
 * Makes the error for null in a cell of a property that is not nullable.
 * @param path type and property, such as `Shop.Product/Price`
 */
export function missingCell(path: string): Error {
  return handlerValueError(path, `the handler returned ${describeValue(null)}, but the property is not nullable.`);
}

/**
 * Makes the error for a missing value of a property that is not nullable. The message names a promise that nothing
 * awaited, and a member of the object whose name is close to the right one.
 * @param path type and property, such as `Shop.Product/Price`
 * @param field key of the property in the application's objects
 */
export function missingField(path: string, field: string, source: object, value: null | undefined): Error {
  if ("then" in source && typeof source.then === "function") {
    return handlerValueError(path, "the handler returned a promise where an entity is expected: await it.");
  }
  const problem = `the handler returned ${describeValue(value)}, but the property is not nullable.`;
  const near = value === undefined && !(field in source) ? nearestName(field, Object.keys(source)) : null;
  const hint = near === null ? "" : ` The returned object has \`${near}\`; did you mean \`${field}\`?`;
  return handlerValueError(path, problem + hint);
}
