import { BoundedCache } from "../base/bounded-cache.ts";
import { keeper, keptPer } from "../base/memo.ts";
import type { EntityFilter, EntityQuery } from "../definition/context.ts";
import { adviseName, describe } from "../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import type { EntitySet, EntityType } from "../edm/model.ts";
import type { BoundQuery, FilterClause, OrderByItem, QueryShape, SelectExpandClause } from "../query/clauses.ts";
import type { ReachedSet } from "./entity-sets.ts";

/** The query of a handler for a set of any type. */
export type AnyQuery = EntityQuery<EntityTypeDeclaration, unknown>;

/** The call that a query belongs to, and its options. */
interface QueryUse {
  readonly call: string;
  readonly options: ReadonlyArray<keyof AnyQuery>;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** The options of `query`. */
export const QUERY_OPTIONS: ReadonlyArray<keyof AnyQuery> = ["filter", "orderBy", "top", "skip"];
/** The options of `count`. */
export const COUNT_OPTIONS: ReadonlyArray<keyof EntityFilter<EntityTypeDeclaration, unknown>> = ["filter"];

/**
 * Binds a query of a handler.
 * @returns null if no entity can match the filter
 * @throws TypeError for an unknown option or a wrong value; any error of the filter
 */
export function bindQuery(set: ReachedSet, query: AnyQuery, use: QueryUse): BoundQuery | null {
  checkOptions(query, use);
  const { filter, orderBy, top, skip = 0 } = query;
  for (const [name, value] of Object.entries({ top, skip })) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) continue;
    throw new TypeError(`\`${name}\` of ${use.call} is ${describe(value)}. Pass an integer of 0 or more.`);
  }
  const condition = filter === undefined ? "all" : conditionOf(set, filter, use);
  if (condition === "none") return null;
  const varying = condition === "all" ? null : condition;
  const shape = shapeOf(set, varying?.filter ?? null, termsOf(orderBy, use));
  const values = varying?.values ?? NOTHING;
  return { shape, values, search: null, top, skip, skipToken: undefined, count: false };
}

function checkOptions(query: AnyQuery, { call, options }: QueryUse): void {
  if (typeof query !== "object" || query === null) throw new TypeError(`${call} takes an object of options.`);
  for (const name of Object.keys(query)) {
    if ((options as readonly string[]).includes(name)) continue;
    throw new TypeError(`${call} has no option \`${name}\`. ${adviseName(name, options)}`);
  }
}

function conditionOf(
  { conditions }: ReachedSet,
  filter: NonNullable<AnyQuery["filter"]>,
  { call }: QueryUse,
): ReturnType<ReachedSet["conditions"]["of"]> {
  if (typeof filter === "function") return conditions.of(filter as (row: unknown) => unknown);
  throw new TypeError(
    `\`filter\` of ${call} is ${describe(filter)}. Pass a function of the row, such as (row) => row.status.eq("open").`,
  );
}

/** A term of an order. */
interface Term {
  readonly field: string;
  readonly descending: boolean;
}

function termsOf(orderBy: unknown, { call }: QueryUse): readonly Term[] {
  if (orderBy === undefined) return NOTHING;
  const terms: readonly unknown[] = Array.isArray(orderBy) ? orderBy : [orderBy];
  return terms.map((term) => {
    if (typeof term !== "string") {
      throw new TypeError(
        `\`orderBy\` of ${call} contains ${describe(term)}. Name properties, such as "placedAt desc".`,
      );
    }
    const descending = term.endsWith(" desc");
    return { field: descending ? term.slice(0, -" desc".length) : term, descending };
  });
}

/** The number of orders whose shapes are cached for one filter. */
const ORDERS_KEPT = 20;

/** The shapes of a filter by order: executors compile each shape once. */
const shapesOf = keptPer((_owner: FilterClause | ReachedSet) => new BoundedCache<string, QueryShape>(ORDERS_KEPT));

function shapeOf(set: ReachedSet, filter: FilterClause | null, terms: readonly Term[]): QueryShape {
  const { entitySet, capabilities } = set.set;
  const { entityType, name } = entitySet;
  const order = terms.map(({ field, descending }) => `${JSON.stringify(field)}${descending ? "-" : "+"}`).join("");
  return shapesOf(filter ?? set).getOrMake(order, () => {
    const shape = keeper<QueryShape>({
      key: `ctx.sets(${name})${order}`,
      entitySet,
      entityType,
      filter,
      orderBy: Object.freeze(terms.map((term) => orderItem(term, entitySet))),
      selectExpand: wholeOf(entityType),
      parameters: NOTHING,
      roundingMode: capabilities.roundingMode,
    });
    return Object.freeze(shape);
  });
}

function orderItem({ field, descending }: Term, { entityType, uncomparable }: EntitySet): OrderByItem {
  const properties = [...entityType.properties, ...entityType.ignoredProperties];
  const property = properties.find((each) => each.field === field);
  if (property === undefined) {
    const fields = properties.map((each) => each.field);
    const advice = adviseName(field, fields);
    throw new TypeError(`\`orderBy\` names \`${field}\`, but ${entityType.name} has no such property. ${advice}`);
  }
  const { type } = property;
  if (type.kind === "ComplexType" || property.isCollection || uncomparable?.has(field) === true) {
    throw new TypeError(
      `\`orderBy\` names \`${field}\` of ${entityType.name}, which has no order. Name a property with a single value.`,
    );
  }
  const source = { kind: "it", type: entityType } as const;
  return keeper({ expression: { kind: "property", source, property, type }, descending });
}

function wholeOf({ properties }: EntityType): SelectExpandClause {
  const selected = Object.freeze(properties.map((property) => Object.freeze({ property })));
  return Object.freeze(keeper({ selected, isSelection: false, contextSelect: NOTHING, expanded: NOTHING }));
}
