import type { DescribedEnumType, DescribedService } from "../described-service.ts";
import { Imports } from "./imports.ts";
import { call, chained, lines, statement } from "./layout.ts";
import { objectKeyLiteral, stringLiteral } from "./literals.ts";
import type { ModuleNames } from "./module-names.ts";
import { settingEntries, type Settings } from "./setting-code.ts";

/** Writes the enumeration types. */
export function enumsModule(enumTypes: readonly DescribedEnumType[], names: ModuleNames): string {
  const declarations = enumTypes.map(({ name, members, description }) => {
    const numbers = members.map(({ name: member, value }) => [objectKeyLiteral(member), String(value)] as const);
    const code = call("enumType", stringLiteral(name), lines(numbers));
    const described = description === null ? code : chained(code, "describe", stringLiteral(description));
    return statement(`export const ${names.types.get(name) ?? name} = `, described);
  });
  return ['import { enumType } from "odatakit";\n', ...declarations].join("\n");
}

/** Writes the list of entity sets. */
export function indexModule({ sets }: DescribedService, names: ModuleNames): string {
  const imports = new Imports("./index.ts");
  const variables = sets.map(({ typeName }) =>
    imports.use(names.sets.get(typeName) ?? typeName, names.files.get(typeName) ?? ""),
  );
  // The comment keeps one line for each set, so that changes merge.
  const items = variables.map((variable) => `  ${variable},\n`).join("");
  return `${imports.text()}\nexport const entitySets = [\n  // All entity sets, in the order of their names.\n${items}];\n`;
}

/** Writes the service, which serves itself if Node.js runs the module. */
export function serviceModule(settings: Settings): string {
  const imports = new Imports("./service.ts");
  imports.use("default process", "node:process");
  imports.use("odataService", "odatakit");
  imports.use("serve", "odatakit/node");
  imports.use("entitySets", "./index.ts");
  const service = call("odataService", lines([...settingEntries(settings), ["entitySets", "entitySets"]]));
  return `${imports.text()}
${statement("export const service = ", service)}
// \`node service.ts\` serves it. An application imports \`service\`.
if (process.argv[1] === import.meta.filename) {
  const server = await serve(service, { port: Number(process.env["PORT"] ?? 3000) });
  process.stdout.write(\`Listening on \${server.url}\${service.prefix}\\n\`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void server.close());
  }
}
`;
}
