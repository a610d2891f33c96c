import { keptPer, keptPerPair } from "../../base/memo.ts";
import { TYPE_FIELD } from "../../edm/hierarchy.ts";
import { hasKind, isObject } from "../option-table.ts";
import { edm, Property } from "./edm-builders.ts";
import { enumType } from "./entity-type.ts";
import type { WithDerived } from "./entity-values.ts";
import type { AnyProperty, ComplexTypeDeclaration, EntityTypeDeclaration, Shape } from "./value-type.ts";

/**
 * Returns the type of the entities of a set with derived types, for `entitySet`, `sqlEntitySet` and sources: as the option
 * `derived` does, but so that handlers receive and return unions, which TypeScript narrows by `"@odata.type"`.
 * @param type the type of the set
 * @param derived types declared with `base`
 * @see docs/guides/derived-types.md
 */
export function withDerived<const E extends EntityTypeDeclaration, const D extends readonly EntityTypeDeclaration[]>(
  type: E,
  derived: D,
): WithDerived<E, D> {
  return hierarchyOf(type, derived) as WithDerived<E, D>;
}

/**
 * Returns the declaration of the entities of a set. It has the properties of all types, of which each entity has some, and the
 * name of the type of each entity: storage and engine know this one type. Equal lists have one declaration.
 * @param derived the option `derived`, which the startup checks
 * @returns the type itself without derived types
 */
export function hierarchyOf(type: EntityTypeDeclaration, derived: unknown): EntityTypeDeclaration {
  if (!isEntityType(type) || !Array.isArray(derived)) return type;
  const { types = [type] } = type.hierarchy ?? {};
  const [root = type, ...known] = types;
  const listed = (derived as readonly unknown[]).filter(isEntityType).flatMap((each) => basesBelow(root, each) ?? []);
  const added = [...new Set([...known, ...listed])];
  return added.length === 0 ? type : wholeOf(added.reduce(listWith, listOf(root)));
}

/** Returns the base types of a type below another one and the type itself, bases first; null if it is not derived from it. */
export function basesBelow(
  root: EntityTypeDeclaration,
  type: EntityTypeDeclaration,
): readonly EntityTypeDeclaration[] | null {
  const found: EntityTypeDeclaration[] = [];
  for (let at: unknown = type; isEntityType(at) && !found.includes(at); at = baseOf(at)) {
    if (at === root) return found.toReversed();
    found.push(at);
  }
  return null;
}

/** Returns the option `base` of a type, which the startup checks; undefined without one. */
export function baseOf({ options }: Pick<EntityTypeDeclaration, "options">): unknown {
  return isObject(options) ? options["base"] : undefined;
}

/** Whether no entity has a type itself, only types derived from it. */
export function isAbstract({ options }: Pick<EntityTypeDeclaration, "options">): boolean {
  return isObject(options) && options["abstract"] === true;
}

/** Returns the properties that a type adds to those of its base. */
export function ownProperties({ base, properties }: EntityTypeDeclaration): Shape {
  return base === undefined ? properties : Object.fromEntries(addedEntries(properties, base.properties));
}

function addedEntries(properties: Shape, inherited: Shape): ReadonlyArray<readonly [string, AnyProperty]> {
  return Object.entries(properties).filter(([field]) => !Object.hasOwn(inherited, field));
}

/** Returns the type of a hierarchy that declares a property; the type itself outside of hierarchies. */
export function declaringType<Type extends EntityTypeDeclaration | ComplexTypeDeclaration>(
  type: Type,
  field: string,
): Type | EntityTypeDeclaration {
  if (type.kind === "ComplexTypeDeclaration") return type;
  return type.hierarchy?.types.find((each) => Object.hasOwn(ownProperties(each), field)) ?? type;
}

/** Returns the declaration that shows the entities of a hierarchy as one of its types. */
export const seenAs: (whole: EntityTypeDeclaration, type: EntityTypeDeclaration) => EntityTypeDeclaration = keptPerPair(
  (whole, type) => {
    const { hierarchy } = whole;
    if (hierarchy === undefined || hierarchy.seen === type) return whole;
    const { name, options, description } = type;
    return Object.freeze({ ...whole, name, options, description, hierarchy: { ...hierarchy, seen: type } });
  },
);

/** Returns the type that the application declared. */
export function declaredTypeOf(type: EntityTypeDeclaration): EntityTypeDeclaration {
  return type.hierarchy?.seen ?? type;
}

interface TypeList {
  readonly types: readonly EntityTypeDeclaration[];
}

const listOf = keptPer((root: EntityTypeDeclaration): TypeList => Object.freeze({ types: Object.freeze([root]) }));

const listWith = keptPerPair(({ types }: TypeList, type: EntityTypeDeclaration): TypeList =>
  Object.freeze({ types: Object.freeze([...types, type]) }),
);

const wholeOf = keptPer(({ types }: TypeList): EntityTypeDeclaration => {
  const [root, ...derived] = types as readonly [EntityTypeDeclaration, ...EntityTypeDeclaration[]];
  const names = enumType(`${root.name}_types`, Object.fromEntries(types.map(({ name }, index) => [name, index])));
  const properties: Shape = Object.freeze({
    ...root.properties,
    ...Object.fromEntries(derived.flatMap((type) => Object.entries(ownProperties(type)).map(absentElsewhere))),
    [TYPE_FIELD]: edm.enum(names).immutable().json(TYPE_FIELD),
  });
  const whole: { -readonly [Member in keyof EntityTypeDeclaration]: EntityTypeDeclaration[Member] } = {
    ...root,
    properties,
  };
  whole.hierarchy = Object.freeze({ types, seen: root, whole });
  return Object.freeze(whole);
});

/** Makes the property of a derived type: entities of other types lack it. */
function absentElsewhere([field, property]: readonly [string, AnyProperty]): readonly [string, AnyProperty] {
  if (!hasKind(property, "Property")) return [field, property];
  const { declared } = property;
  // A collection is empty instead; the startup check refuses keys.
  if (declared.nullable || declared.item !== undefined || declared.key) return [field, property];
  return [field, new Property({ ...declared, nullable: true, requiredByType: true })];
}

function isEntityType(value: unknown): value is EntityTypeDeclaration {
  return hasKind(value, "EntityTypeDeclaration") && "properties" in value && isObject(value.properties);
}
