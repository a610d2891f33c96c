import { keyOf, plainText } from "./compare-values.ts";
import type { WalkedNavigation } from "./read-model.ts";
import type { ReadSet } from "./read-pages.ts";
import type { Entity, Walk } from "./walk.ts";

/** Walks through a navigation: its path shows the entities of its expansion, and conditions along it count all entities. */
export async function walkNavigation(walk: Walk, read: ReadSet, navigation: WalkedNavigation): Promise<void> {
  const name = encodeURIComponent(navigation.name);
  const expanded = await walk.entities(`${read.path}?$expand=${name}`);
  if (expanded === undefined) return;
  judgeReferences(walk, read, navigation, expanded);
  const related = expanded.filter((entity) => listOf(entity[navigation.name]).length > 0);
  const alone = expanded.filter((entity) => listOf(entity[navigation.name]).length === 0);
  for (const entity of new Set([...related.slice(0, 2), ...alone.slice(0, 1)])) {
    await follow(walk, read, navigation, entity);
  }
  await countAlong(walk, read, navigation);
}

/** A reference that the database enforces leads to an entity. */
function judgeReferences(
  walk: Walk,
  { path }: ReadSet,
  { name, references }: WalkedNavigation,
  expanded: readonly Entity[],
): void {
  if (references.length === 0) return;
  const lost = expanded.find((entity) => {
    return entity[name] === null && references.every((each) => entity[each] !== null);
  });
  if (lost === undefined) return;
  walk.fault(`${path}?$expand=${name}`, `refers to nothing in ${plainText(lost).slice(0, 300)}`);
}

/** Compares the path of a navigation with the expansion of an entity. */
async function follow(
  walk: Walk,
  { set, path }: ReadSet,
  { name, isCollection }: WalkedNavigation,
  entity: Entity,
): Promise<void> {
  const key = keyOf(set, entity);
  // An expansion with a next link is incomplete.
  if (key === undefined || entity[`${name}@odata.nextLink`] !== undefined) return;
  const target = `${path}${key}/${encodeURIComponent(name)}`;
  const expected = listOf(entity[name]);
  if (!isCollection && expected.length === 0) return;
  const answer = await walk.json(target);
  if (answer === undefined) {
    walk.fault(target, "is refused, but its expansion is not");
    return;
  }
  const shown = isCollection ? listOf(answer["value"]) : [answer];
  const [left, right] = [shown, expected].map((each) => JSON.stringify(each.map(plainText).toSorted()));
  if (answer["@odata.nextLink"] === undefined && left !== right) {
    walk.fault(target, `shows ${String(left).slice(0, 300)}, but its expansion ${String(right).slice(0, 300)}`);
  }
  if (!isCollection) return;
  const count = await walk.count(`${target}/$count`);
  if (count !== undefined && count !== expected.length) {
    walk.fault(`${target}/$count`, `${String(count)}, but its expansion has ${String(expected.length)}`);
  }
}

/** A condition and its opposite find each entity once. */
async function countAlong(walk: Walk, { path, total }: ReadSet, navigation: WalkedNavigation): Promise<void> {
  const name = encodeURIComponent(navigation.name);
  const filters = navigation.isCollection
    ? [`${name}/any()`, `not%20${name}/any()`]
    : [`${name}%20eq%20null`, `${name}%20ne%20null`];
  const counts: (number | undefined)[] = [];
  for (const filter of filters) counts.push(await walk.count(`${path}/$count?$filter=${filter}`));
  const [some, others] = counts;
  if (some === undefined || others === undefined || total === undefined || some + others === total) return;
  walk.fault(`${path}?$filter=${filters.join(" | ")}`, `${String(some)} + ${String(others)} is not ${String(total)}`);
}

function listOf(value: unknown): readonly Entity[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? (value as readonly Entity[]) : [value as Entity];
}
