import type { SynchronousReader } from "../../connection/synchronous-reader.ts";

/** One line of what SQLite says that it will do. */
interface PlanLine {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** The rows of a set that a statement mentions are named `r1` and so on. */
const MENTIONED = /\br1\b/;
const SCAN = /^SCAN r\d+\b/;
const LOOP = /^(?:SCAN|SEARCH) /;
const CORRELATED = /^CORRELATED /;

/**
 * Whether SQLite would read all rows of a set once for each of other rows: within a subquery that looks at the row around
 * it, or as the inner loop of a join. Then the time that a statement takes grows with the product of both.
 * @param text a `select`; what is bound in it does not matter
 * @see https://sqlite.org/eqp.html
 */
export function scansRepeatedly(text: string, parameters: number, reader: SynchronousReader): boolean {
  if (!MENTIONED.test(text)) return false;
  const lines = explain(text, parameters, reader);
  const byId = new Map(lines.map((line) => [line.id, line]));
  return lines.some((line) => SCAN.test(line.detail) && (isInner(line, lines) || isCorrelated(line, byId)));
}

/** A table that is missing is told by the statement itself. */
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

/** Loops that stand in one another are listed side by side, the outer one first. */
function isInner(line: PlanLine, lines: readonly PlanLine[]): boolean {
  return lines.find(({ parent, detail }) => parent === line.parent && LOOP.test(detail)) !== line;
}

function isCorrelated({ parent }: PlanLine, byId: ReadonlyMap<number, PlanLine>): boolean {
  const around = byId.get(parent);
  return around !== undefined && (CORRELATED.test(around.detail) || isCorrelated(around, byId));
}
