import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { isDeclaration } from "../../definition/model/declaration-kind.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import { isObject } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { LinkColumn, StructuralProperty } from "../../edm/model.ts";
import type { ColumnFormats } from "./column-format.ts";
import { readStorage, type StorageForm, type ReportFault, fittingStorage, storageName } from "./storage-option.ts";

/**
 * Checks the columns of link tables and their storage. Call it when all modules are loaded, since navigations may name their
 * type by a function.
 * @param navigations the navigations of the set, unchecked
 */
export function checkLinkStorage(
  type: EntityTypeDeclaration,
  navigations: unknown,
  { values, columnKey }: { readonly values: ColumnFormats; readonly columnKey: (name: string) => string },
): readonly ConfigurationFault[] {
  const faults: ConfigurationFault[] = [];
  for (const [field, navigation] of entriesOf(navigations)) {
    const through = isDeclaration(navigation, "NavigationDeclaration") ? optionOf(navigation.options, "through") : null;
    if (!isObject(through) || !isDeclaration(navigation, "NavigationDeclaration")) continue;
    const repeated = repeatedColumn(through, columnKey);
    if (repeated !== undefined) {
      const message = `\`through\` of \`${field}\` uses the column \`${repeated}\` twice: it contains one value.`;
      faults.push({ message, fix: "Give each property in `from` and `to` its own column of the link table." });
    }
    for (const [column, option] of entriesOf(through["columns"])) {
      const property = propertyOf(column, through, { type, target: () => resolve(navigation.to) });
      const place = `navigation.${field}.through.columns.${column}`;
      if (property === undefined || !isObject(option)) continue;
      const report = (message: string, fix: string): void => void faults.push({ message, fix });
      const storage = readStorage(option["storage"], `${place}.storage`, property, report);
      if (storage === undefined || values.columnFormat(property, storage) !== null) continue;
      reportStorage(property, place, storage, values, report);
    }
  }
  return faults;
}

/**
 * Returns a column of a link table that contains two values of one entity, or the only column of both; undefined if there is
 * none. Both entities may share other columns, such as the tenant of both.
 */
function repeatedColumn(
  { from, to }: Readonly<Record<string, unknown>>,
  columnKey: (name: string) => string,
): string | undefined {
  const own = entriesOf(from).map(([, column]) => String(column));
  const related = entriesOf(to).map(([column]) => column);
  const repeated = [own, related].flatMap((columns) => {
    const keys = columns.map(columnKey);
    return columns.filter((_column, at) => keys.indexOf(keys[at] ?? "") < at);
  });
  const isOne = own.length > 0 && related.length > 0 && new Set([...own, ...related].map(columnKey)).size === 1;
  return repeated[0] ?? (isOne ? own[0] : undefined);
}

/** Returns the stated storage of a column of a link table, which `checkLinkStorage` has checked. */
export function linkStorage({ storage }: LinkColumn): StorageForm | undefined {
  return storage as StorageForm | undefined;
}

interface Sides {
  readonly type: EntityTypeDeclaration;
  readonly target: () => EntityTypeDeclaration | undefined;
}

/** Returns the property whose values a column contains; undefined after a fault that other checks report. */
function propertyOf(
  column: string,
  { from, to }: Readonly<Record<string, unknown>>,
  { type, target }: Sides,
): StructuralProperty | undefined {
  const own = entriesOf(from).find(([, each]) => each === column)?.[0];
  const related = isObject(to) && Object.hasOwn(to, column) ? to[column] : undefined;
  const owner = own === undefined ? target() : type;
  if (owner === undefined) return undefined;
  try {
    const { properties, ignoredProperties } = declaredEntityType(owner);
    return [...properties, ...ignoredProperties].find(({ field }) => field === (own ?? related));
  } catch {
    return undefined;
  }
}

function resolve(to: unknown): EntityTypeDeclaration | undefined {
  try {
    const target: unknown = typeof to === "function" ? Reflect.apply(to, undefined, []) : to;
    return isDeclaration(target, "EntityTypeDeclaration") ? target : undefined;
  } catch {
    return undefined;
  }
}

function optionOf(options: unknown, name: string): unknown {
  return isObject(options) ? options[name] : undefined;
}

function entriesOf(table: unknown): ReadonlyArray<readonly [string, unknown]> {
  return isObject(table) ? Object.entries(table) : [];
}

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
