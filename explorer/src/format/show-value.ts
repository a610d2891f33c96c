import type { PropertyType } from "../model/model.ts";

/** How a value is shown. `null` and `empty` have shapes of their own, since an empty cell would say nothing. */
export interface ShownValue {
  readonly kind: "null" | "empty" | "text" | "number" | "boolean" | "date" | "binary" | "json";
  /** For a reader, in the words of the locale. */
  readonly text: string;
  /** As the service writes it. */
  readonly exact: string;
}

/** Returns whether the values of a type are numbers, which tables align at the right. */
export function isNumeric(type: PropertyType): boolean {
  return type.kind === "primitive" && /^Edm\.(?:S?Byte|Int\d+|Single|Double|Decimal)$/u.test(type.name);
}

/**
 * Returns how a value of the service is shown.
 * @param type null if it is not known, such as of a total
 * @param locale that of the browser without it
 */
export function showValue(value: unknown, type: PropertyType | null, locale?: string): ShownValue {
  if (value === null || value === undefined) return { kind: "null", text: "null", exact: "null" };
  if (typeof value === "object") return { kind: "json", text: summaryOf(value), exact: JSON.stringify(value, null, 2) };
  const exact = typeof value === "string" ? value : JSON.stringify(value);
  const name = type?.kind === "primitive" ? type.name : "";
  if (exact === "" && name !== "Edm.Binary") return { kind: "empty", text: "empty text", exact };
  if (typeof value === "number" || (type !== null && isNumeric(type))) {
    return { kind: "number", text: numberText(exact, locale), exact };
  }
  const { kind, toText } = FORMS[name] ?? { kind: typeof value === "boolean" ? "boolean" : "text", toText: String };
  return { kind, text: toText(exact, locale), exact };
}

interface Form {
  readonly kind: ShownValue["kind"];
  readonly toText: (exact: string, locale: string | undefined) => string;
}

/** How the types are shown whose exact values are hard to read. */
const FORMS: Readonly<Record<string, Form>> = {
  "Edm.Date": { kind: "date", toText: dateText({ dateStyle: "medium", timeZone: "UTC" }) },
  "Edm.DateTimeOffset": { kind: "date", toText: dateText({ dateStyle: "medium", timeStyle: "medium" }) },
  "Edm.TimeOfDay": { kind: "date", toText: (exact) => exact.replace(/\.0*$/u, "") },
  "Edm.Duration": { kind: "text", toText: durationText },
  // Four characters of base64url mean three bytes.
  "Edm.Binary": { kind: "binary", toText: (exact) => sizeText(Math.floor((exact.replace(/=+$/u, "").length * 3) / 4)) },
};

/** No digit is lost. Numbers with an exponent, `INF`, `-INF` and `NaN` stay as they are. */
function numberText(exact: string, locale: string | undefined): string {
  const [number, fraction = ""] = /^-?\d+(?:\.(\d{1,100}))?$/u.exec(exact) ?? [];
  const digits = { minimumFractionDigits: fraction.length, maximumFractionDigits: fraction.length };
  if (number === undefined) return exact;
  return new Intl.NumberFormat(locale, digits).format(number as Intl.StringNumericLiteral).replace("-", "−");
}

/** Browsers write the years 44 and -44 alike: dates before the year 1000 stay as they are. */
function dateText(options: Intl.DateTimeFormatOptions): Form["toText"] {
  return (exact, locale) => {
    // Browsers read milliseconds at most.
    const time = Date.parse(exact.replace(/(\.\d{3})\d+/u, "$1"));
    const isSure = /^[1-9]\d{3}-/u.test(exact) && !Number.isNaN(time);
    return isSure ? new Intl.DateTimeFormat(locale, options).format(time) : exact;
  };
}

/** Writes `P1DT2H30M` as `1 d 2 h 30 min`. */
function durationText(exact: string): string {
  const units: Readonly<Record<string, string>> = { P: "", T: "", D: " d ", H: " h ", M: " min ", S: " s" };
  return exact
    .replaceAll(/[A-Z]/gu, (unit) => units[unit] ?? unit)
    .trim()
    .replace("-", "−");
}

/** Writes a number of bytes for a reader. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 3);
  return `${(bytes / 1000 ** power).toPrecision(3)} ${" kMG"[power] ?? ""}B`;
}

/** Returns one line about an object or a collection. */
function summaryOf(value: object): string {
  const toText = (item: unknown): string => (typeof item === "object" && item !== null ? "…" : String(item));
  if (!Array.isArray(value)) {
    const members = Object.entries(value).filter(([name]) => !name.includes("@"));
    return members.map(([name, member]) => `${name}: ${toText(member)}`).join(", ");
  }
  const texts = value.map(toText);
  if (texts.length > 0 && !texts.includes("…")) return texts.join(", ");
  return `${texts.length === 0 ? "no" : texts.length} ${texts.length === 1 ? "item" : "items"}`;
}
