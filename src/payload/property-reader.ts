import { nearestName } from "../base/errors/nearest-name.ts";
import { isPromiseLike } from "../base/maybe.ts";
import type { EntityType, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue, ValueCodec } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import type { RowShape, Row, RowColumn, ScalarColumn } from "../language/query/row-shape.ts";
import { hasNulls } from "../language/query/shown-entity.ts";

/** Reads a field of an application's object; undefined for a missing field. */
export type FieldGetter = (source: object) => unknown;

/**
 * Makes the reader of a field. Getters of a class are fields, too. A name that every object inherits, such as `constructor`,
 * `__proto__` or `toString`, is a field only as an own property.
 * @param field key in the application's objects
 */
export function compileFieldReader(field: string): FieldGetter {
  if (field in Object.prototype) {
    return (source) => (Object.hasOwn(source, field) ? (Reflect.get(source, field) as unknown) : undefined);
  }
  // Any object can be indexed by a string; the value remains unknown.
  return (source) => (source as Readonly<Record<string, unknown>>)[field];
}

/**
 * Returns a handler's value if it is a structured value.
 * @param path type or property of the value, such as `Shop.Product`
 * @throws Error if it is not an object
 */
export function requireObject(value: unknown, path: string): object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw handlerValueError(path, `the handler returned ${kindOfValue(value)} where an object is expected.`);
}

/**
 * Returns a source's value if it is a row.
 * @throws Error if it is not an array
 */
export function requireRow(value: unknown, path: string): object {
  if (typeof value === "object" && Array.isArray(value)) return value as readonly unknown[];
  throw handlerValueError(path, `the source returned ${kindOfValue(value)} where a row is expected.`);
}

/**
 * Makes the reader of a primitive or enumeration property that must have a value, such as a key property.
 * @param owner the type of the entity, for messages
 * @param property a property that is neither complex nor a collection
 * @returns a reader that throws Error for a missing or invalid value
 */
export function compileRequiredReader(
  owner: Pick<EntityType, "qualifiedName">,
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
 * Makes the reader of a primitive or enumeration property, which returns null for a missing value of a nullable property.
 * @param owner the type of the entity, for messages
 * @param property a property that is neither complex nor a collection
 * @returns a reader that throws Error for an invalid value, and for a missing value that is not nullable
 */
export function compileScalarReader(
  owner: Pick<EntityType, "qualifiedName">,
  property: StructuralProperty,
  rowShape?: RowShape,
): (source: object) => PrimitiveValue | null {
  const readRequired = compileRequiredReader(owner, property, rowShape);
  if (property.isKey) return readRequired;
  if (rowShape !== undefined) {
    const column = scalarColumnOf(rowShape, property, `${owner.qualifiedName}/${property.name}`);
    return mayBeNull(property, column) ? compileCellReader(column) : readRequired;
  }
  const { nullable } = property;
  const read = compileFieldReader(property.field);
  return (source) => {
    const value = read(source);
    const isNull = value === null || value === undefined;
    return isNull && (nullable || hasNulls(source)) ? null : readRequired(source);
  };
}

/**
 * Makes the conversion of a handler's value to its canonical form.
 * @param codec the codec of the value's type
 * @param path type and property, for messages
 * @returns a conversion that throws Error with type and property for an invalid value
 */
export function compileConversion(codec: ValueCodec, path: string): (value: unknown) => PrimitiveValue {
  return (value) => {
    try {
      return codec.fromHandler(value);
    } catch (cause) {
      if (isPromiseLike(value)) throw handlerValueError(path, "the handler returned a promise: await it.", cause);
      const reason = cause instanceof Error ? cause.message : kindOfValue(value);
      throw handlerValueError(
        path,
        `the handler returned a value that is not one of ${codec.type.name}. ${reason}`,
        cause,
      );
    }
  };
}

/**
 * Makes the error of a null in a cell of a property that is not nullable.
 * @param path type and property, such as `Shop.Product/Price`
 */
export function missingCell(path: string): Error {
  return handlerValueError(path, `the handler returned ${kindOfValue(null)}, but the property is not nullable.`);
}

/**
 * Makes the error of a missing value of a property that is not nullable. The message mentions a promise that was not
 * awaited, and a member of the object with a similar name.
 * @param path type and property, such as `Shop.Product/Price`
 * @param field key of the property in the application's objects
 */
export function missingField(path: string, field: string, source: object, value: null | undefined): Error {
  if ("then" in source && typeof source.then === "function") {
    return handlerValueError(path, "the handler returned a promise where an entity is expected: await it.");
  }
  const problem = `the handler returned ${kindOfValue(value)}, but the property is not nullable.`;
  const near = value === undefined && !(field in source) ? nearestName(field, Object.keys(source)) : null;
  const hint = near === null ? "" : ` The returned object has \`${near}\`; did you mean \`${field}\`?`;
  return handlerValueError(path, problem + hint);
}

/**
 * Makes the error of a value that the application returned and the model does not allow. It becomes a logged 500, and its
 * message is not sent to the client.
 * @param path type and property, such as `Shop.Product/Price`
 * @param problem the fault, as the rest of a sentence
 */
export function handlerValueError(path: string, problem: string, cause?: unknown): Error {
  return new Error(`${path}: ${problem}`, cause === undefined ? undefined : { cause });
}

/** Describes the kind of a value for a message, without its content. */
export function kindOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return value === undefined ? "undefined" : `a ${typeof value}`;
  return value instanceof Date ? "a Date" : "an object";
}

/** Returns a source as a row. The caller knows by the layout that it is not an object of the application. */
export function asRow(source: object): Row {
  return source as Row;
}

/**
 * Returns the column of a property in a layout.
 * @param path type and property, for messages
 * @throws Error if the source did not read it
 */
export function columnOf(columns: RowShape["columns"], property: StructuralProperty, path: string): RowColumn {
  const column = columns.get(property);
  if (column === undefined) throw new Error(`${path}: the source did not read this required column.`);
  return column;
}

/**
 * Returns the column of a primitive or enumeration property, for keys and ETags.
 * @throws Error if the source did not read it as a single value
 */
function scalarColumnOf(rowShape: RowShape, property: StructuralProperty, path: string): ScalarColumn {
  const column = columnOf(rowShape.columns, property, path);
  if (column.kind === "scalar") return column;
  throw new Error(`${path}: the source read a ${column.kind} column where a single value is expected.`);
}

/** Whether a response may show null: the property allows it, or the column shows null in place of cells that cannot be read. */
export function mayBeNull(
  { nullable, isKey }: StructuralProperty,
  { unreadable }: Pick<ScalarColumn, "unreadable">,
): boolean {
  return nullable || (unreadable !== undefined && !isKey);
}

/** Makes the reader of a scalar column, which returns the canonical value or null. */
function compileCellReader({ index, toValue }: ScalarColumn): (source: object) => PrimitiveValue | null {
  return (source) => toValue(asRow(source)[index]);
}

/** Makes the test whether the value of a column is null. A complex value without `presence` is null if all of its cells are. */
export function compileIsNull(column: RowColumn): (source: object) => boolean {
  const index = column.kind === "complex" ? column.presence : column.index;
  if (index !== undefined) return (source) => asRow(source)[index] === null;
  const tests = column.kind === "complex" ? Array.from(column.members.values(), compileIsNull) : [];
  return (source) => tests.every((test) => test(source));
}
