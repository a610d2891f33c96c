import type { EntityNames } from "./entity-names.ts";
import { inflect } from "./inflection.ts";
import { identifier, pascalCase, wordsOf } from "./words.ts";

/** What the columns of a foreign key say about the entity that they refer to. */
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
export function toOneName(columns: readonly string[], target: EntityNames, isOnly: boolean): string {
  const role = roleOf(columns, target);
  if (isNamedByTarget(role, isOnly)) return target.navigation.typeName;
  return pascalCase(role.isWhole ? [...role.words, target.navigation.typeName] : role.words);
}

/**
 * Names the reverse navigation of a foreign key: the set of the entities with the foreign key, or their type if the columns
 * are unique. A role other than the target type is added: `CustomersByHomeAddress`.
 * @param isOnly whether no other foreign key of these entities leads to the target
 */
export function reverseName(
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
export interface LinkSide {
  readonly columns: readonly string[];
  readonly target: EntityNames;
}

/**
 * Names a navigation through a link table: the target set, if the name of the table has both types, else the role of the
 * target and the link: `SubscribersThroughSubscription`. Both directions between entities of one type contain their roles.
 */
export function linkName(link: EntityNames, from: LinkSide, to: LinkSide): string {
  const isBetweenTypes = from.target !== to.target && isNamedAfter(link, from.target, to.target);
  return isBetweenTypes ? to.target.navigation.setName : throughName(link, to);
}

/** Names a navigation through a link table by the role of its target. */
export function throughName(link: EntityNames, to: LinkSide): string {
  const { words, isTarget } = roleOf(to.columns, to.target);
  const role = isTarget ? to.target.navigation.setName : pascalCase(inflect(words)[1]);
  return identifier(`${role}Through${link.navigation.typeName}`);
}

/** Adds the columns of a constraint to the name of its navigation. */
export function nameByColumns(name: string, columns: readonly string[]): string {
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
