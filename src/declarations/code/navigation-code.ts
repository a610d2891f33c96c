import type { DescribedLink, DescribedNavigation } from "../described-service.ts";
import { navigationField } from "../navigation-field.ts";
import type { Imports } from "./imports.ts";
import { call, type Code, object, chained } from "./layout.ts";
import { objectKeyLiteral, stringLiteral } from "./literals.ts";
import type { ModuleNames } from "./module-names.ts";
import { storageCode } from "./property-code.ts";
import { tableCode } from "./table-code.ts";

const BUILDERS = { many: "hasMany", optional: "hasOptional", required: "hasRequired" } as const;

/**
 * Writes the declaration of a navigation, such as `hasMany(() => Order, { on: { id: "customerId" } })`. Functions return the
 * types, because modules of tables import one another.
 * @param target the target of the navigation
 */
export function navigationCode(
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

function throughCode({ table, needsSchema, from, to, columns }: DescribedLink): Code {
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
  ]);
}

function pairs(given: ReadonlyArray<readonly [key: string, value: string]>): Code {
  return object(given.map(([key, value]) => [objectKeyLiteral(key), stringLiteral(value)]));
}
