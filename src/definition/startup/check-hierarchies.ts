import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  navigationPlace,
  operationPlace,
} from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import { describe, type FaultPlace } from "../option-table.ts";
import { baseOf, basesBelow, declaredTypeOf, ownProperties } from "../types/hierarchy.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** The rules for derived types. They are listed in the order of their faults. @see docs/guides/derived-types.md */
export const HIERARCHY_RULES: readonly StartupRule[] = Object.freeze([
  checkSets,
  checkDerivedTypes,
  checkOtherSets,
  checkNavigations,
  checkResults,
]);

/** Checks that the type of a set has no base, and that the types in `derived` are derived from it. */
function* checkSets({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const root = declaredTypeOf(set.entityType);
    const place = { set: set.name };
    if (baseOf(root) !== undefined) {
      const fix =
        "Give `derived` to the set of the base type, which contains its entities; or repeat the properties without `base`.";
      yield { ...place, message: `The set ${set.name} contains ${root.name}, which has a base type.`, fix };
    }
    const derived = set.options["derived"];
    for (const each of Array.isArray(derived) ? (derived as readonly unknown[]) : []) {
      if (!isDeclaration(each, "EntityTypeDeclaration")) {
        const message = `\`derived\` of ${set.name} contains ${describe(each)}.`;
        yield { ...place, message, fix: "List results of entityType with the option `base`." };
      } else if (each === root || basesBelow(root, each) === null) {
        const message = `\`derived\` of ${set.name} contains ${each.name}, which is not derived from ${root.name}.`;
        yield {
          ...place,
          message,
          fix: `Give it the option \`base: ${root.name}\`, or a type derived from it, or remove it.`,
        };
      }
    }
    const streams = entriesOf(set.entityType.properties).some(
      ([, each]) => isDeclaration(each, "Property") && each.declared.stream !== undefined,
    );
    if (set.entityType.hierarchy !== undefined && (streams || set.options["media"] !== undefined)) {
      const message = `${set.name} has derived types and streams, which are not supported together.`;
      yield { ...place, message, fix: "Remove the streams, or the derived types." };
    }
    if (set.virtual.length > 0 && set.entityType.hierarchy !== undefined) {
      const message = `${set.name} has derived types and virtual properties, which are not supported together.`;
      yield { ...place, message, fix: "Remove `virtual`, or the derived types." };
    }
  }
}

/** Checks the properties of derived types: each belongs to one type, and rows of other types lack it. */
function* checkDerivedTypes({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const types of new Set(sets.map(({ entityType }) => entityType.hierarchy?.types ?? []))) {
    const owners = new Map<string, EntityTypeDeclaration>();
    for (const type of types) {
      const place = { set: type.name };
      for (const [field, property] of entriesOf(ownProperties(type))) {
        const owner = owners.get(field);
        owners.set(field, type);
        if (owner !== undefined) yield repeated(field, type, owner, place);
        if (type === types[0] || !isDeclaration(property, "Property")) continue;
        const { key, databaseDefault } = property.declared;
        const what = `the property \`${field}\` of ${type.name}`;
        if (key) {
          const fix = "Declare the key at the base type.";
          yield { ...place, message: `Derived types inherit their key, but ${what} is a key.`, fix };
        }
        if (databaseDefault) {
          const message = `\`.databaseDefault()\` would give rows of other types a value of ${what}.`;
          yield { ...place, message, fix: "Remove it, and the default of the column, or use `.default(value)`." };
        }
      }
      yield* overridden(type, place);
    }
  }
}

function repeated(
  field: string,
  type: EntityTypeDeclaration,
  owner: EntityTypeDeclaration,
  place: FaultPlace,
): ConfigurationFault {
  const message = `${owner.name} and ${type.name} both declare \`${field}\`.`;
  return { ...place, message, fix: "Declare it at their common base type, or give one of them another key." };
}

function* overridden(type: EntityTypeDeclaration, place: FaultPlace): Iterable<ConfigurationFault> {
  const { base, properties } = type;
  for (const [field, property] of entriesOf(base?.properties)) {
    if (base === undefined || Object.is(properties[field], property)) continue;
    const message = `${type.name} declares \`${field}\`, which it inherits from ${base.name}.`;
    yield { ...place, message, fix: "Remove it: derived types inherit all properties." };
  }
}

/** Checks that the sets of one type have the same derived types. */
function* checkOtherSets({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  const first = new Map<EntityTypeDeclaration, DeclaredSet>();
  for (const set of sets) {
    const root = declaredTypeOf(set.entityType);
    const known = first.get(root);
    first.set(root, known ?? set);
    if (known === undefined || known.entityType === set.entityType) continue;
    const message = `${known.name} and ${set.name} contain ${root.name}, but with different derived types.`;
    yield { set: set.name, message, fix: "Give both sets the same list of `derived`." };
  }
}

/** Checks that navigations lead to the types of sets. */
function* checkNavigations({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const navigation of set.navigations) {
      const { target } = navigation;
      if (target === undefined || !isDerived(target)) continue;
      const message = `The navigation \`${navigation.field}\` leads to ${declaredTypeOf(target).name}, a derived type.`;
      const fix = "Let it lead to the type of the set: clients cast the related entities.";
      yield { ...navigationPlace(set, navigation), message, fix };
    }
  }
}

/** Checks that operations return the types of sets. */
function* checkResults({ sets, operations, shown }: DeclaredService): Iterable<ConfigurationFault> {
  const all = [
    ...sets.flatMap((set) => set.operations.map((operation) => ({ set, operation }))),
    ...operations.map((operation) => ({ set: undefined, operation })),
  ];
  for (const { set, operation } of all) {
    const { returns } = operation.options;
    const type = isDeclaration(returns, "EntityCollection") ? returns.of : returns;
    if (!isDeclaration(type, "EntityTypeDeclaration") || !isDerived(shown.get(type) ?? type)) continue;
    const message = `\`${operation.name}\` returns ${type.name}, a derived type.`;
    const fix = "Return the type of the set: each entity names its own type.";
    yield { ...operationPlace(set, operation), message, fix };
  }
}

function isDerived(type: EntityTypeDeclaration): boolean {
  return baseOf(declaredTypeOf(type)) !== undefined;
}
