import { keeper } from "../base/memo.ts";
import type { ComplexType, EntitySet, EntityType, StructuralProperty } from "../edm/model.ts";
import type { ODataError } from "../errors/odata-error.ts";
import type { ApplyBranch, ApplyStep, FilterClause, GroupStep, LimitStep, OrderByItem } from "../query/clauses.ts";
import type { AliasNameSyntax, ComputedSyntax } from "../syntax/ast.ts";
import { type MadeAggregate, placeAggregate } from "./bind-aggregate.ts";
import { bindComputed } from "./bind-compute.ts";
import { type BindingContext, type Copies, invalidOption, type RowNames } from "./binding-scope.ts";
import { ascending, type KeyPath, keysOf, orderByKeys, toGroupKeys } from "./group-keys.ts";
import { madeEntityType, madeMember } from "./made-types.ts";

/** The properties of entities that the user may not read. */
export interface Unreadable {
  readonly properties: ReadonlySet<StructuralProperty>;
  /** Makes the error of a request that names one. */
  readonly refusal: (property: StructuralProperty) => ODataError;
}

/** The rows after some steps of `$apply`. */
export interface AppliedRows extends RowNames {
  /** The type of the entities that the first step applies to. */
  readonly owner: EntityType;
  readonly entityType: EntityType;
  /** The properties of those entities that the user may not read; undefined: none. */
  readonly unreadable: Unreadable | undefined;
  /** The set of the rows; null for rows that a step made. */
  readonly entitySet: EntitySet | null;
  readonly steps: readonly ApplyStep[];
  /** The order of the client. */
  readonly orderBy: readonly OrderByItem[];
  /** The keys of the rows that the last step made, by which they are ordered at last; null for entities. */
  readonly keys: GroupStep["keys"] | null;
}

/**
 * Returns the rows of a set.
 * @param entitySet null if none is declared
 * @param unreadable the properties that the user may not read; absent: none
 */
export function rowsOf(
  entityType: EntityType,
  entitySet: EntitySet | null,
  copies: Copies,
  unreadable?: Unreadable,
): AppliedRows {
  return {
    owner: entityType,
    unreadable,
    entityType,
    entitySet,
    steps: [],
    orderBy: [],
    keys: null,
    computed: new Map(),
    behind: null,
    aliases: new Set(),
    origins: new Map(),
    growths: new Map(),
    copies,
  };
}

/** The rows that a step keeps. */
export type RowLimit = Omit<LimitStep, "kind" | "inputType">;

/** Adds a step that keeps the shape of the rows. */
export function withFilter(rows: AppliedRows, filter: FilterClause): AppliedRows {
  const step = Object.freeze(keeper({ kind: "filter", inputType: rows.entityType, filter } as const));
  return { ...rows, steps: [...rows.steps, step] };
}

/** Adds a step that keeps some of the rows of an order. */
export function withLimit(rows: AppliedRows, limit: RowLimit): AppliedRows {
  const { orderBy, skip, top, partition } = limit;
  const made = { kind: "limit", inputType: rows.entityType, orderBy, skip, top, partition } as const;
  return { ...rows, steps: [...rows.steps, Object.freeze(keeper(made))] };
}

/** Returns an order, made total by the key of the entities, or by the keys of the rows. */
export function totalOrder({ entityType, keys }: AppliedRows, orderBy: readonly OrderByItem[]): readonly OrderByItem[] {
  const it = { kind: "it", type: entityType } as const;
  const last =
    keys === null
      ? entityType.key.map((property) => ascending({ kind: "property", source: it, property, type: property.type }))
      : orderByKeys(keys, it);
  return Object.freeze(keeper([...orderBy, ...last]));
}

/**
 * Adds a step that makes a row of each group.
 * @param behind the step, for messages
 */
export function withGroups(
  rows: AppliedRows,
  paths: readonly KeyPath[],
  made: readonly MadeAggregate[],
  behind: string,
): AppliedRows {
  const origins = new Map<ComplexType, EntitySet | null>();
  const unplaced = toGroupKeys(paths, origins);
  const properties = [...unplaced.map(({ property }) => property), ...made.map((aggregate) => aggregate.made)];
  const entityType = madeEntityType(rows.owner, properties);
  const keys = keysOf(entityType, unplaced);
  const aggregates = made.map((each) => placeAggregate(each, madeMember(entityType, each.made.name)));
  const step: GroupStep = Object.freeze(
    keeper<GroupStep>({
      kind: "group",
      inputType: rows.entityType,
      keys,
      aggregates: Object.freeze(aggregates),
      entityType,
    }),
  );
  const growths = new Map<StructuralProperty, number>();
  for (const { names, growth } of paths) {
    const [name = ""] = names;
    if (names.length === 1 && growth > 1) growths.set(madeMember(entityType, name), growth);
  }
  for (const { made: property, growth } of made) {
    if (growth > 1) growths.set(madeMember(entityType, property.name), growth);
  }
  const computed = paths.filter(({ isComputed }) => isComputed).map(({ leaf }) => leaf.name);
  // A name that was already free of allowlists stays so.
  const kept = paths.flatMap(({ names: [name = ""] }) => (rows.aliases.has(name) ? [name] : []));
  return {
    ...rows,
    entityType,
    entitySet: null,
    steps: [...rows.steps, step],
    orderBy: [],
    keys,
    computed: new Map(),
    behind,
    aliases: new Set([...computed, ...kept, ...made.map((each) => each.made.name)]),
    origins,
    growths,
  };
}

/** Adds computed values to rows. @throws ODataError as bindComputed, and for a name that is not free */
export function withComputed(
  items: readonly ComputedSyntax[],
  rows: AppliedRows,
  context: BindingContext,
): AppliedRows {
  const names = rows.keys === null ? [] : rows.entityType.members.keys();
  const computed = bindComputed(items, context, (alias, taken) => {
    checkAlias(alias, rows, new Set([...names, ...taken]), context.option);
  });
  return { ...rows, computed };
}

/** Returns the branch that makes the rows. */
export function toBranch(rows: AppliedRows): ApplyBranch {
  const computed = [...rows.computed.values()].map(({ property, expression }) => keeper({ property, expression }));
  return Object.freeze(
    keeper<ApplyBranch>({
      steps: Object.freeze(rows.steps),
      entityType: rows.entityType,
      isTransformed: rows.keys !== null,
      computed: Object.freeze(computed),
      orderBy: totalOrder(rows, rows.orderBy),
    }),
  );
}

/**
 * Checks that a name is free.
 * @param taken the names that the rows have besides
 * @param replaced the property of the operand of `P with m as P`, which the name may repeat; null: none
 * @throws ODataError `InvalidQueryOption`
 */
export function checkAlias(
  { name, position }: AliasNameSyntax,
  { owner }: Pick<AppliedRows, "owner">,
  taken: ReadonlySet<string>,
  option: string,
  replaced: string | null = null,
): void {
  if (taken.has(name)) {
    throw invalidOption(option, position, `The rows already have the name '${name}': choose another one.`);
  }
  if (name === replaced || !owner.members.has(name)) return;
  const message = `'${name}' is a property of '${owner.name}': choose another name.`;
  throw invalidOption(option, position, message);
}
