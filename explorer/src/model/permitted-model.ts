import { withLater } from "./later.ts";
import { byName, type EntitySet, type Model, type Navigation, type Property, type StructuredType } from "./model.ts";

/** Acts that a user may not do: these are false. */
type Denied<Act extends string> = { readonly [act in Act]?: boolean };
type PropertyAct = "read" | "create" | "update";

/** What a user may not do with a set or an unbound operation, and with the properties of the set, also for navigations. */
interface ResourceAccess extends Denied<PropertyAct | "delete" | "invoke"> {
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
    // Without a set, the rules of all sets of the type apply.
    const rules = [...(set === null ? model.sets.values() : [set])]
      .filter((each) => each.type.qualifiedName === type.qualifiedName)
      .map(({ name }) => access.get(name)?.properties ?? {});
    const may = ({ name }: Property | Navigation, act: PropertyAct): boolean =>
      rules.every((each) => each[name]?.[act] !== false);
    const { kind, name, qualifiedName } = type;
    const all = withLater({}, { properties: () => Array.from(type.properties.values(), permitProperty) });
    const permitProperty = (each: Property): Property => {
      const [isNotCreated, isNotUpdated] = [!may(each, "create"), !may(each, "update")];
      const readOnly = each.readOnly || (isNotCreated && isNotUpdated);
      return { ...each, isNotCreated, readOnly, immutable: each.immutable || isNotUpdated };
    };
    const permitNavigation = (each: Navigation): Navigation | readonly [] => {
      const target = typeOf(each.target, model.sets.get(set?.bindings.get(each.name) ?? "") ?? null);
      return may(each, "read") ? { ...each, target } : [];
    };
    const permitted = withLater(
      { kind, name, qualifiedName },
      {
        description: () => type.description,
        statedLabel: () => type.statedLabel,
        key: () => all.properties.filter(({ name }) => type.key.some((each) => each.name === name)),
        properties: () => byName(all.properties.filter((each) => may(each, "read"))),
        hidden: () => all.properties.filter((each) => !may(each, "read")),
        navigations: () => byName([...type.navigations.values()].flatMap(permitNavigation)),
      },
    );
    // Types refer to one another.
    made.set(id, permitted);
    return permitted;
  };
  const permit = (set: EntitySet): EntitySet => {
    const { name, type } = set;
    const { read = true, create = true, update = true, invoke = true, delete: remove = true } = access.get(name) ?? {};
    const abilities = () => {
      const { canCreate, canUpdate, canDelete, ...own } = set.abilities;
      const writes = { canCreate: canCreate && create, canUpdate: canUpdate && update, canDelete: canDelete && remove };
      return { ...own, ...writes, canRead: read, canInvoke: invoke };
    };
    const [bindings, description] = [() => set.bindings, () => set.description];
    return withLater({ name, type: typeOf(type, set) }, { bindings, description, abilities });
  };
  return {
    ...model,
    sets: byName([...model.sets.values()].map(permit)),
    singletons: byName([...model.singletons.values()].map(permit)),
    types: new Map(Array.from(model.types, ([name, type]) => [name, typeOf(type, null)])),
    operations: model.operations.filter(({ importName }) => access.get(importName ?? "")?.invoke !== false),
  };
}
