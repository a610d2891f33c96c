import { chooseEntityNames, type EntityNames } from "./entity-names.ts";
import { chooseEnumNames } from "./enum-names.ts";
import { claimId, memberClaims } from "./member-claims.ts";
import { chooseMemberNames, type NamedMembers } from "./member-names.ts";
import { NameEntries } from "./name-entries.ts";
import {
  type MemberName,
  type NamingInput,
  type NamingOptions,
  type ObjectNames,
  objectKey,
  type RelationNames,
  type ServiceNames,
} from "./naming.ts";
import { pinnedEntities, pinnedMembers } from "./pinned-names.ts";

/**
 * Chooses the names of a service over a database: entity types and sets, properties, navigations, enumeration types. The
 * name of a navigation depends on its own foreign key, and on whether it is the only one between two tables. Another foreign key
 * or table renames it otherwise only if both want the same name; a warning says so.
 * @see docs/decisions/0047-names-over-databases.md
 */
export function chooseNames(input: NamingInput, options: NamingOptions): ServiceNames {
  const entries = new NameEntries(options.names);
  const named = chooseEntityNames(input.objects, pinnedEntities(input.objects, entries, options), options);
  const members = new Map<EntityNames, NamedMembers>();
  for (const [entity, claims] of memberClaims(input, named.entities, options)) {
    members.set(entity, chooseMemberNames(entity, claims, pinnedMembers(entity, claims, entries, options)));
  }
  const enums = chooseEnumNames(input.enumTypes, named.entities, entries, options);
  const objects = named.entities.map((entity): readonly [string, ObjectNames] => {
    const { object, typeName, setName } = entity;
    const properties = propertiesOf(object.columns, members.get(entity));
    return [objectKey(object), { typeName, setName, properties, enumTypes: enums.anonymous.get(entity) ?? new Map() }];
  });
  const memberWarnings = [...members.values()].flatMap(({ warnings }) => warnings);
  return {
    objects: new Map(objects),
    ...navigationsOf(input, [...members.values()]),
    enumTypes: enums.named,
    warnings: [...named.warnings, ...memberWarnings, ...enums.warnings, ...entries.unused()],
    faults: entries.faults,
  };
}

function propertiesOf(columns: readonly string[], named: NamedMembers | undefined): ReadonlyMap<string, MemberName> {
  const names = new Map<string, MemberName>();
  for (const column of columns) {
    const name = named?.members.get(claimId.column(column));
    if (name !== undefined) names.set(column, name);
  }
  return names;
}

/** The claims of navigations have different identifiers in all entities. */
function navigationsOf(
  input: NamingInput,
  members: readonly NamedMembers[],
): Pick<ServiceNames, "links" | "relations"> {
  const byClaim = new Map(members.flatMap((named) => [...named.members]));
  const relations = new Map<string, RelationNames>();
  for (const { id } of input.relations) {
    const [toOne, reverse] = [byClaim.get(claimId.toOne(id)), byClaim.get(claimId.reverse(id))];
    if (toOne !== undefined && reverse !== undefined) relations.set(id, { toOne, reverse });
  }
  const links = new Map<string, MemberName>();
  for (const { id } of input.links) {
    const name = byClaim.get(claimId.link(id));
    if (name !== undefined) links.set(id, name);
  }
  return { relations, links };
}
