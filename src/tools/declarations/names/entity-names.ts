import type { DescribedWarning } from "../described-service.ts";
import { inflect, asIdentifier, pascalCase, wordsOf } from "./inflection.ts";
import { TakenNames, type NamingObject, type NamingOptions, describeObject } from "./naming.ts";

/** The names of an entity type and its set. */
export interface EntityPair {
  readonly typeName: string;
  readonly setName: string;
}

/** The names of an entity type and its set, and the facts that names of navigations depend on. */
export interface EntityNames extends EntityPair {
  readonly object: NamingObject;
  /** The names that navigations contain: idiomatic in both styles. */
  readonly navigation: EntityPair;
  /** Names of the type and the set in small letters, with and without the schema. */
  readonly aliases: ReadonlySet<string>;
}

/** Entities with their names, and warnings about unexpected names. */
interface NamedEntities {
  readonly entities: readonly EntityNames[];
  readonly warnings: readonly DescribedWarning[];
}

/** Names that may change because of a clash: own names get a number at most, pinned names never change. */
interface Candidate extends EntityPair {
  readonly source: "inflected" | "own" | "pinned";
}

type Candidates = ReadonlyMap<NamingObject, Candidate>;

/**
 * Chooses the names of entity types and sets. The type is the singular of the table, the set its plural. A schema other than
 * the default is a prefix. Tables that clash keep their own names as type and set.
 * @param pins the names that `NamingOptions.names` gives
 */
export function chooseEntityNames(
  objects: readonly NamingObject[],
  pins: ReadonlyMap<NamingObject, EntityPair>,
  options: NamingOptions,
): NamedEntities {
  const pinned = (object: NamingObject): Candidate | null => {
    const pair = pins.get(object);
    return pair === undefined ? null : { ...pair, source: "pinned" };
  };
  const idiomatic = numbered(
    ownIfClashing(
      candidates(objects, (object) => pinned(object) ?? inflected(object, options)),
      options,
    ),
  );
  const isIdiomatic = options.style === "idiomatic";
  const chosen = isIdiomatic
    ? idiomatic
    : numbered(candidates(objects, (object) => pinned(object) ?? asIs(object, options)));
  const entities: EntityNames[] = [];
  const warnings: DescribedWarning[] = [];
  for (const [object, { typeName, setName, source }] of chosen) {
    const { typeName: idiomaticType, setName: idiomaticSet } = idiomatic.get(object) ?? { typeName, setName };
    const known = [...aliasesOf(object, options), typeName, setName, idiomaticType, idiomaticSet];
    const aliases = new Set(known.map((name) => name.toLowerCase()));
    const navigation = { typeName: idiomaticType, setName: idiomaticSet };
    entities.push({ object, typeName, setName, navigation, aliases });
    const wanted = isIdiomatic ? inflected(object, options) : asIs(object, options);
    const isWanted = wanted.typeName === typeName && wanted.setName === setName;
    if (source !== "pinned" && !isWanted) warnings.push(clashWarning(object, setName, wanted));
  }
  return { entities, warnings };
}

/** Returns the words of an object: those of its schema, unless it is the default, then those of its name. */
export function prefixedWords(
  { schema, name }: { readonly schema: string; readonly name: string },
  { defaultSchema }: NamingOptions,
): readonly string[] {
  return schema === defaultSchema ? wordsOf(name) : [...wordsOf(schema), ...wordsOf(name)];
}

/** Returns the identifier of an object with the case of the database. */
export function prefixedIdentifier(
  { schema, name }: { readonly schema: string; readonly name: string },
  { defaultSchema }: NamingOptions,
): string {
  return asIdentifier(schema === defaultSchema ? name : `${schema}_${name}`);
}

function inflected(object: NamingObject, options: NamingOptions): Candidate {
  const [singular, plural] = inflect(prefixedWords(object, options));
  return { typeName: pascalCase(singular), setName: pascalCase(plural), source: "inflected" };
}

function asIs(object: NamingObject, options: NamingOptions): Candidate {
  const name = prefixedIdentifier(object, options);
  return { typeName: name, setName: name, source: "own" };
}

function aliasesOf(object: NamingObject, options: NamingOptions): readonly string[] {
  return [prefixedWords(object, options), wordsOf(object.name)].flatMap((words) => inflect(words).map(pascalCase));
}

function candidates(objects: readonly NamingObject[], make: (object: NamingObject) => Candidate): Candidates {
  return new Map(objects.map((object) => [object, make(object)]));
}

/** Replaces inflected names that clash by own names, which may clash in turn. */
function ownIfClashing(given: Candidates, options: NamingOptions): Candidates {
  const counts = { type: new Map<string, number>(), set: new Map<string, number>() };
  for (const { typeName, setName } of given.values()) {
    counts.type.set(typeName.toLowerCase(), (counts.type.get(typeName.toLowerCase()) ?? 0) + 1);
    counts.set.set(setName.toLowerCase(), (counts.set.get(setName.toLowerCase()) ?? 0) + 1);
  }
  const isUnique = ({ typeName, setName }: Candidate): boolean =>
    counts.type.get(typeName.toLowerCase()) === 1 && counts.set.get(setName.toLowerCase()) === 1;
  let hasChanged = false;
  const changed = new Map<NamingObject, Candidate>();
  for (const [object, candidate] of given) {
    const keeps = candidate.source !== "inflected" || isUnique(candidate);
    const own = pascalCase(prefixedWords(object, options));
    changed.set(object, keeps ? candidate : { typeName: own, setName: own, source: "own" });
    hasChanged ||= !keeps;
  }
  return hasChanged ? ownIfClashing(changed, options) : changed;
}

/** Gives own names that clash a number. The other names are unique, or pinned. */
function numbered(given: Candidates): Candidates {
  const types = new TakenNames();
  const sets = new TakenNames();
  for (const { typeName, setName, source } of given.values()) {
    if (source === "own") continue;
    types.add(typeName);
    sets.add(setName);
  }
  const isFree = (name: string): boolean => !types.has(name) && !sets.has(name);
  return new Map(
    Array.from(given, ([object, candidate]) => {
      if (candidate.source !== "own") return [object, candidate];
      const name = types.free([candidate.typeName], isFree);
      types.add(name);
      sets.add(name);
      return [object, { typeName: name, setName: name, source: "own" }];
    }),
  );
}

function clashWarning(object: NamingObject, setName: string, wanted: EntityPair): DescribedWarning {
  const table = describeObject(object);
  return {
    code: "name-clash",
    place: setName,
    message: `${table} is not published as ${wanted.typeName} and ${wanted.setName}, because another table wants a name of these; "${table}" in \`names\` renames it`,
    flag: null,
  };
}
