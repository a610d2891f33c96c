import type { ObjectName } from "../../introspect/database-schema.ts";
import type { DescribedWarning } from "../described-service.ts";
import { type EntityNames, prefixedIdentifier, prefixedWords } from "./entity-names.ts";
import { TakenNames } from "./free-name.ts";
import type { NameEntries } from "./name-entries.ts";
import { type NamingOptions, objectKey } from "./naming.ts";
import { objectKeys } from "./pinned-names.ts";
import { describeColumns, describeObject } from "./places.ts";
import { asIdentifier, identifier, pascalCase, wordsOf } from "./words.ts";

/** The names of enumeration types. */
export interface NamedEnums {
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
export function chooseEnumNames(
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
