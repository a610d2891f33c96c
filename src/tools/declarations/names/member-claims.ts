import { toWireName } from "../../../definition/names.ts";
import type { DescribedWarning } from "../described-service.ts";
import type { EntityNames } from "./entity-names.ts";
import { inflect, asIdentifier, pascalCase, wordsOf, identifier } from "./inflection.ts";
import {
  TakenNames,
  type NamingInput,
  type NamingOptions,
  objectKey,
  describeColumns,
  describeObject,
  type MemberName,
} from "./naming.ts";

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

/** The role of the entity that a foreign key refers to, by the names of its columns. */
interface Role {
  /** Such as `home`, `address`; the words of the column without the ending of a key. */
  readonly words: readonly string[];
  /** Whether the words are the column as a whole. */
  readonly isWhole: boolean;
  /** Whether the words name the target type. */
  readonly isTarget: boolean;
}

const KEY_WORDS: ReadonlySet<string> = new Set(["id", "key", "code", "no", "nr", "fk"]);
const KEY_ENDING = /(?<=[\p{L}\p{Nd}])(?:Id|Key|Code|No|Nr|Fk)$|(?<=[\p{Ll}\p{Nd}])(?:ID|FK)$/u;

/**
 * Names the navigation of a foreign key to its target: the column without the ending of a key. A column without such an
 * ending gets the target type. The target type alone names the navigation of several columns, and of a column without such an
 * ending if no other foreign key of the table leads to the target.
 */
function toOneName(columns: readonly string[], target: EntityNames, isOnly: boolean): string {
  const role = roleOf(columns, target);
  if (isNamedByTarget(role, isOnly)) return target.navigation.typeName;
  return pascalCase(role.isWhole ? [...role.words, target.navigation.typeName] : role.words);
}

/**
 * Names the reverse navigation of a foreign key: the set of the entities with the foreign key, or their type if the columns
 * are unique. A role other than the target type is added: `CustomersByHomeAddress`.
 * @param isOnly whether no other foreign key of these entities leads to the target
 */
function reverseName(
  from: EntityNames,
  columns: readonly string[],
  target: EntityNames,
  isUnique: boolean,
  isOnly: boolean,
): string {
  const role = roleOf(columns, target);
  const child = isUnique ? from.navigation.typeName : from.navigation.setName;
  const isPlain = role.isTarget || isNamedByTarget(role, isOnly);
  return isPlain ? child : identifier(`${child}By${pascalCase(role.words)}`);
}

/** Whether a column states no role. A property has the name of the target if the column has it. */
function isNamedByTarget({ isWhole, isTarget }: Role, isOnly: boolean): boolean {
  return isOnly && isWhole && !isTarget;
}

/** One side of a link table. */
interface LinkSide {
  readonly columns: readonly string[];
  readonly target: EntityNames;
}

/**
 * Names a navigation through a link table: the target set, if the name of the table has both types, else the role of the
 * target and the link: `SubscribersThroughSubscription`. Both directions between entities of one type contain their roles.
 */
function linkName(link: EntityNames, from: LinkSide, to: LinkSide): string {
  const isBetweenTypes = from.target !== to.target && isNamedAfter(link, from.target, to.target);
  return isBetweenTypes ? to.target.navigation.setName : throughName(link, to);
}

/** Names a navigation through a link table by the role of its target. */
function throughName(link: EntityNames, to: LinkSide): string {
  const { words, isTarget } = roleOf(to.columns, to.target);
  const role = isTarget ? to.target.navigation.setName : pascalCase(inflect(words)[1]);
  return identifier(`${role}Through${link.navigation.typeName}`);
}

/** Adds the columns of a constraint to the name of its navigation. */
function nameByColumns(name: string, columns: readonly string[]): string {
  return identifier(`${name}By${pascalCase(columns.flatMap(wordsOf))}`);
}

function roleOf(columns: readonly string[], target: EntityNames): Role {
  const asTarget = { words: [target.navigation.typeName], isWhole: false, isTarget: true };
  const [column] = columns;
  if (columns.length !== 1 || column === undefined) return asTarget;
  const whole = wordsOf(column);
  const words = withoutKey(whole);
  const isWhole = words === whole;
  if (words.length === 0 || (isWhole && isTargetWithKey(whole, target))) return asTarget;
  return { words, isWhole, isTarget: target.aliases.has(pascalCase(words).toLowerCase()) };
}

/** Returns the same words if none ends a key. */
function withoutKey(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? "";
  if (KEY_WORDS.has(last.toLowerCase())) return words.slice(0, -1);
  return KEY_ENDING.test(last) ? [...words.slice(0, -1), last.replace(KEY_ENDING, "")] : words;
}

/** Returns whether a column without capitals and separators is the target and the ending of a key, such as `customerid`. */
function isTargetWithKey(words: readonly string[], { aliases }: EntityNames): boolean {
  const name = words.join("");
  return [...KEY_WORDS].some((ending) => name.endsWith(ending) && aliases.has(name.slice(0, -ending.length)));
}

function isNamedAfter(link: EntityNames, one: EntityNames, other: EntityNames): boolean {
  return [...one.aliases].some((first) =>
    [...other.aliases].some((second) => link.aliases.has(first + second) || link.aliases.has(second + first)),
  );
}

/** A property or navigation that needs a name. */
export interface Claim {
  /** Any text that no other claim of the type has. */
  readonly id: string;
  readonly kind: "link" | "property" | "reverse" | "to-one";
  /** The column of a property, or the columns of the foreign key. */
  readonly columns: readonly string[];
  /** The claimed member, such as `the column "value"`. */
  readonly what: string;
  /** The wanted name, and others if it is taken, best first. The last one gets a number if all are taken. */
  readonly names: readonly string[];
}

/** The members of an entity type with their names. */
export interface NamedMembers {
  /** By the `id` of the claim. */
  readonly members: ReadonlyMap<string, MemberName>;
  readonly warnings: readonly DescribedWarning[];
}

/** Words that an expression reads as a literal or operator in place of a property, so that no request could name it. */
const WORDS_OF_EXPRESSIONS = /^(?:null|not|INF|NaN|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$/u;

/** Returns whether a member cannot have a name, because expressions cannot use it. */
export function isUnusableName(name: string): boolean {
  return WORDS_OF_EXPRESSIONS.test(name);
}

/**
 * Gives each member of an entity type a name that differs from the others in more than case. Pinned names come first, then
 * the members in their order.
 * @param entity the type and set, for messages
 * @param pins the names that `NamingOptions.names` gives, by the `id` of the claim
 */
export function chooseMemberNames(
  entity: { readonly typeName: string; readonly setName: string },
  claims: readonly Claim[],
  pins: ReadonlyMap<string, string>,
): NamedMembers {
  const taken = new TakenNames();
  const owners = new Map<string, string>();
  const take = (name: string, what: string): MemberName => {
    taken.add(name);
    owners.set(name.toLowerCase(), what);
    return { name, field: toWireName(name, "camelCase") };
  };
  const pinned = new Map<string, MemberName>();
  for (const { id, what } of claims) {
    const pin = pins.get(id);
    if (pin !== undefined) pinned.set(id, take(pin, what));
  }
  const members = new Map<string, MemberName>();
  const warnings: DescribedWarning[] = [];
  const wanted = new Set(claims.map(({ id, names }) => (pins.has(id) ? "" : names[0]?.toLowerCase())));
  for (const { id, what, names } of claims) {
    const pin = pinned.get(id);
    const [usual = ""] = names;
    const isUnusable = isUnusableName(usual);
    if (pin !== undefined || (!taken.has(usual) && !isUnusable)) {
      members.set(id, pin ?? take(usual, what));
      continue;
    }
    const isFree = (name: string): boolean => !taken.has(name) && !wanted.has(name.toLowerCase());
    const owner = isUnusable ? "a word of expressions" : (owners.get(usual.toLowerCase()) ?? "");
    const member = take(taken.free(names, isFree), what);
    members.set(id, member);
    warnings.push(clashWarning(entity, member.name, `${what} is not named ${usual}, because ${owner} has that name`));
  }
  return { members, warnings };
}

function clashWarning(
  { typeName, setName }: { readonly typeName: string; readonly setName: string },
  name: string,
  reason: string,
): DescribedWarning {
  const message = `${reason}; "${typeName}.${name}" in \`names\` renames it`;
  return { code: "name-clash", place: `${setName}.${name}`, message, flag: null };
}
