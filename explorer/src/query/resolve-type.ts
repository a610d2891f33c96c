import type { EntitySet, Model, Navigation, Property, StructuredType } from "../model/model.ts";

/** What a resource path leads to. */
export interface ResolvedPath {
  readonly type: StructuredType;
  readonly isCollection: boolean;
  /** The set of the entities; null if the model names none, and for complex values. */
  readonly set: EntitySet | null;
}

/** A member of a type, or of those along a path. */
export type Member =
  | { readonly kind: "property"; readonly property: Property; readonly navigation?: undefined }
  | { readonly kind: "navigation"; readonly navigation: Navigation; readonly property?: undefined };

/** A segment, and the parentheses behind it, in which quotes may contain slashes. */
const SEGMENT = /((?:[^/('"]|'[^']*')+)(\((?:[^')]|'[^']*')*\))?\/?/gu;

/**
 * Returns the type that a resource path leads to, such as that of `Customers('A')/Orders`. The end may be `$count`, which
 * leads to what it counts.
 * @returns null for names that the model does not have, and for primitive values
 */
export function resolvePath(model: Model, path: string): ResolvedPath | null {
  let place: ResolvedPath | null = null;
  let isFirst = true;
  for (const [, name = "", parentheses] of path.matchAll(SEGMENT)) {
    const hasKey = parentheses !== undefined;
    if (name === "$count" || name === "$ref" || name === "$value" || name === "$each") continue;
    if (isFirst) place = resolveRoot(model, name, hasKey);
    else if (place !== null) place = resolveNext(model, place, name, hasKey);
    isFirst = false;
    if (place === null) return null;
  }
  return place;
}

function resolveRoot(model: Model, name: string, hasKey: boolean): ResolvedPath | null {
  const set = model.sets.get(name);
  if (set !== undefined) return { type: set.type, isCollection: !hasKey, set };
  return resultOf(
    model,
    model.operations.find(({ importName }) => importName === name),
  );
}

function resolveNext(
  model: Model,
  { type, set, isCollection }: ResolvedPath,
  name: string,
  hasKey: boolean,
): ResolvedPath | null {
  const navigation = type.navigations.get(name);
  if (navigation !== undefined) {
    const target = model.sets.get(set?.bindings.get(name) ?? "") ?? null;
    return { type: navigation.target, isCollection: navigation.isCollection && !hasKey, set: target };
  }
  const property = type.properties.get(name);
  if (property?.type.kind === "complex") return { type: property.type.type, isCollection: property.isCollection, set };
  if (property !== undefined) return null;
  const cast = model.types.get(name);
  if (cast !== undefined) return { type: cast, isCollection: isCollection && !hasKey, set };
  const short = name.slice(name.lastIndexOf(".") + 1);
  return resultOf(
    model,
    model.operations.find((operation) => operation.name === short && operation.boundTo !== null),
  );
}

function resultOf(model: Model, operation: Model["operations"][number] | undefined): ResolvedPath | null {
  const result = operation?.result;
  if (result?.type.kind !== "complex") return null;
  const set = model.sets.get(operation?.entitySet ?? "") ?? null;
  return { type: result.type.type, isCollection: result.isCollection, set };
}

/** Returns the member that a path of an expression leads to, such as `Customer/Address/City`; null without one. */
export function memberAt(type: StructuredType, path: string): Member | null {
  let current: StructuredType | null = type;
  let member: Member | null = null;
  for (const name of path.split("/")) {
    member = current === null ? null : memberOf(current, name);
    if (member === null) return null;
    current = targetOf(member);
  }
  return member;
}

function memberOf(type: StructuredType, name: string): Member | null {
  const property = type.properties.get(name);
  if (property !== undefined) return { kind: "property", property };
  const navigation = type.navigations.get(name);
  return navigation === undefined ? null : { kind: "navigation", navigation };
}

/** Returns the type whose members may follow a member in a path; null for primitive values. */
export function targetOf({ navigation, property }: Member): StructuredType | null {
  if (navigation !== undefined) return navigation.target;
  return property.type.kind === "complex" ? property.type.type : null;
}

/** Returns whether a member has several values, so that `any`, `all` and `$count` may follow. */
export function isCollection({ navigation, property }: Member): boolean {
  return navigation === undefined ? property.isCollection : navigation.isCollection;
}

/** Returns the type that a path of navigations and complex properties leads to; the type itself for an empty path. */
export function typeAt(type: StructuredType, path: string): StructuredType | null {
  if (path === "") return type;
  const member = memberAt(type, path);
  return member === null ? null : targetOf(member);
}
