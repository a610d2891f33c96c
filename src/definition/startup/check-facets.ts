import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { attempt } from "../../base/maybe.ts";
import { PatternError } from "../../edm/linear-pattern.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import { resolveFacets } from "../model/resolve-facets.ts";
import { adviseName, describe } from "../option-table.ts";
import type { DeclaredValueType, PropertyDeclaration } from "../types/value-type.ts";

/** Makes a fault of the checked declaration. */
export type MakeFault = (message: string, fix: string) => ConfigurationFault;

const MAX_TEMPORAL_PRECISION = 12;

/** The facets that limit the values of clients, and so have no effect on values that no client writes. */
const LIMITS: ReadonlySet<string> = new Set(["minLength", "pattern", "minimum", "maximum", "minItems", "maxItems"]);

/**
 * Checks the names and values of the facets of a property, parameter, result or item.
 * @param what its name in messages, such as `the property \`id\` of Order`
 * @param unwritten why no client writes the value; null if clients do
 */
export function* checkFacets(
  declared: PropertyDeclaration,
  what: string,
  unwritten: string | null,
  fault: MakeFault,
): Iterable<ConfigurationFault> {
  const { type, item, facets } = declared;
  const allowed = [...facetsOf(type), ...(item === undefined ? [] : ["minItems", "maxItems"])];
  for (const [name, value] of Object.entries(facets) as ReadonlyArray<readonly [string, unknown]>) {
    if (value === undefined) continue;
    if (!allowed.includes(name)) {
      yield fault(`${typeName(type)} has no facet \`${name}\`, but ${what} has it.`, adviseName(name, allowed));
    } else if (unwritten !== null && LIMITS.has(name)) {
      yield fault(`\`${name}\` has no effect on ${what}, ${unwritten}.`, "Remove it.");
    } else {
      const wanted = faultOf(name, value, declared);
      if (wanted !== null) yield fault(`\`${name}\` of ${what} ${wanted.problem}.`, wanted.fix);
    }
  }
  const [least, most] = inverted(declared) ?? [];
  if (least === undefined) return;
  yield fault(
    `\`${least}\` of ${what} is above its \`${String(most)}\`.`,
    "No value would be valid: give a smaller one.",
  );
}

/** Returns the names of a lower bound and of the upper bound below it; null without such. Faulty bounds have their own faults. */
function inverted({ type, facets }: PropertyDeclaration): readonly [string, string] | null {
  const { minLength = 0, maxLength = Infinity, minItems = 0, maxItems = Infinity, minimum, maximum } = facets;
  if (minLength > maxLength) return ["minLength", "maxLength"];
  if (minItems > maxItems) return ["minItems", "maxItems"];
  if (minimum === undefined || maximum === undefined || type.kind !== "PrimitiveType") return null;
  const bounds = attempt(() => resolveFacets({ type, facets: { minimum, maximum } }), InvalidValueError);
  if (bounds instanceof InvalidValueError || bounds.minimum === undefined || bounds.maximum === undefined) return null;
  return valueCodec(type).compare(bounds.minimum, bounds.maximum) > 0 ? ["minimum", "maximum"] : null;
}

/** The problem with the value of a facet, and the fix. */
interface FacetFault {
  readonly problem: string;
  readonly fix: string;
}

/** Returns null for a valid value. */
function faultOf(name: string, value: unknown, declared: PropertyDeclaration): FacetFault | null {
  const wanted =
    name === "pattern" || name === "minimum" || name === "maximum" ? null : wantedFacet(name, value, declared);
  if (wanted !== null) return { problem: `cannot be ${describe(value)}`, fix: `Give ${wanted}.` };
  try {
    resolveFacets({ type: declared.type, facets: { [name]: value } });
    return null;
  } catch (error) {
    if (error instanceof PatternError) return { problem: error.message, fix: error.fix };
    if (!(error instanceof InvalidValueError)) throw error;
    return {
      problem: `cannot be ${describe(value)}: ${error.message.replace(/\.$/, "")}`,
      fix: `Give a finite ${declared.type.name}.`,
    };
  }
}

/** Returns the wanted value of a facet; null if the value is valid. */
function wantedFacet(name: string, value: unknown, { type, facets }: PropertyDeclaration): string | null {
  const isDecimal = type.name === "Edm.Decimal";
  if (name === "scale") {
    if (value === "variable") return null;
    const most = typeof facets.precision === "number" ? facets.precision : Number.MAX_SAFE_INTEGER;
    return isWhole(value, 0, most) ? null : "a whole number from 0 to the precision";
  }
  if (name === "precision" && !isDecimal) {
    return isWhole(value, 0, MAX_TEMPORAL_PRECISION) ? null : `a whole number from 0 to ${MAX_TEMPORAL_PRECISION}`;
  }
  if (name === "minLength" || name === "minItems") {
    return isWhole(value, 0, Number.MAX_SAFE_INTEGER) ? null : "a whole number of 0 or more";
  }
  return isWhole(value, 1, Number.MAX_SAFE_INTEGER) ? null : "a whole number of 1 or more";
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
}

function facetsOf({ name }: DeclaredValueType): readonly string[] {
  switch (name) {
    case "Edm.String":
      return ["maxLength", "minLength", "pattern"];
    case "Edm.Binary":
      return ["maxLength"];
    case "Edm.Decimal":
      return ["precision", "scale", "minimum", "maximum"];
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
    case "Edm.Int64":
    case "Edm.Single":
    case "Edm.Double":
      return ["minimum", "maximum"];
    case "Edm.TimeOfDay":
    case "Edm.DateTimeOffset":
    case "Edm.Duration":
      return ["precision"];
    default:
      return [];
  }
}

/** Returns the name of a type for messages. */
export function typeName({ kind, name }: DeclaredValueType): string {
  return kind === "ComplexTypeDeclaration" ? `The complex type ${name}` : name;
}
