import type { ComplexType, EntitySet, EntityType, Property } from "../edm/model.ts";
import type { MemberTable } from "./resolve-member.ts";

/** By set; by type for entities that belong to none. */
const tables = new WeakMap<EntitySet | EntityType, MemberTable<Property>>();

/**
 * The names that can follow an entity or a complex value in an expression. Of the navigation properties they are those
 * that the set declares: its type may have more, from another set.
 * @param entitySet the set that an entity belongs to; null: none, so nothing is known of its navigations
 */
export function memberTable(type: EntityType | ComplexType, entitySet: EntitySet | null): MemberTable<Property> {
  if (type.kind === "ComplexType" || type.navigationProperties.length === 0) return type;
  const owner = entitySet ?? type;
  const known = tables.get(owner);
  if (known !== undefined) return known;
  const members = [...type.properties, ...(entitySet?.navigationProperties.values() ?? [])];
  const table: MemberTable<Property> = {
    name: type.name,
    members: new Map(members.map((member) => [member.name, member])),
    membersIgnoringCase: new Map(members.map((member) => [member.name.toLowerCase(), member])),
  };
  tables.set(owner, table);
  return table;
}
