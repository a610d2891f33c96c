import type { EntitySet, EntityType, HierarchyPlace, RecursiveHierarchy, StructuralProperty } from "../../edm/model.ts";
import { isObject } from "../option-table.ts";
import { edm } from "../types/edm-builders.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import { isDeclaration } from "./declaration-kind.ts";

/** The properties of the places of nodes, by field, which entities do not have. */
export const HIERARCHY_PLACES: ReadonlyMap<string, HierarchyPlace> = new Map([
  ["distanceFromRoot", "DistanceFromRoot"],
  ["drillState", "DrillState"],
  ["limitedDescendantCount", "LimitedDescendantCount"],
  ["limitedRank", "LimitedRank"],
]);

/** The fields of the properties that a hierarchy adds to the type of its set. */
export const HIERARCHY_FIELDS: readonly string[] = [...HIERARCHY_PLACES.keys()];

const isNowhere = (entities: readonly object[]): readonly null[] => entities.map(() => null);

const VIRTUAL: Readonly<Record<string, unknown>> = Object.freeze(
  Object.fromEntries(
    HIERARCHY_FIELDS.map((field) => {
      const type = field === "drillState" ? edm.string() : edm.int64();
      return [field, Object.freeze({ type: type.nullable().onlyIfSelected(), needs: [], read: isNowhere })];
    }),
  ),
);

/**
 * Returns the options of a set, with virtual properties for the places of nodes if it has a hierarchy. They are null, except in
 * the rows of a step of `$apply` that finds them.
 */
export function withHierarchy(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { hierarchy, virtual } = options;
  if (!isObject(hierarchy)) return options;
  return { ...options, virtual: isObject(virtual) ? { ...VIRTUAL, ...virtual } : VIRTUAL };
}

/** Returns the navigation of a set that leads to the parent of a node; undefined if none does by the property of the hierarchy. */
export function parentNavigation<Navigation extends ParentCandidate>(
  {
    name,
    entityType,
    navigations,
  }: Readonly<{ name: string; entityType: EntityTypeDeclaration; navigations: readonly Navigation[] }>,
  { parent }: Readonly<Record<string, unknown>>,
): Navigation | undefined {
  if (typeof parent !== "string") return undefined;
  return navigations.find(({ declaration, options: { target, on } }) => {
    if (declaration.cardinality === "many" || target !== name || !isObject(on)) return false;
    const [pair, ...others] = Object.entries(on);
    const related: unknown =
      pair !== undefined && pair[0] === parent ? entityType.properties[String(pair[1])] : undefined;
    return others.length === 0 && isDeclaration(related, "Property") && related.declared.key;
  });
}

/** A navigation of the set of a hierarchy. */
interface ParentCandidate {
  readonly declaration: { readonly cardinality: string };
  readonly options: Readonly<Record<string, unknown>>;
}

/** Returns the qualifier of a hierarchy. */
export function qualifierOf({ qualifier }: Readonly<Record<string, unknown>>, set: string): string {
  return typeof qualifier === "string" ? qualifier : `${set}Hierarchy`;
}

/**
 * Makes the hierarchy of a set.
 * @param option the checked option `hierarchy`
 * @returns undefined without a hierarchy
 */
export function toHierarchy(
  option: unknown,
  { name, entityType, navigationJoins, navigationPropertyBindings }: EntitySet,
): RecursiveHierarchy | undefined {
  const [node] = entityType.key;
  if (!isObject(option) || node === undefined) return undefined;
  for (const [navigation, join] of navigationJoins) {
    if (join.kind !== "direct" || navigationPropertyBindings.get(navigation) !== name) continue;
    const [pair] = join.pairs;
    const member = entityType.members.get(navigation);
    if (pair === undefined || pair.property.field !== option["parent"] || pair.related !== node) continue;
    if (member?.kind !== "NavigationProperty" || member.isCollection) continue;
    return {
      qualifier: qualifierOf(option, name),
      pair,
      places: placesOf(entityType),
    };
  }
  return undefined;
}

function placesOf({ virtualProperties = [] }: EntityType): ReadonlyMap<HierarchyPlace, StructuralProperty> {
  return new Map(
    virtualProperties.flatMap((property) => {
      const place = HIERARCHY_PLACES.get(property.field);
      return place === undefined ? [] : [[place, property] as const];
    }),
  );
}
