import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPerPair } from "../../base/memo.ts";
import type { ComplexType, EntityType, StructuralProperty } from "../../edm/model.ts";
import type { QueryShape } from "../../language/query/clauses.ts";
import { computedIn } from "../../language/query/mentions.ts";
import { type CollectionPart, type CollectionResult, countOf } from "../entities/handler-answer.ts";
import { serviceOf } from "../entities/reader.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import { asEntity, isObject } from "../memory/evaluation.ts";
import { computedShape, structuralMember } from "../plan/apply-shapes.ts";
import { NO_JOINS } from "../plan/join-expansions.ts";
import type { CollectionPlan } from "../plan/plan-collection.ts";
import { tooManyEntities } from "./page-query.ts";
import { objectsOf } from "./read-input.ts";
import { type Application, applyTo } from "./read-source.ts";
import { computedFields, withComputed, withFields } from "./with-computed.ts";

/** The rows of one branch of `$apply`, in its order. */
export interface BranchPart extends CollectionPart {
  readonly shape: QueryShape;
}

/** Does work for each item, one after another. */
export function inOrder<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Maybe<Result>,
): Maybe<readonly Result[]> {
  return items.reduce<Maybe<readonly Result[]>>(
    (before, item) => chain(before, (results) => chain(work(item), (result) => [...results, result])),
    [],
  );
}

/**
 * Makes the page of several branches: their rows one after another, or together in the order of the client.
 * @throws ODataError `InvalidQueryOption` for more rows than `maxResponseEntities`
 * @see docs/reference/apply.md
 */
export function joinBranches(
  plan: CollectionPlan,
  branches: readonly BranchPart[],
  application: Application,
): Maybe<CollectionResult> {
  const limit = serviceOf(application.reader.context).limits.maxResponseEntities;
  const length = branches.reduce((sum, { entities }) => sum + entities.length, 0);
  if (limit !== null && length > limit) throw tooManyEntities(limit);
  const { filter, orderBy } = plan.query.shape;
  if (filter === null && orderBy.length === 0 && computedIn(plan.query.shape.selectExpand) === null) {
    const { skip, page } = plan;
    const end = skip + (page.size ?? length);
    return chain(
      inOrder(windowed(branches, skip, end), (part) => completed(part, application)),
      (parts) => resultOf(plan, parts, { count: length, hasMore: length > end }),
    );
  }
  return chain(
    inOrder(branches, (part) => completed(part, application)),
    (parts) => joinRows(plan, parts, application),
  );
}

/**
 * Returns the rows of all branches as objects of the common type, for further steps.
 * @param shape that of all branches
 */
export function unitedRows(
  shape: QueryShape,
  branches: readonly BranchPart[],
  application: Application,
): Maybe<readonly object[]> {
  return chain(
    inOrder(branches, (part) => completed(part, application)),
    (parts) => commonLists(shape, parts, new Map(), application),
  );
}

function commonLists(
  shape: QueryShape,
  parts: readonly BranchPart[],
  origins: Map<unknown, Origin>,
  { turn }: Application,
): Maybe<readonly object[]> {
  return chain(
    inOrder(parts, (part) => objectsOf(part, turn)),
    (lists) => lists.flatMap((list, index) => commonRows(shape, parts[index], list, origins)),
  );
}

/** Cuts the list of all rows. @param end the position after the last row */
function windowed(branches: readonly BranchPart[], start: number, end: number): readonly BranchPart[] {
  let before = 0;
  return branches.map((part) => {
    const { length } = part.entities;
    const entities = part.entities.slice(Math.max(start - before, 0), Math.max(end - before, 0));
    before += length;
    return { ...part, entities };
  });
}

/** Adds the computed values to objects: a source has computed those of rows. */
function completed(part: BranchPart, application: Application): Maybe<BranchPart> {
  if (part.rowShape !== undefined) return part;
  return chain(withComputed(part.entities, part.shape, application, "$apply"), (entities) => ({ ...part, entities }));
}

function resultOf(
  plan: CollectionPlan,
  parts: readonly BranchPart[],
  { count, hasMore }: { readonly count: number; readonly hasMore: boolean },
): CollectionResult {
  const [first, ...further] = parts.filter(({ entities }) => entities.length > 0);
  return {
    ...(first ?? { entities: [], rowShape: undefined, joined: NO_JOINS }),
    further,
    count: plan.query.count ? countOf(plan, count) : undefined,
    hasMore: hasMore && plan.page.linked,
    nextLink: undefined,
  };
}

/** A row with its branch. */
interface Origin {
  readonly part: BranchPart;
  readonly row: object;
}

/** Applies the other options to the rows of all branches, as objects of the common type. */
function joinRows(
  plan: CollectionPlan,
  parts: readonly BranchPart[],
  application: Application,
): Maybe<CollectionResult> {
  const { shape, count } = plan.query;
  const { filter } = shape;
  const { orderBy, skip, page } = plan;
  const query = { shape, filter, orderBy, skip, top: page.readSize, count };
  const origins = new Map<unknown, Origin>();
  return chain(commonLists(shape, parts, origins, application), (rows) =>
    chain(applyTo(rows, query, application), ({ entities, count: total }) => {
      const size = page.size ?? entities.length;
      const kept = entities.slice(0, size);
      return chain(withComputed(kept, shape, application, "$compute"), (computed) =>
        resultOf(plan, runsOf(shape, kept, computed, origins), {
          count: Number(total ?? 0),
          hasMore: entities.length > size,
        }),
      );
    }),
  );
}

/** Converts the rows of a branch to rows of the common type, and notes their origins. */
function commonRows(
  shape: QueryShape,
  part: BranchPart | undefined,
  objects: readonly unknown[],
  origins: Map<unknown, Origin>,
): readonly object[] {
  if (part === undefined) return [];
  const toCommon = conversionOf(shape, part.shape);
  return objects.map((object) => {
    const row = asEntity(object, part.shape.entityType);
    const common = toCommon(row);
    origins.set(common, { part, row });
    return common;
  });
}

/**
 * Divides rows into parts of one branch each.
 * @param computed the rows with the values that are computed of the rows of all branches
 */
function runsOf(
  shape: QueryShape,
  rows: readonly unknown[],
  computed: readonly unknown[],
  origins: ReadonlyMap<unknown, Origin>,
): readonly BranchPart[] {
  const fields = computedFields(shape.selectExpand);
  const runs: { readonly part: BranchPart; readonly entities: object[] }[] = [];
  for (const [index, common] of rows.entries()) {
    const origin = origins.get(common);
    if (origin === undefined) throw new Error("A row belongs to no branch of $apply.");
    const { part, row } = origin;
    const values = asEntity(computed[index], shape.entityType);
    const entity = fields.length === 0 ? row : withFields(row, part.shape.entityType, values, fields);
    const last = runs.at(-1);
    if (last?.part === part) last.entities.push(entity);
    else runs.push({ part, entities: [entity] });
  }
  return runs.map(({ part, entities }) => ({
    ...part,
    entities,
    rowShape: undefined,
    shape: computedShape(part.shape, shape),
  }));
}

/** Converts a row of a branch to a row of the common type. */
type ToCommon = (row: object) => object;

const conversionOf = keptPerPair((common: QueryShape, { entityType, selectExpand }: QueryShape): ToCommon => {
  // Entities keep the values that their navigations need. An entity of two branches is two rows.
  if (common.entityType === entityType) return (row) => withFields(row, entityType, row, []);
  const computed = selectExpand.selected.flatMap((item) => (item.computed === undefined ? [] : item.property));
  return compileConversion(common.entityType, (name) => {
    return computed.find((property) => property.name === name) ?? structuralMember(entityType, name);
  });
});

/** Members that a branch does not have are absent, which means null. */
function compileConversion(
  { properties }: Pick<EntityType | ComplexType, "properties">,
  find: (name: string) => StructuralProperty | undefined,
): ToCommon {
  const members = properties.flatMap((property) => {
    const from = find(property.name);
    return from === undefined
      ? []
      : [{ field: property.field, from: from.field, convert: valueConversion(property, from) }];
  });
  return (row) =>
    Object.fromEntries(
      members.map(({ field, from, convert }) => [field, convert(declaredFieldOf(row, from))] as const),
    );
}

function valueConversion(to: StructuralProperty, from: StructuralProperty): (value: unknown) => unknown {
  const { type } = from;
  if (to.type === type || to.type.kind !== "ComplexType" || type.kind !== "ComplexType") return (value) => value;
  const convert = compileConversion(to.type, (name) => structuralMember(type, name));
  return (value) => (isObject(value) ? convert(value) : value);
}
