import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredOperation,
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  operationPlace,
} from "../model/declared-service.ts";
import type { DeclaredTypes } from "../model/declared-types.ts";
import { checkOptions, describe, type FaultPlace, isObject } from "../option-table.ts";
import { checkProperty } from "./check-property.ts";
import { ENUM_TYPE_OPTIONS, TYPE_OPTIONS } from "./option-tables.ts";

/** Checks the properties of entity and complex types. */
export function* checkProperties(_service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  for (const type of types.entityTypes) yield* checkMembers(type, "entity property");
  for (const type of types.complexTypes) yield* checkMembers(type, "complex property");
}

/** Checks that each entity type has a key. @see OData CSDL 4.0, section 8.2 */
export function* checkKeys(_service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
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
export function* checkEnumTypes(_service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  for (const { name, members, isFlags, options } of types.enumTypes) {
    const place = { set: name };
    if (isObject(options)) {
      yield* checkOptions(ENUM_TYPE_OPTIONS, options, `the enumeration ${name}`, place);
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
): Iterable<ConfigurationFault> {
  const place = { set: type.name };
  if (!isObject(type.properties)) {
    const message = `The properties of ${type.name} are ${describe(type.properties)}.`;
    yield { ...place, message, fix: "Give an object of keys and builders, such as { id: edm.int32().key() }." };
  }
  yield* checkTypeOptions(type.options, type.name, place);
  for (const [field, property] of entriesOf(type.properties)) {
    const what = `the property \`${field}\` of ${type.name}`;
    if (isDeclaration(property, "Property")) {
      yield* checkProperty(property.declared, use, what, place);
    } else {
      const fix = "Declare it with a builder, such as edm.string(); relate entities with `navigation` of entitySet.";
      yield { ...place, message: `${what[0]?.toUpperCase() ?? ""}${what.slice(1)} is ${describe(property)}.`, fix };
    }
  }
}

function* checkTypeOptions(options: unknown, name: string, place: FaultPlace): Iterable<ConfigurationFault> {
  if (isObject(options)) yield* checkOptions(TYPE_OPTIONS, options, `the type ${name}`, place);
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
