import type { SynchronousReader } from "../../connection/synchronous-reader.ts";

/** One line of a query plan of SQLite. */
interface PlanLine {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** Related rows in a statement are named `r1` and so on. */
const MENTIONED = /\br1\b/;
const SCAN = /^SCAN r\d+\b/;
const LOOP = /^(?:SCAN|SEARCH) /;
const CORRELATED = /^CORRELATED /;

/**
 * Returns whether SQLite would read all rows of a set once per row of another: in a correlated subquery, or as the inner loop
 * of a join. The time for the statement would grow with the product of both.
 * @param text a `select`; its bound values do not matter
 * @see https://sqlite.org/eqp.html
 */
export function scansRepeatedly(text: string, parameters: number, reader: SynchronousReader): boolean {
  if (!MENTIONED.test(text)) return false;
  const lines = explain(text, parameters, reader);
  const byId = new Map(lines.map((line) => [line.id, line]));
  return lines.some((line) => SCAN.test(line.detail) && (isInner(line, lines) || isCorrelated(line, byId)));
}

/** Returns no lines if this fails. The statement itself then reports, for example, a missing table. */
function explain(text: string, parameters: number, reader: SynchronousReader): readonly PlanLine[] {
  try {
    const values = Array.from({ length: parameters }, () => null);
    return reader
      .readRows(`explain query plan ${text}`, values)
      .map(([id, parent, , detail]) => ({ id: Number(id), parent: Number(parent), detail: String(detail) }));
  } catch {
    return [];
  }
}

/** SQLite lists nested loops side by side, the outer loop first. */
function isInner(line: PlanLine, lines: readonly PlanLine[]): boolean {
  return lines.find(({ parent, detail }) => parent === line.parent && LOOP.test(detail)) !== line;
}

function isCorrelated({ parent }: PlanLine, byId: ReadonlyMap<number, PlanLine>): boolean {
  const around = byId.get(parent);
  return around !== undefined && (CORRELATED.test(around.detail) || isCorrelated(around, byId));
}
