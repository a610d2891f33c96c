import { chain, type Maybe } from "../base/maybe.ts";
import { type ODataError, isODataError, protocolError } from "../errors/odata-error.ts";
import { applyClauses } from "../memory/apply-query.ts";
import { isEntity } from "../memory/entity.ts";
import type { MemoryQuery } from "../memory/order-rows.ts";
import type { ExpandStep } from "../plan/plan-expand.ts";
import type { Related, RelatedCollection, RelatedEntity } from "../query/expanded-entity.ts";
import { mentionsOf } from "../query/mentions.ts";
import type { EntityPage } from "../query/source.ts";
import { mapEach } from "./concurrency.ts";
import { collectEntities, isIterable } from "./handler-answer.ts";
import { loadRelations } from "./load-relations.ts";
import { countEntities, type LoadRun, type ReadRun } from "./load-run.ts";
import { loadedValues } from "./loaded-values.ts";
import type { AnswerReading } from "./read-related.ts";
import { type IsMatch, searchMatches } from "./search-related.ts";

/** The state that all levels of an expand plan share. */
export interface ExpandRun extends ReadRun {
  /** The loads for nested options, started on first use. */
  readonly loads: () => LoadRun;
}

/** One step of an execution, for all of its parents. */
interface Relation {
  readonly step: ExpandStep;
  /** The matches of a nested `$search`; null without one. */
  readonly isMatch: IsMatch | null;
  readonly run: ExpandRun;
}

/**
 * Makes the conversion of handler results for one expansion: it applies the nested options, cuts the list, and counts
 * the entities.
 * @throws the error of the search handler
 */
export function relating(step: ExpandStep, run: ExpandRun): Maybe<AnswerReading<Related>> {
  const { search } = step;
  return chain(search === null ? null : searchMatches(search, run), (isMatch) => {
    const relation: Relation = { step, isMatch, run };
    const leadsOn = mentionsOf(step.expansion) !== null;
    return {
      prepare: leadsOn ? (answers) => loadNested(step, answers, run) : null,
      take: (answer, weight) => relate(relation, answer, weight),
      pick: (parents) => loadedValues(step, parents, run.context),
      takeLoaded: (value, weight) => relateLoaded(relation, value, weight),
    };
  });
}

/**
 * Loads the entities that the nested options of an expansion use, for all parents at once. The results of one parent
 * cannot be filtered or ordered before that.
 * @returns the results; iterables are collected in arrays
 */
function loadNested(step: ExpandStep, answers: readonly unknown[], run: ExpandRun): Maybe<readonly unknown[]> {
  const collected = mapEach(
    answers,
    (answer) => collect(step, answer),
    () => run.context.signal,
  );
  return chain(collected, (lists) => {
    // A value that is not an entity is rejected later.
    const entities = lists.flat().filter(isEntity);
    return chain(loadRelations(step.expansion, entities, run.loads()), () => lists);
  });
}

function collect({ expansion, place }: ExpandStep, answer: unknown): Maybe<unknown> {
  if (isODataError(answer)) throw answer;
  if (!expansion.navigationProperty.isCollection || answer === null || answer === undefined) return answer;
  if (isIterable(answer)) return [...answer];
  return collectEntities(answer, `The handler of ${place}`);
}

/**
 * @param answer null and undefined mean no related entity
 * @param weight how often the parent will be written
 */
function relate(relation: Relation, answer: unknown, weight: number): Maybe<Related> {
  if (isODataError(answer)) throw answer;
  const { step } = relation;
  if (!step.expansion.navigationProperty.isCollection) return relateEntity(relation, answer, weight);
  if (answer === null || answer === undefined) return relateCollection(relation, [], weight);
  return chain(collectEntities(answer, `The handler of ${step.place}`), (entities) =>
    relateCollection(relation, entities, weight),
  );
}

/** @returns null where nothing was loaded */
function relateLoaded(relation: Relation, value: unknown, weight: number): Related {
  const { step } = relation;
  if (value === undefined) return null;
  if (!step.expansion.navigationProperty.isCollection) return relateEntity(relation, value, weight);
  return Array.isArray(value) ? relateCollection(relation, value, weight) : null;
}

function relateEntity(relation: Relation, value: unknown, weight: number): RelatedEntity {
  const { step, run } = relation;
  if (value === null || value === undefined) return { kind: "entity", entity: null };
  if (!isEntity(value)) throw notAnEntity(step);
  const isKept =
    relation.isMatch?.(value) !== false &&
    (step.expansion.filter === null || applyClauses([value], queryOf(step), run.evaluation).entities.length > 0);
  if (isKept) countWritten(step, weight, run);
  return { kind: "entity", entity: isKept ? value : null };
}

function relateCollection(relation: Relation, rows: Iterable<unknown>, weight: number): RelatedCollection {
  const { step, run, isMatch } = relation;
  const page = applyClauses(isMatch === null ? rows : matching(rows, relation, isMatch), queryOf(step), run.evaluation);
  const related = cutToPage(step, page, weight, run);
  if (!related.entities.every(isEntity)) throw notAnEntity(step);
  return related;
}

/**
 * Cuts the related entities of one parent to the page of an expansion, and counts them.
 * @param read contains one entity more than the page where more follow
 * @param weight how often the parent will be written
 * @throws ODataError `InvalidQueryOption` above the limits
 */
export function cutToPage(
  step: ExpandStep,
  read: Pick<EntityPage, "entities" | "count">,
  weight: number,
  run: ReadRun,
): RelatedCollection {
  const { size, beyond } = step.page;
  const isLonger = size !== undefined && read.entities.length > size;
  if (isLonger && beyond === "refuse") throw tooManyRelated(step, size);
  const entities = isLonger ? read.entities.slice(0, size) : read.entities;
  countWritten(step, entities.length * weight, run);
  const count = step.expansion.count ? read.count : undefined;
  return { kind: "collection", entities, count, hasMore: isLonger && beyond === "link" };
}

/** Yields the rows that the search found, reading no further than the consumer does. */
function* matching(rows: Iterable<unknown>, { step }: Relation, isMatch: IsMatch): Generator {
  for (const row of rows) {
    if (!isEntity(row)) throw notAnEntity(step);
    if (isMatch(row)) yield row;
  }
}

function queryOf({ expansion, orderBy, page }: ExpandStep): MemoryQuery {
  const { filter, skip, count: isCounted, navigationProperty, roundingMode } = expansion;
  const shape = { entityType: navigationProperty.entityType, roundingMode };
  return { shape, filter, orderBy, skip, top: page.readSize, count: isCounted };
}

/**
 * Counts the entities of the response, so that no more than the limit are collected.
 * @throws ODataError `InvalidQueryOption` above the limit
 */
export function countWritten({ place }: ExpandStep, entities: number, run: ReadRun): void {
  countEntities(run, entities, () =>
    protocolError(
      "InvalidQueryOption",
      `With the expansion '${place}' the response would contain more than ${String(run.maxEntities)} entities: narrow it with $filter or $top in its parentheses, or request fewer parent entities.`,
      { target: "$expand" },
    ),
  );
}

/** Makes the error for a list that exceeds the limit, where no next link is possible. */
function tooManyRelated(step: ExpandStep, size: number): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `The expansion '${step.place}' has more than ${String(size)} entities for one parent: page through them with $top and $skip in its parentheses, or narrow it with $filter.`,
    { target: "$expand" },
  );
}

function notAnEntity({ place }: ExpandStep): TypeError {
  return new TypeError(`The handler of ${place} returned a value that is not an entity.`);
}
