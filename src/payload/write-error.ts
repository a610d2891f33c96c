import type { ErrorDetail, ODataError } from "../base/errors/odata-error.ts";
import { COMMON, type UsedVocabulary } from "../edm/annotation.ts";

/** Maximum length of a target: more than any declared name has. */
const MAX_TARGET_LENGTH = 200;

/**
 * Names the operation of a change set that failed. An error has it by one name only, because UI5 ignores two.
 * @see docs/reference/batch.md
 */
const CONTENT_ID = "@Org.OData.Core.V1.ContentID";

/** The severity of an error, which is NumericMessageSeverityType of the vocabulary Common of SAP. */
const ERROR = 4;

/**
 * Writes the body of an error response: code, message and, if a name is at fault, target. It never contains a cause or a
 * stack. An overlong target, which cannot be a declared name, is truncated.
 * @param contentId the Content-ID of the operation that failed in a change set; undefined otherwise
 * @param vocabularies those to which `$metadata` refers: each detail also has its severity by their alias
 * @see OData JSON Format 4.0, section 19
 */
export function writeError(
  error: ODataError,
  contentId?: string,
  vocabularies: readonly UsedVocabulary[] = [],
): string {
  const { details } = error;
  const annotated = contentId === undefined ? {} : { [CONTENT_ID]: contentId };
  const alias = vocabularies.find(({ namespace }) => namespace === COMMON)?.alias;
  const names = alias === undefined ? [COMMON] : [COMMON, alias];
  const severity = Object.fromEntries(names.map((name) => [`@${name}.numericSeverity`, ERROR]));
  const toAnnotated = (each: ErrorDetail): object => ({ ...toDetail(each), ...severity, ...annotated });
  const all = details === undefined ? {} : { details: details.map(toAnnotated) };
  return JSON.stringify({ error: { ...toDetail(error), ...all, ...annotated } });
}

function toDetail({ code, message, target: whole = "" }: ErrorDetail): Omit<ErrorDetail, "fault"> {
  const target = whole.slice(0, MAX_TARGET_LENGTH);
  // A target of blanks, which a client may send as a name, is useless.
  return { code, message, ...(target.trim() === "" ? {} : { target }) };
}
