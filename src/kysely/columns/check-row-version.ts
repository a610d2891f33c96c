import { describe } from "../../definition/option-table.ts";
import type { EntityType } from "../../edm/model.ts";
import type { ReportFault } from "./storage-option.ts";

/** The handlers that change a row. In place of those of the table, they count no writes. */
const CHANGES = ["replace", "patch"] as const;

/**
 * Reports a `rowVersion` that is not a computed integer, and handlers of the application that would not count.
 * @see docs/reference/table-writes.md, Writes
 */
export function checkRowVersion(
  { name, properties }: EntityType,
  { rowVersion, ...options }: { readonly rowVersion: unknown; readonly replace?: unknown; readonly patch?: unknown },
  report: ReportFault,
): void {
  for (const change of CHANGES) {
    if (options[change] === undefined) continue;
    report(
      `\`rowVersion\` counts the writes of the table, but \`${change}\` is your own handler: it would neither count nor compare.`,
      `Remove \`${change}\`, and list "${change}" in \`operations\`. Or remove \`rowVersion\`: your statements then add 1 to the column, and repeat \`ctx.expected\` in their \`where\`.`,
    );
  }
  const property = properties.find(({ field }) => field === rowVersion);
  const fix = "Name a property such as `version: edm.int32().computed()`.";
  if (property === undefined) {
    report(`\`rowVersion\` is ${describe(rowVersion)}, which is not a property of ${name}.`, fix);
    return;
  }
  const isInteger = /^Edm\.(?:Byte|SByte|Int\d+)$/.test(property.type.name) && !property.isCollection;
  if (isInteger && property.computed && !property.isKey) return;
  report(`\`rowVersion\`, \`${property.field}\`, is not a computed integer, or is part of the key.`, fix);
}
