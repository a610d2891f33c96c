import { ExpressionWrapper, OperationNodeTransformer, sql, ValueNode } from "kysely";
import type { ByteCount } from "../../base/byte-count.ts";
import type { Maybe } from "../../base/maybe.ts";
import { required } from "../../base/required.ts";
import { type PastedStatement, statementScope, type StatementScope } from "../../definition/logger.ts";
import type { EntitySet } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import type { MarkedRow, Place, PlaceValue } from "../../language/query/place.ts";
import type { ReadState, SourceQuery } from "../../language/query/source.ts";
import type { StatementFacts } from "../connection/statement-facts.ts";
import type { Encode, Sql, SqlForm } from "./sql-form.ts";

/** The values of one execution of a statement. */
export interface Execution {
  /** The values of the parameters of the query, by index. */
  readonly values: readonly PrimitiveValue[];
  readonly top: number;
  readonly skip: number;
  /** The sorted values of the row before the page, by term. */
  readonly after: readonly PlaceValue[];
  /** The position of the row whose place is wanted. */
  readonly markedRow: number;
  /** As in `SourceQuery`. */
  readonly idStart: NonNullable<SourceQuery["idStart"]>;
  /** The join keys of the parents in a related read; in a read by key, only that key. */
  readonly keys: ReadonlyArray<readonly PrimitiveValue[]>;
  /** The maximum number of rows of a related read in total, or of entities of a page as JSON. */
  readonly maxRows: number;
  /** The maximum number of bytes of the texts of a page as JSON. */
  readonly maxBytes: number;
  /** The maximum number of bytes of the long cells of a row. */
  readonly maxRowBytes: number;
  /** The cells that a write stores. */
  readonly cells: readonly unknown[];
  /** Returns the parameters of the base query of a set that the query mentions, or of the source itself (null). */
  readonly base: (entitySet: EntitySet | null) => readonly unknown[];
  /** Returns a number that identifies the execution, also among those of other services on the same connection. */
  readonly id: () => number;
  /** Returns the value of `now()`, which is constant during the execution. */
  readonly now: () => string;
}

/**
 * A placeholder in a compiled statement. It returns the value of each execution, so one statement serves all requests of a
 * shape.
 */
interface ParameterSlot {
  readonly kind: "ParameterSlot";
  read(execution: Execution): unknown;
  /** Whether it is `top` or `skip` of a page. */
  readonly isLimit: boolean;
  /** The place of its value among the cells of a write; null for any other value. */
  readonly cell: number | null;
}

/** A value that does not depend on the row: a parameter of the query, a value in place, or the instant of the execution. */
export type SqlConstant =
  | { readonly kind: "parameter"; readonly index: number }
  /** A part of the single key that is read. */
  | { readonly kind: "key"; readonly index: number }
  | { readonly kind: "fixed"; readonly value: PrimitiveValue }
  | { readonly kind: "now" };

/** Binds a constant in a statement. */
export function bindConstant(constant: SqlConstant, encode: Encode): Sql {
  return bindSlot((execution) => encode(readConstant(constant, execution)));
}

/** Makes a placeholder in a statement. */
export function bindSlot(read: (execution: Execution) => unknown, isLimit: boolean = false): Sql {
  const slot: ParameterSlot = { kind: "ParameterSlot", read, isLimit, cell: null };
  return sql.val(slot);
}

/** Makes a placeholder for a cell that a write stores. */
export function bindCell(index: number): Sql {
  const read = ({ cells }: Execution): unknown => cells[index];
  const slot: ParameterSlot = { kind: "ParameterSlot", read, isLimit: false, cell: index };
  return sql.val(slot);
}

/** Whether the placeholders are exactly the cells of a write, in their order. */
export function areCells(slots: readonly unknown[]): boolean {
  return slots.every((slot, index) => isSlot(slot) && slot.cell === index);
}

/** Binds a fixed value. */
export function bindFixed(value: unknown): Sql {
  return bindSlot(() => value);
}

/** Returns the values of one execution, in the order of the statement. */
export function readSlots(slots: readonly unknown[], execution: Execution): unknown[] {
  return slots.map((slot) => readSlot(slot, execution));
}

/** Returns the value of one placeholder in an execution. */
export function readSlot(slot: unknown, execution: Execution): unknown {
  return isSlot(slot) ? slot.read(execution) : slot;
}

/** Lets the placeholders of a piece of SQL read another execution. @param executionOf returns it for that of the statement */
export function bindWithin(piece: Sql, executionOf: (execution: Execution) => Execution): Sql {
  const node = new SlotTransformer(executionOf).transformNode(piece.toOperationNode());
  return sql`${new ExpressionWrapper(node)}`;
}

class SlotTransformer extends OperationNodeTransformer {
  readonly #executionOf: (execution: Execution) => Execution;

  constructor(executionOf: (execution: Execution) => Execution) {
    super();
    this.#executionOf = executionOf;
  }

  protected override transformValue(node: ValueNode): ValueNode {
    const { value, immediate } = node;
    if (immediate === true) return node;
    const read = (execution: Execution): unknown => readSlot(value, this.#executionOf(execution));
    return ValueNode.create({ kind: "ParameterSlot", read, isLimit: false, cell: null } satisfies ParameterSlot);
  }
}

/** Whether a placeholder is `top` or `skip` of a page. */
export function isLimit(slot: unknown): boolean {
  return isSlot(slot) && slot.isLimit;
}

/** Returns the places of `top` and `skip` of a page among the placeholders of a statement. */
export function limitPlaces(slots: readonly unknown[]): readonly number[] {
  return slots.flatMap((slot, place) => (isLimit(slot) ? [place] : []));
}

/** The bytes above which a page is read as rows: a driver and a server need several times the memory of a long value. */
const MOST_JSON = 64_000_000;

/** The values of an execution; its statements need no absent value. */
interface ExecutionInput {
  readonly values: readonly PrimitiveValue[];
  readonly base: Execution["base"];
  readonly top?: number | undefined;
  readonly skip?: number | undefined;
  readonly after?: Place | undefined;
  readonly marked?: MarkedRow | undefined;
  readonly keys?: Execution["keys"] | undefined;
  readonly maxRows?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Counts the bytes of rows; absent: rows have no limit. */
  readonly bytes?: ByteCount | undefined;
  readonly cells?: readonly unknown[] | undefined;
  readonly idStart?: SourceQuery["idStart"];
  /** The state of other reads of the same page. */
  readonly state?: ReadState | undefined;
}

/** Makes the execution of a query with these values. */
export function toExecution({
  values,
  base,
  top = 0,
  skip = 0,
  after,
  marked,
  keys = [],
  maxRows = 0,
  maxBytes = MOST_JSON,
  bytes,
  cells = [],
  idStart = () => "",
  state,
}: ExecutionInput): Execution {
  let instant: string | undefined;
  const now = (): string => {
    instant ??= state?.now ?? String(valueCodec(PRIMITIVE_TYPES["Edm.DateTimeOffset"]).fromHandler(new Date()));
    return instant;
  };
  let made: number | undefined;
  const id = (): number => (made ??= Math.random());
  const place = { after: after?.values ?? [], markedRow: marked?.row ?? 0 };
  const maxRowBytes = Math.min(bytes?.left ?? Infinity, Number.MAX_SAFE_INTEGER);
  return { values, base, top, skip, ...place, keys, maxRows, maxBytes, maxRowBytes, cells, idStart, id, now };
}

function readConstant(constant: SqlConstant, { values, keys, now }: Execution): PrimitiveValue {
  switch (constant.kind) {
    case "parameter":
      return required(values[constant.index], "A parameter of the query has no value.");
    case "key":
      return required(keys[0]?.[constant.index], "The key lacks a value.");
    case "fixed":
      return constant.value;
    case "now":
      return now();
  }
}

function isSlot(value: unknown): value is ParameterSlot {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "ParameterSlot";
}

/**
 * Binds a constant in a statement as a value of a form.
 * @param encode makes the cell; by default the exact cell of the value, or its floor
 */
export function bindFormed(constant: SqlConstant, form: SqlForm, encode: Encode = form.exact ?? form.floor): Sql {
  const place = bindConstant(constant, encode);
  const cast = encode === form.exact ? (form.placeExact ?? form.place) : form.place;
  return cast?.(place) ?? place;
}

/** Reads the plans of statements. */
export interface Explainer {
  explain(sql: string, parameters: readonly unknown[]): Maybe<readonly string[]>;
}

/** The parts of a statement that traces contain. */
interface TracedText {
  readonly sql: string;
  readonly facts?: Pick<StatementFacts, "columns"> | undefined;
  /** As in `ReportedStatement`. */
  readonly paste?: (() => PastedStatement) | undefined;
}

/** A statement in execution that the application traces. It is reported once, at its end. */
export class RunningStatement {
  readonly #scope: StatementScope;
  readonly #statement: TracedText;
  readonly #parameters: readonly unknown[];
  readonly #explainer: Explainer | undefined;
  readonly #begun: number = performance.now();
  #rows = 0;
  #isOver = false;

  constructor(
    scope: StatementScope,
    statement: TracedText,
    parameters: readonly unknown[],
    explainer: Explainer | undefined,
  ) {
    this.#scope = scope;
    this.#statement = statement;
    this.#parameters = parameters;
    this.#explainer = explainer;
  }

  /** Counts rows of a statement that is read in parts. */
  add(rows: number): void {
    this.#rows += rows;
  }

  /** Reports the statement. @param rows its last rows */
  end(rows: number = 0): void {
    this.#rows += rows;
    this.#report({});
  }

  /** Reports the statement with its error. */
  fail(error: unknown): void {
    this.#report({ error });
  }

  #report(outcome: { readonly error?: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const ms = performance.now() - this.#begun;
    const [{ sql, facts, paste }, parameters, explainer] = [this.#statement, this.#parameters, this.#explainer];
    const explain = explainer === undefined ? undefined : () => explainer.explain(sql, parameters);
    this.#scope.report({ sql, parameters, ms, rows: this.#rows, explain, columns: facts?.columns, paste, ...outcome });
  }
}

/**
 * Begins to trace a statement.
 * @param explainer absent for a statement without a plan, such as a write
 * @returns undefined if nothing traces the statements of this request
 */
export function beginStatement(
  statement: TracedText,
  parameters: readonly unknown[],
  explainer?: Explainer,
): RunningStatement | undefined {
  const scope = statementScope();
  return scope === undefined ? undefined : new RunningStatement(scope, statement, parameters, explainer);
}
