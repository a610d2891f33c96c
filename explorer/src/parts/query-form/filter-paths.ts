import type { EntitySet, Property, StructuredType } from "../../model/model.ts";
import { comparable } from "../../query/operators.ts";

/** What a builder offers queries of: a type, and the set that says what is permitted; null if the model names none. */
export interface QueryPlace {
  readonly type: StructuredType;
  readonly set: EntitySet | null;
}

/** What a condition, or a key of an order, may begin with. */
export interface FilterPath {
  readonly path: string;
  /** The property that is compared; null for collections. */
  readonly property: Property | null;
  /** What conditions on the items of a collection begin with; empty for others. */
  readonly items: readonly FilterPath[];
}

/** Returns the paths that conditions may have: own properties, those of to-one navigations, and collections. */
export function filterPaths({ type, set }: QueryPlace): readonly FilterPath[] {
  const collections = [
    ...Array.from(type.properties.values())
      .filter(({ isCollection }) => isCollection)
      .map(({ name, type: item, ...property }) => ({
        path: name,
        property: null,
        items:
          item.kind === "complex"
            ? ofType(item.type)
            : [single("", { ...property, name, type: item, isCollection: false })],
      })),
    ...Array.from(type.navigations.values())
      .filter(({ isCollection }) => isCollection)
      .map(({ name, target }) => ({ path: name, property: null, items: ofType(target) })),
  ];
  return [...singlePaths(type), ...collections].filter(({ path }) => set?.abilities.filterable(path) ?? true);
}

/** Returns the paths that an order may have. */
export function sortPaths({ type, set }: QueryPlace): readonly string[] {
  return singlePaths(type)
    .map(({ path }) => path)
    .filter((path) => set?.abilities.sortable(path) ?? true);
}

function singlePaths(type: StructuredType): readonly FilterPath[] {
  const navigations = Array.from(type.navigations.values()).filter(({ isCollection }) => !isCollection);
  return [...ofType(type), ...navigations.flatMap(({ name, target }) => ofType(target, `${name}/`))];
}

function ofType(type: StructuredType, prefix = ""): readonly FilterPath[] {
  return comparable(type, prefix).map(({ path, property }) => single(path, property));
}

function single(path: string, property: Property): FilterPath {
  return { path, property, items: [] };
}
