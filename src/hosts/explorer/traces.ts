import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { recover } from "../../base/maybe.ts";
import { messageOf } from "../../base/message-of.ts";
import type { PastedStatement, ReportedStatement, StatementFollower, TracedRequest } from "../../definition/logger.ts";
import { adviceForScan } from "./advice-for-scan.ts";

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
  /** The same read as people run it: with its values, without the limits of the service; absent for other statements. */
  readonly pasted?: PastedStatement | undefined;
  /** Absent, like error and plan, if a rule of the request hides entities from the user: they would reveal hidden ones. */
  readonly rows?: number | undefined;
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
/** The characters of the texts for people of a request, and of the values that they may need. */
const PASTED = 50_000;
/** The characters of a shown parameter, and of a message. */
const PARAMETER = 1000;
/** The milliseconds for which a trace is kept. */
const KEPT = 600_000;

/** The milliseconds in which the plans of a trace are read. */
const PLANNED = 5000;
/** The milliseconds in which the texts for people are written, while other requests wait. */
const WRITTEN = 500;

/** A statement of a trace, and how to read its plan. */
interface KeptStatement {
  readonly shown: ExplorerStatement;
  readonly explain: ReportedStatement["explain"];
  readonly paste: ReportedStatement["paste"];
  /** Whether `shown` has its values whole: the text for people must not reveal more of them. */
  readonly showsValues: boolean;
  readonly columns: ReportedStatement["columns"];
}

/** The statements of one request. */
class Trace implements StatementFollower {
  readonly request: TracedRequest;
  readonly #begun: number = performance.now();
  readonly statements: KeptStatement[] = [];
  omitted = 0;
  hidesRows = false;
  #characters = 0;
  #values = 0;

  constructor({ id, method, target }: TracedRequest) {
    this.request = { id, method, target };
  }

  get isOver(): boolean {
    return performance.now() - this.#begun > KEPT;
  }

  hideRows(): void {
    this.hidesRows = true;
  }

  report(statement: ReportedStatement): void {
    try {
      this.#keep(statement);
    } catch {
      // A value without a text must not fail the request.
      this.omitted += 1;
    }
  }

  #keep({ sql, parameters, rows, ms, error, explain, columns, paste }: ReportedStatement): void {
    const shown = parameters.map(shownValue);
    const sizes = parameters.map((each, at) => (each instanceof Uint8Array ? each.length : String(shown[at]).length));
    const size = sizes.reduce((sum, each) => sum + Math.min(each, PARAMETER), sql.length);
    if (this.statements.length >= STATEMENTS || this.#characters + size > CHARACTERS) {
      this.omitted += 1;
      return;
    }
    this.#characters += size;
    const failure = error === undefined ? {} : { error: cut(messageOf(error)) };
    const texts = shown.map((each) => (typeof each === "string" ? cut(each) : each));
    const isWhole = sizes.every((each) => each <= PARAMETER);
    this.#values += sizes.reduce((sum, each) => sum + each, 0);
    this.statements.push({
      shown: { sql, parameters: texts, rows, ms, ...failure },
      // The plan needs the whole values, which the trace does not keep if they are long.
      explain: isWhole ? explain : undefined,
      paste: paste === undefined || this.#values <= PASTED ? paste : () => TOO_LONG,
      showsValues: isWhole && !parameters.some((each) => each instanceof Uint8Array),
      columns,
    });
  }
}

/** The traces of a service, by the ids of their requests, which clients choose, and by their owners. */
export class Traces {
  /** The oldest first. An id contains no blank. */
  readonly #traces = new Map<string, Trace>();

  /** Begins the trace of a request, in place of an earlier one of the same owner and id. */
  begin(owner: string, request: TracedRequest): StatementFollower {
    const trace = new Trace(request);
    const key = `${request.id} ${owner}`;
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
  async read(owner: string, id: string, findings: readonly SchemaFinding[]): Promise<ExplorerTrace | null> {
    const trace = this.#traces.get(`${id} ${owner}`);
    if (trace === undefined || trace.isOver) return null;
    const { request, omitted, hidesRows } = trace;
    const kept = [...trace.statements];
    const pasted = pasteAll(kept, hidesRows);
    const found = hidesRows ? kept.map(withoutRows) : await withPlans(kept);
    const statements = found.map((each, at) => (pasted[at] === undefined ? each : { ...each, pasted: pasted[at] }));
    return { request, statements, omitted, advice: adviceFor(kept, findings) };
  }
}

function withoutRows({ shown: { sql, parameters, ms } }: KeptStatement): ExplorerStatement {
  return { sql, parameters, ms };
}

const TOO_LONG: PastedStatement = Object.freeze({ refusal: "The statement and its values are too long." });

/** Writes the statements for people. @param hidesRows whether a rule hides entities from the user */
function pasteAll(kept: readonly KeptStatement[], hidesRows: boolean): readonly (PastedStatement | undefined)[] {
  const end = performance.now() + WRITTEN;
  let left = PASTED;
  return kept.map(({ paste, showsValues }) => {
    if (paste === undefined || (hidesRows && !showsValues) || performance.now() > end) return undefined;
    try {
      const pasted = left <= 0 ? TOO_LONG : paste();
      if (!("sql" in pasted)) return pasted;
      left -= pasted.sql.length;
      return left < 0 ? TOO_LONG : pasted;
    } catch {
      // The database may be closed, or its tables may have changed.
      return undefined;
    }
  });
}

/** Reads the plans one after another: a trace must not occupy all connections. */
async function withPlans(kept: readonly KeptStatement[]): Promise<readonly ExplorerStatement[]> {
  const end = performance.now() + PLANNED;
  const statements: ExplorerStatement[] = [];
  for (const { shown, explain } of kept) {
    const isLate = explain === undefined || performance.now() > end;
    const plan = isLate ? undefined : await recover(explain, () => undefined);
    statements.push(plan === undefined ? shown : { ...shown, plan });
  }
  return statements;
}

/**
 * Returns the missing indexes of the columns by which the statements find, sort or group rows, and what would help the
 * conditions that no index serves.
 */
function adviceFor(kept: readonly KeptStatement[], findings: readonly SchemaFinding[]): ExplorerTrace["advice"] {
  const columns = kept.flatMap((each) => each.columns?.() ?? []);
  const used = new Set(columns.flatMap(({ found }) => found).map(placeOf));
  const missing = findings
    .filter(({ code, table = "", column = "" }) => {
      const isUsed = column.split(", ").every((each) => used.has(placeOf([table, each])));
      return (code === "C10" || code === "C11") && isUsed;
    })
    .map(({ message, fix }) => ({ message, fix }));
  const scans = columns.flatMap(({ scanned }) => scanned).map(adviceForScan);
  return [...missing, ...new Map(scans.map((each) => [each.message, each])).values()];
}

/** The column of a table without its schema. Databases fold the letter case of names, and findings do not quote them. */
function placeOf([table, column]: readonly [table: string, column: string]): string {
  const bare = (name: string): string => name.toLowerCase().replaceAll(/["`]/gu, "");
  return `${bare(table).split(".").at(-1) ?? ""}.${bare(column)}`;
}

/** Returns a parameter as JSON, with all digits. */
function shownValue(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean" || typeof value === "string" || Number.isFinite(value)) return value as boolean;
  if (value instanceof Uint8Array) return `${String(value.length)} bytes`;
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  return JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? String(each) : each));
}

function cut(text: string): string {
  return text.length <= PARAMETER ? text : `${text.slice(0, PARAMETER)}… (${String(text.length)} characters)`;
}
