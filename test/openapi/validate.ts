import { Validator } from "@seriousme/openapi-schema-validator";

/** What an independent validator finds wrong with a document; an empty list for nothing. */
export async function faultsOf(document: object): Promise<unknown> {
  // The validator adds to what it is given.
  const { valid, errors } = await new Validator().validate(structuredClone(document) as Record<string, unknown>);
  return valid ? [] : errors;
}
