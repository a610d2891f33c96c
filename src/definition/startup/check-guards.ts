import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import {
  type DeclaredService,
  type DeclaredSet,
  namesOf,
  propertyIn,
  navigationPlace,
  operationPlace,
} from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import { isObject } from "../option-table.ts";
import { type Category, needsResource, resolveCategories } from "../sets/authorization.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import {
  isGuarded,
  statesRules,
  navigationHandlersOf,
  askingNavigations,
  type EntityRoute,
  judgingRoutes,
  linkRoutes,
  navigationRoutes,
  navigationsInto,
} from "./check-authorization.ts";
import { checkInheritedRows } from "./check-inherited-rows.ts";
import { creatingRoutes } from "./creating-routes.ts";

/** The rules for `resource` and `readable`. They are listed in the order of their faults. */
export const RESOURCE_RULES: readonly StartupRule[] = Object.freeze([checkResources, checkReadable]);

/** The rules for conditions on rows. They are listed in the order of their faults. */
export const ROW_RULES: readonly StartupRule[] = Object.freeze([
  checkInheritedRows,
  checkRowRules,
  checkChosenKeys,
  checkOpenOperations,
]);

const ROWS_FIX = "Give `authorization.rows` of";

/** Checks that the service can load the entities that `resource` rules check. @see docs/guides/authorization.md */
function* checkResources({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const { name } = set;
    const judged = judgedCategories(set);
    if (set.options["getByKey"] === undefined) {
      const routes = [...entityRoutes(set, sets), ...judgingRoutes(set, sets)];
      for (const category of judged) {
        const first = routes.find((each) => each.category === category);
        if (first === undefined) continue;
        const message = `\`${category}\` requires resource(…), but no \`getByKey\` loads the entity that it checks.`;
        const { route, method } = first;
        yield { set: name, route, method, message, fix: "Declare getByKey, or remove resource(…)." };
      }
    }
    for (const operation of set.operations) {
      if (operation.bound !== "collection" || !judged.includes("invoke")) continue;
      const message = `\`${operation.name}\` is bound to a collection, but \`invoke\` requires resource(…), which checks one entity.`;
      const fix = "Bind it to an entity, or remove resource(…) from the rules for `invoke`.";
      yield { ...operationPlace(set, operation), message, fix };
    }
  }
}

/**
 * Checks that a set with a `resource` rule for `read` also has `rows`: queries cannot evaluate `resource` rules.
 * @see docs/guides/authorization.md
 */
function* checkReadable({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    if (!judgedCategories(set).includes("read") || hasRows(set)) continue;
    const { name, options } = set;
    const because = "`read` requires resource(…), which cannot be part of a query";
    const fix = set.isOfSingleton
      ? "Let `get` return null instead: a singleton has no `rows`."
      : `${ROWS_FIX} ${name}: the condition on the rows that queries return.`;
    if (["queryable", "getAll", "applyQuery"].some((form) => options[form] !== undefined)) {
      const message = `${because}, but the collection can be read and the set has no \`rows\`.`;
      yield { set: name, route: `/${name}`, method: "GET", message, fix };
      continue;
    }
    const [into] = askingNavigations(set, sets);
    if (into === undefined) continue;
    const message = `${because}, but \`${into.navigation.field}\` of ${into.from.name} leads to this set, which has no \`rows\`.`;
    yield { ...navigationPlace(into.from, into.navigation), set: name, message, fix };
  }
}

/** Checks that row rules can be evaluated on every route: by key they need `getByKey`, along a navigation a `target`. */
function* checkRowRules({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  const guarding = new Map<EntityTypeDeclaration, string[]>();
  for (const set of sets.filter(hasRows)) {
    guarding.set(set.entityType, [...(guarding.get(set.entityType) ?? []), set.name]);
    const [first] = [...entityRoutes(set, sets), ...linksInto(set, sets)];
    if (set.options["getByKey"] !== undefined || first === undefined) continue;
    const message =
      "`authorization.rows` hides entities, but without `getByKey` the service cannot check whether an entity is hidden.";
    yield { set: set.name, route: first.route, method: first.method, message, fix: "Declare getByKey." };
  }
  for (const set of sets) {
    for (const navigation of set.navigations) {
      const { field, target, options } = navigation;
      const guards = target === undefined ? undefined : guarding.get(target);
      if (target === undefined || guards === undefined || options["target"] !== undefined) continue;
      const message = `\`${field}\` leads to ${target.name} without a \`target\`, but ${guards.join(", ")} hides rows.`;
      const fix = `Give \`target\`: ${guards.map((each) => `"${each}"`).join(" or ")}.`;
      yield { ...navigationPlace(set, navigation), message, fix };
    }
  }
}

/**
 * Checks that a create with a key of the client cannot overwrite a hidden entity.
 * @see docs/guides/authorization.md
 */
function* checkChosenKeys(service: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of service.sets.filter(hasRows)) {
    if (set.options["getByKey"] !== undefined || !choosesKeys(set)) continue;
    // Databases reject a duplicate key.
    const first = [...creatingRoutes(set, service)].find(({ handler }) => !service.handlersCheckingRows.has(handler));
    if (first === undefined) continue;
    const message =
      "Clients choose the keys of new entities, but without `getByKey` the service cannot check whether a hidden entity has the key.";
    yield {
      set: set.name,
      route: first.route,
      method: "POST",
      message,
      fix: "Declare getByKey, or a key that is computed.",
    };
  }
}

/** Checks that unbound operations have explicit rules if any set has rules: a forgotten rule would open them to all. */
function* checkOpenOperations({ options, sets, operations }: DeclaredService): Iterable<ConfigurationFault> {
  const guarded = sets.find(isGuarded);
  if (guarded === undefined || statesRules(options["authorization"])) return;
  for (const operation of operations) {
    if (operation.options["authorization"] !== undefined) continue;
    const message = `\`${operation.name}\` and odataService have no \`authorization\`, but ${guarded.name} has rules.`;
    const fix = "Give it `authorization: authenticated()`, or `authorization: []` if every client may call it.";
    yield { ...operationPlace(undefined, operation), message, fix };
  }
}

/** Returns the categories whose rules need a loaded entity. */
function judgedCategories({ options }: DeclaredSet): readonly Category[] {
  const categories = Object.entries(resolveCategories(options["authorization"]));
  return categories.flatMap(([category, rules]) => (rules.some(needsResource) ? [category as Category] : []));
}

function hasRows({ options: { authorization } }: DeclaredSet): boolean {
  return isObject(authorization) && authorization["rows"] !== undefined;
}

/** Returns the routes that address an entity of the set, except routes that need `getByKey` themselves. */
function* entityRoutes(set: DeclaredSet, sets: readonly DeclaredSet[]): Iterable<EntityRoute> {
  const route = `/${set.name}({key})`;
  const { options } = set;
  if (options["replace"] !== undefined) yield { category: "update", route, method: "PUT" };
  if (options["patch"] !== undefined) yield { category: "update", route, method: "PATCH" };
  if (options["delete"] !== undefined) yield { category: "delete", route, method: "DELETE" };
  for (const navigation of set.navigations) {
    const handlers = navigationHandlersOf(navigation, sets);
    yield* navigationRoutes(`${route}/${navigation.name}`, handlers);
  }
  for (const operation of set.operations) {
    if (operation.bound !== "entity") continue;
    yield { category: "invoke", route: `${route}/${operation.name}`, method: methodOf(operation.kind) };
  }
}

/** Returns whether clients choose the whole key of an entity. */
function choosesKeys({ entityType, options }: DeclaredSet): boolean {
  const set = namesOf(options["set"]);
  return namesOf(entityType.properties).every((field) => {
    const declared = propertyIn(entityType, field);
    return declared?.key !== true || !(declared.computed || set.includes(field));
  });
}

function methodOf(kind: "Function" | "Action"): string {
  return kind === "Function" ? "GET" : "POST";
}

/** Returns the routes of other sets that accept references to entities of this set. */
function linksInto(set: DeclaredSet, sets: readonly DeclaredSet[]): readonly EntityRoute[] {
  return navigationsInto(set, sets).flatMap((into) => {
    // Removing the link of a single-valued navigation names no entity.
    const isMany = into.navigation.declaration.cardinality === "many";
    return linkRoutes(into, sets).filter(({ method }) => isMany || method !== "DELETE");
  });
}
