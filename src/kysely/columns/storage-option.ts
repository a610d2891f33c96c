import { describe, isObject } from "../../definition/option-table.ts";
import type { EnumType, StructuralProperty } from "../../edm/model.ts";

/** A form of storage that one word names. */
export type ColumnStorage = (typeof NAMES)[number];

/** The cell of each member of an enumeration: whole numbers, or texts. */
export interface EnumStorage<Member extends string = string> {
  readonly values: { readonly [member in Member]: number | string };
}

/** The cells of true and false: whole numbers, or texts. */
export interface BooleanStorage {
  readonly true: number | string;
  readonly false: number | string;
}

/** How a column holds its values, where that is not the default of the type. */
export type StorageForm = ColumnStorage | EnumStorage | BooleanStorage;

/** The forms of storage that a property may have, as far as the type of its values tells. */
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
] as const;

/** The name of a form of storage, for messages and tables. */
export function storageName(storage: StorageForm | undefined): string {
  if (storage === undefined) return "";
  if (typeof storage === "string") return storage;
  return "values" in storage ? "{ values }" : "{ true, false }";
}

/**
 * Reads the `storage` of a column as untyped code may have given it.
 * @param place where the option stands, for messages
 * @returns undefined for none, and where a fault was reported
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
  report(`\`${place}\` is ${describe(given)}.`, `Give ${objects}one of ${listed}, or leave it out.`);
  return undefined;
}

/** The forms of storage that fit a property, for messages. @param fits whether one of a name does */
export function fittingStorage(
  { type, isCollection }: StructuralProperty,
  fits: (storage: ColumnStorage) => boolean,
): readonly string[] {
  // The default of collections and complex values needs no name.
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
  // The caller reports storage that does not fit the type of the property.
  if (type.kind !== "EnumType" || isCollection) return { values: {} };
  if (type.isFlags) {
    report(
      `\`${place}.values\` maps ${type.name}, whose members are flags.`,
      "Flags are stored as the sum of their numeric values: leave `storage` out, or give the property a `convert`.",
    );
    return undefined;
  }
  return isMapping(values, type, place, report) ? { values } : undefined;
}

/** Whether each member has a cell, all of one kind, and no two members of different values have the same. */
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
      `\`${place}.values\` maps ${name} to ${describe(cell)}, as it does another member.`,
      "Give each member a cell of its own.",
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
  report(
    `\`${place}\` has one cell for true and false, ${describe(whenTrue)}.`,
    "Give each of them a cell of its own.",
  );
  return undefined;
}

/** Whether all cells are whole numbers, or all are texts. */
function checkCells(cells: readonly unknown[], place: string, report: ReportFault): boolean {
  const wrong = cells.filter((cell) => typeof cell !== "string" && !Number.isSafeInteger(cell));
  for (const cell of wrong) report(`\`${place}\` maps to ${describe(cell)}.`, "Map to whole numbers, or to texts.");
  if (wrong.length > 0) return false;
  const isOneKind = new Set(cells.map((cell) => typeof cell)).size < 2;
  if (!isOneKind) report(`\`${place}\` mixes numbers and texts.`, "Map to whole numbers alone, or to texts alone.");
  return isOneKind;
}

function hasOnly(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  place: string,
  report: ReportFault,
): boolean {
  const others = Object.keys(given).filter((name) => !names.includes(name));
  for (const name of others) report(`\`${place}\` has no option \`${name}\`.`, `Use ${listOf(names)} alone.`);
  return others.length === 0;
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/**
 * The row of a property in the table of a database: its type and storage, such as `Edm.Decimal scaled`. Enumerations are
 * `enum` and `flags`, collections and complex values are `document`, and storage by default is `default`.
 */
export function storageKey({ type, isCollection }: StructuralProperty, storage: StorageForm | undefined): string {
  const stored = storageName(storage);
  if (isCollection || type.kind === "ComplexType") return `document ${stored === "" ? "json" : stored}`;
  const enumeration = type.kind === "EnumType" && type.isFlags ? "flags" : "enum";
  const name = type.kind === "PrimitiveType" ? type.name : enumeration;
  return `${name} ${stored === "" ? "default" : stored}${typeof storage === "object" ? cellKind(storage) : ""}`;
}

/** Whether mapped cells are texts or numbers. */
function cellKind(storage: Exclude<StorageForm, string>): string {
  const [cell] = "values" in storage ? Object.values(storage.values) : [storage.true];
  return ` ${typeof cell === "string" ? "text" : "number"}`;
}

/** Takes what is wrong with the mapping of a type to columns, and what to do about it. */
export type ReportFault = (message: string, fix: string) => void;
