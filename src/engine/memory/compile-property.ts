import { assertNever } from "../../base/required.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { InvalidValueError, type PrimitiveValue, type ValueCodec } from "../../edm/value-codec.ts";
import { codecOf, valueCodec } from "../../edm/value-codecs.ts";
import type {
  CollectionPath,
  ItExpression,
  NavigationExpression,
  PathSource,
  PropertyExpression,
  VariableExpression,
} from "../../language/query/expression.ts";
import { canonicalKind, canonicalTest } from "./canonical-test.ts";
import { type CompiledExpression, type Evaluation, relatedOf, rootOf } from "./evaluation.ts";

/** Reads a value as the application stores it; null for undefined, and where anything on the path is null. */
export type RawAccessor = (entity: object, evaluation: Evaluation) => unknown;

/** Converts a value of the application to canonical form; null and undefined are null. */
type ToCanonical = (value: unknown) => PrimitiveValue | null;

/** The number of strings of one enumeration property whose canonical form is kept. */
const MAX_REMEMBERED = 256;

/** Of `YYYY-MM-DDThh:mm:ss.sssZ`; years outside 0 to 9999 have more digits. */
const ISO_LENGTH = 24;

/**
 * Compiles the read of a property, without conversion. Own and inherited properties are read, such as getters of
 * classes, but no members of every object: a property named `constructor` is null unless the object has its own.
 * @param slots the range variables of the path
 */
export function compileRawProperty(expression: PropertyExpression, slots: VariableSlots): RawAccessor {
  const { field } = expression.property;
  const read = isInheritedName(field) ? readOwn(field) : readAny(field);
  if (expression.source.kind === "it") return read;
  const source = compileRawSource(expression.source, slots);
  const path = describePath(expression.source);
  return (entity, evaluation) => {
    const value = source(entity, evaluation);
    if (value === null) return null;
    if (typeof value !== "object") throw invalidHandlerValue(path, expression.source.type.name, value);
    return read(value, evaluation);
  };
}

/** Compiles the read of the source of a path: the entity, an item, a related entity, or a complex value. */
export function compileRawSource(source: PathSource, slots: VariableSlots): RawAccessor {
  switch (source.kind) {
    case "it":
      return (entity) => entity;
    case "variable": {
      const slot = slotOf(source, slots);
      return () => slot.object;
    }
    case "property":
      return compileRawProperty(source, slots);
    case "root":
      return (_entity, evaluation) => rootOf(evaluation.relations, source);
    case "navigation":
      return compileNavigation(source, slots);
    default:
      return assertNever(source);
  }
}

/** Compiles a navigation: an entity, or the entities of a collection; null where its source is null. */
function compileNavigation(expression: NavigationExpression, slots: VariableSlots): RawAccessor {
  const source = compileRawSource(expression.source, slots);
  return (entity, evaluation) => {
    const from = source(entity, evaluation);
    if (typeof from === "object" && from !== null) return relatedOf(evaluation.relations, expression, from);
    if (from === null) return null;
    throw invalidHandlerValue(describePath(expression.source), expression.source.type.name, from);
  };
}

/** Whether every object inherits a member of this name, such as `constructor` or `__proto__`. */
function isInheritedName(field: string): boolean {
  return field in Object.prototype;
}

function readAny(field: string): RawAccessor {
  const read = readerOf(field);
  return (entity) => read(entity) ?? null;
}

function readOwn(field: string): RawAccessor {
  return (entity) => (Object.hasOwn(entity, field) ? (fieldOf(entity, field) ?? null) : null);
}

/** Returns the value of a field of an object, undefined when it has none. */
export function fieldOf(entity: object, field: string): unknown {
  // Every object can be indexed by a string; the value is unknown until it is checked.
  return (entity as Readonly<Record<string, unknown>>)[field];
}

/** Returns the value of a field, own or of a class; undefined when it is missing, and for members of every object. */
export function declaredFieldOf(entity: object, field: string): unknown {
  return isInheritedName(field) && !Object.hasOwn(entity, field) ? undefined : fieldOf(entity, field);
}

/**
 * Compiles the read of a primitive or enum property in canonical form. A value that a quick check finds canonical is not
 * converted.
 * @throws TypeError, when run, for a value of another type than the property
 */
export function compileProperty(expression: PropertyExpression, slots: VariableSlots): CompiledExpression {
  const { property, source } = expression;
  const canonical = toCanonical(expression);
  const { field } = property;
  const kind = canonicalKind(property.type);
  const isPlain = source.kind === "it" && !isInheritedName(field);
  if (isPlain && kind !== null) {
    const read = readerOf(field);
    if (kind === "number") {
      return (entity) => {
        const value = read(entity);
        return typeof value === "number" ? value : canonical(value);
      };
    }
    if (kind === "string") {
      return (entity) => {
        const value = read(entity);
        return typeof value === "string" ? value : canonical(value);
      };
    }
    return (entity) => {
      const value = read(entity);
      return typeof value === kind ? (value as PrimitiveValue) : canonical(value);
    };
  }
  const raw = isPlain ? readAny(field) : compileRawProperty(expression, slots);
  const isCanonical = kind === null ? canonicalTest(property.type) : (value: unknown): boolean => typeof value === kind;
  return (entity, evaluation) => {
    const value = raw(entity, evaluation);
    return isCanonical(value) ? (value as PrimitiveValue) : canonical(value);
  };
}

/** Compiles the value of a collection item itself: `$it` where items are primitive or enum values. */
export function compileIt(expression: ItExpression): CompiledExpression {
  const { type } = expression;
  if (type.kind === "EntityType" || type.kind === "ComplexType") {
    throw new Error(`${type.name} has no value that could be compared.`);
  }
  return makeCanonical(valueCodec(type), describePath(expression), type.name);
}

/** Compiles the value of a range variable itself, where items are primitive or enum values. */
export function compileVariable(expression: VariableExpression, slots: VariableSlots): CompiledExpression {
  const slot = slotOf(expression, slots);
  return () => slot.value;
}

/** Makes the conversion of a property's value in the application's object: null and undefined are null. */
export function toCanonical(expression: PropertyExpression): ToCanonical {
  const canonical = makeCanonical(codecOf(expression.property), describePath(expression), expression.type.name);
  if (expression.type.kind === "EnumType") return remember(canonical);
  return expression.type.name === "Edm.DateTimeOffset" ? writeDates(canonical) : canonical;
}

/** Converts a `Date` of the years 0 to 9999 directly; the codec would check its string again. */
function writeDates(canonical: ToCanonical): ToCanonical {
  return (value) => {
    if (!(value instanceof Date) || Number.isNaN(value.getTime())) return canonical(value);
    const text = value.toISOString();
    return text.length === ISO_LENGTH ? text : canonical(value);
  };
}

/** Caches the first conversions: an enumeration has few values, and parsing flags is expensive. */
function remember(canonical: ToCanonical): ToCanonical {
  const known = new Map<unknown, PrimitiveValue | null>();
  return (value) => {
    const remembered = known.get(value);
    if (remembered !== undefined) return remembered;
    const answer = canonical(value);
    if (known.size < MAX_REMEMBERED && typeof value !== "object") known.set(value, answer);
    return answer;
  };
}

function makeCanonical(codec: ValueCodec, path: string, typeName: string): ToCanonical {
  return (value) => {
    if (value === null || value === undefined) return null;
    try {
      return codec.fromHandler(value);
    } catch (error) {
      throw error instanceof InvalidValueError ? invalidHandlerValue(path, typeName, value, error) : error;
    }
  };
}

/** Reads the number of items of a collection; null where the path to it is null. */
type CountItems = (entity: object, evaluation: Evaluation) => number | null;

/**
 * Compiles the number of items of a collection-valued property, or of related entities: null where the path to it is
 * null, 0 for a collection that is null or absent.
 * @throws TypeError, when run, for a value that is not an array
 */
export function compileCount(collection: CollectionPath, slots: VariableSlots): CountItems {
  const raw = compileRawSource(collection, slots);
  const owner = collection.source.kind === "it" ? null : compileRawSource(collection.source, slots);
  const path = describePath(collection);
  return (entity, evaluation) => {
    if (owner !== null && owner(entity, evaluation) === null) return null;
    const items = raw(entity, evaluation);
    if (items === null) return 0;
    if (!Array.isArray(items)) throw invalidHandlerValue(path, "a collection", items);
    return items.length;
  };
}

/** Returns the wire names of a path after the type in which it starts, such as `Order.ShipTo.City`. */
export function describePath(expression: PathSource): string {
  if (expression.kind !== "property") return expression.type.name;
  return `${describePath(expression.source)}.${describeName(expression.property)}`;
}

function describeName(property: StructuralProperty): string {
  return property.name === property.field ? property.name : `${property.name} (field ${property.field})`;
}

/**
 * Makes the error for a value of another type: a fault of a handler, which is logged and leads to a generic 500. It
 * names the place, the type and the kind of the value, but not the value.
 */
export function invalidHandlerValue(path: string, expected: string, value: unknown, cause?: unknown): TypeError {
  const message = `${path} must be ${expected}, but a handler returned ${describeKind(value)}.`;
  return new TypeError(message, { cause });
}

/** Describes the kind of a value, such as `a string` or `a value of class Date`. */
function describeKind(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return value === undefined ? "undefined" : `a ${typeof value}`;
  return `a value of class ${Object.prototype.toString.call(value).slice("[object ".length, -1)}`;
}

/**
 * The current item of a lambda operator, which the paths of its predicate read. Closures without lambda operators do not
 * use slots, so slots cost them nothing.
 */
export interface VariableSlot {
  /** An item of a primitive or enumeration type in canonical form, or null. */
  value: PrimitiveValue | null;
  /** An item of a structured type as the application stores it, or null. */
  object: object | null;
}

/** The slots of the lambda operators around an expression, by their depth. */
export type VariableSlots = readonly VariableSlot[];

/** Returns the slot of a range variable. @throws Error for a missing lambda operator: a fault of the binder */
function slotOf({ depth }: VariableExpression, slots: VariableSlots): VariableSlot {
  const slot = slots[depth];
  if (slot === undefined) throw new Error(`Missing the lambda operator of depth ${String(depth)}.`);
  return slot;
}

/** Reads a field of an entity; undefined when it has none. */
type FieldGetter = (entity: object) => unknown;

/** An object by its fields: each can be read, and its value is unknown until it is checked. */
type Fields = Readonly<Record<string, unknown>>;

/** Makes a reader of a field. */
type MakeReader = (field: string) => (entity: Fields) => unknown;

/**
 * The same reader several times. A JavaScript engine optimizes each place in the code for the field that it reads there. A
 * second field makes that place slower. Filters test few fields, so most fields get a separate place.
 */
const READERS: readonly MakeReader[] = [
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
];
const ANY_READER: MakeReader = (field) => (entity) => entity[field];

/** Of the hash function FNV. */
const FACTOR = 16_777_619;

/** Returns a reader of a field: a fast one where an expression is evaluated for many entities. */
export function readerOf(field: string): FieldGetter {
  let hash = 0;
  for (let at = 0; at < field.length; at += 1) hash = Math.imul(hash ^ field.charCodeAt(at), FACTOR);
  const make = READERS[(hash >>> 16) % READERS.length] ?? ANY_READER;
  return make(field) as FieldGetter;
}
