import { describe, isObject } from "../../definition/option-table.ts";
import type { EnumType, StructuralProperty } from "../../edm/model.ts";

/** A storage form with a one-word name. */
export type ColumnStorage = (typeof NAMES)[number];

/** The cell of each member of an enumeration: whole numbers, or strings. */
export interface EnumStorage<Member extends string = string> {
  readonly values: { readonly [member in Member]: number | string };
}

/** The cells of true and false: whole numbers, or strings. */
export interface BooleanStorage {
  readonly true: number | string;
  readonly false: number | string;
}

/** How a column stores its values, if not in the default form of the type. */
export type StorageForm = ColumnStorage | EnumStorage | BooleanStorage;

/** The storage forms that fit the type of a property's values. */
export type StorageOf<Value> = unknown extends Value
  ? StorageForm
  : [Value] extends [boolean]
    ? ColumnStorage | BooleanStorage
    : [Value] extends [string]
      ? ColumnStorage | (string extends Value ? never : EnumStorage<Value>)
      : ColumnStorage;

const NAMES = [
  "text",
  "scaled",
  "real",
  "epoch",
  "json",
  "utc",
  "epoch-seconds",
  "julian",
  "sqlite-datetime",
  "array",
  "hex",
] as const;

/** Returns the name of a storage form, for messages and tables. */
export function storageName(storage: StorageForm | undefined): string {
  if (storage === undefined) return "";
  if (typeof storage === "string") return storage;
  return "values" in storage ? "{ values }" : "{ true, false }";
}

/**
 * Reads and checks the `storage` of a column.
 * @param place the path of the option, for messages
 * @returns undefined without one or after a fault
 */
export function readStorage(
  given: unknown,
  place: string,
  property: StructuralProperty,
  report: ReportFault,
): StorageForm | undefined {
  if (given === undefined) return undefined;
  const known = NAMES.find((name) => name === given);
  if (known !== undefined) return known;
  if (isObject(given) && Object.hasOwn(given, "values")) return readEnumStorage(given, place, property, report);
  if (isObject(given) && (Object.hasOwn(given, "true") || Object.hasOwn(given, "false"))) {
    return readBooleanStorage(given, place, report);
  }
  const listed = NAMES.map((name) => `"${name}"`).join(", ");
  const objects = isObject(given) ? "{ values } for an enumeration, { true, false } for a Boolean, or " : "";
  report(`\`${place}\` is ${describe(given)}.`, `Give ${objects}one of ${listed}, or omit it.`);
  return undefined;
}

/** Returns the storage forms that fit a property, for messages. @param fits checks one form */
export function fittingStorage(
  { type, isCollection }: StructuralProperty,
  fits: (storage: ColumnStorage) => boolean,
): readonly string[] {
  // Collections and complex values are stored in their default form without a name.
  if (isCollection) return fits("array") ? ['"array"'] : [];
  if (type.kind === "ComplexType") return [];
  const named = NAMES.filter(fits).map((name) => `"${name}"`);
  if (type.kind === "EnumType" && !type.isFlags) return [...named, "{ values: { Member: 0 } }"];
  return type.name === "Edm.Boolean" ? [...named, '{ true: "Y", false: "N" }'] : named;
}

function readEnumStorage(
  given: Readonly<Record<string, unknown>>,
  place: string,
  { type, isCollection }: StructuralProperty,
  report: ReportFault,
): EnumStorage | undefined {
  const { values } = given;
  if (!hasOnly(given, ["values"], place, report)) return undefined;
  if (!isObject(values)) {
    report(`\`${place}.values\` is ${describe(values)}.`, "Give the cell of each member: { Draft: 0, Paid: 1 }.");
    return undefined;
  }
  // The caller reports storage that does not fit the property's type.
  if (type.kind !== "EnumType" || isCollection) return { values: {} };
  if (type.isFlags) {
    report(
      `\`${place}.values\` maps ${type.name}, whose members are flags.`,
      "Flags are stored as the sum of their numeric values: omit `storage`, or give the property a `convert`.",
    );
    return undefined;
  }
  return isMapping(values, type, place, report) ? { values } : undefined;
}

/** Whether each member has a cell, all cells are of one kind, and members with different values have different cells. */
function isMapping(
  values: Readonly<Record<string, unknown>>,
  type: EnumType,
  place: string,
  report: ReportFault,
): values is EnumStorage["values"] {
  const missing = [...type.members.keys()].filter((name) => !Object.hasOwn(values, name));
  const unknown = Object.keys(values).filter((name) => !type.members.has(name));
  if (missing.length > 0) report(`\`${place}.values\` maps no cell to ${listOf(missing)}.`, "Map every member.");
  if (unknown.length > 0) {
    report(`\`${place}.values\` maps ${listOf(unknown)}, which ${type.name} does not have.`, "Name its members.");
  }
  const areCells = checkCells(Object.values(values), `${place}.values`, report);
  const members = new Map<unknown, number | undefined>();
  const shared = Object.entries(values).filter(([name, cell]) => {
    const number = type.members.get(name);
    const isTaken = members.has(cell) && members.get(cell) !== number;
    members.set(cell, number);
    return isTaken;
  });
  for (const [name, cell] of shared) {
    report(
      `\`${place}.values\` maps ${name} to ${describe(cell)}, like another member.`,
      "Give each member its own cell.",
    );
  }
  return missing.length + unknown.length + shared.length === 0 && areCells;
}

function readBooleanStorage(
  given: Readonly<Record<string, unknown>>,
  place: string,
  report: ReportFault,
): BooleanStorage | undefined {
  if (!hasOnly(given, ["true", "false"], place, report)) return undefined;
  const { true: whenTrue, false: whenFalse } = given;
  if (!checkCells([whenTrue, whenFalse], place, report)) return undefined;
  if (whenTrue !== whenFalse) return { true: whenTrue as number | string, false: whenFalse as number | string };
  report(`\`${place}\` has one cell for true and false, ${describe(whenTrue)}.`, "Give each of them its own cell.");
  return undefined;
}

function checkCells(cells: readonly unknown[], place: string, report: ReportFault): boolean {
  const wrong = cells.filter((cell) => typeof cell !== "string" && !Number.isSafeInteger(cell));
  for (const cell of wrong) report(`\`${place}\` maps to ${describe(cell)}.`, "Map to whole numbers, or to strings.");
  if (wrong.length > 0) return false;
  const isOneKind = new Set(cells.map((cell) => typeof cell)).size < 2;
  if (!isOneKind) report(`\`${place}\` mixes numbers and strings.`, "Map only to whole numbers, or only to strings.");
  return isOneKind;
}

function hasOnly(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  place: string,
  report: ReportFault,
): boolean {
  const others = Object.keys(given).filter((name) => !names.includes(name));
  for (const name of others) report(`\`${place}\` has no option \`${name}\`.`, `Use only ${listOf(names)}.`);
  return others.length === 0;
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/**
 * Returns the key of a property in the tables of a database: its type and storage, such as `Edm.Decimal scaled`.
 * Enumerations are `enum` or `flags`, collections and complex values are `document`, and the default storage is `default`.
 */
export function storageKey({ type, isCollection }: StructuralProperty, storage: StorageForm | undefined): string {
  const stored = storageName(storage);
  if (isCollection || type.kind === "ComplexType") return `document ${stored === "" ? "json" : stored}`;
  const enumeration = type.kind === "EnumType" && type.isFlags ? "flags" : "enum";
  const name = type.kind === "PrimitiveType" ? type.name : enumeration;
  return `${name} ${stored === "" ? "default" : stored}${typeof storage === "object" ? cellKind(storage) : ""}`;
}

function cellKind(storage: Exclude<StorageForm, string>): string {
  const [cell] = "values" in storage ? Object.values(storage.values) : [storage.true];
  return ` ${typeof cell === "string" ? "text" : "number"}`;
}

/** Reports a fault in the mapping of a type to columns, and its fix. */
export type ReportFault = (message: string, fix: string) => void;
