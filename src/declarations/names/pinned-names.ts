import type { ObjectName } from "../../introspect/database-schema.ts";
import type { EntityNames, EntityPair } from "./entity-names.ts";
import { TakenNames } from "./free-name.ts";
import { inflect } from "./inflection.ts";
import { type Claim, type NamedMembers, chooseMemberNames, isUnusableName } from "./member-names.ts";
import type { NameEntries, NameEntry } from "./name-entries.ts";
import type { NamingObject, NamingOptions } from "./naming.ts";
import { describeObject } from "./places.ts";
import { identifier } from "./words.ts";

const RENAME = "Give one of them another name.";

/** Returns the keys that name an object of the database in `NamingOptions.names`. */
export function objectKeys(object: ObjectName, { defaultSchema }: NamingOptions): readonly string[] {
  return object.schema === defaultSchema ? [describeObject(object), object.name] : [describeObject(object)];
}

/** Takes the names that entries give to entity types and sets. */
export function pinnedEntities(
  objects: readonly NamingObject[],
  entries: NameEntries,
  options: NamingOptions,
): ReadonlyMap<NamingObject, EntityPair> {
  const pins = new Map<NamingObject, EntityPair>();
  const types = new TakenNames();
  const sets = new TakenNames();
  for (const object of objects) {
    const entry = entries.take(objectKeys(object, options));
    const pair = entry === null ? null : acceptPair(entry, entries);
    if (entry === null || pair === null) continue;
    const { typeName, setName } = pair;
    const message = `Another entry has the name ${typeName} or ${setName}, or differs only in case.`;
    if (types.has(typeName) || sets.has(setName)) entries.reject(entry.key, message, RENAME);
    else pins.set(object, pair);
    types.add(typeName);
    sets.add(setName);
  }
  return pins;
}

/** Parses `Customer` or `Customer/Customers`. */
function acceptPair({ key, value }: NameEntry, entries: NameEntries): EntityPair | null {
  const [typeName = "", setName = pluralName(typeName), ...more] = value.split("/");
  if (more.length > 0) {
    entries.reject(key, `"${value}" is not a name.`, "Write a type, or a type and a set: Customer/Customers.");
    return null;
  }
  return entries.accept(key, typeName) && entries.accept(key, setName) ? { typeName, setName } : null;
}

/** Takes the names that entries give to the members of an entity type. */
export function pinnedMembers(
  entity: EntityNames,
  claims: readonly Claim[],
  entries: NameEntries,
  options: NamingOptions,
): ReadonlyMap<string, string> {
  const { members } = chooseMemberNames(entity, claims, new Map());
  const pins = new Map<string, string>();
  const taken = new TakenNames();
  for (const [id, keys] of keysOfMembers(entity, claims, members, options)) {
    const entry = pins.has(id) ? null : entries.take(keys);
    if (entry === null || !entries.accept(entry.key, entry.value)) continue;
    if (isUnusableName(entry.value)) {
      entries.reject(
        entry.key,
        `Expressions cannot use a property with the name ${entry.value}.`,
        "Choose another name.",
      );
      continue;
    }
    const message = `Another entry of ${entity.typeName} has the name ${entry.value}, or differs only in case.`;
    if (taken.has(entry.value)) entries.reject(entry.key, message, RENAME);
    else pins.set(id, entry.value);
    taken.add(entry.value);
  }
  return pins;
}

/** Lists the keys of members; a key that two members have belongs to the first. */
function* keysOfMembers(
  { object, typeName }: EntityNames,
  claims: readonly Claim[],
  members: NamedMembers["members"],
  options: NamingOptions,
): Iterable<readonly [id: string, keys: readonly string[]]> {
  const keyColumns = claims.filter(({ kind }) => kind === "to-one").map(({ columns }) => columns);
  for (const { id, kind, columns } of claims) {
    const [column = ""] = columns;
    const isAlone =
      columns.length === 1 && keyColumns.filter((other) => other.length === 1 && other[0] === column).length === 1;
    if (kind === "to-one" && isAlone) yield [id, [`${typeName}.${column}`]];
  }
  for (const { id, kind, columns } of claims) {
    if (kind !== "property") continue;
    const owners = [typeName, ...objectKeys(object, options)];
    yield [id, owners.map((owner) => `${owner}.${columns[0] ?? ""}`)];
  }
  for (const { id } of claims) yield [id, [`${typeName}.${members.get(id)?.name ?? ""}`]];
}

function pluralName(typeName: string): string {
  return identifier(inflect([typeName])[1].join(""));
}
