import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import { type ODataError, isODataError, protocolError } from "../errors/odata-error.ts";
import { applyClauses } from "../memory/apply-query.ts";
import type { Evaluation } from "../memory/evaluation.ts";
import type { MemoryQuery } from "../memory/memory-query.ts";
import type { ExpandStep } from "../plan/plan-expand.ts";
import type { Related, RelatedCollection, RelatedEntity } from "../query/expanded-entity.ts";
import { collectEntities } from "./collect-entities.ts";
import type { LoadRun } from "./load-run.ts";
import type { IsMatch } from "./search-matches.ts";

/** One execution of an expand plan: what all of its levels share. */
export interface ExpandRun {
  readonly evaluation: Evaluation;
  /** The loads for nested options, started by the first. */
  readonly loads: () => LoadRun;
  readonly context: Context;
  readonly maxEntities: number | null;
  /** Entities that will be written, as far as they are known. */
  total: number;
}

/** One step of an execution, for all of its parents. */
export interface Relation {
  readonly step: ExpandStep;
  /** What a nested `$search` found; null without one. */
  readonly isMatch: IsMatch | null;
  readonly run: ExpandRun;
}

/**
 * What one expansion brings for one parent, from what its handler answered: the nested options applied, the list cut,
 * the entities counted.
 * @param answer null and undefined: there is nothing
 * @param weight how often the parent will be written
 * @throws ODataError when the answer is one, and `InvalidQueryOption` above the limits; TypeError, naming the
 *   navigation, for an answer of another form
 */
export function relate(relation: Relation, answer: unknown, weight: number): Maybe<Related> {
  if (isODataError(answer)) throw answer;
  const { step } = relation;
  if (!step.expansion.navigationProperty.isCollection) return relateEntity(relation, answer, weight);
  if (answer === null || answer === undefined) return relateCollection(relation, [], weight);
  return chain(collectEntities(answer, `The handler of ${step.place}`), (entities) =>
    relateCollection(relation, entities, weight),
  );
}

/**
 * What one expansion brings for one parent, from what `loadedValues` returned; null where nothing was loaded.
 * @see docs/expand.md
 */
export function relateLoaded(relation: Relation, value: unknown, weight: number): Related {
  const { step } = relation;
  if (value === undefined) return null;
  if (!step.expansion.navigationProperty.isCollection) return relateEntity(relation, value, weight);
  return Array.isArray(value) ? relateCollection(relation, value, weight) : null;
}

function relateEntity(relation: Relation, value: unknown, weight: number): RelatedEntity {
  const { step, run } = relation;
  if (value === null || value === undefined) return { kind: "entity", entity: null };
  if (!isEntity(value)) throw noEntity(step);
  const isKept =
    relation.isMatch?.(value) !== false &&
    (step.expansion.filter === null || applyClauses([value], queryOf(step), run.evaluation).entities.length > 0);
  if (isKept) countEntities(step, weight, run);
  return { kind: "entity", entity: isKept ? value : null };
}

function relateCollection(relation: Relation, rows: Iterable<unknown>, weight: number): RelatedCollection {
  const { step, run, isMatch } = relation;
  const { size, beyond } = step.page;
  const page = applyClauses(isMatch === null ? rows : matching(rows, relation, isMatch), queryOf(step), run.evaluation);
  const isLonger = size !== undefined && page.entities.length > size;
  if (isLonger && beyond === "refuse") throw tooManyRelated(step, size);
  const entities = isLonger ? page.entities.slice(0, size) : page.entities;
  countEntities(step, entities.length * weight, run);
  if (!entities.every(isEntity)) throw noEntity(step);
  return {
    kind: "collection",
    entities,
    count: step.expansion.count ? page.count : undefined,
    hasMore: isLonger && beyond === "link",
  };
}

/** The rows that the search found, looked at no further than they are read. */
function* matching(rows: Iterable<unknown>, { step }: Relation, isMatch: IsMatch): Generator {
  for (const row of rows) {
    if (!isEntity(row)) throw noEntity(step);
    if (isMatch(row)) yield row;
  }
}

function queryOf({ expansion, orderBy, page }: ExpandStep): MemoryQuery {
  const { filter, skip, count: isCounted, navigationProperty, roundingMode } = expansion;
  const shape = { entityType: navigationProperty.entityType, roundingMode };
  return { shape, filter, orderBy, skip, top: page.readSize, count: isCounted };
}

/**
 * Counts entities as they come: what is written often enough for the limit is never gathered.
 * @throws ODataError `InvalidQueryOption` above the limit
 */
export function countEntities(step: ExpandStep, entities: number, run: ExpandRun): void {
  run.total += entities;
  if (run.maxEntities === null || run.total <= run.maxEntities) return;
  throw protocolError(
    "InvalidQueryOption",
    `With the expansion '${step.place}' the answer would hold more than ${String(run.maxEntities)} entities: narrow it with $filter or $top in its parentheses, or ask for fewer entities around it.`,
    { target: "$expand" },
  );
}

/** The error for a list that is longer than the limit, where no link can lead on. */
export function tooManyRelated(step: ExpandStep, size: number): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `The expansion '${step.place}' has more than ${String(size)} entities for one parent: ask for some of them with $top and $skip in its parentheses, or narrow it with $filter.`,
    { target: "$expand" },
  );
}

function noEntity({ place }: ExpandStep): TypeError {
  return new TypeError(`The handler of ${place} returned a value that is no entity where one is expected.`);
}

function isEntity(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
