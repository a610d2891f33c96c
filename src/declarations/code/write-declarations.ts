import type { DescribedService, DescribedSet } from "../described-service.ts";
import { type CodeTarget, databaseModule } from "./database-code.ts";
import { entityModule } from "./entity-code.ts";
import { chooseModuleNames } from "./module-names.ts";
import { enumsModule, indexModule, serviceModule } from "./service-code.ts";
import type { Settings } from "./setting-code.ts";

/** A module of TypeScript. */
export interface WrittenModule {
  /** The name of the file within its folder. */
  readonly path: string;
  readonly text: string;
  /** The table or view of the module; null for a module that belongs to the service. */
  readonly table: { readonly schema: string; readonly name: string } | null;
}

/** What written modules contain beside the declarations. */
export interface CodeOptions {
  readonly database: CodeTarget;
  /** Options of `odataService` apart from its entity sets. */
  readonly service: Settings;
  /** Further options of each set, such as `search`. */
  readonly settings?: ((set: DescribedSet) => Settings) | undefined;
}

/**
 * Writes the declarations of a service as modules of TypeScript: one for each table and view, and those of enumerations, of
 * the list of sets, of the database and of the service. They declare the same service as `declareEntitySets`.
 */
export function writeDeclarations(service: DescribedService, options: CodeOptions): readonly WrittenModule[] {
  const names = chooseModuleNames(service);
  const tables = service.sets.map((set) => ({
    path: (names.files.get(set.typeName) ?? "").replace(/^\.\//, ""),
    text: entityModule(set, service, names, options.settings?.(set) ?? {}),
    table: set.table,
  }));
  const others: ReadonlyArray<readonly [path: string, text: string]> = [
    ["database.ts", databaseModule(options.database)],
    ...(service.enumTypes.length === 0 ? [] : [["enums.ts", enumsModule(service.enumTypes, names)] as const]),
    ["index.ts", indexModule(service, names)],
    ["service.ts", serviceModule(options.service)],
  ];
  return [...others.map(([path, text]) => ({ path, text, table: null })), ...tables];
}
