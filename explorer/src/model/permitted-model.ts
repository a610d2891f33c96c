import type { EntitySet, Model, Navigation, Property, StructuredType } from "./model.ts";

/** Acts that a user may not do: these are false. */
type Denied<Act extends string> = { readonly [act in Act]?: boolean };

/** What a user may not do with a set or an unbound operation. */
interface ResourceAccess extends Denied<"read" | "create" | "update" | "delete" | "invoke"> {
  /** By name, also of navigation properties. */
  readonly properties?: Readonly<Record<string, Denied<PropertyAct>>>;
}

/** What a user may not do, by the name of a set or an operation. Everything else is permitted. */
export type Access = ReadonlyMap<string, ResourceAccess>;

/**
 * Returns a model as one user may use it: each set has a type of its own, without the properties that the user may not read,
 * and the abilities that the rules leave to the user.
 */
export function permittedModel(model: Model, access: Access): Model {
  if (access.size === 0) return model;
  const made = new Map<string, StructuredType>();
  const typeOf = (type: StructuredType, set: EntitySet | null): StructuredType => {
    const id = `${set?.name ?? ""} ${type.qualifiedName}`;
    const known = made.get(id);
    if (known !== undefined || type.kind === "complex") return known ?? type;
    const isDenied = denials(model, access, type, set);
    const properties = Array.from(type.properties.values(), (each) => permittedProperty(each, isDenied));
    const isReadable = ({ name }: Property | Navigation): boolean => !isDenied(name, "read");
    const permitted: StructuredType = {
      ...type,
      key: properties.filter(({ name }) => type.key.some((each) => each.name === name)),
      properties: byName(properties.filter(isReadable)),
      hidden: properties.filter((each) => !isReadable(each)),
    };
    // Types refer to one another.
    made.set(id, permitted);
    const navigations = [...type.navigations.values()].filter(isReadable).map((each): Navigation => {
      const target = typeOf(each.target, model.sets.get(set?.bindings.get(each.name) ?? "") ?? null);
      return { ...each, target };
    });
    return Object.assign(permitted, { navigations: byName(navigations) });
  };
  const setOf = (set: EntitySet): EntitySet => {
    const {
      read = true,
      create = true,
      update = true,
      delete: remove = true,
      invoke = true,
    } = access.get(set.name) ?? {};
    const { canCreate, canUpdate, canDelete, ...others } = set.abilities;
    const abilities = {
      ...others,
      canRead: read,
      canCreate: canCreate && create,
      canUpdate: canUpdate && update,
      canDelete: canDelete && remove,
      canInvoke: invoke,
    };
    return { ...set, type: typeOf(set.type, set), abilities };
  };
  const operations = model.operations.filter(({ importName }) => access.get(importName ?? "")?.invoke !== false);
  return {
    ...model,
    sets: byName(Array.from(model.sets.values(), setOf)),
    types: new Map(Array.from(model.types, ([name, type]) => [name, typeOf(type, null)])),
    operations: operations.map((each) => {
      const { result, entitySet } = each;
      if (result?.type.kind !== "complex") return each;
      const type = typeOf(result.type.type, model.sets.get(entitySet ?? "") ?? null);
      return { ...each, result: { ...result, type: { kind: "complex", type } } };
    }),
  };
}

type PropertyAct = "read" | "create" | "update";
type IsDenied = (name: string, act: PropertyAct) => boolean;

/** Without a set, the rules of all sets of the type apply. */
function denials(model: Model, access: Access, type: StructuredType, set: EntitySet | null): IsDenied {
  const sets = set === null ? [...model.sets.values()] : [set];
  const rules = sets
    .filter((each) => each.type.qualifiedName === type.qualifiedName)
    .map(({ name }) => access.get(name)?.properties ?? {});
  return (name, act) => rules.some((each) => each[name]?.[act] === false);
}

function permittedProperty(property: Property, isDenied: IsDenied): Property {
  const [isNotCreated, isNotUpdated] = [isDenied(property.name, "create"), isDenied(property.name, "update")];
  return {
    ...property,
    isNotCreated,
    immutable: property.immutable || isNotUpdated,
    readOnly: property.readOnly || (isNotCreated && isNotUpdated),
  };
}

function byName<Named extends { readonly name: string }>(all: readonly Named[]): ReadonlyMap<string, Named> {
  return new Map(all.map((each) => [each.name, each]));
}
