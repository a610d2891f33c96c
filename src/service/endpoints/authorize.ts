import type { User } from "../../definition/context.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { AuthorizationRequirement, Category } from "../../definition/sets/authorization.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { actionAlong, requireCategory, requireRules, navigationRules } from "../../engine/rules/judge-rules.ts";
import { hasPropertyRules, propertyAccessOf } from "../../engine/rules/property-access.ts";
import type { PropertyAccess } from "../../language/query/capabilities.ts";
import { type ResourcePath, stepsOf } from "../../language/query/resource-path.ts";

/** The rules of a route. */
export interface RouteRules {
  /** The category of the addressed set; null for the service itself, which has only the rules of the registration. */
  readonly category: Category | null;
  /** The categories of the target set of a route along a navigation. */
  readonly along?: readonly Category[] | undefined;
}

const NO_RULES: readonly AuthorizationRequirement[] = Object.freeze([]);

/** The user, and the results of the rules of the route. */
export interface CallerAccess {
  /** Null for an anonymous request. */
  readonly user: User | null;
  /** The rules that only a loaded entity can decide: checked when the entity is loaded. */
  readonly pending: readonly AuthorizationRequirement[];
  /** Whether the route follows a navigation that skips the rules of its target set. */
  readonly isTargetSkipped: boolean;
  /** The properties that the user may not read; null: none. */
  readonly properties: PropertyAccess | null;
}

/** Returns the access of a user where no rule restricts the route. */
export function unrestricted(user: User | null): CallerAccess {
  return { user, pending: NO_RULES, isTargetSkipped: false, properties: null };
}

/** Whether a service has any rule that may refuse a request. */
export function hasRules(definition: ServiceDefinition): boolean {
  const { authorization, entitySets, operations } = definition;
  return (
    authorization.length > 0 ||
    [...operations.values()].some((operation) => operation.authorization.length > 0) ||
    hasPropertyRules(definition) ||
    [...entitySets.values()].some((set) => Object.values(set.authorization).some((rules) => rules.length > 0))
  );
}

/**
 * Checks the rules of the registration, of the set that a path addresses, and of the set that it leads to.
 * @returns the rules of the addressed set that only the entity can decide, and the properties that the user may not read
 * @throws ODataError `Unauthorized` without a user, `Forbidden` with one
 * @see docs/guides/authorization.md
 */
export function authorize(
  user: User | null,
  definition: ServiceDefinition,
  path: ResourcePath,
  { category, along = [] }: RouteRules,
): CallerAccess {
  requireService(user, definition);
  requireSteps(user, definition, path);
  const pending = requireAddressed(user, definition, path, category);
  const properties = propertyAccessOf(definition, user);
  if (along.length === 0 || !("navigationProperty" in path)) {
    return { user, pending, isTargetSkipped: false, properties };
  }
  const set = definitionIn(definition, path.entitySet);
  const { name } = path.navigationProperty;
  const navigation = navigationRules(set, path.navigationProperty);
  for (const each of along) {
    requireRules(navigation.target[each], user, {
      action: actionAlong(each, set, path.navigationProperty),
      target: name,
    });
  }
  return { user, pending, isTargetSkipped: !navigation.asksTarget, properties };
}

/** Checks that a user may read the sets to which the steps of a path lead, and those that they leave. */
function requireSteps(user: User | null, definition: ServiceDefinition, path: ResourcePath): void {
  for (const { from, navigationProperty } of stepsOf(path)) {
    const set = definitionIn(definition, from.entitySet);
    requireCategory(set, "read", user);
    const action = actionAlong("read", set, navigationProperty);
    requireRules(navigationRules(set, navigationProperty).target.read, user, {
      action,
      target: navigationProperty.name,
    });
  }
}

/** Checks the rules of the service, which precede those of sets and operations. @throws ODataError as for `authorize` */
export function requireService(user: User | null, { authorization }: ServiceDefinition): void {
  requireRules(authorization, user, { action: "use this service" });
}

/** Checks the rules of the addressed set or operation. @returns the rules that only a loaded entity can decide */
function requireAddressed(
  user: User | null,
  definition: ServiceDefinition,
  path: ResourcePath,
  category: Category | null,
): readonly AuthorizationRequirement[] {
  if (path.kind === "operationImport") {
    const [{ name } = { name: "" }] = path.operations;
    const operation = definition.operations.get(name);
    if (operation === undefined) throw new Error(`The operation ${name} has a route, but no definition.`);
    return requireRules(operation.authorization, user, { action: `call ${name}` });
  }
  if (category === null || !("entitySet" in path)) return [];
  return requireCategory(definitionIn(definition, path.entitySet), category, user);
}
