import { chain, type Maybe, recover } from "../base/maybe.ts";
import type { ReportedStatement, StatementScope, TracedRequest } from "../definition/logger.ts";
import type { SchemaFinding } from "../errors/schema-finding.ts";

/** The trace of a request, as `{prefix}/explorer/trace/{request id}` returns it. */
export interface ExplorerTrace {
  readonly request: TracedRequest;
  /** In the order in which they ended. */
  readonly statements: readonly ExplorerStatement[];
  /** The number of statements that the trace lacks because of its limits. */
  readonly omitted: number;
  /** Indexes that the statements lack. */
  readonly advice: ReadonlyArray<Pick<SchemaFinding, "message" | "fix">>;
}

/** One statement of a trace. */
export interface ExplorerStatement {
  readonly sql: string;
  /** As texts, long ones cut; null for null. */
  readonly parameters: ReadonlyArray<string | number | boolean | null>;
  readonly rows: number;
  readonly ms: number;
  /** The message of the driver. */
  readonly error?: string | undefined;
  /** The plan of the database, in lines; absent if it has none for the statement. */
  readonly plan?: readonly string[] | undefined;
}

/** The requests of which a service keeps the traces. */
const REQUESTS = 200;
/** The statements of a request. */
const STATEMENTS = 100;
/** The characters of a request: its statements with their parameters. */
const CHARACTERS = 50_000;
/** The characters of a shown parameter. */
const PARAMETER = 1000;
/** The milliseconds for which a trace is kept. */
const KEPT = 600_000;

/** A statement of a trace, and how to read its plan. */
interface KeptStatement {
  readonly shown: ExplorerStatement;
  readonly explain: ReportedStatement["explain"];
}

/** The statements of one request. */
class Trace implements StatementScope {
  readonly request: TracedRequest;
  readonly #begun: number = performance.now();
  readonly statements: KeptStatement[] = [];
  omitted = 0;
  #characters = 0;

  constructor({ id, method, target }: TracedRequest) {
    this.request = { id, method, target: cut(target, CHARACTERS) };
  }

  get isOver(): boolean {
    return performance.now() - this.#begun > KEPT;
  }

  report({ sql, parameters, rows, ms, error, explain }: ReportedStatement): void {
    const shown = parameters.map(shownParameter);
    const size = shown.reduce<number>((sum, each) => sum + String(each).length, sql.length);
    if (this.statements.length >= STATEMENTS || this.#characters + size > CHARACTERS) {
      this.omitted += 1;
      return;
    }
    this.#characters += size;
    // The plan needs the whole parameters, which a cut one says are long.
    const isWhole = parameters.every((each) => sizeOf(each) <= PARAMETER);
    const failure = error === undefined ? {} : { error: cut(messageOf(error), PARAMETER) };
    this.statements.push({
      shown: { sql, parameters: shown, rows, ms, ...failure },
      explain: isWhole && READS.test(sql) ? explain : undefined,
    });
  }
}

/** Statements that change nothing. MariaDB writes settings before them. */
const READS = /^\s*(?:set statement .*? for )?(?:select|with)\b(?!.*\b(?:insert\s+into|update|delete\s+from)\b)/isu;

/** The traces of a service, by their owners and the ids of their requests. Clients choose these ids. */
export class Traces {
  /** The oldest first. */
  readonly #traces = new Map<string, Trace>();

  /** Begins the trace of a request, in place of an earlier one of the same owner and id. */
  begin(owner: string, request: TracedRequest): StatementScope {
    const trace = new Trace(request);
    const key = keyOf(owner, request.id);
    this.#traces.delete(key);
    this.#traces.set(key, trace);
    for (const [oldest, { isOver }] of this.#traces) {
      if (!isOver && this.#traces.size <= REQUESTS) break;
      this.#traces.delete(oldest);
    }
    return trace;
  }

  /**
   * Returns the trace of a request, with plans and advice.
   * @param findings those of the schema check
   * @returns null for an unknown id, and for that of another owner
   */
  read(owner: string, id: string, findings: readonly SchemaFinding[]): Maybe<ExplorerTrace | null> {
    const trace = this.#traces.get(keyOf(owner, id));
    if (trace === undefined || trace.isOver) return null;
    const { request, omitted } = trace;
    return chain(withPlans([...trace.statements], []), (statements) => ({
      request,
      statements,
      omitted,
      advice: adviceFor(statements, findings),
    }));
  }
}

function keyOf(owner: string, id: string): string {
  return JSON.stringify([owner, id]);
}

/** Reads the plans one after another: a trace must not occupy all connections. */
function withPlans(
  [first, ...others]: readonly KeptStatement[],
  done: readonly ExplorerStatement[],
): Maybe<readonly ExplorerStatement[]> {
  if (first === undefined) return done;
  const { shown, explain } = first;
  const plan = explain === undefined ? undefined : recover(explain, () => undefined);
  return chain(plan, (lines) => withPlans(others, [...done, lines === undefined ? shown : { ...shown, plan: lines }]));
}

/** Returns the missing indexes of the columns by which the statements find, sort or group rows. */
function adviceFor(
  statements: readonly ExplorerStatement[],
  findings: readonly SchemaFinding[],
): ExplorerTrace["advice"] {
  const texts = statements.map(({ sql }) => ({ sql: sql.toLowerCase(), used: usedParts(sql.toLowerCase()) }));
  return findings.flatMap(({ code, table, column, message, fix }) => {
    if ((code !== "C10" && code !== "C11") || table === undefined || column === undefined) return [];
    const columns = column.split(", ");
    const isUsed = texts.some(
      ({ sql, used }) => names(sql, table.split(".").at(-1) ?? table) && columns.every((each) => names(used, each)),
    );
    return isUsed ? [{ message, fix }] : [];
  });
}

const CLAUSES = /\b(select|from|where|on|order by|group by|limit)\b/u;
const USED: ReadonlySet<string | undefined> = new Set(["where", "on", "order by", "group by"]);

/** Returns the conditions, orders and groups of a statement, without what it selects. */
function usedParts(sql: string): string {
  const parts = sql.split(CLAUSES);
  return parts.filter((_part, at) => at % 2 === 0 && USED.has(parts[at - 1])).join(" ");
}

function names(sql: string, name: string): boolean {
  return [`"${name}"`, `\`${name}\``].some((quoted) => sql.includes(quoted.toLowerCase()));
}

/** Returns a parameter as JSON, with all digits. */
function shownParameter(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean" || Number.isFinite(value)) return value as boolean | number;
  if (value instanceof Uint8Array) return `${String(value.length)} bytes`;
  return cut(textOf(value), PARAMETER);
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  return JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? String(each) : each)) ?? "";
}

function sizeOf(value: unknown): number {
  return value instanceof Uint8Array ? value.length : textOf(value).length;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${String(text.length)} characters)`;
}
