import type { StructuralProperty, ValueType } from "../edm/model.ts";
import { InvalidValueError, type PrimitiveValue, type ValueCodec } from "../edm/value-codec.ts";
import { codecOf, valueCodec } from "../edm/value-codecs.ts";
import type { ItExpression, PropertyExpression } from "../query/expression.ts";
import type { CompiledExpression } from "./compiled-expression.ts";

/** A value as the application's object holds it; null for undefined, and where anything on the path is null. */
export type RawAccessor = (entity: object) => unknown;

/** Brings a value of the application to canonical form; null and undefined are null. */
export type ToCanonical = (value: unknown) => PrimitiveValue | null;

/** What `typeof` says of values that need no conversion; null where only the codec can tell. */
export type CanonicalKind = "boolean" | "number" | "bigint" | "string" | null;

/**
 * Compiles the read of a property, without conversion. Own and inherited properties are read (getters of classes
 * count), but never what every object inherits: a property named `constructor` is null unless the object has its own.
 */
export function compileRawProperty(expression: PropertyExpression): RawAccessor {
  const { field } = expression.property;
  const read = isInheritedName(field) ? readOwn(field) : readAny(field);
  if (expression.source.kind === "it") return read;
  const source = compileRawProperty(expression.source);
  const path = describePath(expression.source);
  return (entity) => {
    const value = source(entity);
    if (value === null) return null;
    if (typeof value !== "object") throw invalidValue(path, expression.source.type.name, value);
    return read(value);
  };
}

/** Whether every object inherits a member of this name, such as `constructor` or `__proto__`. */
export function isInheritedName(field: string): boolean {
  return field in Object.prototype;
}

function readAny(field: string): RawAccessor {
  return (entity) => fieldOf(entity, field) ?? null;
}

function readOwn(field: string): RawAccessor {
  return (entity) => (Object.hasOwn(entity, field) ? (fieldOf(entity, field) ?? null) : null);
}

/** The value of a field of an object, undefined when it has none. */
export function fieldOf(entity: object, field: string): unknown {
  // Every object may be indexed by a string; the answer is unknown until it is checked.
  return (entity as Readonly<Record<string, unknown>>)[field];
}

/**
 * Compiles the read of a primitive or enum property in canonical form: a value that has it already (as `typeof` tells)
 * is taken as it is.
 * @throws TypeError, when run, for a value of the application that is none of the property's type
 */
export function compileProperty(expression: PropertyExpression): CompiledExpression {
  const { property, source } = expression;
  const canonical = toCanonical(expression);
  const kind = canonicalKind(property.type);
  const raw = compileRawProperty(expression);
  const { field } = property;
  if (source.kind === "it" && !isInheritedName(field)) {
    return (entity) => {
      const value = fieldOf(entity, field);
      return typeof value === kind ? (value as PrimitiveValue) : canonical(value);
    };
  }
  return (entity) => canonical(raw(entity));
}

/** Compiles the value of a collection item itself: `$it` where items are primitive or enum values. */
export function compileIt(expression: ItExpression): CompiledExpression {
  const { type } = expression;
  if (type.kind === "EntityType" || type.kind === "ComplexType") {
    throw new Error(`${type.name} has no value that could be compared.`);
  }
  return makeCanonical(valueCodec(type), describePath(expression), type.name);
}

/** What `typeof` tells of the canonical values of a type that may be taken as they are. */
export function canonicalKind(type: ValueType): CanonicalKind {
  if (type.kind !== "PrimitiveType") return null;
  switch (type.name) {
    case "Edm.Boolean":
      return "boolean";
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
    case "Edm.Single":
    case "Edm.Double":
      return "number";
    case "Edm.Int64":
      return "bigint";
    case "Edm.String":
      return "string";
    default:
      return null;
  }
}

/** Makes the conversion of what an application's object holds for a property: null and undefined are null. */
export function toCanonical(expression: PropertyExpression): ToCanonical {
  return makeCanonical(codecOf(expression.property), describePath(expression), expression.type.name);
}

function makeCanonical(codec: ValueCodec, path: string, typeName: string): ToCanonical {
  return (value) => {
    if (value === null || value === undefined) return null;
    try {
      return codec.fromHandler(value);
    } catch (error) {
      throw error instanceof InvalidValueError ? invalidValue(path, typeName, value, error) : error;
    }
  };
}

/**
 * Compiles the number of items of a collection-valued property: null where the path to it is null, 0 for a collection
 * that is null or absent.
 * @throws TypeError, when run, for a value that is no array
 */
export function compileCount(collection: PropertyExpression): (entity: object) => number | null {
  const raw = compileRawProperty(collection);
  const owner = collection.source.kind === "it" ? null : compileRawProperty(collection.source);
  const path = describePath(collection);
  return (entity) => {
    if (owner !== null && owner(entity) === null) return null;
    const items = raw(entity);
    if (items === null) return 0;
    if (!Array.isArray(items)) throw invalidValue(path, "a collection", items);
    return items.length;
  };
}

/** The wire names of a path with the type that it starts from, such as `Order.ShipTo.City`. */
export function describePath(expression: ItExpression | PropertyExpression): string {
  if (expression.kind === "it") return expression.type.name;
  return `${describePath(expression.source)}.${describeName(expression.property)}`;
}

function describeName(property: StructuralProperty): string {
  return property.name === property.field ? property.name : `${property.name} (field ${property.field})`;
}

/**
 * The error for a value of the application that is not one of its type: a fault of its handler, so it is logged and
 * answered by a generic 500. It names the place, the type and the kind of the value, not the value.
 */
export function invalidValue(path: string, expected: string, value: unknown, cause?: Error): TypeError {
  const message = `${path} must be ${expected}, but an entity of a handler holds ${describeKind(value)} there.`;
  return new TypeError(message, { cause });
}

/** Says what kind of value it is, such as `a string` or `a value of class Date`. */
export function describeKind(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return value === undefined ? "undefined" : `a ${typeof value}`;
  return `a value of class ${Object.prototype.toString.call(value).slice("[object ".length, -1)}`;
}
