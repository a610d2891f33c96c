import { required } from "../base/required.ts";

type Bounds = readonly [least: bigint, greatest: bigint];

/** The integer types whose values are JavaScript numbers. */
export type SmallIntegerTypeName = "Edm.Byte" | "Edm.SByte" | "Edm.Int16" | "Edm.Int32";

/** The least and the greatest value of each integer type, by name. @see OData CSDL 4.0, section 4.4 */
export const INTEGER_BOUNDS: Readonly<Record<SmallIntegerTypeName | "Edm.Int64", Bounds>> &
  Readonly<Record<string, Bounds | undefined>> = Object.freeze({
  "Edm.Byte": [0n, 255n],
  "Edm.SByte": [-128n, 127n],
  "Edm.Int16": [-32_768n, 32_767n],
  "Edm.Int32": [-2_147_483_648n, 2_147_483_647n],
  "Edm.Int64": [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
});

/** Returns the least and the greatest value of an integer type. @throws Error for another type */
export function integerBounds(name: string): Bounds {
  return required(INTEGER_BOUNDS[name], `${name} is no integer type.`);
}

/** Returns the same for a type whose values are JavaScript numbers. */
export function smallIntegerBounds(name: SmallIntegerTypeName): readonly [least: number, greatest: number] {
  const [least, greatest] = INTEGER_BOUNDS[name];
  return [Number(least), Number(greatest)];
}
