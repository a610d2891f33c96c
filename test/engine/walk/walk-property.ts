import { compare, keyOf, literalOf, plainText } from "./compare-values.ts";
import type { WalkedProperty } from "./read-model.ts";
import { judgePages, readPages, type ReadSet } from "./read-pages.ts";
import { walkGroups } from "./walk-groups.ts";
import type { Entity, Walk } from "./walk.ts";

/** Types without values that a filter compares. */
const OPAQUE = /^Edm\.(?:Stream|Geo.*)$/u;

/** Walks through a property: its values find their entities, null is null everywhere, and its order is an order. */
export async function walkProperty(walk: Walk, read: ReadSet, property: WalkedProperty): Promise<void> {
  const name = encodeURIComponent(property.name);
  await walk.entities(`${read.path}?$select=${name}&$top=2`);
  if (property.isCollection || OPAQUE.test(property.type)) return;
  const values = read.entities.filter((entity) => literalOf(property, entity[property.name]) !== undefined);
  for (const entity of new Set([...values.slice(0, 1), ...values.slice(-1)])) {
    await findByValue(walk, read, property, entity);
    await readValue(walk, read, property, entity);
  }
  await findNulls(walk, read, property);
  await walkGroups(walk, read, property);
  for (const direction of ["asc", "desc"] as const) await readOrder(walk, read, property, direction);
}

/** The value of an entity finds entities; with its key, it finds the entity alone. */
async function findByValue(
  walk: Walk,
  { set, path }: ReadSet,
  property: WalkedProperty,
  entity: Entity,
): Promise<void> {
  const compared = [property, ...set.key.filter(({ name }) => name !== property.name)];
  const literals = compared.map((each) => literalOf(each, entity[each.name]));
  const alone = `${path}?$count=true&$filter=${encodeURIComponent(property.name)}%20eq%20${literals[0] ?? ""}`;
  const some = await walk.entities(alone);
  if (some?.length === 0) walk.fault(alone, "finds nothing");
  if (literals.includes(undefined)) return;
  const terms = compared.map(({ name }, at) => `${encodeURIComponent(name)}%20eq%20${literals[at] ?? ""}`);
  const filter = `${path}?$filter=${terms.join("%20and%20")}`;
  const found = await walk.entities(filter);
  if (found === undefined) return;
  const isFound = found.some((each) => plainText(each) === plainText(entity));
  if (!isFound) walk.fault(filter, `does not find ${plainText(entity).slice(0, 300)}`);
  if (set.key.length > 0 && found.length > 1) walk.fault(filter, `finds ${String(found.length)} entities by a key`);
}

async function readValue(walk: Walk, { set, path }: ReadSet, property: WalkedProperty, entity: Entity): Promise<void> {
  const key = keyOf(set, entity);
  if (key === undefined) return;
  const target = `${path}${key}/${encodeURIComponent(property.name)}`;
  const answer = await walk.json(target);
  if (answer === undefined) return;
  const [shown, expected] = [answer["value"], entity[property.name]].map((value) => JSON.stringify(value));
  if (shown !== expected) walk.fault(target, `is ${String(shown)}, but ${String(expected)} in the list`);
}

/** Checks that `eq null` finds exactly the entities that responses show with null. */
async function findNulls(walk: Walk, { path, entities, total }: ReadSet, { name }: WalkedProperty): Promise<void> {
  if (total === undefined) return;
  const property = encodeURIComponent(name);
  const isWhole = total === entities.length;
  const nulls = isWhole
    ? entities.filter((entity) => entity[name] === null).length
    : await walk.count(`${path}/$count?$filter=${property}%20eq%20null`);
  if (nulls === undefined) return;
  const expected: Readonly<Record<string, number>> = {
    [`${property}%20eq%20null`]: nulls,
    [`${property}%20ne%20null`]: total - nulls,
    [`not(${property}%20eq%20null)`]: total - nulls,
  };
  for (const [filter, count] of Object.entries(expected)) {
    const target = `${path}/$count?$filter=${filter}`;
    const found = await walk.count(target);
    if (found !== undefined && found !== count) {
      walk.fault(
        target,
        `${String(found)}, but ${isWhole ? "responses show" : "a filter finds"} ${String(nulls)} nulls of ${String(total)} values`,
      );
    }
  }
}

/** Pages in the order of a property have each entity once, in this order. */
async function readOrder(
  walk: Walk,
  read: ReadSet,
  property: WalkedProperty,
  direction: "asc" | "desc",
): Promise<void> {
  const target = `${read.path}?$orderby=${encodeURIComponent(property.name)}%20${direction}`;
  const entities = await readPages(walk, target, read.total);
  if (entities === undefined) return;
  judgePages(walk, { ...read, entities }, target);
  // A null may represent an unreadable cell, which is sorted as the cell.
  const values = entities.map((entity) => entity[property.name]).filter((value) => value !== null && value !== "NaN");
  const sign = direction === "asc" ? 1 : -1;
  const at = values.findIndex((value, index) => {
    return index > 0 && sign * (compare(property, values[index - 1], value) ?? 0) > 0;
  });
  if (at > 0) walk.fault(target, `${JSON.stringify(values[at - 1])} is before ${JSON.stringify(values[at])}`);
}
