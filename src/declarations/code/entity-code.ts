import { required } from "../../base/required.ts";
import { pluralOf } from "../../definition/names.ts";
import type { DescribedService, DescribedSet } from "../described-service.ts";
import { isPartial, keyedRowsQuery } from "../live/table-options.ts";
import { navigationField } from "../navigation-field.ts";
import { Imports } from "./imports.ts";
import { call, type Code, lines, statement, chained } from "./layout.ts";
import { objectKeyLiteral, stringLiteral } from "./literals.ts";
import type { ModuleNames } from "./module-names.ts";
import { navigationCode } from "./navigation-code.ts";
import { columnCode, propertyCode } from "./property-code.ts";
import { settingEntries, type Settings } from "./setting-code.ts";
import { tableCode } from "./table-code.ts";

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
    ["operations", '["read"]'],
    ...settingEntries(settings),
    ...section("columns", columnsOf(set)),
    ...section("navigation", navigationsOf(set, service, names, imports)),
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
