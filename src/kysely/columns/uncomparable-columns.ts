import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import { isObject } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { ReportFault } from "./storage-option.ts";

/** Returns the keys of Guid properties that are stored as text in any letter case. */
export function textGuids(type: EntityTypeDeclaration, columns: object | undefined): readonly string[] {
  const { properties, ignoredProperties } = declaredEntityType(type);
  const options: Readonly<Record<string, unknown>> = { ...columns };
  return [...properties, ...ignoredProperties].flatMap(({ field, type: { name } }) => {
    const option = options[field];
    return name === "Edm.Guid" && isObject(option) && option["storage"] === "text" ? [field] : [];
  });
}

/** Returns the keys of properties with a `convert`. */
export function convertedFields(columns: object | undefined): readonly string[] {
  const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(columns ?? {});
  return entries.flatMap(([field, option]) => (isObject(option) && option["convert"] !== undefined ? [field] : []));
}

/** Reports converted columns in `search` and `rowVersion`, which the database must evaluate. */
export function checkUncomparable(
  fields: readonly string[],
  { search, rowVersion }: { readonly search?: unknown; readonly rowVersion?: unknown },
  report: ReportFault,
): void {
  const searched: readonly unknown[] = Array.isArray(search) ? search : [];
  for (const field of fields) {
    if (searched.includes(field)) {
      report(`\`search\` names \`${field}\`, whose column has a \`convert\`.`, "Remove it from `search`.");
    }
    if (rowVersion === field) report(`\`rowVersion\`, \`${field}\`, has a \`convert\`.`, "Remove `convert`.");
  }
}
