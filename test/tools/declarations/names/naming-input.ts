import type { ObjectName } from "../../../../src/databases/introspect/database-schema.ts";
import { chooseNames } from "../../../../src/tools/declarations/names/choose-names.ts";
import {
  type NamingInput,
  type NamingObject,
  type NamingOptions,
  objectKey,
  type ServiceNames,
} from "../../../../src/tools/declarations/names/naming.ts";

type NamingRelation = NamingInput["relations"][number];
type NamingLink = NamingInput["links"][number];

/**
 * Tables as text: columns separated by commas. `customer_id > customer` is a foreign key, `>>` a unique one. Columns of a
 * composite key are joined by `+` and are not listed otherwise. A column in `enum()` has an anonymous type.
 */
export type Tables = Readonly<Record<string, string>>;

export const USUAL: NamingOptions = { style: "idiomatic", names: {}, defaultSchema: "public" };

/** Makes the input of names from tables as text. @param linkTables each has two foreign keys */
export function namingInput(
  tables: Tables,
  linkTables: readonly string[] = [],
  enums: readonly string[] = [],
): NamingInput {
  const objects: NamingObject[] = [];
  const relations: NamingRelation[] = [];
  for (const [table, text] of Object.entries(tables)) {
    const columns: string[] = [];
    const enumColumns: string[] = [];
    for (const part of text.split(",").map((given) => given.trim())) {
      const [left = "", target] = part.split(/>+/u).map((side) => side.trim());
      const own = left.split("+").map((column) => column.replace(/^enum\((.*)\)$/u, "$1"));
      columns.push(...own.filter((column) => !columns.includes(column)));
      if (left.startsWith("enum(")) enumColumns.push(...own);
      if (target === undefined) continue;
      const id = `${table}.${left}>${target}`;
      relations.push({ id, from: nameOf(table), columns: own, to: nameOf(target), isUnique: part.includes(">>") });
    }
    objects.push({ ...nameOf(table), columns, enumColumns });
  }
  const links = linkTables.flatMap((table) => linksOf(relations.filter(({ from }) => isNamed(from, table))));
  return { objects, relations, links, enumTypes: enums.map(nameOf) };
}

/** Chooses the names of tables as text. */
export function namesOf(
  tables: Tables,
  linkTables: readonly string[] = [],
  given: Partial<NamingOptions> = {},
): ServiceNames {
  return chooseNames(namingInput(tables, linkTables), { ...USUAL, ...given });
}

/** Lists all names: `Type/Set`, then the properties that differ from the columns, then the navigations. */
export function listNames(input: NamingInput, names: ServiceNames): Readonly<Record<string, string>> {
  const lists: Record<string, string> = {};
  for (const object of input.objects) {
    const own = names.objects.get(objectKey(object));
    if (own === undefined) throw new Error(object.name);
    const members = [...own.properties.values()];
    for (const { id, from } of input.relations) {
      if (isSame(from, object)) members.push(names.relations.get(id)?.toOne ?? { name: "?", field: "?" });
    }
    for (const { id, to } of input.relations) {
      if (isSame(to, object)) members.push(names.relations.get(id)?.reverse ?? { name: "?", field: "?" });
    }
    for (const { id, from } of input.links) {
      if (isSame(from.target, object)) members.push(names.links.get(id) ?? { name: "?", field: "?" });
    }
    lists[`${own.typeName}/${own.setName}`] = members.map(({ name }) => name).join(" ");
  }
  return lists;
}

/** Returns the navigations of tables by the identifiers of relations, such as `order.customer_id>customer`. */
export function navigations(names: ServiceNames): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...Array.from(names.relations, ([id, { toOne, reverse }]) => [id, `${toOne.name} ${reverse.name}`]),
    ...Array.from(names.links, ([id, { name }]) => [id, name]),
  ]);
}

export function nameOf(table: string): ObjectName {
  const [schema, name] = table.split(".");
  return name === undefined ? { schema: "public", name: table } : { schema: schema ?? "", name };
}

function linksOf([one, other]: readonly NamingRelation[]): readonly NamingLink[] {
  if (one === undefined || other === undefined) return [];
  return [
    [one, other],
    [other, one],
  ].flatMap(([from, to]) => {
    if (from === undefined || to === undefined) return [];
    const sides = { from: { columns: from.columns, target: from.to }, to: { columns: to.columns, target: to.to } };
    return [{ id: `${from.id} ${to.id}`, link: from.from, ...sides }];
  });
}

function isNamed(object: ObjectName, table: string): boolean {
  return isSame(object, nameOf(table));
}

function isSame(one: ObjectName, other: ObjectName): boolean {
  return one.schema === other.schema && one.name === other.name;
}
