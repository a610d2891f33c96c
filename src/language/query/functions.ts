import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";

/** One signature of a canonical function: fixed parameter types, and the type of the result. */
export interface FunctionSignature {
  readonly parameters: readonly PrimitiveTypeName[];
  readonly returns: PrimitiveTypeName;
}

const STRING = "Edm.String";
const INTEGER = "Edm.Int32";
const INSTANT = "Edm.DateTimeOffset";
const DATE = "Edm.Date";
const TIME = "Edm.TimeOfDay";

/** Builds signatures that differ only in their single parameter. */
function each(parameters: readonly PrimitiveTypeName[], returns: PrimitiveTypeName): readonly FunctionSignature[] {
  return parameters.map((parameter) => ({ parameters: [parameter], returns }));
}

/** The names of the supported canonical functions, in lower case. */
export const FUNCTION_NAMES = [
  "contains",
  "startswith",
  "endswith",
  "length",
  "indexof",
  "substring",
  "tolower",
  "toupper",
  "trim",
  "concat",
  "year",
  "month",
  "day",
  "hour",
  "minute",
  "second",
  "fractionalseconds",
  "totalseconds",
  "date",
  "time",
  "totaloffsetminutes",
  "now",
  "mindatetime",
  "maxdatetime",
  "round",
  "floor",
  "ceiling",
  "cast",
] as const;

/** The name of a supported canonical function. */
export type FunctionName = (typeof FUNCTION_NAMES)[number];

/**
 * The supported canonical functions with their signatures. Arguments are converted to the first signature that accepts
 * them. `round`, `floor` and `ceiling` distinguish Decimal and Double; an integer counts as Decimal. `cast` and `isof` take a
 * type and have no fixed signature; `isof` is bound as a comparison with null.
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export const FUNCTION_SIGNATURES: Readonly<Record<FunctionName | "isof", readonly FunctionSignature[]>> = {
  contains: [{ parameters: [STRING, STRING], returns: "Edm.Boolean" }],
  startswith: [{ parameters: [STRING, STRING], returns: "Edm.Boolean" }],
  endswith: [{ parameters: [STRING, STRING], returns: "Edm.Boolean" }],
  length: each([STRING], INTEGER),
  indexof: [{ parameters: [STRING, STRING], returns: INTEGER }],
  substring: [
    { parameters: [STRING, INTEGER], returns: STRING },
    { parameters: [STRING, INTEGER, INTEGER], returns: STRING },
  ],
  tolower: each([STRING], STRING),
  toupper: each([STRING], STRING),
  trim: each([STRING], STRING),
  concat: [{ parameters: [STRING, STRING], returns: STRING }],
  year: each([INSTANT, DATE], INTEGER),
  month: each([INSTANT, DATE], INTEGER),
  day: each([INSTANT, DATE], INTEGER),
  hour: each([INSTANT, TIME], INTEGER),
  minute: each([INSTANT, TIME], INTEGER),
  second: each([INSTANT, TIME], INTEGER),
  fractionalseconds: each([INSTANT, TIME], "Edm.Decimal"),
  totalseconds: each(["Edm.Duration"], "Edm.Decimal"),
  date: each([INSTANT], DATE),
  time: each([INSTANT], TIME),
  totaloffsetminutes: each([INSTANT], INTEGER),
  now: [{ parameters: [], returns: INSTANT }],
  mindatetime: [{ parameters: [], returns: INSTANT }],
  maxdatetime: [{ parameters: [], returns: INSTANT }],
  round: [...each(["Edm.Decimal"], "Edm.Decimal"), ...each(["Edm.Double"], "Edm.Double")],
  floor: [...each(["Edm.Decimal"], "Edm.Decimal"), ...each(["Edm.Double"], "Edm.Double")],
  ceiling: [...each(["Edm.Decimal"], "Edm.Decimal"), ...each(["Edm.Double"], "Edm.Double")],
  cast: [],
  isof: [],
};

/** Returns whether a name (in lower case) is a supported canonical function with fixed signatures. */
export function isFunctionName(name: string): name is Exclude<FunctionName, "cast"> {
  return Object.hasOwn(FUNCTION_SIGNATURES, name) && !isTypeFunction(name);
}

/** Returns whether a name (in lower case) is a function whose last argument is a type. */
export function isTypeFunction(name: string): name is "cast" | "isof" {
  return name === "cast" || name === "isof";
}
