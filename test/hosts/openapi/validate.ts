import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";

// Compiles the schema of OpenAPI once, which takes longer than validating a document.
const validator = new Validator();

/** Returns the faults that an independent validator finds in a document; an empty list for a valid document. */
export async function faultsOf(document: object): Promise<unknown> {
  // The validator changes its input.
  const { valid, errors } = await validator.validate(structuredClone(document) as Record<string, unknown>);
  return valid ? [] : errors;
}

const recommended = createConfig({ extends: ["recommended"] });

/** Returns the faults by the recommended rules of Redocly, as `error rule: message at pointer` or `warn rule: …`. */
export async function lintOf(document: object): Promise<readonly string[]> {
  const problems = await lintFromString({ source: JSON.stringify(document), config: await recommended });
  return problems.map(
    ({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} at ${location[0]?.pointer ?? ""}`,
  );
}
