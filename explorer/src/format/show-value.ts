import { isIdentifier } from "../model/identifier.ts";
import type { PropertyType, StructuredType } from "../model/model.ts";
import { pageLocale } from "./locale.ts";
import { periodText } from "./period.ts";
import { dateText, isMidnight, type Zone, zoneOf } from "./zone.ts";

/** The shown form of a value. `null` and `empty` have separate shapes: an empty cell says that there is no value to read. */
export interface ShownValue {
  readonly kind: "absent" | "null" | "empty" | "text" | "number" | "boolean" | "date" | "binary" | "json";
  readonly text: string;
  readonly exact: string;
}

/** Returns whether the values of a type are numbers, which tables align at the right. */
export function isNumeric(type: PropertyType): boolean {
  return type.kind === "primitive" && /^Edm\.(?:S?Byte|Int\d+|Single|Double|Decimal)$/u.test(type.name);
}

/** Returns whether the values of a type are texts. */
export function isText(type: PropertyType): boolean {
  return type.kind === "primitive" && type.name === "Edm.String";
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/iu;

/** Returns the type of values that no model describes, such as totals: their numbers arrive as text, so that they are exact. */
export function typeOfValues(values: readonly unknown[]): PropertyType | null {
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value ?? null)));
  const stated = texts.filter((text) => text !== "null");
  return stated.length > 0 && stated.every((text) => NUMBER.test(text))
    ? { kind: "primitive", name: "Edm.Decimal" }
    : null;
}

/** Returns a value and its type as they are shown: the digits of an identifier are a name and stay as they are. */
export function shownAs(
  owner: StructuredType | null,
  name: string,
  value: unknown,
  type: PropertyType | null,
): { readonly value: unknown; readonly type: PropertyType | null } {
  const digits = typeof value === "number" ? String(value) : value;
  const isName = owner !== null && isIdentifier(owner, name);
  return isName && type !== null && isNumeric(type) ? { value: digits, type: null } : { value, type };
}

/**
 * Returns how a value is shown. The type is null if it is not known, such as of a total.
 * @param times the zone that the reader chose, and whether a midnight is shown with its time
 */
export function showValue(
  value: unknown,
  type: PropertyType | null,
  locale = pageLocale(),
  { zone = "UTC", hasTime = true }: { readonly zone?: Zone; readonly hasTime?: boolean } = {},
): ShownValue {
  if (value === undefined) return { kind: "absent", text: "", exact: "" };
  if (value === null) return { kind: "null", text: "null", exact: "null" };
  if (typeof value === "object") return { kind: "json", text: summaryOf(value), exact: JSON.stringify(value, null, 2) };
  const exact = typeof value === "string" ? value : JSON.stringify(value);
  const name = type?.kind === "primitive" ? type.name : "";
  if (exact === "" && name !== "Edm.Binary") return { kind: "empty", text: "empty text", exact };
  if (type?.kind === "primitive" && type.period !== undefined) {
    return { kind: "date", text: periodText(type.period, value, locale), exact };
  }
  const shownZone = zoneOf(type, zone);
  if (shownZone !== null) {
    const timeStyle = hasTime || !isMidnight(exact, shownZone) ? "medium" : undefined;
    return { kind: "date", text: dateText(exact, { dateStyle: "medium", timeStyle }, locale, shownZone), exact };
  }
  const isNumber = typeof value === "number" || (type !== null && isNumeric(type));
  const plain = [typeof value === "boolean" ? "boolean" : "text", String] as const;
  const [kind, toText] = isNumber ? (["number", numberText] as const) : (FORMS[name] ?? plain);
  return { kind, text: toText(exact, locale), exact };
}

type ToText = (exact: string, locale: string) => string;

/** How the types are shown whose exact values are hard to read. */
const FORMS: Readonly<Record<string, readonly [kind: ShownValue["kind"], toText: ToText]>> = {
  "Edm.Date": ["date", (exact, locale) => dateText(exact, { dateStyle: "medium" }, locale)],
  "Edm.TimeOfDay": ["date", (exact) => exact.replace(/\.0*$/u, "")],
  "Edm.Duration": [
    "text",
    (exact) =>
      exact
        .replaceAll(/[PT]/gu, "")
        .replaceAll(/[DHM](?=\d)/gu, "$& ")
        .toLowerCase(),
  ],
  "Edm.Binary": ["binary", sizeText],
};

/** No digit is lost. Numbers with an exponent, `INF`, `-INF` and `NaN` stay as they are. */
function numberText(exact: string, locale: string): string {
  if (!/^-?\d+(?:\.\d{1,100})?$/u.test(exact)) return exact;
  const { length: digits } = exact.split(".")[1] ?? "";
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return format.format(exact as Intl.StringNumericLiteral).replace("-", "−");
}

/** Four characters of base64url mean three bytes. */
function sizeText(exact: string, locale: string): string {
  const bytes = Math.floor((exact.replace(/={1,2}$/u, "").length * 3) / 4);
  return new Intl.NumberFormat(locale, { style: "unit", unit: "byte", unitDisplay: "long" }).format(bytes);
}

/** Writes a number of things: `1 row`, `12,345 rows`. */
export function countText(count: number, thing: string, locale = pageLocale()): string {
  return `${showValue(count, null, locale).text} ${thing}${count === 1 ? "" : "s"}`;
}

function summaryOf(value: object): string {
  const isPlain = (item: unknown): boolean => typeof item !== "object" || item === null;
  const members = Object.entries(value).filter(([name]) => !name.includes("@"));
  const texts = members.map(([, each]) => (isPlain(each) ? String(each) : "…"));
  if (!Array.isArray(value)) return texts.map((text, at) => `${members[at]?.[0] ?? ""}: ${text}`).join(", ");
  if (texts.length > 0 && value.every(isPlain)) return texts.join(", ");
  return texts.length === 0 ? "no items" : countText(texts.length, "item");
}
