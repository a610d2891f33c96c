import { isPromiseLike, type Maybe } from "../base/maybe.ts";
import type { DatabaseSchema, WantedTable } from "./schema.ts";

/** A statement that reads a catalogue. Its columns are named `c0`, `c1`, … */
export interface CatalogueQuery {
  readonly sql: string;
  readonly parameters: readonly string[];
  /** How many columns it returns. */
  readonly width: number;
}

/** One row: the cells in the order of the columns. */
export type CatalogueRow = readonly unknown[];

/**
 * Reads a catalogue step by step: yields each statement and receives its rows. So a reader is the same for databases that
 * answer at once and for those that do not.
 */
export type CatalogueSteps<T> = Generator<CatalogueQuery, T, readonly CatalogueRow[]>;

/** Reads what the catalogue of one kind of database says about tables. */
export type CatalogueReader = (wanted: readonly WantedTable[]) => CatalogueSteps<DatabaseSchema>;

/** Runs one statement, at once or by a promise. */
export type RunQuery = (query: CatalogueQuery) => Maybe<readonly CatalogueRow[]>;

/**
 * Takes the steps of a reader one after another: at once where each statement answers at once. The reader may catch what a
 * statement throws.
 */
export function runSteps<T>(steps: CatalogueSteps<T>, run: RunQuery): Maybe<T> {
  let step = steps.next();
  while (step.done !== true) {
    let rows: ReturnType<RunQuery>;
    try {
      rows = run(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    if (isPromiseLike(rows)) return finish(steps, rows, run);
    step = steps.next(rows);
  }
  return step.value;
}

async function finish<T>(
  steps: CatalogueSteps<T>,
  first: PromiseLike<readonly CatalogueRow[]>,
  run: RunQuery,
): Promise<T> {
  let step = await answer(steps, first);
  while (step.done !== true) {
    const query = step.value;
    step = await answer(steps, (async () => run(query))());
  }
  return step.value;
}

async function answer<T>(
  steps: CatalogueSteps<T>,
  rows: PromiseLike<readonly CatalogueRow[]>,
): Promise<IteratorResult<CatalogueQuery, T>> {
  let found: readonly CatalogueRow[];
  try {
    found = await rows;
  } catch (error) {
    return steps.throw(error);
  }
  return steps.next(found);
}

/** The text of a cell that is not null. */
export function textOf(cell: unknown): string {
  return typeof cell === "string" ? cell : String(cell);
}

/** The text of a cell; null for NULL. */
export function textOrNull(cell: unknown): string | null {
  return cell === null || cell === undefined ? null : textOf(cell);
}

/** Whether a cell says yes: drivers return booleans in several forms. */
export function isYes(cell: unknown): boolean {
  return ["1", "true", "t", "yes", "YES"].includes(textOf(cell));
}
