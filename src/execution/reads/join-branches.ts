import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPerPair } from "../../base/memo.ts";
import type { ComplexType, EntityType, StructuralProperty } from "../../edm/model.ts";
import { declaredFieldOf } from "../../memory/compile-property.ts";
import { asEntity, isObject } from "../../memory/evaluation.ts";
import { structuralMember } from "../../plan/apply-shapes.ts";
import { NO_JOINS } from "../../plan/join-expansions.ts";
import type { CollectionPlan } from "../../plan/plan-collection.ts";
import type { QueryShape } from "../../query/clauses.ts";
import { type CollectionPart, type CollectionResult, countOf } from "../entities/handler-answer.ts";
import { serviceOf } from "../entities/reader.ts";
import { tooManyEntities } from "./page-query.ts";
import { objectsOf } from "./read-input.ts";
import { type Application, applyTo } from "./read-source.ts";
import { withComputed } from "./with-computed.ts";

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
  if (filter === null && orderBy.length === 0) {
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
  const [first, ...others] = parts.filter(({ entities }) => entities.length > 0);
  return {
    ...(first ?? { entities: [], rowShape: undefined, joined: NO_JOINS }),
    others,
    count: plan.query.count ? countOf(plan, count) : undefined,
    hasMore: hasMore && plan.page.linked,
    nextLink: undefined,
  };
}

/** A row with its branch. */
interface Origin {
  readonly branch: number;
  readonly row: unknown;
}

/** Applies the other options to the rows of all branches, as objects of the common type. */
function joinRows(
  plan: CollectionPlan,
  parts: readonly BranchPart[],
  application: Application,
): Maybe<CollectionResult> {
  const { shape, count } = plan.query;
  const origins = new Map<unknown, Origin>();
  const all = chain(
    inOrder(parts, (part) => objectsOf(part, application.turn)),
    (lists) =>
      lists.flatMap((list, branch) => {
        const toCommon = conversionOf(shape, parts[branch]?.shape ?? shape);
        return list.map((object, index) => {
          const common = toCommon(asEntity(object, shape.entityType));
          origins.set(common, { branch, row: parts[branch]?.entities[index] });
          return common;
        });
      }),
  );
  const { filter } = shape;
  const { orderBy, skip, page } = plan;
  const query = { shape, filter, orderBy, skip, top: page.readSize, count };
  return chain(all, (rows) =>
    chain(applyTo(rows, query, application), ({ entities, count: total }) => {
      const size = page.size ?? entities.length;
      const runs = runsOf(entities.slice(0, size), origins, parts);
      return resultOf(plan, runs, { count: Number(total ?? 0), hasMore: entities.length > size });
    }),
  );
}

/** Divides rows into parts of one branch each. */
function runsOf(
  rows: readonly unknown[],
  origins: ReadonlyMap<unknown, Origin>,
  parts: readonly BranchPart[],
): readonly BranchPart[] {
  const runs: { part: BranchPart; readonly rows: unknown[] }[] = [];
  for (const common of rows) {
    const origin = origins.get(common);
    const part = parts[origin?.branch ?? -1];
    if (origin === undefined || part === undefined) throw new Error("A row belongs to no branch of $apply.");
    const last = runs.at(-1);
    if (last?.part === part) last.rows.push(origin.row);
    else runs.push({ part, rows: [origin.row] });
  }
  return runs.map(({ part, rows: entities }) => ({ ...part, entities }));
}

/** Converts a row of a branch to a row of the common type. */
type ToCommon = (row: object) => object;

const conversionOf = keptPerPair((common: QueryShape, { entityType, selectExpand }: QueryShape): ToCommon => {
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
