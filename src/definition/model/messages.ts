import type { FaultParameters } from "../../base/errors/fault.ts";

/**
 * Returns the text of an error in a language.
 * @param code the code of a facet, such as `MinLength`, of an issue of `validate`, else the code of the error, such as `NotFound`
 * @param parameters those of the fault, such as `{ minLength: 3 }`, and `target`, the place of the fault, where it is known
 * @param language a tag of `Accept-Language` in lower case, such as `de-ch`; `*`, for any language, after those of a header without
 *   English
 * @returns undefined for the next language, and at last the text of odatakit
 * @see docs/reference/errors.md, Texts in other languages
 */
export type Messages = (code: string, parameters: FaultParameters, language: string) => string | undefined;
