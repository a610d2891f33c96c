import { sql } from "kysely";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import { toComparable, toEquatable, type FormedSql, type Sql, type SqlForm } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { unfoldOf } from "./constant-condition.ts";
import type { StatementScope } from "./relation.ts";
import { equalsConstant } from "./translate-comparison.ts";

/** The keys of the parents within a statement that reads their related entities. */
export interface BoundKeys {
  /** The list of keys, and the conditions that join it to the other relations; null if conditions alone suffice. */
  readonly list: KeyList | null;
  /** The conditions that a row belongs to one of the keys, beside those of the list. */
  readonly conditions: readonly Sql[];
  /** The position of the key that a row belongs to: the first cell. */
  readonly ordinal: Sql;
  /** What sorts and groups rows by that position; null if there is one key only. */
  readonly sorted: Sql | null;
  /** What is equal for the rows of one key. */
  readonly partition: readonly Sql[];
}

/** A list of keys as a table. */
export interface KeyList {
  readonly from: Sql;
  readonly tie: readonly Sql[];
}

/** The alias of the key list. */
const KEYS = "keys";

const ORDINAL: Sql = sql`${sql.id(KEYS, "ordinal")}`;

/**
 * Binds the keys of the parents as a table that a statement joins. A distributed database asks only the machines with rows of
 * these keys, if the conditions say so: one key is compared, and of several the values of each column are listed.
 * @param columns the columns with the join values of the parents
 * @param hasOneKey whether the statement is only executed with one key
 */
export function bindKeys(columns: readonly RowOperand[], statement: StatementScope, hasOneKey: boolean): BoundKeys {
  const { profile } = statement;
  if (!profile.capabilities.bindsKeys) return inList(columns, profile, []);
  if (hasOneKey) {
    const unfold = unfoldOf(statement);
    const conditions = columns.map((column, index) => equalsConstant(column, { kind: "key", index }, "filter", unfold));
    return { list: null, conditions, ordinal: sql`0`, sorted: null, partition: [] };
  }
  const { keyArrays } = profile.syntax;
  if (keyArrays === undefined) return inList(columns, profile, []);
  const listed = columns.map((column, index) => listColumn(column, index, keyArrays));
  const conditions = listed.flatMap((column) => column?.conditions ?? []);
  const [only] = listed;
  if (listed.length > 1 || only === null || only === undefined) return inList(columns, profile, conditions);
  // The first cell, by its position.
  return { list: null, conditions, ordinal: only.ordinal, sorted: sql`1`, partition: [only.cells] };
}

function inList(
  columns: readonly RowOperand[],
  { syntax }: StatementScope["profile"],
  conditions: readonly Sql[],
): BoundKeys {
  const cells = columns.map(inKeyForm);
  const forms = cells.map(({ form }) => form);
  const list = bindSlot(({ keys }) => syntax.writeKeys(keys.map((key) => encodeKey(key, forms))));
  const from = sql`${syntax.keyTable(list, forms)} as ${sql.id(KEYS)}`;
  const tie = cells.map((operand, index) => sql`${operand.sql} = ${sql.id(KEYS, `k${String(index)}`)}`);
  return { list: { from, tie }, conditions, ordinal: ORDINAL, sorted: ORDINAL, partition: [ORDINAL] };
}

interface ListedColumn {
  readonly conditions: readonly Sql[];
  readonly ordinal: Sql;
  readonly cells: Sql;
}

/** Tests a column against an array of its values; null if the database has no array of such cells. */
function listColumn(
  column: RowOperand,
  index: number,
  { contains, positionOf, write }: NonNullable<StatementScope["profile"]["syntax"]["keyArrays"]>,
): ListedColumn | null {
  const bind = ({ toArray, exact, floor }: SqlForm): Sql | null => {
    const encode = exact ?? floor;
    const list = bindSlot(({ keys }) => write(keys.map((key) => encode(valueOf(key, index)))));
    return toArray?.(list) ?? null;
  };
  const cells = inKeyForm(column);
  const [list, positions] = [bind(cells.form), bind(cells.form)];
  if (list === null || positions === null) return null;
  const bare = column.form.indexed === undefined ? null : bind(column.form.indexed);
  const conditions = [...(bare === null ? [] : [contains(bare, column.sql)]), contains(list, cells.sql)];
  const gathered = column.form.gathered?.(column.sql) ?? cells.sql;
  return { conditions, ordinal: positionOf(positions, cells.sql), cells: gathered };
}

/** Converts a column to the form in which it is compared with key values: its own form if a value has only one cell. */
function inKeyForm(operand: RowOperand): FormedSql {
  const equatable = toEquatable(operand);
  return equatable.form.exact === null ? toComparable(operand) : equatable;
}

function encodeKey(key: readonly PrimitiveValue[], forms: readonly SqlForm[]): readonly unknown[] {
  return forms.map(({ exact, floor }, index) => (exact ?? floor)(valueOf(key, index)));
}

function valueOf(key: readonly PrimitiveValue[], index: number): PrimitiveValue {
  const value = key[index];
  if (value === undefined) throw new Error("A key lacks a value.");
  return value;
}
