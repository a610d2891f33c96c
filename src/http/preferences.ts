import { readHeaderParameter, splitHeaderList } from "./headers.ts";

/** The preferences of a client that the service supports. */
export interface Preferences {
  /** The most rows of a page. */
  readonly maxPageSize: number | undefined;
  /** The name that the client used, for Preference-Applied. */
  readonly maxPageSizeName: "maxpagesize" | "odata.maxpagesize";
  readonly return: "minimal" | "representation" | undefined;
}

const NO_PREFERENCES: Preferences = Object.freeze({
  maxPageSize: undefined,
  maxPageSizeName: "maxpagesize",
  return: undefined,
});

/**
 * Reads the Prefer header. Unknown preferences and invalid values are ignored. The first of repeated preferences counts.
 * @see RFC 7240, section 2; OData Protocol 4.0, section 8.2.8
 */
export function readPreferences(header: string | undefined): Preferences {
  if (header === undefined) return NO_PREFERENCES;
  let maxPageSize: number | undefined;
  let maxPageSizeName: Preferences["maxPageSizeName"] | undefined;
  let returns: Preferences["return"];
  for (const item of splitHeaderList(header)) {
    const { name, value } = readHeaderParameter(splitHeaderList(item, ";")[0] ?? "");
    if (name === "maxpagesize" || name === "odata.maxpagesize") {
      if (maxPageSizeName !== undefined) continue;
      maxPageSizeName = name;
      maxPageSize = readPositiveInteger(value);
    } else if (name === "return" && returns === undefined && (value === "minimal" || value === "representation")) {
      returns = value;
    }
  }
  return { maxPageSize, maxPageSizeName: maxPageSizeName ?? "maxpagesize", return: returns };
}

/** The preference of a batch for what happens after an operation that fails. */
interface ContinueOnError {
  readonly value: boolean;
  /** The preference as the response confirms it. */
  readonly applied: string;
}

/**
 * Reads `continue-on-error` of a Prefer header, with or without its prefix and its value. The first one counts.
 * @returns undefined without the preference, and for another value than true or false
 * @see OData Protocol 4.0, section 8.2.8.3
 */
export function readContinueOnError(header: string | undefined): ContinueOnError | undefined {
  for (const item of splitHeaderList(header ?? "")) {
    const { name, value } = readHeaderParameter(splitHeaderList(item, ";")[0] ?? "");
    if (name !== "continue-on-error" && name !== "odata.continue-on-error") continue;
    const text = value.toLowerCase();
    if (text !== "" && text !== "true" && text !== "false") return undefined;
    return { value: text !== "false", applied: text === "" ? name : `${name}=${text}` };
  }
  return undefined;
}

function readPositiveInteger(text: string): number | undefined {
  if (!/^\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return value > 0 && Number.isSafeInteger(value) ? value : undefined;
}
