import { InvalidValueError } from "../../edm/value-codec.ts";
import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import { toEnumType } from "../model/declared-types.ts";
import { toDefaultValue } from "../model/default-value.ts";
import { type FaultPlace, adviseName, describe, isObject } from "../option-table.ts";
import type { DeclaredValueType, PropertyDeclaration } from "../types/value-type.ts";

/** The use of a property builder, which decides which modifiers are allowed. */
export type PropertyUse = "entity property" | "complex property" | "item" | "parameter" | "result";

type Modifier =
  | "key"
  | "ignored"
  | "computed"
  | "immutable"
  | "databaseDefault"
  | "json"
  | "default"
  | "describe"
  | "annotate";

/** The modifiers without effect, by use; `nullable` is allowed everywhere. */
const MEANINGLESS: Readonly<Record<PropertyUse, readonly Modifier[]>> = {
  "entity property": [],
  "complex property": ["key", "databaseDefault"],
  item: ["key", "ignored", "computed", "immutable", "databaseDefault", "json", "default", "describe", "annotate"],
  parameter: ["key", "ignored", "computed", "immutable", "databaseDefault", "json"],
  result: ["key", "ignored", "computed", "immutable", "databaseDefault", "json", "default", "describe", "annotate"],
};

const KEY_TYPES: ReadonlySet<string> = new Set([
  "Edm.Boolean",
  "Edm.Byte",
  "Edm.SByte",
  "Edm.Int16",
  "Edm.Int32",
  "Edm.Int64",
  "Edm.Decimal",
  "Edm.String",
  "Edm.Guid",
  "Edm.Date",
  "Edm.TimeOfDay",
  "Edm.DateTimeOffset",
  "Edm.Duration",
]);

const MAX_TEMPORAL_PRECISION = 12;

/**
 * Checks the type, facets, modifiers and default of a property, parameter, result or item.
 * @param what its name in messages, such as `the property \`id\` of Order`
 */
export function* checkProperty(
  declared: PropertyDeclaration,
  use: PropertyUse,
  what: string,
  place: FaultPlace,
): Iterable<ConfigurationFault> {
  const fault = (message: string, fix: string): ConfigurationFault => ({ ...place, message, fix });
  if (declared.item !== undefined && !isItem(declared.item)) {
    yield fault(`The items of ${what} are ${describe(declared.item)}.`, "Give a builder, such as edm.string().");
    return;
  }
  if (!isValueType(declared.type)) {
    yield fault(`The type of ${what} is ${describe(declared.type)}.`, "Use the result of enumType or complexType.");
    return;
  }
  if (isObject(declared.facets)) {
    yield* checkFacets(declared, what, fault);
  } else {
    const fix = "Give an object, such as { maxLength: 100 }, or leave it out.";
    yield fault(`The facets of ${what} are ${describe(declared.facets)}.`, fix);
  }
  if (declared.description !== undefined && typeof declared.description !== "string") {
    yield fault(`The description of ${what} cannot be ${describe(declared.description)}.`, "Give a string.");
  }
  for (const modifier of MEANINGLESS[use]) {
    if (!hasModifier(declared, modifier)) continue;
    yield fault(`\`.${modifier}()\` has no effect on ${what}.`, adviseModifier(use, modifier));
  }
  if (declared.ignored && declared.annotations !== undefined) {
    yield fault(`\`.annotate()\` has no effect on ${what}, which is ignored.`, "Remove it, or `.ignored()`.");
  }
  if (declared.item !== undefined) yield* checkCollection(declared, declared.item, what, place);
  if (use === "entity property" && declared.key) yield* checkKey(declared, what, fault);
  yield* checkDefault(declared, what, fault);
  if (use === "entity property" && declared.databaseDefault) yield* checkDatabaseDefault(declared, what, fault);
}

type MakeFault = (message: string, fix: string) => ConfigurationFault;

function* checkCollection(
  declared: PropertyDeclaration,
  item: PropertyDeclaration,
  what: string,
  place: FaultPlace,
): Iterable<ConfigurationFault> {
  if (declared.nullable) {
    const fix = "Use an empty collection; for nullable items, write edm.collection(….nullable()).";
    yield { ...place, message: `A collection is never null, but ${what} is nullable.`, fix };
  }
  if (item.item !== undefined) {
    const message = `The items of ${what} are collections.`;
    yield {
      ...place,
      message,
      fix: "Items are single values: declare a complex type that contains the inner collection.",
    };
    return;
  }
  // The facets of the item are checked with the collection.
  yield* checkProperty({ ...item, facets: {} }, "item", `the items of ${what}`, place);
}

function* checkKey(declared: PropertyDeclaration, what: string, fault: MakeFault): Iterable<ConfigurationFault> {
  if (declared.nullable) yield fault(`A key is never null, but ${what} is nullable.`, "Remove .nullable() or .key().");
  if (declared.ignored) {
    yield fault(`A key is part of every URL, but ${what} is ignored.`, "Remove .ignored() or .key().");
  }
  if (declared.item !== undefined || !isKeyType(declared.type)) {
    const is = declared.item === undefined ? typeName(declared.type) : "a collection";
    const fix = "Use Boolean, an integer, Decimal, String, Guid, a date or time type, Duration or an enumeration.";
    yield fault(`${is} cannot be a key, but ${what} is one.`, fix);
  }
}

function* checkDefault(declared: PropertyDeclaration, what: string, fault: MakeFault): Iterable<ConfigurationFault> {
  if (declared.defaultValue === undefined) return;
  try {
    toDefaultValue(declared, declared.defaultValue.value, (type) => toEnumType(type, "Default"));
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    yield fault(`The default of ${what} is not a value of its type: ${error.message}`, "Give a value of the type.");
  }
}

/** Reports the modifiers that contradict a default of the database. */
function* checkDatabaseDefault(
  { computed, ignored, defaultValue }: PropertyDeclaration,
  what: string,
  fault: MakeFault,
): Iterable<ConfigurationFault> {
  if (computed) {
    const fix = "Remove `.computed()` if clients may send the value, otherwise `.databaseDefault()`.";
    yield fault(`Clients send no value of ${what}, which is computed, so it needs no default.`, fix);
  }
  if (ignored) {
    yield fault(`\`.databaseDefault()\` has no effect on ${what}, which is ignored.`, "Remove it, or `.ignored()`.");
  }
  if (defaultValue !== undefined) {
    const fix = "Keep `.default(value)` for a literal, and `.databaseDefault()` for an expression.";
    yield fault(`The service and the database both have a default for ${what}.`, fix);
  }
}

function* checkFacets(declared: PropertyDeclaration, what: string, fault: MakeFault): Iterable<ConfigurationFault> {
  const allowed = facetsOf(declared.type);
  for (const [name, value] of Object.entries(declared.facets) as ReadonlyArray<readonly [string, unknown]>) {
    if (value === undefined) continue;
    if (!allowed.includes(name)) {
      yield fault(
        `${typeName(declared.type)} has no facet \`${name}\`, but ${what} has it.`,
        adviseName(name, allowed),
      );
      continue;
    }
    const wanted = wantedFacet(name, value, declared);
    if (wanted !== null) yield fault(`\`${name}\` of ${what} cannot be ${describe(value)}.`, `Give ${wanted}.`);
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
  return isWhole(value, 1, Number.MAX_SAFE_INTEGER) ? null : "a whole number of 1 or more";
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
}

function facetsOf({ name }: DeclaredValueType): readonly string[] {
  switch (name) {
    case "Edm.String":
    case "Edm.Binary":
      return ["maxLength"];
    case "Edm.Decimal":
      return ["precision", "scale"];
    case "Edm.TimeOfDay":
    case "Edm.DateTimeOffset":
    case "Edm.Duration":
      return ["precision"];
    default:
      return [];
  }
}

function hasModifier(declared: PropertyDeclaration, modifier: Modifier): boolean {
  switch (modifier) {
    case "json":
      return declared.json !== undefined;
    case "default":
      return declared.defaultValue !== undefined;
    case "describe":
      return declared.description !== undefined;
    case "annotate":
      return declared.annotations !== undefined;
    default:
      return declared[modifier];
  }
}

function adviseModifier(use: PropertyUse, modifier: Modifier): string {
  if (use === "item") return "Append it to edm.collection(…), or remove it.";
  if (use === "complex property" && modifier === "databaseDefault") {
    return "Remove it, and append it to the property with the complex value, if the database has a default for the whole value.";
  }
  if (use === "complex property") return "Remove it: only entity types have keys.";
  if (use === "parameter" && modifier === "json") return "Remove it: the key in `params` is the name.";
  return "Remove it.";
}

/** Returns whether a value is the declaration of a builder. */
function isItem(item: unknown): boolean {
  return isObject(item) && Object.hasOwn(item, "facets");
}

function isValueType(type: unknown): boolean {
  const kinds: readonly unknown[] = ["PrimitiveType", "EnumTypeDeclaration", "ComplexTypeDeclaration"];
  return typeof type === "object" && type !== null && "kind" in type && kinds.includes(type.kind);
}

function isKeyType(type: DeclaredValueType): boolean {
  return type.kind === "EnumTypeDeclaration" || KEY_TYPES.has(type.name);
}

function typeName({ kind, name }: DeclaredValueType): string {
  return kind === "ComplexTypeDeclaration" ? `The complex type ${name}` : name;
}
