import { toWireName } from "../../definition/names.ts";
import type { StorageForm } from "../../kysely/columns/storage-option.ts";
import type { DescribedProperty } from "../described-service.ts";
import type { Imports } from "./imports.ts";
import { type ChainCode, type Code, object, chained } from "./layout.ts";
import { objectKeyLiteral, stringLiteral } from "./literals.ts";
import type { ModuleNames } from "./module-names.ts";

/** The fraction digits of seconds that a property has without `precision`. */
const DEFAULT_PRECISION = 12;

const EDM: ChainCode = { kind: "chain", root: "edm", calls: [] };

/** Writes the declaration of a property, such as `edm.string({ maxLength: 40 }).nullable()`. */
export function propertyCode(property: DescribedProperty, names: ModuleNames, imports: Imports): Code {
  const { name, field, isKey, nullable, computed, databaseDefault, defaultValue, description, isCollection } = property;
  imports.use("edm", "odatakit");
  const item = typeCode(property, names, imports);
  let code = isCollection ? chained(EDM, "collection", chained(item, "nullable")) : item;
  if (isKey) code = chained(code, "key");
  if (nullable && !isCollection) code = chained(code, "nullable");
  if (computed) code = chained(code, "computed");
  if (databaseDefault) code = chained(code, "databaseDefault");
  if (defaultValue !== undefined) code = chained(code, "default", defaultCode(defaultValue, property));
  if (toWireName(field, "PascalCase") !== name) code = chained(code, "json", stringLiteral(name));
  return description === null ? code : chained(code, "describe", stringLiteral(description));
}

/** Writes the column of a property: its name, or its settings; null for the default. */
export function columnCode({ field, column, storage, sql }: DescribedProperty): Code | null {
  if (storage === null && sql === null) return column === field ? null : stringLiteral(column);
  return object([
    ...(sql !== null || column === field ? [] : [["name", stringLiteral(column)] as const]),
    ...(sql === null ? [] : [["sql", stringLiteral(sql)] as const]),
    ...(storage === null ? [] : [["storage", storageCode(storage)] as const]),
  ]);
}

/** Writes a storage form. */
export function storageCode(storage: StorageForm): Code {
  if (typeof storage === "string") return stringLiteral(storage);
  if ("values" in storage) return object([["values", cellsCode(storage.values)]]);
  return cellsCode({ true: storage.true, false: storage.false });
}

function cellsCode(cells: Readonly<Record<string, number | string>>): Code {
  return object(
    Object.entries(cells).map(([name, cell]) => [
      objectKeyLiteral(name),
      typeof cell === "string" ? stringLiteral(cell) : String(cell),
    ]),
  );
}

function typeCode({ type, facets }: DescribedProperty, names: ModuleNames, imports: Imports): ChainCode {
  if (typeof type === "object") {
    const variable = names.types.get(type.enumType) ?? type.enumType;
    return chained(EDM, "enum", imports.use(variable, "./enums.ts"));
  }
  const name = type.slice("Edm.".length);
  const builder = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  const isTemporal = ["Edm.DateTimeOffset", "Edm.Duration", "Edm.TimeOfDay"].includes(type);
  const given = Object.entries(facets).filter(
    ([facet, value]) => !(isTemporal && facet === "precision" && value === DEFAULT_PRECISION),
  );
  return given.length === 0
    ? chained(EDM, builder)
    : chained(EDM, builder, object(given.map(([facet, value]) => [facet, String(value)])));
}

/** Writes a default. Numbers beyond those of JavaScript are exact as bigints and strings. */
function defaultCode(value: boolean | number | string, { type }: DescribedProperty): string {
  if (type === "Edm.Int64") {
    const isSafe = Number.isSafeInteger(Number(value));
    return isSafe ? String(value) : `${String(value)}n`;
  }
  return typeof value === "string" ? stringLiteral(value) : String(value);
}
