import { describe } from "../../definition/option-table.ts";
import type { EntityType } from "../../edm/model.ts";
import type { ReportFault } from "./storage-option.ts";

/** Reports a `rowVersion` that is not a computed integer. */
export function checkRowVersion({ name, properties }: EntityType, rowVersion: unknown, report: ReportFault): void {
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
