import { absentValue } from "../../edm/absent-value.ts";
import type { ComplexType, EntityType, StructuralProperty } from "../../edm/model.ts";
import { ERROR_CODES } from "../../errors/error-codes.ts";
import { ODataError } from "../../errors/odata-error.ts";

/** An entity or a complex value by the application's keys. */
type Members = Readonly<Record<string, unknown>>;

/**
 * The error for a change of a complex value that is null, where the change lacks a required member.
 * @see OData Protocol 4.0, section 11.4.3
 */
export class IncompleteValueError extends ODataError {
  /** The complex properties on the way to the missing member, and that member. */
  readonly path: readonly StructuralProperty[];

  /** @param target how clients name the member: the wire names on the way to it, with slashes between */
  constructor(path: readonly StructuralProperty[], target: string = path.map(({ name }) => name).join("/")) {
    const problem = `${target} is missing. The value around it is null, so send every member that is required.`;
    super(ERROR_CODES.InvalidBody, "InvalidBody", problem, { target });
    this.path = path;
  }
}

/**
 * Returns an entity with the members of a delta. Complex values are merged member by member, at every depth; collections
 * are replaced. Keys and computed members never change, and immutable members of a complex value keep their values.
 * @param entity by the application's keys
 * @throws IncompleteValueError when a complex value is null, and the delta lacks one of its required members
 * @see OData Protocol 4.0, section 11.4.3
 */
export function mergeDelta(type: EntityType, entity: object, delta: object): Members {
  const [current, changes] = [entity as Members, delta as Members];
  const merged = type.properties
    .filter(({ field, isKey, computed }) => !isKey && !computed && Object.hasOwn(changes, field))
    .map(
      (property) => [property.field, mergeValue(property, current[property.field], changes[property.field])] as const,
    );
  // Spread and fromEntries define members: a property named __proto__ is one like any other.
  return { ...current, ...Object.fromEntries(merged) };
}

/** Tells whether a delta changes members of a value, and does not replace it. */
export function isPartial(property: StructuralProperty, change: unknown): change is Members {
  return property.type.kind === "ComplexType" && !property.isCollection && isMembers(change);
}

/** Tells whether a change of a complex value that is not null changes a member. */
export function changesMember({ computed, immutable, field }: StructuralProperty, change: Members): boolean {
  return !computed && !immutable && given(change, field) !== undefined;
}

/**
 * Returns the complex value that a change makes where there is none: members that are absent have their default, no items,
 * or null.
 * @param path the complex properties on the way to the value, the one that holds it last
 * @throws IncompleteValueError when a required member is absent
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
 * Returns the value that a change makes of the value of a property: `mergeDelta` for one member.
 * @param around the complex properties around the property
 * @throws IncompleteValueError when a complex value is null, and the change lacks one of its required members
 */
export function mergeValue(
  property: StructuralProperty,
  current: unknown,
  change: unknown,
  around: readonly StructuralProperty[] = [],
): unknown {
  if (property.type.kind !== "ComplexType" || !isPartial(property, change)) return change;
  const { properties } = property.type;
  const path = [...around, property];
  if (!isMembers(current)) return completeValue(property.type, change, path);
  // Members that a class gives by getters are part of the value, too.
  const kept = properties.map(({ field }) => [field, fieldOf(current, field)] as const);
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

function given(change: Members, field: string): unknown {
  return Object.hasOwn(change, field) ? change[field] : undefined;
}

/** What every object inherits, such as `constructor`, is no member. */
function fieldOf(value: Members, field: string): unknown {
  return field in Object.prototype && !Object.hasOwn(value, field) ? undefined : value[field];
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
