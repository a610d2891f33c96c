import { type PastedStatement, statementScope } from "../../definition/logger.ts";
import type { Row } from "../../language/query/row-shape.ts";
import type { StatementFacts } from "../connection/statement-facts.ts";
import { beginStatement, type Explainer, type RunningStatement } from "../statement/parameter-slot.ts";
import type { RowStatement, Statement } from "./compile-statement.ts";

/** The parts of a statement that running it requires. Without a width, its columns may have any names. */
export interface ReadRows extends Pick<Statement, "sql" | "table"> {
  readonly facts?: StatementFacts | undefined;
  readonly width?: RowStatement["width"] | undefined;
  /** The members of entities as JSON: the only row has their number as third cell. */
  readonly members?: readonly unknown[];
  /** Whether it is hidden from the application: its statement is reported otherwise, or it reads no data. */
  readonly isInternal?: true;
  /** As in `ReportedStatement`. */
  readonly paste?: (() => PastedStatement) | undefined;
}

/** A statement to read, with its values. */
export interface Read {
  readonly statement: ReadRows;
  readonly parameters: readonly unknown[];
}

/** Lets a statement that is traced be written for people. @param paste makes the function that writes it */
export function pastable<S extends ReadRows>(statement: S, paste: () => () => PastedStatement): S {
  return statementScope() === undefined ? statement : { ...statement, paste: paste() };
}

/** Begins to trace a statement. @returns undefined if tracing is off */
export function beginRead(
  read: ReadRows,
  parameters: readonly unknown[],
  explainer: Explainer,
): RunningStatement | undefined {
  return read.isInternal === true ? undefined : beginStatement(read, parameters, explainer);
}

/**
 * Returns the number of rows that were read, or of entities in the only row of a page as JSON.
 * @param isMany whether the result is a list of rows, not the first one
 */
export function countOf(
  { members }: ReadRows,
  found: readonly Row[] | Row | undefined,
  isMany: boolean = true,
): number {
  if (found === undefined) return 0;
  const [first, { length }] = isMany ? [(found as readonly Row[])[0], found] : [found, [found]];
  return members === undefined || first === undefined ? length : Number(first[2]);
}

/** Returns the number in the only cell of a row. */
export function toNumber(row: Row | undefined): number {
  return Number(row?.[0]);
}
