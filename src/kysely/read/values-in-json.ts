import { isJsonObject, JsonNumber, type JsonValue } from "../../json/json-value.ts";
import { parseJson } from "../../json/parse-json.ts";
import type { JsonEntities } from "../../query/json-entities.ts";
import { type PlaceValue, valuesOfRow } from "../../query/place.ts";
import type { Row } from "../../query/row-shape.ts";
import type { JsonPage } from "../../query/source.ts";
import type { JsonMarks, MarkMember } from "../translate/json-marks.ts";

/** More than the depth of any expansion. */
const MAX_DEPTH = 1000;
const WHOLE = /^-?\d+$/;

/** Returns the function that finds the place of the marked row of a page. @param row the row with all objects */
export function valuesInJson(marks: JsonMarks | undefined, row: Row | undefined): JsonPage["valuesOf"] {
  switch (marks?.kind) {
    case "cells":
      return () => valuesOfRow(row ?? [], marks.columns);
    case "members":
      return (json) => valuesOfEntity(json, marks.terms);
    case undefined:
      return undefined;
  }
}

/** Returns the marks of the last entity; null if one of them is not exact. */
export function valuesOfEntity(
  { bytes, lastStart }: JsonEntities,
  terms: readonly MarkMember[],
): readonly PlaceValue[] | null {
  const entity = parseJson(new TextDecoder().decode(bytes.subarray(lastStart)), { maxDepth: MAX_DEPTH });
  if (!isJsonObject(entity)) return null;
  const values: PlaceValue[] = [];
  for (const { name, toMark } of terms) {
    const mark = toMark(cellOf(entity[name]));
    if (mark === undefined) return null;
    values.push(mark);
  }
  return values;
}

/** Returns the cell that a database wrote as a value. */
function cellOf(value: JsonValue | undefined): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (!(value instanceof JsonNumber)) return value;
  return WHOLE.test(value.text) ? BigInt(value.text) : Number(value.text);
}
