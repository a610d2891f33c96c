import { sql } from "kysely";
import type { FilterClause, OrderByItem, SelectedProperty } from "../../language/query/clauses.ts";
import type { CallExpression, Expression } from "../../language/query/expression.ts";
import { makesText } from "../../language/query/functions.ts";
import { childrenOf, isPath } from "../../language/query/walk-expression.ts";
import type { Database } from "../forms/database.ts";
import { bindText } from "../forms/translate-call.ts";
import type { Sql, TextMemory } from "../statement/sql-form.ts";
import type { SqlOperand, Translator } from "../statement/sql-operand.ts";
import { keyOfCall, keyOfPath } from "./shared-navigation.ts";

/** A bound for stored texts from which the expressions of one query compute others. */
export interface TextBound {
  readonly memory: TextMemory;
  /** The bytes that a stored text may have on average, if each use of it counts as often as it is kept. */
  readonly most: number;
}

/**
 * Returns the bound of a query; undefined for a query that keeps few texts, and for databases without bounds.
 * @see docs/reference/limits.md
 */
export function boundTexts(
  { values: { textMemory } }: Database,
  filter: FilterClause | null,
  orderBy: readonly OrderByItem[],
  selected: readonly SelectedProperty[] = [],
): TextBound | undefined {
  if (textMemory === undefined) return undefined;
  const counter = new CopyCounter(textMemory);
  if (filter !== null) counter.add(filter.expression, 0);
  for (const { expression } of orderBy) counter.add(expression, textMemory.sortedCopies);
  for (const { computed } of selected) if (computed !== undefined) counter.add(computed, 0);
  const { copies } = counter;
  return copies <= textMemory.few ? undefined : { memory: textMemory, most: Math.floor(textMemory.most / copies) };
}

/**
 * Makes a computed text fail the statement if the stored texts that it is made of are too long. A call such as
 * `tolower(Name)` stays, so that an index can serve it.
 */
export function withinBound(
  operand: SqlOperand,
  call: CallExpression,
  { memory, most }: TextBound,
  translator: Translator,
): SqlOperand {
  if (operand.kind !== "row" || isUnbound(call, memory)) return operand;
  const texts = new Map<string | Expression, { readonly leaf: Expression; copies: number }>();
  let copies = 0;
  visitTexts(call, memory, 0, (leaf, count) => {
    const key = (isPath(leaf) ? keyOfPath(leaf) : null) ?? leaf;
    const text = texts.get(key) ?? { leaf, copies: 0 };
    text.copies += count;
    copies += count;
    texts.set(key, text);
  });
  const operands = [...texts.values()].map((text) => ({ ...text, operand: translator.operand(text.leaf) }));
  // Literals alone are short.
  if (operands.every((text) => text.operand.kind !== "row")) return operand;
  const sizes = operands.flatMap((text) => {
    const written = textOf(text.operand);
    return written === null ? [] : [sql`${sql.lit(text.copies)} * ${memory.bytesOf(written)}`];
  });
  const value = operand.unindexed ?? operand.sql;
  return { ...operand, sql: memory.within(sql.join(sizes, sql` + `), most * copies, value), unindexed: undefined };
}

function textOf(operand: SqlOperand): Sql | null {
  if (operand.kind === "null") return null;
  return operand.kind === "row" ? operand.sql : bindText(operand.constant, String);
}

/** Whether a call uses a stored text unchanged, and needs no bound. */
function isUnbound({ name, arguments: [text] }: CallExpression, { unbound }: TextMemory): boolean {
  return unbound.has(name) && text !== undefined && isPath(text);
}

/** Visits the texts that count of a computed text. @param outer how often the text is kept besides its own copies */
function visitTexts(
  expression: Expression,
  memory: TextMemory,
  outer: number,
  visit: (text: Expression, copies: number) => void,
): void {
  if (expression.kind === "call" && expression.name === "cast") {
    // The texts of other types are short.
    const [bytes] = expression.arguments;
    if (bytes !== undefined && isPath(bytes) && bytes.type.name === "Edm.Binary") visit(bytes, 2 * (outer + 1));
    return;
  }
  if (expression.kind !== "call" || !makesText(expression.name)) {
    if (memory.countsAll || isPath(expression)) visit(expression, outer);
    return;
  }
  const copies = outer + memory.copiesOf(expression);
  for (const text of textsOf(expression)) {
    // A concatenation within another one joins its texts at once.
    const isJoined = text.kind === "call" && text.name === "concat" && expression.name === "concat";
    visitTexts(text, memory, isJoined ? copies - memory.copiesOf(text) : copies, visit);
  }
}

/** Returns the arguments of a call that become parts of its text. */
function textsOf({ name, arguments: given }: CallExpression): readonly Expression[] {
  return name === "concat" ? given : given.slice(0, 1);
}

/** Counts how many copies of stored texts some expressions keep. */
class CopyCounter {
  readonly #memory: TextMemory;
  readonly #shared = new Set<string>();
  copies = 0;

  constructor(memory: TextMemory) {
    this.#memory = memory;
  }

  /** @param outer the copies of the value of the expression */
  add(expression: Expression, outer: number): void {
    if (expression.kind !== "call") {
      for (const child of childrenOf(expression)) this.add(child, 0);
      return;
    }
    if (!makesText(expression.name)) {
      for (const child of expression.arguments) this.add(child, this.#memory.copiesOf(expression));
      return;
    }
    const key = keyOfCall(expression);
    if (key !== null && this.#shared.has(key)) return;
    if (key !== null) this.#shared.add(key);
    visitTexts(expression, this.#memory, outer, (_text, copies) => {
      this.copies += copies;
    });
    for (const child of expression.arguments.slice(1)) if (expression.name !== "concat") this.add(child, 0);
  }
}
