import { keptPer } from "../../base/memo.ts";
import type { User } from "../../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { PropertyAct } from "../../definition/sets/property-rules.ts";
import { annotationPlace } from "../../edm/annotation.ts";
import { type StructuralProperty, shownProperties } from "../../edm/model.ts";
import type { Permission } from "../../language/query/capabilities.ts";
import { judge } from "./judge-rules.ts";

/** A property for which a set of its type has rules. */
interface RuledProperty {
  readonly place: string;
  readonly property: StructuralProperty;
  /** All sets of the type, because `$metadata` describes the property for all of them. */
  readonly sets: readonly EntitySetDefinition[];
}

const ruledPropertiesOf = keptPer(({ entitySets }: ServiceDefinition): readonly RuledProperty[] => {
  const all = [...entitySets.values()];
  const ruled = all.filter(({ propertyRules }) => propertyRules.size > 0);
  return [...new Set(ruled.map(({ entitySet }) => entitySet.entityType))].flatMap((type) => {
    const sets = all.filter(({ entitySet }) => entitySet.entityType === type);
    return shownProperties(type)
      .filter((property) => sets.some(({ propertyRules }) => propertyRules.has(property)))
      .map((property) => ({ place: annotationPlace("type", type.name, property.name), property, sets }));
  });
});

/**
 * Returns the permission of a user for each property that the user may not both read and write. A user who may
 * write it in one way, or through one set of the type, may write it.
 * @returns permissions by the place of the property, see `annotationPlace`
 * @see docs/guides/authorization.md
 */
export function permissionsOf(definition: ServiceDefinition, user: User | null): ReadonlyMap<string, Permission> {
  const permissions = new Map<string, Permission>();
  for (const { place, property, sets } of ruledPropertiesOf(definition)) {
    const may = (actsOf: (set: EntitySetDefinition) => readonly PropertyAct[]): boolean =>
      sets.some((set) => {
        const rules = set.propertyRules.get(property);
        return rules === undefined || actsOf(set).some((act) => judge(rules[act], user) === "passed");
      });
    const mayRead = may(() => ["read"]);
    const mayWrite = may((set) => writingActs(set, property));
    if (!mayRead) permissions.set(place, mayWrite ? "Write" : "None");
    else if (!mayWrite) permissions.set(place, "Read");
  }
  return permissions;
}

/** Returns the acts with which requests to a set write a property; both if no request writes it: capabilities state that. */
function writingActs(
  { handlers, isCreated }: EntitySetDefinition,
  { immutable }: StructuralProperty,
): readonly PropertyAct[] {
  const isUpdated = !immutable && (handlers.patch ?? handlers.replace) !== undefined;
  if (isCreated()) return isUpdated ? ["create", "update"] : ["create"];
  return isUpdated ? ["update"] : ["create", "update"];
}
