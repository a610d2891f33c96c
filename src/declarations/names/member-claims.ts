import type { EntityNames } from "./entity-names.ts";
import type { Claim } from "./member-names.ts";
import { type NamingInput, type NamingOptions, objectKey } from "./naming.ts";
import { type LinkSide, linkName, nameByColumns, reverseName, throughName, toOneName } from "./navigation-names.ts";
import { describeColumns, describeObject } from "./places.ts";
import { asIdentifier, pascalCase, wordsOf } from "./words.ts";

/** A navigation with its owner, and with its place among the navigations of the owner. */
interface OwnedClaim extends Claim {
  readonly owner: EntityNames;
  /** The position of the other table, and that of the first column in its table. */
  readonly order: readonly [table: number, column: number];
}

/** Finds the entity of an object. */
type FindEntity = (object: { readonly schema: string; readonly name: string }) => EntityNames | undefined;

/** Returns the identifiers of the claims of a column and of the navigations of a foreign key. */
export const claimId = {
  column: (name: string): string => `column ${name}`,
  toOne: (relation: string): string => `to-one ${relation}`,
  reverse: (relation: string): string => `reverse ${relation}`,
  link: (link: string): string => `link ${link}`,
} as const;

/**
 * Collects the members of each entity type in the order in which they get names: properties, navigations of own foreign
 * keys, reverse navigations, navigations through link tables. Each wants a name that depends on nothing else.
 */
export function memberClaims(
  input: NamingInput,
  entities: readonly EntityNames[],
  { style }: NamingOptions,
): ReadonlyMap<EntityNames, readonly Claim[]> {
  const byKey = new Map(entities.map((entity, index) => [objectKey(entity.object), { entity, index }]));
  const find: FindEntity = (object) => byKey.get(objectKey(object))?.entity;
  const orderOf = (entity: EntityNames, columns: readonly string[]): readonly [number, number] => [
    byKey.get(objectKey(entity.object))?.index ?? 0,
    entity.object.columns.indexOf(columns[0] ?? ""),
  ];
  const groups = [
    toOneClaims(input, find, orderOf),
    reverseClaims(input, find, orderOf),
    linkClaims(input, find, orderOf),
  ];
  const claims = new Map<EntityNames, Claim[]>();
  for (const entity of entities) {
    claims.set(
      entity,
      entity.object.columns.map((column) => columnClaim(column, style)),
    );
  }
  for (const claim of groups.flatMap((group) => group.toSorted(inOrder))) claims.get(claim.owner)?.push(claim);
  return claims;
}

function inOrder(one: OwnedClaim, other: OwnedClaim): number {
  return one.order[0] - other.order[0] || one.order[1] - other.order[1] || (one.id < other.id ? -1 : 1);
}

function columnClaim(column: string, style: NamingOptions["style"]): Claim {
  const name = style === "idiomatic" ? pascalCase(wordsOf(column)) : asIdentifier(column);
  // An object literal with the key `__proto__` has another prototype in place of a property.
  const names = [name === "__proto__" ? "proto" : name];
  return { id: claimId.column(column), kind: "property", columns: [column], what: `the column "${column}"`, names };
}

type OrderOf = (entity: EntityNames, columns: readonly string[]) => readonly [number, number];

/** Whether one foreign key alone leads from one table to another one. */
function isOnlyRelation(
  relations: NamingInput["relations"],
  { from, to }: Pick<NamingInput["relations"][number], "from" | "to">,
): boolean {
  const [own, target] = [objectKey(from), objectKey(to)];
  const isAlike = (each: NamingInput["relations"][number]): boolean =>
    objectKey(each.from) === own && objectKey(each.to) === target;
  return own !== target && relations.filter(isAlike).length === 1;
}

function toOneClaims({ relations }: NamingInput, find: FindEntity, orderOf: OrderOf): readonly OwnedClaim[] {
  return relations.flatMap(({ id, from, columns, to }) => {
    const [owner, target] = [find(from), find(to)];
    if (owner === undefined || target === undefined) return [];
    const isOnly = isOnlyRelation(relations, { from, to });
    const name = toOneName(columns, target, isOnly);
    const what = `the foreign key ${describeColumns(from, columns)}`;
    const named = toOneName(columns, target, false);
    const names = [...new Set([name, named, nameByColumns(named, columns)])];
    return [{ id: claimId.toOne(id), kind: "to-one", columns, owner, what, names, order: orderOf(owner, columns) }];
  });
}

function reverseClaims({ relations }: NamingInput, find: FindEntity, orderOf: OrderOf): readonly OwnedClaim[] {
  return relations.flatMap(({ id, from, columns, to, isUnique }) => {
    const [child, owner] = [find(from), find(to)];
    if (owner === undefined || child === undefined) return [];
    const isOnly = isOnlyRelation(relations, { from, to });
    const name = reverseName(child, columns, owner, isUnique, isOnly);
    const what = `the reverse of the foreign key ${describeColumns(from, columns)}`;
    const named = reverseName(child, columns, owner, isUnique, false);
    const names = [...new Set([name, named, nameByColumns(named, columns)])];
    return [{ id: claimId.reverse(id), kind: "reverse", columns, owner, what, names, order: orderOf(child, columns) }];
  });
}

function linkClaims({ links }: NamingInput, find: FindEntity, orderOf: OrderOf): readonly OwnedClaim[] {
  return links.flatMap(({ id, link, from, to }) => {
    const [entity, owner, target] = [find(link), find(from.target), find(to.target)];
    if (entity === undefined || owner === undefined || target === undefined) return [];
    const { columns } = to;
    const side: LinkSide = { columns, target };
    const through = throughName(entity, side);
    const usual = linkName(entity, { columns: from.columns, target: owner }, side);
    const names = [usual, through, nameByColumns(through, columns)];
    const what = `the navigation through ${describeObject(link)}`;
    return [{ id: claimId.link(id), kind: "link", columns, owner, what, names, order: orderOf(entity, columns) }];
  });
}
