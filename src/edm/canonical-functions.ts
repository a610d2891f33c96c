import type { PrimitiveTypeName } from "./primitive-type.ts";

/** One signature of a canonical function: fixed parameter types, and the type of the result. */
export interface FunctionSignature {
  readonly parameters: readonly PrimitiveTypeName[];
  /** What the arguments are, for people: one word each. */
  readonly shown: readonly string[];
  readonly returns: PrimitiveTypeName;
}

const STRING = "Edm.String";
const INTEGER = "Edm.Int32";
const INSTANT = "Edm.DateTimeOffset";
const DATE = "Edm.Date";
const TIME = "Edm.TimeOfDay";

/** Builds signatures that differ only in their single parameter. */
function each(
  shown: string,
  parameters: readonly PrimitiveTypeName[],
  returns: PrimitiveTypeName,
): readonly FunctionSignature[] {
  return parameters.map((parameter) => ({ parameters: [parameter], shown: [shown], returns }));
}

/** Builds the signature of a text and a part of it. */
function ofPart(returns: PrimitiveTypeName): readonly FunctionSignature[] {
  return [{ parameters: [STRING, STRING], shown: ["text", "part"], returns }];
}

const NOW: readonly FunctionSignature[] = [{ parameters: [], shown: [], returns: INSTANT }];

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
 * The supported canonical functions with their signatures: parser, binder, `$metadata` and explorer read them here. Arguments are converted to the first signature that accepts
 * them. `round`, `floor` and `ceiling` distinguish Decimal and Double; an integer counts as Decimal. `cast` and `isof` take a
 * type and have no fixed signature; `isof` is bound as a comparison with null.
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export const FUNCTION_SIGNATURES: Readonly<Record<FunctionName | "isof", readonly FunctionSignature[]>> = {
  contains: ofPart("Edm.Boolean"),
  startswith: ofPart("Edm.Boolean"),
  endswith: ofPart("Edm.Boolean"),
  length: each("text", [STRING], INTEGER),
  indexof: ofPart(INTEGER),
  substring: [
    { parameters: [STRING, INTEGER], shown: ["text", "start"], returns: STRING },
    { parameters: [STRING, INTEGER, INTEGER], shown: ["text", "start", "length"], returns: STRING },
  ],
  tolower: each("text", [STRING], STRING),
  toupper: each("text", [STRING], STRING),
  trim: each("text", [STRING], STRING),
  concat: [{ parameters: [STRING, STRING], shown: ["text", "text"], returns: STRING }],
  year: each("time", [INSTANT, DATE], INTEGER),
  month: each("time", [INSTANT, DATE], INTEGER),
  day: each("time", [INSTANT, DATE], INTEGER),
  hour: each("time", [INSTANT, TIME], INTEGER),
  minute: each("time", [INSTANT, TIME], INTEGER),
  second: each("time", [INSTANT, TIME], INTEGER),
  fractionalseconds: each("time", [INSTANT, TIME], "Edm.Decimal"),
  totalseconds: each("duration", ["Edm.Duration"], "Edm.Decimal"),
  date: each("time", [INSTANT], DATE),
  time: each("time", [INSTANT], TIME),
  totaloffsetminutes: each("time", [INSTANT], INTEGER),
  now: NOW,
  mindatetime: NOW,
  maxdatetime: NOW,
  round: [...each("number", ["Edm.Decimal"], "Edm.Decimal"), ...each("number", ["Edm.Double"], "Edm.Double")],
  floor: [...each("number", ["Edm.Decimal"], "Edm.Decimal"), ...each("number", ["Edm.Double"], "Edm.Double")],
  ceiling: [...each("number", ["Edm.Decimal"], "Edm.Decimal"), ...each("number", ["Edm.Double"], "Edm.Double")],
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
