import type { User } from "../../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import { type AuthorizationRequirement, CATEGORIES, type Category } from "../../definition/sets/authorization.ts";
import { PROPERTY_ACTS, type PropertyAct } from "../../definition/sets/property-rules.ts";
import { judge } from "../../engine/rules/judge-rules.ts";

/** The acts that a user may not do; a missing act is permitted, as far as rules can say without an entity. */
type Denied<Act extends string> = { readonly [act in Act]?: false };

/** What a user may not do with an entity set or an operation. */
interface ResourceAccess extends Denied<Category> {
  /** By name, also of navigation properties. Properties that the user may use in every way are missing. */
  readonly properties?: Readonly<Record<string, Denied<PropertyAct>>>;
}

/** By the name of an entity set, singleton or operation import. Those that the user may use in every way are missing. */
export type ExplorerAccess = Readonly<Record<string, ResourceAccess>>;

/**
 * Returns what the declared rules deny to a user. No data is read: what depends on an entity, or on its row, is permitted.
 * @see docs/reference/explorer.md
 */
export function accessOf({ entitySets, singletons, operations }: ServiceDefinition, user: User | null): ExplorerAccess {
  const shown = [...entitySets.values()].filter(({ entitySet }) => entitySet.castFrom === undefined);
  const sets = shown.map((set) => [set.entitySet.name, accessToSet(set, user)] as const);
  const single = Array.from(singletons, ([name, { singleton }]) => {
    const set = entitySets.get(singleton.entitySet.name);
    return [name, set === undefined ? {} : accessToSet(set, user)] as const;
  });
  const unbound = Array.from(operations, ([name, { authorization: invoke }]) => {
    return [name, denied({ invoke }, ["invoke"], user)] as const;
  });
  return withoutEmpty([...sets, ...single, ...unbound]);
}

function accessToSet(set: EntitySetDefinition, user: User | null): ResourceAccess {
  const { authorization, propertyRules, navigationAuthorization } = set;
  const own = Array.from(propertyRules, ([{ name }, rules]) => [name, denied(rules, PROPERTY_ACTS, user)] as const);
  const along = Array.from(navigationAuthorization, ([name, { target }]) => {
    return [name, denied(target, ["read"], user)] as const;
  });
  const properties = withoutEmpty([...own, ...along]);
  const acts = denied(authorization, CATEGORIES, user);
  return Object.keys(properties).length === 0 ? acts : { ...acts, properties };
}

function denied<Act extends string>(
  rules: Readonly<Record<Act, readonly AuthorizationRequirement[]>>,
  acts: readonly Act[],
  user: User | null,
): Denied<Act> {
  const failed = acts.filter((act) => judge(rules[act], user) === "failed");
  return Object.fromEntries(failed.map((act) => [act, false])) as Denied<Act>;
}

function withoutEmpty<Value extends object>(
  entries: readonly (readonly [name: string, value: Value])[],
): Readonly<Record<string, Value>> {
  return Object.fromEntries(entries.filter(([, value]) => Object.keys(value).length > 0));
}
