import type { Context } from "../definition/context.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { type ODataError, isODataError, protocolError } from "../errors/odata-error.ts";
import { continueExecution } from "../memory/apply-query.ts";
import type { MemoryQuery } from "../memory/memory-query.ts";
import type { ExpandStep } from "../plan/plan-expand.ts";
import type { Related, RelatedCollection, RelatedEntity } from "../query/expanded-entity.ts";
import type { MaybeResult } from "./run-collection.ts";

/** One execution of an expand plan: what all of its levels share. */
export interface ExpandRun {
  /** An array of this execution alone: see `continueExecution`. */
  readonly values: readonly PrimitiveValue[];
  readonly context: Context;
  readonly maxEntities: number | null;
  /** Entities that will be written, as far as they are known. */
  total: number;
}

/**
 * What one expansion brings for one parent, from what its handler answered: the nested options applied, the list cut,
 * the entities counted.
 * @param answer null and undefined: there is nothing
 * @param weight how often the parent will be written
 * @throws ODataError when the answer is one, and `InvalidQueryOption` above the limits; TypeError, naming the
 *   navigation, for an answer of another form
 */
export function relate(step: ExpandStep, answer: unknown, weight: number, run: ExpandRun): MaybeResult<Related> {
  if (isODataError(answer)) throw answer;
  if (!step.expansion.navigationProperty.isCollection) return relateEntity(step, answer, weight, run);
  if (answer === null || answer === undefined) return relateCollection(step, [], weight, run);
  if (isIterable(answer)) return relateCollection(step, answer, weight, run);
  if (isAsyncIterable(answer)) {
    return collect(answer).then((entities) => relateCollection(step, entities, weight, run));
  }
  throw new TypeError(`The handler of ${step.place} did not return entities: return an array or another iterable.`);
}

/**
 * What one expansion brings for one parent, from what the handler of the parents put into it. What is no entity, or no
 * list of them, counts as not loaded.
 * @see specification, $expand, rule 2
 */
export function relateLoaded(step: ExpandStep, value: unknown, weight: number, run: ExpandRun): Related {
  if (!step.expansion.navigationProperty.isCollection) {
    return value === null || isEntity(value) ? relateEntity(step, value, weight, run) : null;
  }
  if (!isIterable(value)) return null;
  const entities: readonly unknown[] = Array.isArray(value) ? value : [...value];
  return entities.every(isEntity) ? relateCollection(step, entities, weight, run) : null;
}

function relateEntity(step: ExpandStep, value: unknown, weight: number, run: ExpandRun): RelatedEntity {
  if (value === null || value === undefined) return { kind: "entity", entity: null };
  if (!isEntity(value)) throw noEntity(step);
  const isKept = step.expansion.filter === null || continueExecution([value], queryOf(step, run)).entities.length > 0;
  if (isKept) count(step, weight, run);
  return { kind: "entity", entity: isKept ? value : null };
}

function relateCollection(
  step: ExpandStep,
  rows: Iterable<unknown>,
  weight: number,
  run: ExpandRun,
): RelatedCollection {
  const { size, beyond } = step.page;
  const page = continueExecution(rows, queryOf(step, run));
  const isLonger = size !== undefined && page.entities.length > size;
  if (isLonger && beyond === "refuse") throw tooManyRelated(step, size);
  const entities = isLonger ? page.entities.slice(0, size) : page.entities;
  count(step, entities.length * weight, run);
  if (!entities.every(isEntity)) throw noEntity(step);
  return {
    kind: "collection",
    entities,
    count: step.expansion.count ? page.count : undefined,
    hasMore: isLonger && beyond === "link",
  };
}

function queryOf({ expansion, orderBy, page }: ExpandStep, { values }: ExpandRun): MemoryQuery {
  const { filter, skip, count: isCounted, navigationProperty, roundingMode } = expansion;
  const shape = { entityType: navigationProperty.entityType, roundingMode };
  return { shape, values, filter, orderBy, skip, top: page.readSize, count: isCounted };
}

/** Counts entities as they come: what is written often enough for the limit is never gathered. */
function count(step: ExpandStep, entities: number, run: ExpandRun): void {
  run.total += entities;
  if (run.maxEntities === null || run.total <= run.maxEntities) return;
  throw protocolError(
    "InvalidQueryOption",
    `With the expansion '${step.place}' the answer would hold more than ${String(run.maxEntities)} entities: narrow it with $filter or $top in its parentheses, or ask for fewer entities around it.`,
    { target: "$expand" },
  );
}

function tooManyRelated(step: ExpandStep, size: number): ODataError {
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

/** Text can be iterated too, but holds no entities. */
function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function collect(stream: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const entities: unknown[] = [];
  for await (const entity of stream) entities.push(entity);
  return entities;
}
