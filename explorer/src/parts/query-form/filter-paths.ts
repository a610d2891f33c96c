import type { Property, StructuredType } from "../../model/model.ts";
import { comparable, operatorsFor, type PathProperty } from "../../query/operators.ts";
import type { ResolvedPath } from "../../query/resolve-type.ts";

/** The type that a builder offers queries of, and the set with its abilities; null if the model names none. */
export type QueryPlace = Pick<ResolvedPath, "type" | "set">;

/** The begin of a condition. */
export interface FilterPath extends PathProperty {
  /** `Customer/Name`, `Items/Price`, `Tags/$it`. */
  readonly name: string;
  /** The collection whose items are compared, with the path from the item; null for a single value. */
  readonly collection: string | null;
}

/** Returns the paths that conditions may have: single values, and those of the items of collections. */
export function filterPaths({ type, set }: QueryPlace): readonly FilterPath[] {
  const ofItems = ({ name, ...property }: Property): readonly PathProperty[] => {
    const item = { ...property, name, isCollection: false };
    if (item.type.kind === "complex") return comparable(item.type.type);
    return operatorsFor(item).length === 0 ? [] : [{ path: "", property: item }];
  };
  const collections = [
    ...[...type.properties.values()].map((property) => ({ ...property, items: ofItems(property) })),
    ...[...type.navigations.values()].map((navigation) => ({ ...navigation, items: comparable(navigation.target) })),
  ].filter(({ isCollection }) => isCollection);
  return [
    ...singlePaths(type).map((each) => ({ ...each, name: each.path, collection: null })),
    ...collections.flatMap(({ name, items }) =>
      items.map((each) => ({ ...each, name: `${name}/${each.path || "$it"}`, collection: name })),
    ),
  ].filter(({ collection, path }) => set?.abilities.filterable(collection ?? path) ?? true);
}

/** Returns the paths that an order may have. */
export function sortPaths({ type, set }: QueryPlace): readonly string[] {
  const paths = singlePaths(type).map(({ path }) => path);
  return paths.filter((path) => set?.abilities.sortable(path) ?? true);
}

/** Returns the properties of a type, and those of the entities that navigations to one entity lead to. */
export function singlePaths(type: StructuredType): readonly PathProperty[] {
  const navigations = [...type.navigations.values()].filter(({ isCollection }) => !isCollection);
  return [...comparable(type), ...navigations.flatMap(({ name, target }) => comparable(target, `${name}/`))];
}
