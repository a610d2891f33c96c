import { bytesOfValue, ByteCount, jsonLength } from "../../base/byte-count.ts";
import { type ODataError, protocolError, tooManyBytes } from "../../base/errors/odata-error.ts";
import { chain, type Maybe, inTurns } from "../../base/maybe.ts";
import type { SelectExpandClause } from "../../language/query/clauses.ts";
import type { Related, RelatedCollection, RelatedEntity } from "../../language/query/expanded-entity.ts";
import { mentionsOf } from "../../language/query/mentions.ts";
import type { EntityPage } from "../../language/query/source.ts";
import { answeredEntity, isIterable } from "../entities/handler-answer.ts";
import { applyClauses, applySteps } from "../memory/apply-query.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { isEntity } from "../memory/evaluation.ts";
import type { MemoryQuery } from "../memory/order-rows.ts";
import { FilteredRows } from "../memory/visit-rows.ts";
import type { ExpandStep } from "../plan/plan-expand.ts";
import { loadRelations, loadedValues } from "./load-relations.ts";
import { countEntities, type LoadRun, type ReadRun } from "./load-run.ts";
import type { AnswerReading } from "./read-related.ts";
import { type IsMatch, searchMatches } from "./search-related.ts";

/** The state that all levels of an expand plan share. */
export interface ExpandRun extends ReadRun {
  /** The loads for nested options, started on first use. */
  readonly loads: () => LoadRun;
  /** As in `ExpandRequest`. */
  readonly mayCutLists: boolean;
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
      prepare: leadsOn ? (related) => loadNested(step, related, run) : null,
      take: (related, weight) => relate(relation, related, weight),
      loaded: {
        isLoaded: (value) => isLoaded(step, value),
        pick: (parents) => loadedValues(step, parents, run.context),
        take: (value, weight) => relate(relation, value, weight),
      },
    };
  });
}

/** Null is written only for a single entity: handlers use it for lists that they did not load. */
function isLoaded({ expansion }: ExpandStep, value: unknown): boolean {
  return value !== undefined && (value !== null || !expansion.navigationProperty.isCollection);
}

/**
 * Loads the entities that the nested options of an expansion use, for all parents at once. The related entities of one
 * parent cannot be filtered or ordered before that.
 * @returns the related entities; iterables are collected in arrays
 */
function loadNested(step: ExpandStep, related: readonly unknown[], run: ExpandRun): Maybe<readonly unknown[]> {
  const lists = related.map((each) => (isIterable(each) ? [...each] : each));
  // A value that is not an entity is rejected later.
  const entities = lists.flat().filter(isEntity);
  return chain(loadRelations(step.expansion, entities, run.loads()), () => lists);
}

/** @param weight how often the parent will be written */
function relate(relation: Relation, related: unknown, weight: number): Maybe<Related> {
  if (!relation.step.expansion.navigationProperty.isCollection) return relateEntity(relation, related, weight);
  return relateCollection(relation, isIterable(related) ? related : [], weight);
}

function relateEntity(relation: Relation, value: unknown, weight: number): RelatedEntity {
  const { step, run } = relation;
  if (!isEntity(value)) return { kind: "entity", entity: null };
  const isKept =
    relation.isMatch?.(value) !== false &&
    (step.expansion.filter === null || applyClauses([value], queryOf(step), run.evaluation).entities.length > 0);
  if (isKept) countWritten(step, weight, run);
  return { kind: "entity", entity: isKept ? value : null };
}

function relateCollection(relation: Relation, rows: Iterable<unknown>, weight: number): Maybe<RelatedCollection> {
  const { step, run, isMatch } = relation;
  const found = isMatch === null ? rows : new FilteredRows(rows, (row) => isMatch(answeredEntity(row, step.place)));
  const page = inTurns((pace) => applySteps(found, queryOf(step), run.evaluation, pace), run.turn);
  return chain(page, (read) => {
    const related = cutToPage(step, read, weight, run);
    for (const entity of related.entities) answeredEntity(entity, step.place);
    return fittingList(step, related, run);
  });
}

/** Cuts a list before the first object that does not fit. @throws ODataError if no next link can follow them */
function fittingList(step: ExpandStep, related: RelatedCollection, run: ExpandRun): RelatedCollection {
  const { bytes } = run;
  const { selected } = step.expansion.selectExpand;
  if (canCutList(step, run)) {
    return cutToBytes(related, false, (each) => bytesOfEntity(each, selected, jsonLength), step, run);
  }
  const fits = related.entities.every((each) => bytes?.take(bytesOfEntity(each, selected)) !== false);
  if (!fits) throw tooManyBytes(`The expansion '${step.place}'`);
  return related;
}

/** About the bytes of a related entity besides its properties: its id, and the characters around it. */
export const BESIDES = 50;

/** Returns about the bytes of an object of the application as JSON. */
function bytesOfEntity(
  entity: unknown,
  selected: SelectExpandClause["selected"],
  textLength?: (text: string) => number,
): number {
  const object = Object(entity) as object;
  return selected.reduce((sum, { property }) => {
    return sum + property.name.length + 4 + bytesOfValue(fieldOf(object, property.field), textLength);
  }, BESIDES);
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
  if (!isLonger || beyond !== "link") return { kind: "collection", entities, count, hasMore: false };
  return { kind: "collection", entities, count, hasMore: true, linkOptions: run.links?.(step.expansion) };
}

/** Whether a list that does not fit into the bytes of the response may end early, with a next link. */
export function canCutList({ page }: ExpandStep, { mayCutLists }: ExpandRun): boolean {
  return mayCutLists && page.beyond === "link";
}

/**
 * Cuts the list of the only parent to the entities that fit, counted exactly.
 * @param isCut whether the list has ended early already
 * @param bytesOf returns the bytes of an entity
 */
export function cutToBytes(
  related: RelatedCollection,
  isCut: boolean,
  bytesOf: (entity: unknown) => number,
  { expansion }: ExpandStep,
  { bytes, links }: ExpandRun,
): RelatedCollection {
  const count = new ByteCount(bytes?.most ?? Infinity);
  const end = related.entities.findIndex((entity) => !count.take(bytesOf(entity)));
  if (end < 0 && !isCut) return related;
  const entities = end < 0 ? related.entities : related.entities.slice(0, end);
  return { ...related, entities, hasMore: true, linkOptions: links?.(expansion) };
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
