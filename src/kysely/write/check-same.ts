import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { UnstorableValueError } from "./stored-columns.ts";

/** Values by the application's fields. */
type Values = Readonly<Record<string, unknown>>;

/**
 * Checks that a property holds the value that was written, where the database may store another one in silence.
 * @param path the complex properties around the property, and the property itself
 * @throws UnstorableValueError when it holds another value
 */
export function checkSame(path: readonly StructuralProperty[], stored: Values, given: Values): void {
  const property = path.at(-1);
  if (property === undefined || property.isCollection || property.type.kind === "ComplexType") return;
  const [value, kept] = [valueAt(given, path), valueAt(stored, path)];
  if (value === undefined || value === null || kept === undefined) return;
  if (kept !== null && isSame(property, kept as PrimitiveValue, value as PrimitiveValue)) return;
  throw new UnstorableValueError(path, "The column holds less of the value than was written.");
}

/** Null below a complex value that is null; undefined where nothing is said of the property. */
function valueAt(values: Values, path: readonly StructuralProperty[]): unknown {
  let value: unknown = values;
  for (const { field } of path) {
    if (value === null || value === undefined) return value;
    value = (value as Values)[field];
  }
  return value;
}

/** Whether a stored value is the one that was written. Of an Edm.Single there are no more digits than it has. */
function isSame(property: StructuralProperty, kept: PrimitiveValue, given: PrimitiveValue): boolean {
  if (property.type.name === "Edm.Single") return Math.fround(Number(kept)) === Math.fround(Number(given));
  return codecOf(property).compare(kept, given) === 0;
}
