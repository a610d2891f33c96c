import { nearestName } from "../../../base/errors/nearest-name.ts";
import type { ObjectName } from "../../../databases/introspect/database-schema.ts";
import { isSimpleIdentifier } from "../../../definition/names.ts";
import type { DescribedWarning } from "../described-service.ts";
import {
  chooseEntityNames,
  type EntityNames,
  prefixedIdentifier,
  prefixedWords,
  type EntityPair,
} from "./entity-names.ts";
import { inflect, asIdentifier, identifier, pascalCase, wordsOf } from "./inflection.ts";
import {
  claimId,
  memberClaims,
  chooseMemberNames,
  type NamedMembers,
  type Claim,
  isUnusableName,
} from "./member-claims.ts";
import {
  TakenNames,
  type MemberName,
  type NamingInput,
  type NamingOptions,
  type ObjectNames,
  objectKey,
  type RelationNames,
  type ServiceNames,
  type NamingObject,
  type NamingFault,
  describeColumns,
  describeObject,
} from "./naming.ts";

/**
 * Chooses the names of a service over a database: entity types and sets, properties, navigations, enumeration types. The
 * name of a navigation depends on its own foreign key, and on whether it is the only one between two tables. Another foreign key
 * or table renames it otherwise only if both want the same name; a warning says so.
 * @see docs/decisions/0047-names-over-databases.md
 */
export function chooseNames(input: NamingInput, options: NamingOptions): ServiceNames {
  const entries = new NameEntries(options.names);
  const named = chooseEntityNames(input.objects, pinnedEntities(input.objects, entries, options), options);
  const members = new Map<EntityNames, NamedMembers>();
  for (const [entity, claims] of memberClaims(input, named.entities, options)) {
    members.set(entity, chooseMemberNames(entity, claims, pinnedMembers(entity, claims, entries, options)));
  }
  const enums = chooseEnumNames(input.enumTypes, named.entities, entries, options);
  const objects = named.entities.map((entity): readonly [string, ObjectNames] => {
    const { object, typeName, setName } = entity;
    const properties = propertiesOf(object.columns, members.get(entity));
    return [objectKey(object), { typeName, setName, properties, enumTypes: enums.anonymous.get(entity) ?? new Map() }];
  });
  const memberWarnings = [...members.values()].flatMap(({ warnings }) => warnings);
  return {
    objects: new Map(objects),
    ...navigationsOf(input, [...members.values()]),
    enumTypes: enums.named,
    warnings: [...named.warnings, ...memberWarnings, ...enums.warnings, ...entries.unused()],
    faults: entries.faults,
  };
}

function propertiesOf(columns: readonly string[], named: NamedMembers | undefined): ReadonlyMap<string, MemberName> {
  const names = new Map<string, MemberName>();
  for (const column of columns) {
    const name = named?.members.get(claimId.column(column));
    if (name !== undefined) names.set(column, name);
  }
  return names;
}

/** The claims of navigations have different identifiers in all entities. */
function navigationsOf(
  input: NamingInput,
  members: readonly NamedMembers[],
): Pick<ServiceNames, "links" | "relations"> {
  const byClaim = new Map(members.flatMap((named) => [...named.members]));
  const relations = new Map<string, RelationNames>();
  for (const { id } of input.relations) {
    const [toOne, reverse] = [byClaim.get(claimId.toOne(id)), byClaim.get(claimId.reverse(id))];
    if (toOne !== undefined && reverse !== undefined) relations.set(id, { toOne, reverse });
  }
  const links = new Map<string, MemberName>();
  for (const { id } of input.links) {
    const name = byClaim.get(claimId.link(id));
    if (name !== undefined) links.set(id, name);
  }
  return { relations, links };
}

/** The names of enumeration types. */
interface NamedEnums {
  /** By `objectKey`. */
  readonly named: ReadonlyMap<string, string>;
  /** The anonymous types of the columns of entities. */
  readonly anonymous: ReadonlyMap<EntityNames, ReadonlyMap<string, string>>;
  readonly warnings: readonly DescribedWarning[];
}

/**
 * Chooses the names of enumeration types, which differ from those of entity types: a type that clashes ends in `Enum`. The
 * anonymous type of a column has the names of the entity type and the column.
 */
function chooseEnumNames(
  enumTypes: readonly ObjectName[],
  entities: readonly EntityNames[],
  entries: NameEntries,
  options: NamingOptions,
): NamedEnums {
  const taken = new TakenNames();
  const warnings: DescribedWarning[] = [];
  for (const { typeName } of entities) taken.add(typeName);
  const choose = (what: string, wanted: string, keys: readonly string[]): string => {
    const entry = entries.take(keys);
    const isPinned = entry !== null && entries.accept(entry.key, entry.value);
    const usual = isPinned ? entry.value : wanted;
    if (isPinned && taken.has(usual)) {
      entries.reject(entry.key, `Another type has the name ${usual}.`, "Choose another name.");
    }
    const name = taken.free([usual, identifier(`${usual}Enum`)]);
    taken.add(name);
    const message = `${what} is not named ${usual}, because another type has that name; "${keys[0] ?? ""}" in \`names\` renames it`;
    if (name !== usual && !isPinned) warnings.push({ code: "name-clash", place: name, message, flag: null });
    return name;
  };
  const isIdiomatic = options.style === "idiomatic";
  const named = enumTypes.map((type): readonly [string, string] => {
    const wanted = isIdiomatic ? pascalCase(prefixedWords(type, options)) : prefixedIdentifier(type, options);
    return [objectKey(type), choose(`the type ${describeObject(type)}`, wanted, objectKeys(type, options))];
  });
  const anonymous = entities.map((entity): readonly [EntityNames, ReadonlyMap<string, string>] => {
    const { object, typeName } = entity;
    const names = object.enumColumns.map((column): readonly [string, string] => {
      const wanted = isIdiomatic
        ? identifier(typeName + pascalCase(wordsOf(column)))
        : identifier(`${typeName}_${asIdentifier(column)}`);
      return [column, choose(`the type of ${describeColumns(object, [column])}`, wanted, [wanted])];
    });
    return [entity, new Map(names)];
  });
  return { named: new Map(named), anonymous: new Map(anonymous), warnings };
}

const RENAME = "Give one of them another name.";

/** Returns the keys that name an object of the database in `NamingOptions.names`. */
function objectKeys(object: ObjectName, { defaultSchema }: NamingOptions): readonly string[] {
  return object.schema === defaultSchema ? [describeObject(object), object.name] : [describeObject(object)];
}

/** Takes the names that entries give to entity types and sets. */
function pinnedEntities(
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
function pinnedMembers(
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

/** One entry of `NamingOptions.names`. */
interface NameEntry {
  readonly key: string;
  readonly value: string;
}

/** The entries of `NamingOptions.names`, which objects and members take one after the other. */
class NameEntries {
  readonly #entries: ReadonlyMap<string, string>;
  readonly #used = new Set<string>();
  /** Everything that an entry could name, for advice. */
  readonly #known = new Set<string>();
  readonly #faults: NamingFault[] = [];

  constructor(names: Readonly<Record<string, string>>) {
    this.#entries = new Map(Object.entries(names).filter(([key]) => key !== "*"));
  }

  /** Returns the first entry of an object or member that no other has taken. @param keys the keys that name it */
  take(keys: readonly string[]): NameEntry | null {
    for (const key of keys) this.#known.add(key);
    for (const key of keys) {
      const value = this.#entries.get(key);
      if (value === undefined || this.#used.has(key)) continue;
      this.#used.add(key);
      return { key, value };
    }
    return null;
  }

  /** Returns whether a value can be a name. Otherwise it becomes a fault. */
  accept(key: string, value: string): boolean {
    const isName = isSimpleIdentifier(value) && value !== "__proto__";
    const fix = "Begin with a letter or underscore, then letters, digits and underscores, at most 128 characters.";
    if (!isName) this.reject(key, `"${value}" is not an identifier.`, fix);
    return isName;
  }

  /** Adds a fault. */
  reject(key: string, message: string, fix: string): void {
    this.#faults.push({ key, message, fix });
  }

  /** The entries that cannot be used. */
  get faults(): readonly NamingFault[] {
    return this.#faults;
  }

  /** Returns a warning for each entry that names nothing. */
  unused(): readonly DescribedWarning[] {
    return [...this.#entries.keys()]
      .filter((key) => !this.#used.has(key))
      .map((key) => {
        const nearest = nearestName(key, this.#known);
        const advice = nearest === null ? "" : `; did you mean "${nearest}"?`;
        const message = this.#known.has(key)
          ? "another entry of `names` names the same"
          : `the entry of \`names\` names no published table, column or navigation${advice}`;
        return { code: "unused-name", place: key, message, flag: null };
      });
  }
}
