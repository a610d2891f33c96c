import { keyOf, plainText } from "./compare-values.ts";
import type { WalkedSet } from "./read-model.ts";
import { judgePages, readPages, type ReadSet } from "./read-pages.ts";
import { walkNavigation } from "./walk-navigation.ts";
import { walkProperty } from "./walk-property.ts";
import type { Walk } from "./walk.ts";

/** A word that a search finds again. */
const WORD = /^[A-Za-z]{3,}$/u;

/** Walks through a set: counts, pages, keys, a search, each property and each navigation. */
export async function walkSet(walk: Walk, set: WalkedSet, count: number | undefined): Promise<void> {
  const path = encodeURIComponent(set.name);
  const total = await walk.count(`${path}/$count`);
  if (count !== undefined && total !== count) {
    walk.fault(`${path}/$count`, `${String(total)} entities, but ${String(count)} rows`);
  }
  const counted = await walk.json(`${path}?$top=0&$count=true`);
  if (counted !== undefined && Number(counted["@odata.count"]) !== total) {
    walk.fault(`${path}?$count=true`, `${String(counted["@odata.count"])}, but $count is ${String(total)}`);
  }
  const entities = await readPages(walk, path, total);
  if (entities === undefined) return;
  const read = { set, path, entities, total };
  judgePages(walk, read, path);
  await readByKey(walk, read);
  await search(walk, read);
  for (const property of set.properties) await walkProperty(walk, read, property);
  for (const navigation of set.navigations) await walkNavigation(walk, read, navigation);
}

async function readByKey(walk: Walk, { set, path, entities }: ReadSet): Promise<void> {
  for (const entity of new Set([...entities.slice(0, 2), ...entities.slice(-1)])) {
    const key = keyOf(set, entity);
    if (key === undefined) continue;
    const found = await walk.json(`${path}${key}`);
    if (found === undefined || plainText(found) !== plainText(entity)) {
      walk.fault(`${path}${key}`, `is not the entity of its list: ${plainText(entity).slice(0, 300)}`);
    }
  }
}

async function search(walk: Walk, { set, path, entities }: ReadSet): Promise<void> {
  if (!set.isSearchable) return;
  const texts = set.properties.filter(({ type, isCollection }) => type === "Edm.String" && !isCollection);
  const words = entities.flatMap((entity) => texts.map(({ name }) => entity[name]));
  const word = words.find((each) => typeof each === "string" && WORD.test(each));
  if (typeof word !== "string") return;
  const found = await walk.entities(`${path}?$search=${word}`);
  if (found?.length === 0) walk.fault(`${path}?$search=${word}`, "finds nothing");
}
