import { chain, type Maybe } from "../base/maybe.ts";
import { relatedTable, type RelatedByEntity, type RelatedObject } from "../memory/relations.ts";
import { mentionsOf, type NavigationMention, type QueryClauses, type RootMention } from "../query/mentions.ts";
import { startAll } from "./concurrency.ts";
import { loadNavigation } from "./load-navigation.ts";
import { loadRoot } from "./load-root.ts";
import type { LoadRun } from "./load-run.ts";

/**
 * Loads what the expressions of a query lead to from entities in memory, level by level: each navigation of a level is
 * loaded once for all of its distinct entities. What was loaded before is not loaded again.
 * @param entities those that the expressions are evaluated for, as the application's objects
 * @throws ODataError that a handler returned or threw, `UnsupportedQueryOption` for a navigation that nothing loads, and
 *   `InvalidQueryOption` above `maxResponseEntities`; TypeError for an answer of another form
 * @see OData URL Conventions 4.0, sections 5.1.1.5, 5.1.1.14 and 5.1.1.15
 */
export function loadRelations(query: QueryClauses, entities: readonly object[], run: LoadRun): Maybe<undefined> {
  const mentions = mentionsOf(query);
  if (mentions === null) return undefined;
  const roots = mentions.roots.map((root) => () => loadFromRoot(root, run));
  return chain(startAll([...roots, () => loadBelow(mentions.navigations, [...new Set(entities)], run)]), nothing);
}

function nothing(): undefined {
  return undefined;
}

function loadFromRoot({ expression, below }: RootMention, run: LoadRun): Maybe<undefined> {
  return chain(loadRoot(expression, run), (entity) => {
    run.evaluation.relations.roots.set(expression, entity);
    return entity === null ? undefined : loadBelow(below, [entity], run);
  });
}

/**
 * Loads where navigations lead to from entities that were loaded, and so on below them.
 * @param owners distinct
 * @throws as for loadRelations
 */
export function loadBelow(
  mentions: readonly NavigationMention[],
  owners: readonly object[],
  run: LoadRun,
): Maybe<undefined> {
  if (owners.length === 0 || mentions.length === 0) return undefined;
  return chain(startAll(mentions.map((mention) => () => loadMention(mention, owners, run))), nothing);
}

function loadMention(mention: NavigationMention, owners: readonly object[], run: LoadRun): Maybe<undefined> {
  const table = relatedTable(run.evaluation.relations, mention);
  const missing = owners.filter((owner) => !table.has(owner));
  const loaded = missing.length === 0 ? [] : loadNavigation(mention, missing, run);
  return chain(loaded, (related) => {
    for (const [index, owner] of missing.entries()) {
      // Another path may have led to the same entity meanwhile, and goes on from what it found.
      if (!table.has(owner)) table.set(owner, related[index] ?? null);
    }
    return loadBelow(mention.below, mention.below.length === 0 ? [] : relatedTo(owners, table), run);
  });
}

/** The distinct entities that owners are related to. Owners share their lists, so each list is looked at once. */
function relatedTo(owners: readonly object[], table: RelatedByEntity): readonly object[] {
  const seen = new Set<RelatedObject>();
  const entities = new Set<object>();
  for (const owner of owners) {
    const related = table.get(owner) ?? null;
    if (related === null || seen.has(related)) continue;
    seen.add(related);
    if (!isList(related)) {
      entities.add(related);
      continue;
    }
    for (const entity of related) entities.add(entity);
  }
  return [...entities];
}

function isList(related: object | readonly object[]): related is readonly object[] {
  return Array.isArray(related);
}
