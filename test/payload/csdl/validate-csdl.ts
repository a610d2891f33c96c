import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import { xml2json } from "odata-csdl";
import { validateXML } from "xmllint-wasm";

// The package exposes its schemas only by path.
const schemas = join(dirname(createRequire(import.meta.url).resolve("odata-csdl/package.json")), "schemas");
const schemaFile = (fileName: string): { readonly fileName: string; readonly contents: string } => ({
  fileName,
  contents: readFileSync(join(schemas, fileName), "utf8"),
});

/** Validates a metadata document against the XML schemas of OASIS. */
export async function faultsOfSchema(xml: string): Promise<readonly string[]> {
  const { errors } = await validateXML({
    xml: [{ fileName: "metadata.xml", contents: xml }],
    schema: [schemaFile("edmx.xsd")],
    preload: [schemaFile("edm.xsd")],
  });
  return errors.map(({ message }) => message);
}

/**
 * Converts a document to CSDL JSON with the reader of the OData committee.
 * @throws Error for colliding names and broken references
 */
export function readCsdl(xml: string): Readonly<Record<string, unknown>> {
  const messages: unknown[] = [];
  const csdl = xml2json(xml, { strict: true, annotations: true, messages });
  if (messages.length > 0) throw new Error(JSON.stringify(messages));
  return csdl;
}

const schemaOfJson = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync(join(schemas, "csdl.schema.json"), "utf8")) as object,
);

/** Validates a metadata document against the JSON schema of OASIS for CSDL JSON. */
export function faultsOfJsonSchema(csdl: unknown): readonly string[] {
  if (schemaOfJson(csdl)) return [];
  return (schemaOfJson.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
}
