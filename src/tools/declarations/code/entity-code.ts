import { required } from "../../../base/required.ts";
import type { StorageForm } from "../../../databases/columns/storage-option.ts";
import type { ObjectName } from "../../../databases/introspect/database-schema.ts";
import { pluralOf, toWireName } from "../../../definition/names.ts";
import {
  type DescribedService,
  type DescribedSet,
  type DescribedProperty,
  type DescribedLink,
  type DescribedDistribution,
  type DescribedNavigation,
  navigationField,
} from "../described-service.ts";
import { isPartial, isReadOnly, keyedRowsQuery, partnerOf } from "../live/declare-entity-sets.ts";
import { exportNames } from "../names/export-names.ts";
import {
  Imports,
  call,
  type Code,
  lines,
  statement,
  chained,
  type ChainCode,
  object,
  objectKeyLiteral,
  stringLiteral,
  isVariableName,
  type ObjectCode,
} from "./layout.ts";

type Entries = ReadonlyArray<readonly [key: string, value: Code]>;

/**
 * Writes the module of a table or view: its entity type, and its entity set with navigations.
 * @param settings further options of the set
 */
export function entityModule(
  set: DescribedSet,
  service: DescribedService,
  names: ModuleNames,
  settings: Settings,
): string {
  const imports = new Imports(required(names.files.get(set.typeName), "Each type has a file."));
  const type = required(names.types.get(set.typeName), "Each type has a variable.");
  const variable = required(names.sets.get(set.typeName), "Each set has a variable.");
  const properties: Entries = set.properties.map((property) => [
    objectKeyLiteral(property.field),
    propertyCode(property, names, imports),
  ]);
  const entityType = call(imports.use("entityType", "odatakit"), stringLiteral(set.typeName), lines(properties));
  const described =
    set.description === null ? entityType : chained(entityType, "describe", stringLiteral(set.description));
  const options: Entries = [
    [imports.use("db", "./database.ts"), "db"],
    ...(set.setName === pluralOf(set.typeName) ? [] : [["name", stringLiteral(set.setName)] as const]),
    ...rowsOf(set, service),
    ...distributedOf(set.distributed, set),
    ["operations", '["read"]'],
    ...settingEntries(settings),
    ...section("columns", columnsOf(set)),
    ...section("navigation", navigationsOf(set, service, names, imports)),
    // It has an effect with operations that the application adds.
    ...(isReadOnly(set) || settings["etag"] !== undefined ? [] : [["etag", '"all"'] as const]),
    ["unreadable", '"null"'],
  ];
  const entitySet = call(imports.use("sqlEntitySet", "odatakit/kysely"), type, lines(options));
  const declarations = [
    statement(`export const ${type} = `, described),
    statement(`export const ${variable} = `, entitySet),
  ];
  return [imports.text(), ...declarations].join("\n");
}

/** Returns the table, or a query of its rows that have a key. */
function rowsOf(set: DescribedSet, { kind }: DescribedService): Entries {
  if (!isPartial(set)) return [["table", tableCode(set.table, set.needsSchema)]];
  const { sql } = keyedRowsQuery(set, kind);
  return [
    [
      "from",
      lines([
        ["sql", stringLiteral(sql)],
        ["parameters", "[]"],
      ]),
    ],
  ];
}

function section(name: string, entries: Entries): Entries {
  return entries.length === 0 ? [] : [[name, lines(entries)]];
}

function columnsOf({ properties }: DescribedSet): Entries {
  return properties.flatMap((property) => {
    const code = columnCode(property);
    return code === null ? [] : [[objectKeyLiteral(property.field), code] as const];
  });
}

function navigationsOf(
  { navigations }: DescribedSet,
  { sets }: DescribedService,
  names: ModuleNames,
  imports: Imports,
): Entries {
  return navigations.map((navigation) => {
    const target = sets.find(({ typeName }) => typeName === navigation.target);
    const partner = target?.navigations.find(({ field }) => field === navigation.partner);
    return [objectKeyLiteral(navigationField(navigation)), navigationCode(navigation, partner, names, imports)];
  });
}

/** The fraction digits of seconds that a property has without `precision`. */
const DEFAULT_PRECISION = 12;

const EDM: ChainCode = { kind: "chain", root: "edm", calls: [] };

/** Writes the declaration of a property, such as `edm.string({ maxLength: 40 }).nullable()`. */
function propertyCode(property: DescribedProperty, names: ModuleNames, imports: Imports): Code {
  const { name, field, isKey, nullable, computed, databaseDefault, defaultValue, description, isCollection } = property;
  imports.use("edm", "odatakit");
  const item = typeCode(property, names, imports);
  let code = isCollection ? chained(EDM, "collection", chained(item, "nullable")) : item;
  if (isKey) code = chained(code, "key");
  if (nullable && !isCollection) code = chained(code, "nullable");
  if (computed) code = chained(code, "computed");
  if (databaseDefault) code = chained(code, "databaseDefault");
  if (defaultValue !== undefined) code = chained(code, "default", defaultCode(defaultValue, property));
  if (toWireName(field, "PascalCase") !== name) code = chained(code, "json", stringLiteral(name));
  return description === null ? code : chained(code, "describe", stringLiteral(description));
}

/** Writes the column of a property: its name, or its settings; null for the default. */
function columnCode({ field, column, storage, sql }: DescribedProperty): Code | null {
  if (storage === null && sql === null) return column === field ? null : stringLiteral(column);
  return object([
    ...(sql !== null || column === field ? [] : [["name", stringLiteral(column)] as const]),
    ...(sql === null ? [] : [["sql", stringLiteral(sql)] as const]),
    ...(storage === null ? [] : [["storage", storageCode(storage)] as const]),
  ]);
}

/** Writes a storage form. */
function storageCode(storage: StorageForm): Code {
  if (typeof storage === "string") return stringLiteral(storage);
  if ("values" in storage) return object([["values", cellsCode(storage.values)]]);
  return cellsCode({ true: storage.true, false: storage.false });
}

function cellsCode(cells: Readonly<Record<string, number | string>>): Code {
  return object(
    Object.entries(cells).map(([name, cell]) => [
      objectKeyLiteral(name),
      typeof cell === "string" ? stringLiteral(cell) : String(cell),
    ]),
  );
}

function typeCode({ type, facets }: DescribedProperty, names: ModuleNames, imports: Imports): ChainCode {
  if (typeof type === "object") {
    const variable = names.types.get(type.enumType) ?? type.enumType;
    return chained(EDM, "enum", imports.use(variable, "./enums.ts"));
  }
  const name = type.slice("Edm.".length);
  const builder = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  const isTemporal = ["Edm.DateTimeOffset", "Edm.Duration", "Edm.TimeOfDay"].includes(type);
  const given = Object.entries(facets).filter(
    ([facet, value]) => !(isTemporal && facet === "precision" && value === DEFAULT_PRECISION),
  );
  return given.length === 0
    ? chained(EDM, builder)
    : chained(EDM, builder, object(given.map(([facet, value]) => [facet, String(value)])));
}

/** Writes a default. Numbers beyond those of JavaScript are exact as bigints and strings. */
function defaultCode(value: boolean | number | string, { type }: DescribedProperty): string {
  if (type === "Edm.Int64") {
    const isSafe = Number.isSafeInteger(Number(value));
    return isSafe ? String(value) : `${String(value)}n`;
  }
  return typeof value === "string" ? stringLiteral(value) : String(value);
}

const BUILDERS = { many: "hasMany", optional: "hasOptional", required: "hasRequired" } as const;

/**
 * Writes the declaration of a navigation, such as `hasMany(() => Order, { on: { id: "customerId" } })`. Functions return the
 * types, because modules of tables import one another.
 * @param target the target of the navigation
 */
function navigationCode(
  navigation: DescribedNavigation,
  partner: DescribedNavigation | undefined,
  names: ModuleNames,
  imports: Imports,
): Code {
  const { cardinality, target, targetSet, on, through, description } = navigation;
  const builder = imports.use(BUILDERS[cardinality], "odatakit");
  const variable = names.types.get(target) ?? target;
  const file = names.files.get(target);
  if (file !== undefined) imports.use(variable, file);
  const options: ReadonlyArray<readonly [key: string, value: Code]> = [
    ...(through === null ? [["on", pairs(on)] as const] : [["through", throughCode(through)] as const]),
    ["target", stringLiteral(targetSet)],
    ...(partner === undefined ? [] : [["partner", stringLiteral(navigationField(partner))] as const]),
  ];
  const code = call(builder, `() => ${variable}`, object(options));
  return description === null ? code : chained(code, "describe", stringLiteral(description));
}

/** Writes the option `distributed`. @param set absent for a link table */
function distributedOf(distributed: DescribedDistribution | undefined, set?: DescribedSet): Entries {
  if (distributed === undefined) return [];
  if (typeof distributed !== "object") {
    return [["distributed", distributed === true ? "true" : stringLiteral(distributed)]];
  }
  const partner = partnerOf(distributed, set);
  const by = ["by", stringLiteral(distributed.by)] as const;
  const entries = partner === null ? [by] : [by, ["with", tableCode(partner, partner.needsSchema)] as const];
  return [["distributed", object(entries)]];
}

function throughCode({ table, needsSchema, from, to, columns, distributed }: DescribedLink): Code {
  const storage = Object.entries(columns);
  return object([
    ["table", tableCode(table, needsSchema)],
    ["from", pairs(from)],
    ["to", pairs(to)],
    ...(storage.length === 0
      ? []
      : [
          [
            "columns",
            object(
              storage.map(([column, form]) => [objectKeyLiteral(column), object([["storage", storageCode(form)]])]),
            ),
          ] as const,
        ]),
    ...distributedOf(distributed),
  ]);
}

function pairs(given: ReadonlyArray<readonly [key: string, value: string]>): Code {
  return object(given.map(([key, value]) => [objectKeyLiteral(key), stringLiteral(value)]));
}

/** Writes the name of a table: as one string, unless a dot belongs to a part. */
function tableCode({ schema, name }: ObjectName, needsSchema: boolean): Code {
  if (!needsSchema) return name.includes(".") ? object([["name", stringLiteral(name)]]) : stringLiteral(name);
  if (!`${schema}${name}`.includes(".")) return stringLiteral(`${schema}.${name}`);
  return object([
    ["schema", stringLiteral(schema)],
    ["name", stringLiteral(name)],
  ]);
}

/** Names that written modules import, so that no export has them. */
const IMPORTED = `edm entityType enumType hasMany hasOptional hasRequired odataService sqlEntitySet db entitySets service
  Kysely mariadbDialect PGliteDialect PGlite postgresDialect Pool createPool process serve server sqliteDialect`;

/** Files that are not those of tables, and names that files of Windows cannot have. */
const FILES = `database enums index service aux con nul prn com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2
  lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9`;

/** The longest name of a file without its ending, in characters of up to four bytes; systems allow 255 bytes. */
const MAX_FILE_CHARACTERS = 50;

/** The names of modules and of their exports. */
export interface ModuleNames {
  /** The variables of entity and enumeration types, by the name of the type. */
  readonly types: ReadonlyMap<string, string>;
  /** The variables of entity sets, by the name of the entity type. */
  readonly sets: ReadonlyMap<string, string>;
  /** The paths of files from another file of the folder, such as `./order.ts`, by the name of the entity type. */
  readonly files: ReadonlyMap<string, string>;
}

/** Chooses the names of modules and exports. They depend on one another only where names clash. */
export function chooseModuleNames({ sets, enumTypes }: DescribedService): ModuleNames {
  const taken = new Set(IMPORTED.split(/\s+/u));
  const exported = exportNames([...sets.map(({ typeName }) => typeName), ...enumTypes.map(({ name }) => name)]);
  const types = new Map<string, string>();
  for (const [name, wanted] of exported) types.set(name, take(taken, asVariable(wanted), "Entity"));
  const variables = new Map<string, string>();
  for (const { typeName, setName } of sets) variables.set(typeName, take(taken, variableOf(setName), "Set"));
  return { types, sets: variables, files: chooseFiles(sets.map(({ typeName }) => typeName)) };
}

function chooseFiles(typeNames: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(FILES.split(/\s+/u));
  return new Map(
    typeNames.map((name) => {
      const wanted = fileOf(name);
      // Names of files ignore case, on some systems in every script.
      const fold = (text: string): string => text.normalize("NFKC").toUpperCase().toLowerCase();
      let file = wanted;
      for (let number = 1; taken.has(fold(file)); number += 1) file = `${wanted}-entity${number === 1 ? "" : number}`;
      taken.add(fold(file));
      return [name, `./${file}.ts`];
    }),
  );
}

/** Returns the name in kebab case: `OrderDetail` becomes `order-detail`. */
function fileOf(typeName: string): string {
  const words = typeName.replaceAll(/(?<=[\p{Ll}\p{Nd}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, "-");
  const plain = words.replaceAll(/[^\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}_-]/gu, "").toLowerCase();
  const name = Array.from(plain).slice(0, MAX_FILE_CHARACTERS).join("");
  return name === "" ? "entity" : name;
}

/** Returns the variable of a set: its name in camel case. */
function variableOf(setName: string): string {
  const variable = setName.replace(/^\p{Lu}(?:\p{Lu}*(?!\p{Ll}))?/u, (capitals) => capitals.toLowerCase());
  const [safe = variable] = exportNames([variable]).values();
  return asVariable(safe === variable ? variable : `${variable}Set`);
}

/** Identifiers of OData have some characters that those of JavaScript do not have. */
function asVariable(name: string): string {
  if (isVariableName(name)) return name;
  const replaced = Array.from(name, (character) => (isVariableName(`_${character}`) ? character : "_")).join("");
  return isVariableName(replaced) ? replaced : `_${replaced}`;
}

function take(taken: Set<string>, wanted: string, suffix: string): string {
  let name = wanted;
  for (let number = 1; taken.has(name); number += 1) name = `${wanted}${suffix}${number === 1 ? "" : number}`;
  taken.add(name);
  return name;
}

/** A value of an option, as JSON. */
export type SettingValue =
  | boolean
  | null
  | number
  | string
  | readonly SettingValue[]
  | { readonly [key: string]: SettingValue };

/** Options of `odataService` or `sqlEntitySet` by name. */
export interface Settings {
  readonly [option: string]: SettingValue;
}

/** Writes options as the entries of an object. */
export function settingEntries(settings: Settings): ObjectCode["entries"] {
  return Object.entries(settings).map(([name, value]) => [objectKeyLiteral(name), settingCode(value)]);
}

function settingCode(value: SettingValue): Code {
  if (typeof value === "string") return stringLiteral(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (isList(value)) return { kind: "array", items: value.map(settingCode) };
  return object(Object.entries(value).map(([key, member]) => [objectKeyLiteral(key), settingCode(member)]));
}

function isList(value: SettingValue & object): value is readonly SettingValue[] {
  return Array.isArray(value);
}
