import { ERROR_CODES } from "../../base/errors/error-codes.ts";
import { ODataError } from "../../base/errors/odata-error.ts";
import { absentValue } from "../../edm/absent-value.ts";
import type { ComplexType, EntityType, StructuralProperty } from "../../edm/model.ts";

/** An entity or a complex value by field. */
type Members = Readonly<Record<string, unknown>>;

/**
 * The error for a change of a null complex value that lacks a required member.
 * @see OData Protocol 4.0, section 11.4.3
 */
export class IncompleteValueError extends ODataError {
  /** The path to the missing member: complex properties, then the member. */
  readonly path: readonly StructuralProperty[];

  /** @param target the path to the member in wire names, separated by slashes */
  constructor(path: readonly StructuralProperty[], target: string = path.map(({ name }) => name).join("/")) {
    const problem = `${target} is missing. The enclosing value is null, so send all required members.`;
    super(ERROR_CODES.InvalidBody, "InvalidBody", problem, { target });
    this.path = path;
  }
}

const SERVER_SET: unique symbol = Symbol("fields that the server sets");

/** A delta that contains values of the server. */
interface ServerSetDelta {
  readonly [SERVER_SET]?: ReadonlySet<string>;
}

/** Notes the fields of a delta whose values the option `set` supplies: `mergeDelta` writes them though they are ignored. */
export function noteServerSet<Delta extends object>(delta: Delta, fields: ReadonlySet<string>): Delta {
  return Object.defineProperty(delta, SERVER_SET, { value: fields });
}

/**
 * Returns an entity with the members of a delta. Complex values are merged member by member, at every depth; collections
 * are replaced. Keys and computed members never change, unless the server sets them, and immutable members of a complex value
 * keep their values.
 * @throws IncompleteValueError if a complex value is null and the delta lacks one of its required members
 * @see OData Protocol 4.0, section 11.4.3
 */
export function mergeDelta(type: EntityType, entity: object, delta: object): Members {
  const [current, changes] = [entity as Members, delta as Members];
  const { [SERVER_SET]: serverSet } = delta as ServerSetDelta;
  const changeable = type.properties.filter(
    ({ field, isKey, computed }) => !isKey && !(computed && !serverSet?.has(field)),
  );
  const hidden = serverSet === undefined ? [] : type.ignoredProperties.filter(({ field }) => serverSet.has(field));
  const merged = [...changeable, ...hidden]
    .filter(({ field }) => Object.hasOwn(changes, field))
    .map(
      (property) => [property.field, mergeValue(property, current[property.field], changes[property.field])] as const,
    );
  // Spread and fromEntries define members, so a property named __proto__ is an ordinary property.
  return { ...current, ...Object.fromEntries(merged) };
}

/** Returns whether a delta changes members of a value instead of replacing the value. */
export function isPartial(property: StructuralProperty, change: unknown): change is Members {
  return property.type.kind === "ComplexType" && !property.isCollection && isMembers(change);
}

/** Returns whether a change of a complex value that is not null changes a member. */
export function changesMember({ computed, immutable, field }: StructuralProperty, change: Members): boolean {
  return !computed && !immutable && given(change, field) !== undefined;
}

/**
 * Returns the complex value that a change makes from null: absent members have their default, no items, or null.
 * @param path the complex properties that lead to the value
 * @throws IncompleteValueError if a required member is absent
 */
export function completeValue(type: ComplexType, change: Members, path: readonly StructuralProperty[]): Members {
  const members = type.properties
    .filter(({ computed }) => !computed)
    .map((member) => {
      const value = given(change, member.field);
      const whole = value === undefined ? absentValue(member) : mergeValue(member, null, value, path);
      if (whole === undefined) throw new IncompleteValueError([...path, member]);
      return [member.field, whole] as const;
    });
  return Object.fromEntries(members);
}

/**
 * Applies a change to the value of a property: `mergeDelta` for one member.
 * @param around the complex properties that lead to the property
 * @throws IncompleteValueError if a complex value is null and the change lacks one of its required members
 */
export function mergeValue(
  property: StructuralProperty,
  current: unknown,
  change: unknown,
  around: readonly StructuralProperty[] = [],
): unknown {
  if (property.type.kind !== "ComplexType" || !isPartial(property, change)) return change;
  const { properties, ignoredProperties } = property.type;
  const path = [...around, property];
  if (!isMembers(current)) return completeValue(property.type, change, path);
  // A class may define members by getters, which a spread does not copy.
  const kept = [...properties, ...ignoredProperties].map(({ field }) => [field, fieldOf(current, field)] as const);
  const changed = properties
    .filter((member) => changesMember(member, change))
    .map(
      (member) =>
        [member.field, mergeValue(member, fieldOf(current, member.field), change[member.field], path)] as const,
    );
  return {
    ...current,
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(changed),
  };
}

/**
 * Returns a complex value that replaces another. It keeps members of the other value that no request writes, at every depth:
 * ignored and computed members. Items of collections have no counterpart, so they get none.
 */
export function withKeptMembers(property: StructuralProperty, current: unknown, value: unknown): unknown {
  const { type } = property;
  if (type.kind !== "ComplexType" || !isPartial(property, value) || !isMembers(current)) return value;
  const written = type.properties
    .filter(({ field, computed }) => !computed && Object.hasOwn(value, field))
    .map((member) => {
      const { field } = member;
      return [field, withKeptMembers(member, fieldOf(current, field), value[field])] as const;
    });
  const kept = [...type.properties.filter(({ computed }) => computed), ...type.ignoredProperties]
    .map(({ field }) => [field, fieldOf(current, field)] as const)
    .filter(([, member]) => member !== undefined);
  return { ...value, ...Object.fromEntries(written), ...Object.fromEntries(kept) };
}

function given(change: Members, field: string): unknown {
  return Object.hasOwn(change, field) ? change[field] : undefined;
}

/** Ignores members that every object inherits, such as `constructor`. */
function fieldOf(value: Members, field: string): unknown {
  return field in Object.prototype && !Object.hasOwn(value, field) ? undefined : value[field];
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
