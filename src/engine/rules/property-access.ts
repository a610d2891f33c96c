import type { ODataError } from "../../base/errors/odata-error.ts";
import { BoundedCache, keptPer } from "../../base/memo.ts";
import type { User } from "../../definition/context.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import { type AuthorizationRequirement, refusal, refusalTo } from "../../definition/sets/authorization.ts";
import type { PropertyAct } from "../../definition/sets/property-rules.ts";
import type { EntitySet, EntityType, StructuralProperty } from "../../edm/model.ts";
import type { EntityOwner, PropertyAccess } from "../../language/query/capabilities.ts";
import { judge } from "./judge-rules.ts";

/** A property that only some users may read. */
interface ReadRule {
  /** The position among the rules of the service. */
  readonly index: number;
  readonly entitySet: EntitySet;
  readonly property: StructuralProperty;
  readonly rules: readonly AuthorizationRequirement[];
}

const NONE: ReadonlySet<StructuralProperty> = new Set();

/** The most combinations of unreadable properties that a service keeps. Each user has one of them. */
const COMBINATIONS_KEPT = 1000;

const readRulesOf = keptPer(({ entitySets }: ServiceDefinition): readonly ReadRule[] => {
  const all = [...entitySets.values()].flatMap(({ entitySet, propertyRules }) =>
    Array.from(propertyRules, ([property, { read }]) => ({ entitySet, property, rules: read })),
  );
  return Object.freeze(all.filter(({ rules }) => rules.length > 0).map((rule, index) => ({ ...rule, index })));
});

const combinationsOf = keptPer(
  (_definition: ServiceDefinition) => new BoundedCache<string, PropertyAccess>(COMBINATIONS_KEPT),
);

/**
 * Judges the `read` rules of all properties of a service for a user.
 * @returns the same object for users who may read the same properties; null for a user who may read all of them
 * @see docs/guides/authorization.md
 */
export function propertyAccessOf(definition: ServiceDefinition, user: User | null): PropertyAccess | null {
  const rules = readRulesOf(definition);
  if (rules.length === 0) return null;
  const failed = rules.filter((rule) => judge(rule.rules, user) !== "passed");
  if (failed.length === 0) return null;
  const kind = user === null ? "anonymous" : "known";
  const key = `${kind} ${failed.map(({ index }) => index).join()}`;
  return combinationsOf(definition).getOrMake(key, () => toAccess(definition, failed, { key, kind }));
}

/** The users who may not read the same properties. */
interface Readers {
  readonly key: string;
  readonly kind: "anonymous" | "known";
}

function toAccess(
  { entitySets }: ServiceDefinition,
  unreadable: readonly ReadRule[],
  { key, kind }: Readers,
): PropertyAccess {
  const bySet = new Map<EntitySet, Set<StructuralProperty>>();
  const byType = new Map<EntityType, Set<StructuralProperty>>();
  for (const { entitySet } of entitySets.values()) bySet.set(entitySet, new Set());
  for (const { entitySet, property } of unreadable) {
    const { entityType } = entitySet;
    bySet.get(entitySet)?.add(property);
    byType.set(entityType, (byType.get(entityType) ?? new Set()).add(property));
  }
  return Object.freeze<PropertyAccess>({
    key,
    unreadableOf: (owner) => {
      if (owner.kind === "EntityType") return byType.get(owner) ?? NONE;
      // A set that the service made for results without a set represents their type.
      return bySet.get(owner) ?? byType.get(owner.entityType) ?? NONE;
    },
    refusal: ({ name }, owner) => refusalTo(kind, actionWith("read", name, ownerName(entitySets, owner)), name),
  });
}

function actionWith(act: PropertyAct, property: string, owner: string): string {
  if (act === "create") return `give '${property}' to new entities of ${owner}`;
  return `${act === "read" ? act : "change"} '${property}' of ${owner}`;
}

/** Returns a name that clients know: that of the type for a set that the service made for results without a set. */
function ownerName(published: ServiceDefinition["entitySets"], owner: EntityOwner): string {
  return owner.kind === "EntityType" || published.has(owner.name) ? owner.name : owner.entityType.name;
}

/** Whether any set of a service has rules for properties. */
export const hasPropertyRules: (definition: ServiceDefinition) => boolean = keptPer(({ entitySets }) =>
  [...entitySets.values()].some(({ propertyRules }) => propertyRules.size > 0),
);

/** A user, and the service with the rules. */
export interface RuledUser {
  readonly definition: ServiceDefinition;
  readonly user: User | null;
  /** The properties that the user may not read; null: none. */
  readonly properties: PropertyAccess | null;
}

/**
 * Returns the properties that a user may not give to new entities, or not change. The values of clients for computed
 * properties are ignored, so these are not among them.
 * @param owner the set of the entities; for a type, the rules of all of its sets apply
 */
export function refusedProperties(
  { definition, user }: RuledUser,
  owner: EntityOwner,
  act: "create" | "update",
): ReadonlySet<StructuralProperty> {
  const own = owner.kind === "EntitySet" ? definition.entitySets.get(owner.name) : undefined;
  if (own?.propertyRules.size === 0 || !hasPropertyRules(definition)) return NONE;
  const entityType = owner.kind === "EntitySet" ? owner.entityType : owner;
  const sets = own === undefined ? [...definition.entitySets.values()] : [own];
  const refused = sets
    .filter(({ entitySet, propertyRules }) => propertyRules.size > 0 && entitySet.entityType === entityType)
    .flatMap(({ propertyRules }) => [...propertyRules])
    .filter(([{ computed }, rules]) => !computed && judge(rules[act], user) !== "passed");
  return refused.length === 0 ? NONE : new Set(refused.map(([property]) => property));
}

/**
 * Makes the error for a body or link that writes such a property.
 * @param target the path in the body, or the name of the link
 */
export function refusalOfProperty(
  { definition, user }: RuledUser,
  act: "create" | "update",
  { property: { name }, owner, target = name }: RefusedProperty,
): ODataError {
  return refusal(user, actionWith(act, name, ownerName(definition.entitySets, owner)), target);
}

/** A property that a user may not write. */
interface RefusedProperty {
  readonly property: StructuralProperty;
  readonly owner: EntityOwner;
  readonly target?: string;
}
