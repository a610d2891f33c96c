import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredOperation,
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  isEntitySet,
  navigationPlace,
  operationPlace,
} from "../model/declared-service.ts";
import { type FaultPlace, checkOptions, describe, isObject } from "../option-table.ts";
import {
  ACTION_OPTIONS,
  DEFAULTS_OPTIONS,
  ENTITY_SET_OPTIONS,
  FUNCTION_OPTIONS,
  MANY_OPTIONS,
  ONE_OPTIONS,
  SERVICE_OPTIONS,
} from "./option-tables.ts";

/** Checks the names and kinds of all options of the registration, its defaults, sets, navigations and operations. */
export function* checkServiceOptions({ options, sets, operations }: DeclaredService): Iterable<ConfigurationFault> {
  yield* checkOptions(SERVICE_OPTIONS, options, "odataService", {});
  const { defaults, entitySets } = options;
  if (isObject(defaults)) yield* checkOptions(DEFAULTS_OPTIONS, defaults, "`defaults`", {});
  if (entitySets === undefined) {
    yield { message: "`entitySets` of odataService is missing.", fix: "Give an array of results of `entitySet`." };
  } else if (Array.isArray(entitySets)) {
    yield* checkListedSets(entitySets);
  }
  yield* checkOperationTables(options, {});
  for (const operation of operations) yield* checkOperationOptions(undefined, operation);
  for (const set of sets) yield* checkSetOptions(set);
}

function* checkListedSets(listed: readonly unknown[]): Iterable<ConfigurationFault> {
  for (const [index, each] of listed.entries()) {
    if (isEntitySet(each)) {
      if (isObject(each.options)) continue;
      const is = `The options of the set at position ${index} of \`entitySets\` are ${describe(each.options)}.`;
      yield { message: is, fix: "Give an object: entitySet(type, { … })." };
      continue;
    }
    const message = isDeclaration(each, "EntitySetDeclaration")
      ? `The set at position ${index} of \`entitySets\` has no entity type.`
      : `\`entitySets\` contains ${describe(each)} at position ${index}.`;
    yield { message, fix: "List results of `entitySet(entityType(…), { … })`." };
  }
}

function* checkSetOptions(set: DeclaredSet): Iterable<ConfigurationFault> {
  const place = { set: set.name };
  yield* checkOptions(ENTITY_SET_OPTIONS, set.options, "entitySet", place);
  for (const fault of set.check?.() ?? []) yield { ...place, ...fault };
  yield* checkOperationTables(set.options, place);
  for (const operation of set.operations) yield* checkOperationOptions(set, operation);
  for (const [field, value] of entriesOf(set.options["navigation"])) {
    if (isDeclaration(value, "NavigationDeclaration")) continue;
    const message = `The navigation \`${field}\` is ${describe(value)}.`;
    yield { ...place, message, fix: "Declare it with hasMany, hasOptional or hasRequired." };
  }
  for (const navigation of set.navigations) {
    const { field, declaration, target, failure, options } = navigation;
    const { cardinality } = declaration;
    const table = cardinality === "many" ? MANY_OPTIONS : ONE_OPTIONS;
    const maker = `has${cardinality.charAt(0).toUpperCase()}${cardinality.slice(1)}`;
    const where = navigationPlace(set, navigation);
    yield* checkOptions(table, options, `\`${field}\` (${maker})`, where);
    if (target !== undefined) continue;
    const fix = "Give the type, or a function that returns it: hasMany(() => Line, { … }).";
    const reason = failure === undefined ? "" : `: ${failure}`;
    yield { ...where, message: `The navigation \`${field}\` leads to no entity type${reason}.`, fix };
  }
}

function* checkOperationTables(
  options: Readonly<Record<string, unknown>>,
  place: FaultPlace,
): Iterable<ConfigurationFault> {
  for (const [option, maker, kind, other] of [
    ["functions", "fn", "Function", "action"],
    ["actions", "action", "Action", "fn"],
  ] as const) {
    for (const [name, value] of entriesOf(options[option])) {
      if (isDeclaration(value, "OperationDeclaration") && value.operationKind === kind) continue;
      const is = isDeclaration(value, "OperationDeclaration") ? `the result of ${other}(…)` : describe(value);
      yield { ...place, message: `\`${name}\` of \`${option}\` is ${is}.`, fix: `Declare it with ${maker}({ … }).` };
    }
  }
}

function* checkOperationOptions(
  set: DeclaredSet | undefined,
  operation: DeclaredOperation,
): Iterable<ConfigurationFault> {
  const { kind, name, options } = operation;
  const place = operationPlace(set, operation);
  const [table, maker] = kind === "Function" ? [FUNCTION_OPTIONS, "fn"] : [ACTION_OPTIONS, "action"];
  yield* checkOptions(table, options, `\`${name}\` (${maker})`, place);
  if (options["handler"] === undefined) {
    yield { ...place, message: `\`${name}\` has no handler.`, fix: "Give a `handler` function." };
  }
  for (const [parameter, value] of entriesOf(options["params"])) {
    if (isDeclaration(value, "Property")) continue;
    const message = `The parameter \`${parameter}\` of \`${name}\` is ${describe(value)}.`;
    yield { ...place, message, fix: "Declare its type with a builder, such as edm.int32()." };
  }
}
