import type { StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { valueCodec } from "../edm/value-codecs.ts";
import { isJsonObject, type JsonValue } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import type { JsonEntities } from "./source.ts";

/** More than the depth of any expansion. */
const MAX_DEPTH = 1000;

/**
 * Returns the values of primitive properties in the last entity of a page as JSON: the same values as those of its row.
 * @param properties properties that the page contains
 * @returns null if a value has another form in a row
 */
export function lastValuesOf(
  { bytes, lastStart }: JsonEntities,
  properties: readonly StructuralProperty[],
): readonly (PrimitiveValue | null)[] | null {
  const entity = parseJson(new TextDecoder().decode(bytes.subarray(lastStart)), { maxDepth: MAX_DEPTH });
  if (!isJsonObject(entity)) return null;
  const values: (PrimitiveValue | null)[] = [];
  for (const property of properties) {
    const written = entity[property.name];
    if (written === undefined) return null;
    const value = written === null ? null : valueOf(property, written);
    if (value === undefined) return null;
    values.push(value);
  }
  return values;
}

/** Returns undefined for a value that its type does not accept as it is. Facets limit the values of clients only. */
function valueOf({ type }: StructuralProperty, written: JsonValue): PrimitiveValue | undefined {
  if (type.kind === "ComplexType") return undefined;
  try {
    const value = valueCodec(type).fromJson(written, false);
    return typeof written !== "string" || typeof value !== "string" || value === written ? value : undefined;
  } catch {
    return undefined;
  }
}
