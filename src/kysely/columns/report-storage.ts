import type { StructuralProperty } from "../../edm/model.ts";
import type { ColumnFormats } from "./column-format.ts";
import { type ReportFault, fittingStorage, storageName, type StorageForm } from "./storage-option.ts";

/** Reports a storage that does not fit a property. */
export function reportStorage(
  property: StructuralProperty,
  path: string,
  storage: StorageForm | undefined,
  values: ColumnFormats,
  report: ReportFault,
): void {
  const what = property.isCollection ? "a collection" : property.type.name;
  const isScaled = property.type.name === "Edm.Decimal" && storage === "scaled";
  const fix = isScaled
    ? "Declare its scale: edm.decimal({ precision: 18, scale: 2 })."
    : adviseStorage(property, values);
  const name = storageName(storage);
  const shown = typeof storage === "object" ? name : `"${name === "" ? "default" : name}"`;
  report(`\`${path}\`, ${what}, cannot be stored as ${shown}.`, fix);
}

/** Lists the storage forms that a property may have in this database. */
function adviseStorage(property: StructuralProperty, { columnFormat, arrays }: ColumnFormats): string {
  const { isCollection, type } = property;
  const fitting = fittingStorage(property, (storage) =>
    isCollection ? arrays !== undefined && type.kind !== "ComplexType" : columnFormat(property, storage) !== null,
  );
  const table = "see the table of storage forms in docs/reference/storage.md";
  return fitting.length === 0
    ? `Omit \`storage\`, or ${table}.`
    : `Use ${fitting.join(" or ")}, or omit \`storage\`: ${table}.`;
}
