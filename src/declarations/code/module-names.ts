import type { DescribedService } from "../described-service.ts";
import { exportNames } from "../names/export-names.ts";
import { isVariableName } from "./layout.ts";

/** Names that written modules import, so that no export has them. */
const IMPORTED = `edm entityType enumType hasMany hasOptional hasRequired odataService sqlEntitySet db entitySets service
  Kysely mariadbDialect PGliteDialect PGlite postgresDialect Pool createPool process serve server sqliteDialect`;

/** Files that are not those of tables, and names that files of Windows cannot have. */
const FILES = `database enums index service aux con nul prn com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2
  lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9`;

/** The longest name of a file without its ending, in characters of up to four bytes; systems allow 255 bytes. */
const MAX_FILE_CHARACTERS = 50;

/** The names of modules and of what they export. */
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
