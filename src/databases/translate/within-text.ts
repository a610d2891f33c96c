import { sql } from "kysely";
import { bytesOfCharacters, bytesOfPart, mostBytes, type TextPart } from "../../language/query/computed-text.ts";
import type { CallExpression, Expression } from "../../language/query/expression.ts";
import { isPath } from "../../language/query/walk-expression.ts";
import type { DialectValues } from "../forms/dialect-values.ts";
import { bindConstant } from "../statement/parameter-slot.ts";
import { toComputable, type Sql } from "../statement/sql-form.ts";
import type { SqlOperand } from "../statement/sql-operand.ts";
import { keyOfPath } from "./shared-navigation.ts";

/**
 * Makes a computed text fail the statement, before the database computes it, if its parts are too long.
 * @param translate translates a part; null for hidden rows, which must not fail the statement
 * @see docs/reference/limits.md, Computed texts
 */
export function withinLimit(
  operand: SqlOperand,
  call: CallExpression,
  parts: readonly TextPart[],
  translate: (part: Expression) => SqlOperand,
  { withinText }: DialectValues,
): SqlOperand {
  if (operand.kind !== "row" || parts.length === 0) return operand;
  const found = new Map<string | TextPart, { readonly part: TextPart; times: number }>();
  for (const part of parts) {
    const key = (isPath(part.expression) && part.most === undefined ? keyOfPath(part.expression) : null) ?? part;
    const known = found.get(key);
    if (known === undefined) found.set(key, { part, times: 1 });
    else known.times += 1;
  }
  // An integer of PostgreSQL could overflow.
  const sizes = Array.from(
    found.values(),
    ({ part, times }) => sql`${sql.raw(`${String(times)}.0`)} * ${bytesOf(part, translate)}`,
  );
  const bytes = sql.join(sizes, sql` + `);
  const value = operand.unindexed ?? operand.sql;
  const judged = withinText(bytes, sql.lit(mostBytes(call)), value);
  return { ...operand, sql: judged, joined: undefined, unindexed: undefined };
}

function bytesOf({ expression, most }: TextPart, translate: (part: Expression) => SqlOperand): Sql {
  const part = translate(expression);
  if (part.kind === "null") return sql`0`;
  if (part.kind === "constant") return bindConstant(part.constant, (value) => bytesOfPart(value));
  const length = sql`octet_length(${toComputable(part).sql})`;
  const bytes = expression.type?.name === "Edm.Binary" ? sql`2 * ${length}` : length;
  const count = most && translate(most);
  if (count?.kind !== "constant") return bytes;
  const limit = bindConstant(count.constant, bytesOfCharacters);
  return sql`(case when ${bytes} > ${limit} then ${limit} else ${bytes} end)`;
}
