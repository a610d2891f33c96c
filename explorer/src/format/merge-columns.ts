import type { Property, StructuredType } from "../model/model.ts";

/** An entity as JSON has it. */
export type EntityValues = Readonly<Record<string, unknown>>;

/** A property of an entity that two people changed at the same time. */
export interface MergeRow {
  readonly property: Property;
  /** The value that both began with. */
  readonly base: unknown;
  /** The value of the form. */
  readonly mine: unknown;
  /** The value that the service has now. */
  readonly theirs: unknown;
  /**
   * `same`: nobody changed it. `mine`, `theirs`: one of both did. `agreed`: both did in the same way. `conflict`: in different
   * ways, so that a person decides.
   */
  readonly state: "same" | "mine" | "theirs" | "agreed" | "conflict";
}

/** Which value of a property is kept. */
export type MergeChoice = "mine" | "theirs";

/**
 * Compares an entity as it was, as the form has it and as the service has it now, property by property.
 * @param mine the values of the form; a property that it lacks is unchanged
 */
export function mergeColumns(
  type: StructuredType,
  base: EntityValues,
  mine: EntityValues,
  theirs: EntityValues,
): readonly MergeRow[] {
  return Array.from(type.properties.values())
    .filter(({ name }) => Object.hasOwn(base, name) || Object.hasOwn(mine, name) || Object.hasOwn(theirs, name))
    .map((property) => compare(property, base[property.name], valueOf(mine, base, property), theirs[property.name]));
}

function valueOf(mine: EntityValues, base: EntityValues, { name }: Property): unknown {
  return Object.hasOwn(mine, name) ? mine[name] : base[name];
}

function compare(property: Property, base: unknown, mine: unknown, theirs: unknown): MergeRow {
  const row = { property, base, mine, theirs };
  const isMine = !isSameValue(base, mine, property);
  const isTheirs = !isSameValue(base, theirs, property);
  if (!isMine) return { ...row, state: isTheirs ? "theirs" : "same" };
  if (!isTheirs) return { ...row, state: "mine" };
  return { ...row, state: isSameValue(mine, theirs, property) ? "agreed" : "conflict" };
}

/**
 * Returns the properties to send so that the entity becomes what was chosen.
 * @param choices of the rows in conflict, by the name of the property
 * @returns null as long as a conflict has no choice
 */
export function mergedChanges(
  rows: readonly MergeRow[],
  choices: ReadonlyMap<string, MergeChoice>,
): EntityValues | null {
  const changes: Record<string, unknown> = {};
  for (const { property, state, mine } of rows) {
    const choice = state === "conflict" ? choices.get(property.name) : state;
    if (choice === undefined) return null;
    if (choice === "mine") changes[property.name] = mine;
  }
  return changes;
}

/**
 * Returns whether two JSON values of a property are the same value. The same number, point in time or Guid may be written in
 * several ways.
 */
export function isSameValue(left: unknown, right: unknown, { type }: Pick<Property, "type">): boolean {
  const name = type.kind === "primitive" ? type.name : "";
  return canonical(left, name) === canonical(right, name);
}

function canonical(value: unknown, type: string): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map((item: unknown) => canonical(item, type)).join(",")}]`;
  if (typeof value === "object") {
    const members = Object.entries(value).filter(([name]) => !name.includes("@"));
    const sorted = members.toSorted(([left], [right]) => (left < right ? -1 : 1));
    return `{${sorted.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each, "")}`).join(",")}}`;
  }
  return canonicalText(typeof value === "string" ? value : JSON.stringify(value), type);
}

function canonicalText(text: string, type: string): string {
  switch (type) {
    case "Edm.Decimal":
    case "Edm.Int64":
      return /^-?\d+(?:\.\d+)?$/u.test(text)
        ? withoutZeros(text.replace(/^(-?)0+(?=\d)/u, "$1")).replace(/^-0$/u, "0")
        : text;
    case "Edm.DateTimeOffset":
    case "Edm.TimeOfDay":
      return instantOf(text);
    case "Edm.Guid":
      return text.toLowerCase();
    default:
      return JSON.stringify(text);
  }
}

/** Without the zeros at the end of a fraction. */
function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/u, "") : text;
}

/** In UTC, with the digits of the second that `Date` would lose. */
function instantOf(text: string): string {
  const [, start = "", seconds = ":00", fraction = "", zone = ""] =
    /^(.*?\d\d:\d\d)(:\d\d)?(\.\d+)?(Z|[-+]\d\d:\d\d)?$/iu.exec(text) ?? [];
  if (start === "") return text;
  const digits = withoutZeros(fraction);
  const time = zone === "" ? Number.NaN : Date.parse(`${start}${seconds}${zone}`);
  return `${Number.isNaN(time) ? `${start}${seconds}${zone}` : time}${digits}`;
}
