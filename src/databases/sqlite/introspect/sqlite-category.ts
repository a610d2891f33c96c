/** The intent of a declared type. SQLite enforces it in `STRICT` tables only. */
type SqliteCategory =
  | "any"
  | "blob"
  | "boolean"
  | "date"
  | "decimal"
  | "guid"
  | "integer"
  | "json"
  | "real"
  | "text"
  | "time"
  | "timestamp";

/** In the order in which they apply. Those before `integer` have names that contain INT only by chance, or never. */
const CATEGORIES: ReadonlyArray<readonly [SqliteCategory, RegExp]> = [
  ["boolean", /^(?:BOOL|BIT(?:\(1\))?$)/],
  ["integer", /INT/],
  ["guid", /^(?:UUID|GUID|UNIQUEIDENTIFIER)\b/],
  ["text", /CHAR|CLOB|TEXT/],
  ["json", /^JSON/],
  ["blob", /BLOB|BINARY|^(?:IMAGE|BYTEA)\b/],
  ["real", /REAL|FLOA|DOUB/],
  ["timestamp", /^(?:SMALL)?DATETIME|^TIMESTAMP/],
  ["date", /^DATE/],
  ["time", /^TIME/],
  ["decimal", /^(?:DEC|FIXED|NUMERIC|NUMBER|(?:SMALL)?MONEY|CURRENCY)/],
];

/** Returns the category of a declared type. @see https://sqlite.org/datatype3.html#determination_of_column_affinity */
export function sqliteCategory(definition: string): SqliteCategory {
  const type = definition.trim().toUpperCase();
  return CATEGORIES.find(([, pattern]) => pattern.test(type))?.[0] ?? "any";
}

/** Digits of a number; null if the type declares none. */
interface DeclaredDigits {
  readonly precision: number | null;
  readonly scale: number | null;
}

/** Returns the digits that a decimal type declares. In `DECIMAL(10)` the scale is 0. */
export function declaredDigits(definition: string): DeclaredDigits {
  const none = { precision: null, scale: null };
  if (sqliteCategory(definition) !== "decimal") return none;
  const [, digits, scale = "0"] = /\(\s*(\d{1,3})\s*(?:,\s*(\d{1,3})\s*)?\)/.exec(definition) ?? [];
  if (digits === undefined || Number(digits) === 0 || Number(scale) > Number(digits)) return none;
  return { precision: Number(digits), scale: Number(scale) };
}
