import { parseResourcePath } from "../../../src/language/syntax/path-parser.ts";
import { typeOfValues } from "../format/show-value.ts";
import type { EntitySet, Model, Navigation, Property, PropertyType, StructuredType } from "../model/model.ts";
import { parsed } from "./syntax.ts";

/** The place of a resource path in the model; the set is null if the model names none. */
export interface ResolvedPath {
  readonly type: StructuredType;
  readonly isCollection: boolean;
  readonly set: EntitySet | null;
}

/** A member of a type, or of those along a path. */
export type Member =
  | { readonly kind: "property"; readonly property: Property; readonly navigation?: undefined }
  | { readonly kind: "navigation"; readonly navigation: Navigation; readonly property?: undefined };

/**
 * Returns the type that a resource path leads to, such as that of `Customers('A')/Orders`; null for names that the model does
 * not have, and for primitive values. Segments such as `$count` do not change the type.
 */
export function resolvePath(model: Model, path: string): ResolvedPath | null {
  let place: ResolvedPath | null = null;
  // People write slashes within strings as they are.
  const encoded = path.replaceAll(/'[^']*'/gu, (text) => text.replaceAll("/", "%2F"));
  for (const { name, parentheses } of parsed(() => parseResourcePath(encoded)) ?? []) {
    if (/^\$(?:count|ref|value|each)$/u.test(name)) continue;
    place = follow(model, place, name, parentheses !== undefined);
    if (place === null) return null;
  }
  return place;
}

/** Returns the place that a name leads to from another; from the root if that is null. */
function follow(model: Model, from: ResolvedPath | null, name: string, isKeyed: boolean): ResolvedPath | null {
  if (from === null) {
    const [set, singleton] = [model.sets.get(name), model.singletons.get(name)];
    if (set !== undefined) return { type: set.type, isCollection: !isKeyed, set };
    if (singleton !== undefined) return { type: singleton.type, isCollection: false, set: singleton };
  } else {
    // A key may follow the arguments of a function.
    if (name === "") return { ...from, isCollection: false };
    const member = memberAt(from.type, name);
    const type = member === null ? model.types.get(name) : targetOf(member);
    const isMany = member === null ? from.isCollection : isCollection(member);
    const bound = model.sets.get(from.set?.bindings.get(name) ?? "") ?? null;
    const set = member?.kind === "navigation" ? bound : from.set;
    if (type !== undefined) return type === null ? null : { type, isCollection: isMany && !isKeyed, set };
  }
  const short = name.slice(name.lastIndexOf(".") + 1);
  const operation = model.operations.find(({ importName, boundTo, ...each }) =>
    from === null ? importName === name : boundTo !== null && each.name === short,
  );
  if (operation?.result?.type.kind !== "complex") return null;
  const { type, isCollection: isMany } = operation.result;
  const set = model.sets.get(operation.entitySet ?? "") ?? null;
  return { type: set?.type ?? model.types.get(type.type.qualifiedName) ?? type.type, isCollection: isMany, set };
}

/** Returns the member that a path of an expression leads to, such as `Customer/Address/City`; null without one. */
export function memberAt(type: StructuredType, path: string): Member | null {
  let [owner, member]: [owner: StructuredType | null, member: Member | null] = [type, null];
  for (const name of path.split("/")) {
    member = owner && memberNamed(owner, name);
    owner = member && targetOf(member);
  }
  return member;
}

function memberNamed({ properties, navigations }: StructuredType, name: string): Member | null {
  const [property, navigation] = [properties.get(name), navigations.get(name)];
  if (property !== undefined) return { kind: "property", property };
  return navigation === undefined ? null : { kind: "navigation", navigation };
}

/** Returns the type whose members may follow a member in a path; null for primitive values. */
export function targetOf({ navigation, property }: Member): StructuredType | null {
  if (navigation !== undefined) return navigation.target;
  return property.type.kind === "complex" ? property.type.type : null;
}

/** Returns whether a member has several values, so that `any`, `all` and `$count` may follow. */
export function isCollection({ navigation, property }: Member): boolean {
  return (navigation ?? property).isCollection;
}

/** Returns the type that a path of navigations and complex properties leads to; the type itself for an empty path. */
export function typeAt(type: StructuredType, path: string): StructuredType | null {
  if (path === "") return type;
  const member = memberAt(type, path);
  return member && targetOf(member);
}

/** Returns the type of a column of rows: that of the model, otherwise that of its values; null if they are not numbers. */
export function columnType(type: StructuredType | null, path: string, values: readonly unknown[]): PropertyType | null {
  return (type && memberAt(type, path)?.property?.type) ?? typeOfValues(values);
}

/** Returns the name of a type for people: `Int32`, `Color`. */
export function nameOfType(type: PropertyType): string {
  if (type.kind === "primitive") return type.name.replace(/^Edm\./u, "");
  return type.kind === "enum" ? type.enum.name : type.type.name;
}
