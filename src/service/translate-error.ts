import type { FaultParameters } from "../base/errors/fault.ts";
import { type ErrorDetail, ODataError } from "../base/errors/odata-error.ts";
import { unawaited } from "../base/maybe.ts";
import type { Messages } from "../definition/model/messages.ts";
import { mergeVary } from "../http/headers.ts";
import { preferredLanguages } from "../http/preferred-languages.ts";

/** The language of the texts of odatakit. */
const OWN = "en";
/** Stands for every language. */
const ANY = "*";

/**
 * Gives an error the texts of the application in the language of the user, with `Content-Language` and `Vary`.
 * @param header the value of `Accept-Language`; empty without it
 * @param fail receives the error of `messages`; the text of odatakit then stays
 */
export function translateError(
  error: ODataError,
  messages: Messages,
  header: string,
  fail: (error: unknown) => void,
): ODataError {
  const languages = askedLanguages(header);
  // An application may have written the text, and named its language.
  const own = error.headers?.["Content-Language"] ?? OWN;
  const used = new Set<string>();
  const translate = (detail: ErrorDetail): string => {
    const found = textOf(detail, messages, languages, fail);
    used.add(found?.language ?? own);
    return found?.text ?? detail.message;
  };
  const { status, code, target, fault, headers, mayLog, cause } = error;
  const message = translate(error);
  const details = error.details?.map((detail) => ({ ...detail, message: translate(detail) }));
  const known = [...used].filter((language) => language !== ANY).join(", ");
  const translated = {
    ...headers,
    "Content-Language": known,
    Vary: mergeVary(headers?.["Vary"] ?? "", "Accept-Language"),
  };
  return new ODataError(status, code, message, { target, details, fault, headers: translated, mayLog, cause });
}

/** Returns the languages in which a client accepts a text, until English, which every text has; without English, any at last. */
function askedLanguages(header: string): readonly string[] {
  const preferred = preferredLanguages(header);
  const english = preferred.findIndex((language) => language === OWN || language.startsWith(`${OWN}-`));
  return english < 0 ? [...preferred, ANY] : preferred.slice(0, english + 1);
}

/** A text, and the language for which the application gave it. */
interface Text {
  readonly text: string;
  readonly language: string;
}

/** Returns the text of the application in the first language that it has; undefined without one. */
function textOf(
  { code, target, fault }: ErrorDetail,
  messages: Messages,
  languages: readonly string[],
  fail: (error: unknown) => void,
): Text | undefined {
  const parameters: FaultParameters = Object.freeze({ ...fault?.parameters, ...(target !== undefined && { target }) });
  for (const language of languages) {
    try {
      const text: unknown = messages(fault?.code ?? code, parameters, language);
      if (typeof text === "string") return { text, language };
      if (text === undefined) continue;
      unawaited(text);
      throw new TypeError(`messages returned neither a text nor undefined for ${code}.`);
    } catch (error) {
      fail(error);
      return undefined;
    }
  }
  return undefined;
}
