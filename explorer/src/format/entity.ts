import type { Property, StructuredType } from "../model/model.ts";

export type EntityValues = Readonly<Record<string, unknown>>;

/** An entity as the service sent it. */
export interface Entity {
  readonly values: EntityValues;
  readonly etag: string | null;
}

/** Reads the body of an entity; null if it is none. */
export function toEntity(body: unknown): Entity | null {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  const values = body as EntityValues;
  const etag = values["@odata.etag"];
  return { values, etag: typeof etag === "string" ? etag : null };
}

/**
 * Returns the properties that the service left out of an entity, because they must be selected: the context URL then lists the
 * others.
 * @see OData Protocol 4.0, section 10.8
 */
export function unselectedNames({ properties }: StructuredType, values: EntityValues): readonly string[] {
  const context = values["@odata.context"];
  if (typeof context !== "string" || !context.endsWith(")/$entity")) return [];
  return [...properties.keys()].filter((name) => !Object.hasOwn(values, name));
}

/** Returns the properties that a write of an entity may change. A value that was not sent can neither be compared nor restored. */
export function changeableProperties(type: StructuredType, values: EntityValues): readonly Property[] {
  return [...type.properties.values()].filter((property) => {
    const isFixed = property.readOnly || property.immutable || type.key.includes(property);
    return !isFixed && Object.hasOwn(values, property.name);
  });
}

/**
 * Returns the properties that replacing an entity would erase, because the service did not send them. Those that the user may
 * not read keep their values.
 */
export function unsentNames(type: StructuredType, values: EntityValues): readonly string[] {
  const written = [...type.properties.values()].filter((each) => !each.readOnly && !each.immutable);
  return written.map(({ name }) => name).filter((name) => !Object.hasOwn(values, name));
}

/** Returns the values of an entity that a new one like it may state. */
export function writableValues({ properties }: StructuredType, values: EntityValues): EntityValues {
  const writable = [...properties.values()].filter((each) => !each.readOnly && Object.hasOwn(values, each.name));
  return Object.fromEntries(writable.map(({ name }) => [name, values[name]]));
}

/**
 * Returns whether a new entity can have the content of an old one: keys, numbers and times the service sets again. Values that
 * the service did not send are lost.
 */
export function isRepeatable({ properties, hidden, key }: StructuredType, values: EntityValues): boolean {
  return [...properties.values(), ...hidden].every((property) => {
    const { name, type, isNotCreated } = property;
    const isLost = typeof values[name] === "object" || (type.kind === "primitive" && /String|Binary/u.test(type.name));
    if ((!property.readOnly || isNotCreated) && !Object.hasOwn(values, name)) return false;
    if ((values[name] ?? null) === null) return true;
    return !isNotCreated && (!property.readOnly || key.includes(property) || !isLost);
  });
}

export type MergeChoice = "mine" | "theirs";

/** A property of an entity that two people may have changed at the same time. */
export interface MergeRow {
  readonly property: Property;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** Who changed it: `agreed` if both did in the same way, `conflict` if a person decides. */
  readonly state: "same" | MergeChoice | "agreed" | "conflict";
}

/**
 * Compares an entity as it was, with the changes of the form, and as the service has it now. Values that were not sent say
 * nothing.
 */
export function mergeColumns(
  { properties }: StructuredType,
  before: EntityValues,
  changes: EntityValues,
  now: EntityValues,
): readonly MergeRow[] {
  const seen = [...properties.values()].filter(({ name }) => Object.hasOwn(before, name));
  return seen.map((property) => {
    const [base, mine, theirs] = [before, { ...before, ...changes }, { ...before, ...now }].map(
      (values) => values[property.name],
    );
    return { property, base, mine, theirs, state: stateOf(base, mine, theirs) };
  });
}

function stateOf(base: unknown, mine: unknown, theirs: unknown): MergeRow["state"] {
  if (isSameValue(base, mine)) return isSameValue(base, theirs) ? "same" : "theirs";
  if (isSameValue(base, theirs)) return "mine";
  return isSameValue(mine, theirs) ? "agreed" : "conflict";
}

/** Returns the properties to send so that the entity has the chosen values; null as long as a conflict has no choice. */
export function mergedChanges(rows: readonly MergeRow[], kept: ReadonlyMap<string, MergeChoice>): EntityValues | null {
  const sides = rows.map(({ state, property }) => (state === "conflict" ? kept.get(property.name) : state));
  if (sides.includes(undefined)) return null;
  const changed = rows.filter((_, at) => sides[at] === "mine");
  return Object.fromEntries(changed.map(({ property, mine }) => [property.name, mine]));
}

/** Returns whether two values are the same in JSON. */
export function isSameValue(left: unknown, right: unknown): boolean {
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}
