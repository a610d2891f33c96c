import { isText } from "../format/show-value.ts";
import { labelProperties, type LabelProperties } from "../model/label-properties.ts";
import type { EntitySet, Model, Property } from "../model/model.ts";
import { filterOf } from "./filter-tree.ts";
import { anyContains, searchOf } from "./find-text.ts";
import { readTyped } from "./literals.ts";
import type { ResolvedPath } from "./resolve-type.ts";

/** The set to whose entities a property refers. */
export interface Reference {
  readonly set: EntitySet;
  /** The property of the set that has the value, which is its key most often. */
  readonly property: Property;
  readonly label: LabelProperties;
}

/** So many entities are offered for a text. */
const OFFERED = 8;

/** Returns the set that a property refers to as a foreign key; null if there is none, or if the user cannot search in it. */
export function referenceOf(model: Model, { type, set }: ResolvedPath, name: string): Reference | null {
  for (const { name: navigation, isCollection, constraints } of type.navigations.values()) {
    const target = model.sets.get(set?.bindings.get(navigation) ?? "");
    const property = target?.type.properties.get(constraints.get(name) ?? "");
    if (isCollection || constraints.size !== 1 || target === undefined || property === undefined) continue;
    const { canRead, canFilter, filterable } = target.abilities;
    if (canRead && canFilter && filterable(property.name)) {
      return { set: target, property, label: labelProperties(target.type) };
    }
  }
  return null;
}

type Options = ReadonlyMap<string, string>;

/** Returns the options that find the entity with the value of a typed text; null if no value has that text. */
export function exactOptions(reference: Reference, typed: string): Options | null {
  const { literal } = typed === "" ? { literal: null } : readTyped(typed, reference.property.type);
  if (literal === null) return null;
  return new Map([["$filter", `${reference.property.name} eq ${literal}`], ...shownOptions(reference, 1)]);
}

/** Returns the options that find entities whose label contains each word of a text, in any case; null if nothing can. */
export function searchOptions(reference: Reference, text: string): Options | null {
  const { set, property, label } = reference;
  const words = text.match(/\S+/gu) ?? [];
  const canFilter = ({ name }: Property): boolean => set.abilities.filterable(name);
  const paths = [...label, ...(isText(property.type) ? [property] : [])].filter(canFilter).map(({ name }) => name);
  const shown = shownOptions(reference, OFFERED);
  if (words.length === 0) return new Map(shown);
  if (label.some(canFilter)) {
    return new Map([["$filter", filterOf(words.flatMap((word) => anyContains(paths, word) ?? []))], ...shown]);
  }
  return set.abilities.canSearch ? new Map([["$search", searchOf(words)], ...shown]) : null;
}

function shownOptions({ set, property, label }: Reference, most: number): readonly (readonly [string, string])[] {
  const names = new Set([property, ...label].map(({ name }) => name));
  const select = set.abilities.canSelect ? ([["$select", [...names].join(",")]] as const) : [];
  return set.abilities.canTop ? [...select, ["$top", String(most)]] : select;
}
