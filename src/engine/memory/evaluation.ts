import { tooLongRowTexts, tooManyItems, tooManyRowItems } from "../../base/errors/odata-error.ts";
import type { EntityType, EntitySet, NavigationProperty } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import type { NavigationExpression, RootExpression } from "../../language/query/expression.ts";
import type { ReadState } from "../../language/query/source.ts";

/** The number of items that nested lambda operators of one evaluation may evaluate: about a second of work. */
const MAX_ITEMS = 20_000_000;

/** The budget of items of one row, which cannot pause: some 10 milliseconds of work. */
const MAX_ROW_ITEMS = 200_000;

/** A row of fewer items takes no longer than other rows. */
const MANY_ITEMS = 1000;

/** Functions of a text of fewer characters take no longer than other expressions. */
const SLOW_TEXT = 1 << 10;

/** The most characters of such texts that the functions of one row read, which cannot pause: up to 50 milliseconds of work. */
const MAX_ROW_TEXT = 20_000_000;

/**
 * One evaluation of bound expressions: the state that all rows, the filter and the order share. The code that runs a
 * query makes one and passes it on.
 */
export class Evaluation implements ReadState {
  /** The values of the parameters, by index. */
  readonly values: readonly PrimitiveValue[];
  #now: string | undefined;
  #relations: Relations | undefined;
  #prepared: Map<object, unknown> | undefined;
  readonly #shared: ReadState | undefined;
  #items = 0;
  #rowItems = 0;
  #rowText = 0;
  #isLong = false;

  /** @param shared the state of other reads of the same page */
  constructor(values: readonly PrimitiveValue[], shared?: ReadState) {
    this.values = values;
    this.#shared = shared;
  }

  /** Whether a row has taken long: the clock is read after it, which begins the next row. */
  get isLong(): boolean {
    return this.#isLong;
  }

  set isLong(isLong: boolean) {
    this.#isLong = isLong;
    if (!isLong) this.#rowText = 0;
  }

  /** The value of `now()`: all rows see the same instant. */
  get now(): string {
    this.#now ??=
      this.#shared?.now ?? String(valueCodec(PRIMITIVE_TYPES["Edm.DateTimeOffset"]).fromHandler(new Date()));
    return this.#now;
  }

  /** The related entities, filled in before the expressions are evaluated. */
  get relations(): Relations {
    this.#relations ??= newRelations();
    return this.#relations;
  }

  /**
   * Returns a value that a closure computes from the parameters, once for all rows.
   * @param owner the closure
   */
  prepared<T>(owner: (evaluation: Evaluation) => T): T {
    this.#prepared ??= new Map();
    const known = this.#prepared.get(owner);
    // Only `owner` itself makes the value under its key.
    if (known !== undefined) return known as T;
    const made = owner(this);
    this.#prepared.set(owner, made);
    return made;
  }

  /**
   * Counts the characters of a text that a function reads.
   * @throws ODataError `InvalidQueryOption` above the budget of the row, unless one function needs more
   */
  readText(length: number): void {
    if (length < SLOW_TEXT) return;
    this.isLong = true;
    if (this.#rowText > 0 && this.#rowText + length > MAX_ROW_TEXT) throw tooLongRowTexts(MAX_ROW_TEXT);
    this.#rowText += length;
  }

  /** Leaves out a text that a function is about to read from the budget of the row: the items of a lambda operator count it. */
  readAsItems(length: number): void {
    if (length >= SLOW_TEXT) this.#rowText -= length;
  }

  /** Begins the conditions of the next row, or its next sort key: each has a budget of items. */
  beginRow(): void {
    this.#rowItems = 0;
  }

  /**
   * Spends items of the budget of the row.
   * @throws ODataError `InvalidQueryOption` above the budget
   * @see docs/reference/limits.md, Items of any and all
   */
  spendRowItems(items: number): void {
    this.#rowItems += items;
    if (this.#rowItems < MANY_ITEMS) return;
    this.isLong = true;
    if (this.#rowItems > MAX_ROW_ITEMS) throw tooManyRowItems(MAX_ROW_ITEMS);
  }

  /**
   * Counts the items of a lambda operator that is nested in another, or whose items several entities share.
   * @throws ODataError `InvalidQueryOption` above the limit of one evaluation
   */
  spendItems(items: number): void {
    this.#shared?.spendItems(items);
    this.#items += items;
    if (this.#items > MAX_ITEMS) throw tooManyItems(MAX_ITEMS);
  }
}

/**
 * A bound expression as a closure: evaluates it for one entity (or collection item).
 * @param entity the application's object
 * @param evaluation the values of the parameters, and the state that all rows share
 * @returns a canonical value, or null
 */
export type CompiledExpression = (entity: object, evaluation: Evaluation) => PrimitiveValue | null;

/** A Boolean expression as a closure; null is "unknown" of three-valued logic. */
export type CompiledPredicate = (entity: object, evaluation: Evaluation) => boolean | null;

/** Whether a value may be an entity. Any other value is rejected as an entity. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value is an entity, and not a list. */
export function isEntity(value: unknown): value is object {
  return isObject(value) && !Array.isArray(value);
}

/** Returns a row that must be an object. @throws TypeError for any other value: a fault of the application */
export function asEntity(row: unknown, type: EntityType): object {
  if (isObject(row)) return row;
  const kind = row === null ? "null" : `a ${typeof row}`;
  throw new TypeError(`A handler returned ${kind} among its entities of type ${type.name}.`);
}

/** The related entities of one entity: an entity or null, or a list for a collection-valued navigation. */
export type RelatedObject = object | null | readonly object[];

/** By the entity in which a navigation starts: the object as its source or handler returned it. */
export type RelatedByEntity = Map<object, RelatedObject>;

/** The related entities that the expressions of one evaluation use, loaded before the evaluation. */
interface Relations {
  readonly related: Map<EntitySet, Map<NavigationProperty, RelatedByEntity>>;
  /** The entities of `$root`; null where an entity is missing. */
  readonly roots: Map<RootExpression, object | null>;
}

/** Makes relations without entities. */
function newRelations(): Relations {
  return { related: new Map(), roots: new Map() };
}

/** Returns the table of one navigation in the relations of an evaluation, made on first use. */
export function relatedTable(
  { related }: Relations,
  { entitySet, navigationProperty }: Pick<NavigationExpression, "entitySet" | "navigationProperty">,
): RelatedByEntity {
  const ofSet = related.get(entitySet) ?? new Map<NavigationProperty, RelatedByEntity>();
  related.set(entitySet, ofSet);
  const table = ofSet.get(navigationProperty) ?? new Map<object, RelatedObject>();
  ofSet.set(navigationProperty, table);
  return table;
}

/**
 * Returns the related entities of an entity.
 * @throws Error when they were not loaded: a fault of the execution
 */
export function relatedOf(
  { related: relations }: Relations,
  { entitySet, navigationProperty }: NavigationExpression,
  entity: object,
): RelatedObject {
  const related = relations.get(entitySet)?.get(navigationProperty)?.get(entity);
  if (related !== undefined) return related;
  throw new Error(`${entitySet.name}/${navigationProperty.name} was not loaded before it was evaluated.`);
}

/** Returns the entity of `$root`. @throws Error when it was not loaded: a fault of the execution */
export function rootOf({ roots }: Relations, expression: RootExpression): object | null {
  const entity = roots.get(expression);
  if (entity !== undefined) return entity;
  throw new Error(`$root/${expression.entitySet.name} was not loaded before it was evaluated.`);
}
