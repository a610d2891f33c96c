import { nearestName } from "../../base/errors/nearest-name.ts";
import { keptPer } from "../../base/memo.ts";
import { canonicalItem, checkItems, shownItem } from "../../definition/model/canonical-value.ts";
import type { ComplexType, EntityType, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import { isEntity } from "../memory/evaluation.ts";

/** The values by field. */
type Values = Readonly<Record<string, unknown>>;

/** The values that a hook received, and the values that it returned. */
interface ReturnedValues {
  /** The hook and the set, for errors. */
  readonly hook: string;
  readonly entityType: EntityType;
  readonly returned: unknown;
  /** The entity or the changes that the hook received: a frozen copy. */
  readonly given: object;
  /** The values that were copied. */
  readonly original: object;
}

/** The kind of the values that a `before` hook returns. */
type WrittenKind = "create" | "upsert" | "replace" | "patch";

/**
 * Returns the values that a `before` hook wants to be written.
 * @param kind the values: a new entity, one whose key the URL names, a replacement, or changes
 * @throws TypeError that names hook and property, for a value that clients could not send, either
 */
export function valuesToWrite(values: ReturnedValues, kind: WrittenKind): Values {
  const { entityType, given, original } = values;
  // No client gives computed properties, but hooks may. Those of `set` have one source, which is `set`.
  const isWritten = ({ isKey, serverSet, immutable }: StructuralProperty): boolean =>
    serverSet !== true && (kind === "create" || (!isKey && (kind !== "patch" || !immutable)));
  const read = readMembers({ ...values, isShown: false }, { isWritten, isPartial: kind === "patch" });
  // A delta without members writes nothing.
  if (kind === "patch" && Object.keys(read).length === 0) return read;
  const made = { ...valuesOfServer(entityType, original, isWritten), ...read };
  if (kind === "patch") return made;
  const missing = entityType.properties.find(
    (property) =>
      isWritten(property) &&
      !Object.hasOwn(made, property.field) &&
      declaredFieldOf(given, property.field) !== undefined,
  );
  const lost = missing ?? lostNavigation(values);
  if (lost === undefined) return { ...navigationsOf(entityType, original), ...made };
  throw fault(values, lost.field, "is missing. Return the whole entity, such as { ...entity, … }");
}

/**
 * Returns the members that an `after` hook wants to be shown.
 * @throws TypeError that names hook and property
 */
export function valuesToShow(values: ReturnedValues): Values {
  return readMembers({ ...values, isShown: true }, { isWritten: ({ isKey }) => !isKey, isPartial: false });
}

/** Returns the values that no hook changes, such as those of the option `set`: they stay if a hook leaves them out. */
function valuesOfServer(
  { properties, ignoredProperties }: EntityType,
  original: object,
  isWritten: (property: StructuralProperty) => boolean,
): Values {
  const fixed = [...properties.filter((property) => !isWritten(property)), ...ignoredProperties];
  const present = fixed.filter(({ field }) => declaredFieldOf(original, field) !== undefined);
  return Object.fromEntries(present.map(({ field }) => [field, declaredFieldOf(original, field)]));
}

/** Values that are read, and their use. */
interface ReadValues extends ReturnedValues {
  /** Whether a response shows the values; otherwise they are written. */
  readonly isShown: boolean;
}

/** How members are read. */
interface Reading {
  /** Whether a property may have another value than the hook received. */
  readonly isWritten: (property: StructuralProperty) => boolean;
  /** Whether complex values contain changes alone. */
  readonly isPartial: boolean;
}

/** Returns the properties of a type by their fields, ignored ones included. */
const byField = keptPer(
  ({ properties, ignoredProperties }: EntityType): ReadonlyMap<string, StructuralProperty> =>
    new Map([...ignoredProperties, ...properties].map((property) => [property.field, property])),
);

function readMembers(values: ReadValues, { isWritten, isPartial }: Reading): Values {
  const { entityType, returned, given, original, hook } = values;
  if (!isEntity(returned)) {
    throw new TypeError(`${hook} returned a value that is not an object. Return nothing to change nothing.`);
  }
  const { properties, ignoredProperties, navigationProperties } = entityType;
  const declared = byField(entityType);
  const entries: Array<readonly [string, unknown]> = [];
  for (const field of Object.keys(returned)) {
    const value = declaredFieldOf(returned, field);
    if (value === undefined) continue;
    const property = declared.get(field);
    const before = declaredFieldOf(given, field);
    if (property === undefined) {
      if (!navigationProperties.some((each) => each.field === field)) {
        throw fault(values, field, unknownName(field, [...properties, ...ignoredProperties]));
      }
      // The hooks of the set of nested entities change them.
      if (value === before) continue;
      throw fault(values, field, "is a navigation, whose entities the hooks of their own set change");
    }
    if (value === before) {
      entries.push([field, declaredFieldOf(original, field)]);
      continue;
    }
    if (!isWritten(property) || !properties.includes(property)) {
      throw fault(values, field, `cannot be written here. Leave it ${before === undefined ? "out" : "as it is"}`);
    }
    entries.push([field, readValue(values, property, value, { path: field, isPartial })]);
  }
  // fromEntries defines members, so a property may be named __proto__.
  return Object.fromEntries(entries);
}

/** Returns a navigation with nested entities that a hook left out: they would be created all the same. */
function lostNavigation({ entityType, given, returned }: ReturnedValues): NavigationProperty | undefined {
  const isOf = (entity: object, { field }: NavigationProperty): boolean => declaredFieldOf(entity, field) !== undefined;
  if (!isEntity(returned)) return undefined;
  return entityType.navigationProperties.find((each) => isOf(given, each) && !isOf(returned, each));
}

function navigationsOf({ navigationProperties }: EntityType, given: object): Values {
  const present = navigationProperties.filter(({ field }) => declaredFieldOf(given, field) !== undefined);
  return Object.fromEntries(present.map(({ field }) => [field, declaredFieldOf(given, field)]));
}

/** The place of a value within an entity. */
interface ValuePlace {
  readonly path: string;
  readonly isPartial: boolean;
}

function readValue(values: ReadValues, property: StructuralProperty, value: unknown, place: ValuePlace): unknown {
  const { isCollection, nullable } = property;
  if (!isCollection) return readSingle(values, property, value, place);
  if (!Array.isArray(value)) throw fault(values, place.path, "is a collection. Return an array");
  const items: readonly unknown[] = value;
  if (!values.isShown) explained(values, property, place, () => checkItems(property, items.length));
  return items.map((item) => {
    return item === null && nullable
      ? null
      : readSingle(values, property, item, { path: place.path, isPartial: false });
  });
}

function readSingle(values: ReadValues, property: StructuralProperty, value: unknown, place: ValuePlace): unknown {
  const { type, nullable, isCollection } = property;
  if (value === null || value === undefined) {
    if (nullable && !isCollection) return null;
    throw fault(values, place.path, "is null, which the property does not allow");
  }
  if (type.kind === "ComplexType") return readComplex(values, type, value, place);
  const convert = values.isShown ? shownItem : canonicalItem;
  return explained(values, property, place, () => convert(property, value));
}

/** Runs a conversion. @throws TypeError for its error */
function explained<T>(values: ReturnedValues, { type }: StructuralProperty, { path }: ValuePlace, convert: () => T): T {
  try {
    return convert();
  } catch (cause) {
    const reason = cause instanceof Error ? ` ${cause.message}` : "";
    throw fault(values, path, `is not a value of the property, of type ${type.name}.${reason}`, cause);
  }
}

function readComplex(values: ReadValues, type: ComplexType, value: unknown, { path, isPartial }: ValuePlace): Values {
  if (!isEntity(value)) throw fault(values, path, `is not an object of ${type.name}`);
  const stranger = Object.keys(value).find(
    (field) => ![...type.properties, ...type.ignoredProperties].some((each) => each.field === field),
  );
  if (stranger !== undefined) throw fault(values, `${path}.${stranger}`, unknownName(stranger, type.properties));
  // No write changes the other members, which a copy of a stored value has, too.
  const written = type.properties.filter(({ computed }) => !computed);
  const entries = written.flatMap((member): ReadonlyArray<readonly [string, unknown]> => {
    const { field, nullable, isCollection } = member;
    const given = declaredFieldOf(value, field);
    if (given === undefined) {
      if (isPartial) return [];
      if (isCollection) return [[field, []]];
      if (nullable) return [[field, null]];
    }
    return [[field, readValue(values, member, given, { path: `${path}.${field}`, isPartial })]];
  });
  return Object.fromEntries(entries);
}

function unknownName(field: string, declared: ReadonlyArray<{ readonly field: string }>): string {
  const nearest = nearestName(
    field,
    declared.map((each) => each.field),
  );
  return `is no property${nearest === null ? "" : `. Did you mean \`${nearest}\`?`}`;
}

function fault({ hook, entityType }: ReturnedValues, path: string, problem: string, cause?: unknown): TypeError {
  const end = /[.?]$/u.test(problem) ? "" : ".";
  return new TypeError(`${hook} returned an entity of ${entityType.name} whose \`${path}\` ${problem}${end}`, {
    cause,
  });
}
