import type { DescribedService, DescribedSet, DescribedEnumType } from "../described-service.ts";
import { type CodeTarget, databaseModule } from "./database-code.ts";
import { entityModule, chooseModuleNames, type ModuleNames, type Settings, settingEntries } from "./entity-code.ts";
import { Imports, call, chained, lines, statement, objectKeyLiteral, stringLiteral } from "./layout.ts";

/** A module of TypeScript. */
export interface WrittenModule {
  /** The name of the file within its folder. */
  readonly path: string;
  readonly text: string;
  /** The table or view of the module; null for a module that belongs to the service. */
  readonly table: { readonly schema: string; readonly name: string } | null;
}

/** The content of written modules in addition to the declarations. */
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

/** Writes the enumeration types. */
function enumsModule(enumTypes: readonly DescribedEnumType[], names: ModuleNames): string {
  const declarations = enumTypes.map(({ name, members, description }) => {
    const numbers = members.map(({ name: member, value }) => [objectKeyLiteral(member), String(value)] as const);
    const code = call("enumType", stringLiteral(name), lines(numbers));
    const described = description === null ? code : chained(code, "describe", stringLiteral(description));
    return statement(`export const ${names.types.get(name) ?? name} = `, described);
  });
  return ['import { enumType } from "odatakit";\n', ...declarations].join("\n");
}

/** Writes the list of entity sets. */
function indexModule({ sets }: DescribedService, names: ModuleNames): string {
  const imports = new Imports("./index.ts");
  const variables = sets.map(({ typeName }) =>
    imports.use(names.sets.get(typeName) ?? typeName, names.files.get(typeName) ?? ""),
  );
  // The comment keeps one line for each set, so that changes merge.
  const items = variables.map((variable) => `  ${variable},\n`).join("");
  return `${imports.text()}\nexport const entitySets = [\n  // All entity sets, in the order of their names.\n${items}];\n`;
}

/** Writes the service, which serves itself if Node.js runs the module. */
function serviceModule(settings: Settings): string {
  const imports = new Imports("./service.ts");
  imports.use("default process", "node:process");
  imports.use("odataService", "odatakit");
  imports.use("explorerRoute", "odatakit/explorer");
  imports.use("serve", "odatakit/node");
  imports.use("db", "./database.ts");
  imports.use("entitySets", "./index.ts");
  const members = [...settingEntries(settings), ["entitySets", "entitySets"], ["routes", "routes"]] as const;
  const service = call("odataService", lines(members));
  return `${imports.text()}
// A page to look at the data, in development only.
const routes = process.env["NODE_ENV"] === "production" ? [] : [explorerRoute()];

${statement("export const service = ", service)}
// \`node service.ts\` serves it. An application imports \`service\`.
if (process.argv[1] === import.meta.filename) {
  const server = await serve(service, { port: Number(process.env["PORT"] ?? 3000) });
  process.stdout.write(\`Listening on \${server.url}\${service.prefix}\\n\`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void server.close().then(() => db.destroy()));
  }
}
`;
}
