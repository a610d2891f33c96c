import type { ODataError } from "../../base/errors/odata-error.ts";
import type { ComplexType, EntitySet, EntityType, StructuralProperty } from "../../edm/model.ts";
import type { Aggregate, ApplyBranch, ApplyStep, GroupStep, OrderByItem } from "../query/clauses.ts";
import type { AliasNameSyntax, ComputedSyntax } from "../syntax/ast.ts";
import { bindComputed } from "./bind-compute.ts";
import { type BindingContext, type Copies, invalidOption, type RowNames } from "./binding-scope.ts";
import { ascending, type KeyPath, orderByKeys, toGroupKeys } from "./group-keys.ts";
import { madeEntityType } from "./made-types.ts";

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
  /** Whether the rows have the order of the parts of `concat`, and not that of their keys; absent: no. */
  readonly isListed?: true | undefined;
}

const NO_JOINS: AppliedRows["joined"] = new Map();

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
    joined: NO_JOINS,
    behind: null,
    aliases: new Set(),
    origins: new Map(),
    copies,
  };
}

/** A step without the type of its rows. */
type Untyped<Step extends ApplyStep> = Step extends ApplyStep ? Omit<Step, "inputType"> : never;

/** Adds a step that keeps the shape of the rows. */
export function withStep(rows: AppliedRows, step: Untyped<Exclude<ApplyStep, GroupStep>>): AppliedRows {
  return { ...rows, steps: [...rows.steps, Object.freeze({ ...step, inputType: rows.entityType })] };
}

/** Returns an order, made total by the key of the entities, or by the keys of the rows. */
export function totalOrder(rows: AppliedRows, orderBy: readonly OrderByItem[]): readonly OrderByItem[] {
  const { entityType, keys } = rows;
  if (rows.isListed === true) return Object.freeze([...orderBy]);
  const it = { kind: "it", type: entityType } as const;
  const last =
    keys === null
      ? entityType.key.map((property) => ascending({ kind: "property", source: it, property, type: property.type }))
      : orderByKeys(keys, it);
  return Object.freeze([...orderBy, ...last]);
}

/**
 * Adds a step that makes a row of each group.
 * @param behind the name of the step, for messages
 */
export function withGroups(
  rows: AppliedRows,
  paths: readonly KeyPath[],
  aggregates: readonly Aggregate[],
  behind: string,
): AppliedRows {
  const origins = new Map<ComplexType, EntitySet | null>();
  const keys = toGroupKeys(paths, origins);
  const properties = [...keys, ...aggregates].map(({ property }) => property);
  const entityType = madeEntityType(rows.owner, properties);
  const step: GroupStep = { kind: "group", inputType: rows.entityType, keys, aggregates, entityType };
  const names = aggregates.map(({ property: { name } }) => name);
  const computed = paths.filter(({ isComputed }) => isComputed).map(({ leaf }) => leaf.name);
  // A name that was already free of allowlists stays so.
  const kept = paths.flatMap(({ names: [name = ""] }) => (rows.aliases.has(name) ? [name] : []));
  return {
    ...rows,
    entityType,
    entitySet: null,
    steps: [...rows.steps, Object.freeze(step)],
    orderBy: [],
    keys,
    isListed: undefined,
    computed: new Map(),
    joined: NO_JOINS,
    behind,
    aliases: new Set([...computed, ...kept, ...names]),
    origins,
  };
}

/** Adds computed values to rows. @throws ODataError as bindComputed, and for a name that is not free */
export function withComputed(
  items: readonly ComputedSyntax[],
  rows: AppliedRows,
  context: BindingContext,
): AppliedRows {
  const names = rows.keys === null ? rows.joined.keys() : rows.entityType.members.keys();
  const computed = bindComputed(items, context, (alias, taken) => {
    checkAlias(alias, rows, new Set([...names, ...taken]), context.option);
  });
  return { ...rows, computed };
}

/** Returns the branch that makes the rows. */
export function toBranch(rows: AppliedRows): ApplyBranch {
  const computed = [...rows.computed.values()].map(({ property, expression }) => ({ property, expression }));
  return Object.freeze({
    steps: Object.freeze(rows.steps),
    entityType: rows.entityType,
    isTransformed: rows.keys !== null,
    computed: Object.freeze(computed),
    orderBy: totalOrder(rows, rows.orderBy),
  });
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
