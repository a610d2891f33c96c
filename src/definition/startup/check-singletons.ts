import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredService,
  type DeclaredSingleton,
  isOwn,
  navigationPlace,
  operationPlace,
} from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import { checkOptions, describe, type FaultPlace, isObject } from "../option-table.ts";
import { OPTION_TABLES } from "./option-tables.ts";

/** The rules for singletons. They are listed in the order of their faults. */
export const SINGLETON_RULES: readonly StartupRule[] = Object.freeze([
  checkListed,
  checkSingletons,
  checkOperations,
  checkTargets,
]);

/** Checks that the list of singletons contains declarations of singletons. */
function* checkListed({ options: { singletons } }: DeclaredService): Iterable<ConfigurationFault> {
  const listed: readonly unknown[] = Array.isArray(singletons) ? singletons : [];
  for (const [index, each] of listed.entries()) {
    if (isDeclaration(each, "SingletonDeclaration")) continue;
    const message = `\`singletons\` contains ${describe(each)} at position ${String(index)}.`;
    yield { message, fix: 'List results of `singleton(entityType(…), { name: "Me", … })`.' };
  }
}

/** Checks the options of each singleton, and that the service has its set. */
function* checkSingletons({ singletons }: DeclaredService): Iterable<ConfigurationFault> {
  for (const singleton of singletons) {
    const { name, declaration } = singleton;
    const { options, entityType } = declaration;
    const place: FaultPlace = { set: name, route: `/${name}` };
    const table = isOwn(declaration) ? OPTION_TABLES.singleton : OPTION_TABLES.setSingleton;
    yield* checkOptions(table, options, "singleton", place);
    if (options["name"] === undefined) {
      yield { ...place, message: "A singleton has no name.", fix: 'Give `name`, such as "Me".' };
    }
    if (!isDeclaration(entityType, "EntityTypeDeclaration")) {
      const fix = "Give the type first: singleton(entityType(…), { … }).";
      yield { ...place, message: "The singleton has no entity type.", fix };
    } else if (isOwn(declaration)) {
      yield* checkOwn(singleton, place);
    } else {
      yield* checkOver(singleton, place);
    }
  }
}

function* checkOwn({ declaration: { options } }: DeclaredSingleton, place: FaultPlace): Iterable<ConfigurationFault> {
  if (options["get"] === undefined) {
    const fix = "Give `get`, or `from` and `key`.";
    yield { ...place, message: "The singleton has no handler that reads its entity.", fix };
  }
  const { authorization } = options;
  if (!isObject(authorization) || authorization["rows"] === undefined) return;
  const fix = "Return null from `get`, or use resource(…).";
  yield { ...place, message: "`authorization.rows` hides rows, but a singleton has one entity.", fix };
}

function* checkOver(
  { declaration: { options, entityType }, set }: DeclaredSingleton,
  place: FaultPlace,
): Iterable<ConfigurationFault> {
  if (options["key"] === undefined) {
    const fix = "Give a function such as (ctx) => requireUser(ctx).id.";
    yield { ...place, message: "The singleton has `from`, but no `key`.", fix };
  }
  if (set === undefined) {
    const message = "`from` of the singleton is not an entity set of this service.";
    yield { ...place, message, fix: "List the same object in `entitySets`." };
    return;
  }
  if (set.entityType !== entityType) {
    const message = `The singleton has the type ${entityType.name}, but ${set.name} contains ${set.entityType.name}.`;
    yield { ...place, message, fix: `Write singleton(${set.entityType.name}, { … }).` };
  }
  if (set.options["getByKey"] !== undefined) return;
  const message = `The singleton cannot read its entity: ${set.name} has no \`getByKey\`.`;
  yield { ...place, message, fix: `Declare getByKey of ${set.name}.` };
}

/** Checks that the operations of a singleton are bound to its entity: it has no collection. */
function* checkOperations({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets.filter(({ isOfSingleton }) => isOfSingleton)) {
    for (const operation of set.operations) {
      if (operation.bound !== "collection") continue;
      const message = `\`${operation.name}\` is bound to a collection, but a singleton is one entity.`;
      yield { ...operationPlace(set, operation), message, fix: 'Give `bound: "entity"`.' };
    }
  }
}

/** Checks that no collection-valued navigation leads to a singleton. @see OData CSDL 4.0, section 13.4 */
function* checkTargets({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  const own = new Set(sets.filter(({ isOfSingleton }) => isOfSingleton).map(({ name }) => name));
  for (const set of sets) {
    for (const navigation of set.navigations) {
      const { target } = navigation.options;
      if (typeof target !== "string" || !own.has(target) || navigation.declaration.cardinality !== "many") continue;
      const message = `\`${navigation.field}\` leads to many entities, but its target "${target}" is a singleton.`;
      yield {
        ...navigationPlace(set, navigation),
        message,
        fix: "Name an entity set, or declare it with hasOptional.",
      };
    }
  }
}
