import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { isKeyType } from "../../edm/primitive-type.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import { toDefaultValue } from "../model/build-types.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredOperation,
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  fieldsSet,
  operationPlace,
} from "../model/declared-service.ts";
import { type DeclaredTypes, toEnumType, type StartupRule } from "../model/declared-types.ts";
import { checkEnumTexts } from "../model/enum-texts.ts";
import { checkOptions, describe, type FaultPlace, isObject, type OptionTable } from "../option-table.ts";
import type { DeclaredValueType, PropertyDeclaration } from "../types/value-type.ts";
import { checkFacets, type MakeFault, typeName } from "./check-facets.ts";
import { HIERARCHY_RULES } from "./check-hierarchies.ts";
import { checkMediaType } from "./check-media-type.ts";
import { OPTION_TABLES } from "./option-tables.ts";

const NONE: ReadonlySet<string> = new Set();

/** The rules for declared types. They are listed in the order of their faults. */
export const TYPE_RULES: readonly StartupRule[] = Object.freeze([
  checkProperties,
  checkKeys,
  checkEnumTypes,
  checkEnumTexts,
  ...HIERARCHY_RULES,
]);

/** Checks the properties of entity and complex types. */
function* checkProperties(service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  for (const type of types.entityTypes) yield* checkMembers(type, "entity property", fieldsSet(service, type));
  for (const type of types.complexTypes) yield* checkMembers(type, "complex property", NONE);
}

/** Checks that each entity type has a key. @see OData CSDL 4.0, section 8.2 */
function* checkKeys(_service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  for (const { name, properties } of types.entityTypes) {
    const keys = entriesOf(properties).filter(
      ([, property]) => isDeclaration(property, "Property") && property.declared.key,
    );
    if (keys.length > 0) continue;
    const message = `The entity type ${name} has no key.`;
    yield { set: name, message, fix: "Mark the property that identifies an entity with .key()." };
  }
}

/** Checks that enumerations have members with integers, not negative for flags. @see OData CSDL 4.0, section 10 */
function* checkEnumTypes(_service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  for (const { name, members, isFlags, options } of types.enumTypes) {
    const place = { set: name };
    if (isObject(options)) {
      yield* checkOptions(OPTION_TABLES.enumType, options, `the enumeration ${name}`, place);
    } else if (options !== undefined) {
      const message = `The options of ${name} are ${describe(options)}.`;
      yield { ...place, message, fix: "Give an object, such as { isFlags: true }, or leave them out." };
    }
    const entries = entriesOf(members);
    if (entries.length === 0) {
      yield {
        ...place,
        message: `The enumeration ${name} has no members.`,
        fix: "Give an object of names and numbers.",
      };
    }
    for (const [member, value] of entries) {
      const least = isFlags ? 0 : Number.MIN_SAFE_INTEGER;
      if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) continue;
      const fix = isFlags ? "Give a whole number of 0 or more: a set of bits." : "Give a whole number.";
      yield { ...place, message: `The member \`${member}\` of ${name} cannot be ${describe(value)}.`, fix };
    }
  }
}

/** Checks the parameters and results of operations. */
export function* checkSignatures(service: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of service.sets) for (const operation of set.operations) yield* checkSignature(set, operation);
  for (const operation of service.operations) yield* checkSignature(undefined, operation);
}

function* checkMembers(
  type: { readonly name: string; readonly properties: unknown; readonly options?: object | undefined },
  use: "entity property" | "complex property",
  set: ReadonlySet<string>,
): Iterable<ConfigurationFault> {
  const place = { set: type.name };
  if (!isObject(type.properties)) {
    const message = `The properties of ${type.name} are ${describe(type.properties)}.`;
    yield { ...place, message, fix: "Give an object of keys and builders, such as { id: edm.int32().key() }." };
  }
  const table = use === "entity property" ? OPTION_TABLES.entityType : OPTION_TABLES.type;
  yield* checkTypeOptions(type.options, type.name, place, table);
  for (const [field, property] of entriesOf(type.properties)) {
    const what = `the property \`${field}\` of ${type.name}`;
    if (isDeclaration(property, "Property")) {
      yield* checkProperty(property.declared, use, what, place);
      yield* checkMediaType(property.declared, what, { type, set, place });
    } else {
      const fix = "Declare it with a builder, such as edm.string(); relate entities with `navigation` of entitySet.";
      yield { ...place, message: `${what[0]?.toUpperCase() ?? ""}${what.slice(1)} is ${describe(property)}.`, fix };
    }
  }
}

function* checkTypeOptions(
  options: unknown,
  name: string,
  place: FaultPlace,
  table: OptionTable,
): Iterable<ConfigurationFault> {
  if (isObject(options)) yield* checkOptions(table, options, `the type ${name}`, place);
  else if (options !== undefined) {
    const fix = "Give an object, such as { annotations: { … } }, or leave them out.";
    yield { ...place, message: `The options of ${name} are ${describe(options)}.`, fix };
  }
}

function* checkSignature(set: DeclaredSet | undefined, operation: DeclaredOperation): Iterable<ConfigurationFault> {
  const place = operationPlace(set, operation);
  for (const { name, declared } of operation.parameters) {
    yield* checkProperty(declared, "parameter", `the parameter \`${name}\` of \`${operation.name}\``, place);
  }
  const { returns, composable } = operation.options;
  if (isDeclaration(returns, "Property")) {
    yield* checkProperty(returns.declared, "result", `the result of \`${operation.name}\``, place);
  } else if (returns === undefined && operation.kind === "Function") {
    const fix = "Give `returns`, or declare an action: a function without a result has no meaning.";
    yield { ...place, message: `The function \`${operation.name}\` returns nothing.`, fix };
  } else if (returns !== undefined && !isEntityResult(returns)) {
    const fix = "Give a builder such as edm.decimal(), an entity type, or edm.collection of either.";
    yield { ...place, message: `\`returns\` of \`${operation.name}\` cannot be ${describe(returns)}.`, fix };
  }
  const isComposed = isDeclaration(returns, "EntityCollection") || isComplexCollection(returns);
  if (composable === true && !isComposed) {
    const fix = "Remove `composable`, or return edm.collection of an entity type or of edm.complex.";
    const message = `\`${operation.name}\` is composable, but returns no collection of entities or complex values.`;
    yield { ...place, message, fix };
  }
}

function isComplexCollection(value: unknown): boolean {
  return (
    isDeclaration(value, "Property") &&
    value.declared.item !== undefined &&
    isDeclaration(value.declared.item.type, "ComplexTypeDeclaration")
  );
}

function isEntityResult(value: unknown): boolean {
  return isDeclaration(value, "EntityTypeDeclaration") || isDeclaration(value, "EntityCollection");
}

/** The use of a property builder, which decides which modifiers are allowed. */
type PropertyUse = "entity property" | "complex property" | "virtual property" | "item" | "parameter" | "result";

type Modifier =
  | "key"
  | "ignored"
  | "computed"
  | "immutable"
  | "databaseDefault"
  | "onlyIfSelected"
  | "mediaType"
  | "json"
  | "default"
  | "describe"
  | "annotate";

/** The modifiers without effect, by use; `nullable` is allowed everywhere. */
const MEANINGLESS: Readonly<Record<PropertyUse, readonly Modifier[]>> = {
  "entity property": [],
  "complex property": ["key", "databaseDefault", "onlyIfSelected"],
  "virtual property": [
    "key",
    "ignored",
    "computed",
    "immutable",
    "databaseDefault",
    "mediaType",
    "default",
    "annotate",
  ],
  item: [
    "key",
    "ignored",
    "computed",
    "immutable",
    "databaseDefault",
    "onlyIfSelected",
    "json",
    "default",
    "describe",
    "annotate",
  ],
  parameter: ["key", "ignored", "computed", "immutable", "databaseDefault", "onlyIfSelected", "mediaType", "json"],
  result: [
    "key",
    "ignored",
    "computed",
    "immutable",
    "databaseDefault",
    "onlyIfSelected",
    "json",
    "default",
    "describe",
    "annotate",
  ],
};

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
  let isResolvable = false;
  if (isObject(declared.facets)) {
    const faults = [...checkFacets(declared, what, unwritten(use, declared), fault)];
    yield* faults;
    isResolvable = faults.length === 0;
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
  if (use === "entity property" && declared.onlyIfSelected && declared.ignored) {
    yield fault(`\`.onlyIfSelected()\` has no effect on ${what}, which is ignored.`, "Remove it, or `.ignored()`.");
  }
  if (declared.item !== undefined) yield* checkCollection(declared, declared.item, what, place);
  if (use === "entity property" && declared.key) yield* checkKey(declared, what, fault);
  if (isResolvable) yield* checkDefault(declared, what, fault);
  if (use === "entity property" && declared.databaseDefault) yield* checkDatabaseDefault(declared, what, fault);
}

/** Returns why no client writes a value; null if clients do. */
function unwritten(use: PropertyUse, { ignored }: PropertyDeclaration): string | null {
  if (use === "result" || use === "virtual property") return "which clients only read";
  return ignored ? "which is ignored" : null;
}

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
  if (declared.onlyIfSelected) {
    const fix = "Remove .onlyIfSelected() or .key().";
    yield fault(`A key is part of every entity, but ${what} is returned only if selected.`, fix);
  }
  if (declared.item !== undefined || !canBeKey(declared.type)) {
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

function hasModifier(declared: PropertyDeclaration, modifier: Modifier): boolean {
  switch (modifier) {
    case "json":
      return declared.json !== undefined;
    case "mediaType":
      return declared.mediaType !== undefined;
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
  if (use === "complex property" && modifier === "onlyIfSelected") {
    return "Remove it, and append it to the property of the entity that contains the complex value.";
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

function canBeKey(type: DeclaredValueType): boolean {
  return type.kind === "EnumTypeDeclaration" || isKeyType(type.name);
}
