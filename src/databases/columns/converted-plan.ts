import { isODataError, protocolError } from "../../base/errors/odata-error.ts";
import { messageOf } from "../../base/message-of.ts";
import { describe, isObject } from "../../definition/option-table.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { NoteUnreadable } from "../../language/query/row-shape.ts";
import type { ReportFault } from "./storage-option.ts";

/**
 * Two functions of the application that convert between the cells of a column and the values of a property. Neither
 * receives null: NULL in the database is always the value null.
 */
export interface ColumnConversion<Value = never, Result = unknown> {
  /** Returns the value of a cell. The cell has the type that the driver returns. */
  fromDatabase(cell: unknown): Result;
  /** Returns the cell of a value. */
  toDatabase(value: Value): unknown;
}

/** A column that the application converts. No statement compares it. */
export interface ConvertedPlan {
  readonly kind: "converted";
  readonly property: StructuralProperty;
  readonly column: string;
  /** The expression in place of the column: see `ColumnExpression`. */
  readonly expression?: string | undefined;
  readonly unreadable?: NoteUnreadable | undefined;
  readonly nullable: boolean;
  /** Reads a cell that is not null. @throws Error that names the column */
  readonly toValue: (cell: unknown) => unknown;
  /** Writes a value that is not null. @throws Error that names the column; ODataError from the application's function */
  readonly toCell: (value: unknown) => unknown;
}

/** The two functions of a conversion. */
interface Functions {
  readonly fromDatabase: (cell: unknown) => unknown;
  readonly toDatabase: (value: unknown) => unknown;
}

interface ConvertedColumn {
  readonly property: StructuralProperty;
  readonly column: string;
  readonly table: string | undefined;
  readonly nullable: boolean;
}

/** Reads the `convert` of a column; undefined without one or after a fault. */
export function readConversion(given: unknown, place: string, report: ReportFault): Functions | undefined {
  if (given === undefined) return undefined;
  const fix = "Give { fromDatabase, toDatabase }, two functions.";
  if (!isObject(given)) {
    report(`\`${place}\` is ${describe(given)}.`, fix);
    return undefined;
  }
  const { fromDatabase, toDatabase, ...others } = given;
  for (const name of Object.keys(others)) report(`\`${place}\` has no option \`${name}\`.`, fix);
  const missing = Object.entries({ fromDatabase, toDatabase }).filter(([, value]) => typeof value !== "function");
  for (const [name, value] of missing) report(`\`${place}.${name}\` is ${describe(value)}.`, fix);
  return missing.length > 0 ? undefined : (given as unknown as Functions);
}

/** The facts about a converted property that may be wrong. */
interface ConvertedPlace {
  readonly path: string;
  /** Whether it is a member of a complex property. */
  readonly isMember: boolean;
  readonly isBesideStorage: boolean;
}

/** Reports a `convert` in a wrong place: a converted column is read and written as a whole and never compared. */
export function checkConverted(
  { isKey }: StructuralProperty,
  { path, isMember, isBesideStorage }: ConvertedPlace,
  report: ReportFault,
): void {
  const faults: ReadonlyArray<readonly [isFault: boolean, what: string, fix: string]> = [
    [isKey, ", but is part of the key", "The database must compare keys: give it a `storage`."],
    [isMember, " within a complex property", "Convert the whole complex property, as one column."],
    [isBesideStorage, " together with `storage` or `columns`", "Give one of them."],
  ];
  for (const [isFault, what, fix] of faults) if (isFault) report(`\`${path}\` has a \`convert\`${what}.`, fix);
}

/** Makes the plan of a converted column. */
export function convertedPlan(
  { property, column, table, nullable }: ConvertedColumn,
  functions: Functions,
): ConvertedPlan {
  const place = `Column "${column}"${table === undefined ? "" : ` of table "${table}"`}`;
  const isSingle = !property.isCollection && property.type.kind !== "ComplexType";
  const toProperty = isSingle ? codecOf(property).fromHandler : (value: unknown): unknown => value;
  const run = (name: keyof Functions, given: unknown, finish: (result: unknown) => unknown): unknown => {
    try {
      const result = functions[name](given);
      if (isODataError(result)) throw result;
      if (result === undefined) throw new TypeError("It returned undefined.");
      if (result instanceof Promise) {
        // If the promise rejects later, that must not end the process.
        result.catch(() => undefined);
        throw new TypeError("It returned a promise: return the value itself.");
      }
      return result === null ? null : finish(result);
    } catch (cause) {
      if (isODataError(cause)) throw cause;
      const reason = messageOf(cause);
      const message = `${place}: \`${name}\` of ${property.name} failed: ${reason}`;
      // The log takes both names from the error.
      throw Object.assign(new Error(message, { cause }), { table, column });
    }
  };
  return Object.freeze<ConvertedPlan>({
    kind: "converted",
    property,
    column,
    nullable,
    toValue: (cell) => run("fromDatabase", cell, toProperty),
    toCell: (value) => run("toDatabase", value, (cell) => cell),
  });
}

/**
 * Throws if no statement can compare the column.
 * @param name the name of the property in URLs
 * @throws ODataError `UnsupportedQueryOption`
 */
export function refuseConverted({ kind }: { readonly kind: string }, name: string): void {
  if (kind !== "converted") return;
  throw protocolError(
    "UnsupportedQueryOption",
    `'${name}' cannot be used in $filter, $orderby or $search: the database cannot compare its values.`,
  );
}
