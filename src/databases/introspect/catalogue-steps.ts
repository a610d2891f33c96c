import { isPromiseLike, type Maybe } from "../../base/maybe.ts";
import type { DatabaseKind } from "./database-schema.ts";
import type { ComparedTexts, CheckedSchema, WantedTable } from "./schema.ts";

/** A statement that reads a catalogue. */
export interface CatalogueQuery {
  readonly sql: string;
  readonly parameters: readonly string[];
  /** How many columns it returns, named `c0`, `c1`, …; undefined if they have other names, as those of `explain`. */
  readonly width: number | undefined;
  /** The time that it may take, in milliseconds, since it reads rows of a view; absent for a short statement. */
  readonly milliseconds?: number;
  /**
   * Statements that run after `sql` instead of it, on one connection, in a transaction that is undone. Each has one row: its first
   * cell and null, or null and the message of its error.
   */
  readonly undone?: readonly string[];
  /** The table or view whose rows it reads, which may take long; absent for a statement that reads the catalogue. */
  readonly rowsOf?: WantedTable;
  /** The most rows that it reads of that table; absent: all. */
  readonly most?: number;
}

/** The cells of one row in the order of the columns. */
export type CatalogueRow = readonly unknown[];

/**
 * Reads a catalogue step by step: yields each statement and receives its rows. So one reader serves synchronous and
 * asynchronous databases.
 */
export type CatalogueSteps<T> = Generator<CatalogueQuery, T, readonly CatalogueRow[]>;

/** The catalogue of one kind of database. */
export interface ReadableCatalogue {
  readonly kind: DatabaseKind;
  readonly read: (wanted: readonly WantedTable[]) => CatalogueSteps<CheckedSchema>;
  /** Reads how the foreign keys between some tables compare texts, unless by code point. @param schema the same tables */
  readonly readTexts: (
    wanted: readonly WantedTable[],
    schema: CheckedSchema,
  ) => CatalogueSteps<readonly ComparedTexts[]>;
}

/** Runs one statement. */
export type RunQuery = (query: CatalogueQuery) => Maybe<readonly CatalogueRow[]>;

/**
 * Runs the steps of a reader one after another, synchronously if each statement is. The reader may catch errors of a
 * statement.
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
  let step = await takeStep(steps, first);
  while (step.done !== true) {
    const query = step.value;
    step = await takeStep(steps, (async () => run(query))());
  }
  return step.value;
}

async function takeStep<T>(
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

/** Returns a cell that is not null as a string. */
export function textOf(cell: unknown): string {
  return typeof cell === "string" ? cell : String(cell);
}

/** Returns a cell as a string; null for NULL. */
export function textOrNull(cell: unknown): string | null {
  return cell === null || cell === undefined ? null : textOf(cell);
}

/** Returns whether a cell is true. Drivers return booleans in several forms. */
export function isYes(cell: unknown): boolean {
  return ["1", "true", "t", "yes", "YES"].includes(textOf(cell));
}
