import type { PropertyType } from "../model/model.ts";

/** How a value is shown. `null` and `empty` have shapes of their own, since an empty cell would say nothing. */
export interface ShownValue {
  readonly kind: "null" | "empty" | "text" | "number" | "boolean" | "date" | "binary" | "json";
  /** For a reader, in the words of the locale. */
  readonly text: string;
  /** The exact value, as the service writes it. */
  readonly exact: string;
}

const NUMBERS: ReadonlySet<string> = new Set(
  ["Byte", "SByte", "Int16", "Int32", "Int64", "Single", "Double", "Decimal"].map((name) => `Edm.${name}`),
);

/** Returns whether the values of a type are numbers, which tables align at the right. */
export function isNumeric(type: PropertyType): boolean {
  return type.kind === "primitive" && NUMBERS.has(type.name);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/u;

/** Returns the type of values that no model describes, such as totals: their numbers arrive as text, so that they are exact. */
export function typeOfValues(values: readonly unknown[]): PropertyType | null {
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value ?? null)));
  const isNumber = texts.every((text) => text === "null" || NUMBER.test(text));
  return isNumber ? { kind: "primitive", name: "Edm.Decimal" } : null;
}

/**
 * Returns how a value of the service is shown. No digit of a number is lost: numbers arrive as text and are grouped as text.
 * @param type the type of the value; null if it is not known, such as of a total
 * @param locale the language of the reader; that of the browser without it
 */
export function showValue(value: unknown, type: PropertyType | null, locale?: string): ShownValue {
  if (value === null || value === undefined) return { kind: "null", text: "null", exact: "null" };
  if (typeof value === "object") return shown("json", summaryOf(value), JSON.stringify(value, null, 2));
  const exact = typeof value === "string" ? value : JSON.stringify(value);
  const name = type?.kind === "primitive" ? type.name : "";
  if (exact === "" && name !== "Edm.Binary") return { kind: "empty", text: "empty text", exact };
  if (typeof value === "boolean") return shown("boolean", exact, exact);
  if (typeof value === "number" || NUMBERS.has(name)) return shown("number", groupDigits(exact, locale), exact);
  switch (name) {
    case "Edm.Date":
      return shown("date", dateText(exact, { dateStyle: "medium", timeZone: "UTC" }, locale), exact);
    case "Edm.DateTimeOffset":
      return shown("date", dateText(exact, { dateStyle: "medium", timeStyle: "medium" }, locale), exact);
    case "Edm.Duration":
      return shown("text", durationText(exact), exact);
    case "Edm.TimeOfDay":
      return shown("date", exact.replace(/\.0*$/u, ""), exact);
    case "Edm.Binary":
      return shown("binary", sizeText(byteLength(exact)), exact);
    default:
      return shown("text", exact, exact);
  }
}

function shown(kind: ShownValue["kind"], text: string, exact: string): ShownValue {
  return { kind, text, exact };
}

/** Numbers with an exponent, `INF`, `-INF` and `NaN` stay as they are. */
function groupDigits(exact: string, locale: string | undefined): string {
  const [, sign = "", whole = "", fraction] = /^(-?)(\d+)(?:\.(\d+))?$/u.exec(exact) ?? [];
  if (whole === "") return exact;
  const parts = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(BigInt(whole));
  const integer = parts.filter(({ type }) => type === "integer" || type === "group").map(({ value }) => value);
  const point = parts.find(({ type }) => type === "decimal")?.value ?? ".";
  return `${sign === "" ? "" : "−"}${integer.join("")}${fraction === undefined ? "" : point + fraction}`;
}

/** Browsers would write the years 44 and -44 alike: dates before the year 1000 stay as they are. */
function dateText(exact: string, options: Intl.DateTimeFormatOptions, locale: string | undefined): string {
  // Browsers read milliseconds at most; the exact value shows the rest.
  const milliseconds = Date.parse(exact.replace(/(\.\d{3})\d+/u, "$1"));
  if (Number.isNaN(milliseconds) || !/^[1-9]\d{3}-/u.test(exact)) return exact;
  return new Intl.DateTimeFormat(locale, options).format(milliseconds);
}

/** Writes `P1DT2H30M` as `1 d 2 h 30 min`. */
function durationText(exact: string): string {
  const match = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/u.exec(exact);
  if (match === null) return exact;
  const [, sign, ...amounts] = match;
  const units = ["d", "h", "min", "s"];
  const parts = units.flatMap((unit, index) => (amounts[index] === undefined ? [] : [`${amounts[index]} ${unit}`]));
  return parts.length === 0 ? "0 s" : `${sign === undefined ? "" : "−"}${parts.join(" ")}`;
}

/** Returns the number of bytes that a base64url text means. */
function byteLength(base64: string): number {
  return Math.floor((base64.replace(/=+$/u, "").length * 3) / 4);
}

/** Writes a number of bytes for a reader. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const units = ["kB", "MB", "GB"];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  return `${(bytes / 1000 ** power).toPrecision(3)} ${units[power - 1] ?? ""}`;
}

const MOST_ITEMS = 4;

/** Returns one line about an object or a collection. */
function summaryOf(value: object): string {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (items.length === 0) return "no items";
    if (items.every((item) => typeof item !== "object")) return items.map(String).join(", ");
    return `${items.length} ${items.length === 1 ? "item" : "items"}`;
  }
  const members = Object.entries(value).filter(([name]) => !name.includes("@"));
  const texts = members.slice(0, MOST_ITEMS).map(([name, member]) => `${name}: ${memberText(member)}`);
  return texts.join(", ") + (members.length > MOST_ITEMS ? ", …" : "");
}

function memberText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "[…]" : "{…}";
}
