import { builtinModule, type HostGlobal } from "../base/host.ts";
import type { Maybe } from "../base/maybe.ts";
import type { UsedColumns } from "../language/query/used-columns.ts";

/** A logger of the application: the service reports failures here that clients must not see. */
export interface Logger {
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** A logger whose functions take the fields first, such as a logger of pino or bunyan. */
export interface FieldsFirstLogger {
  error(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
}

/**
 * Adapts a logger whose functions take the fields before the message, such as a logger of pino or bunyan.
 * @see docs/reference/services.md, Log failures
 */
export function fromPino(logger: FieldsFirstLogger): Logger {
  return Object.freeze<Logger>({
    error: (message, fields) => logger.error(fields, message),
    warn: (message, fields) => logger.warn(fields, message),
    info: (message, fields) => logger.info(fields, message),
  });
}

/** Adapts a logger of pino, which would otherwise drop the fields; returns any other logger as it is. */
export function adaptLogger(logger: Logger): Logger {
  // Only loggers of pino have `bindings()`.
  const { bindings, child } = logger as Partial<Record<"bindings" | "child", unknown>>;
  return typeof bindings === "function" && typeof child === "function"
    ? fromPino(logger as unknown as FieldsFirstLogger)
    : logger;
}

/** The default logger: it writes errors and warnings to the console. */
export const defaultLogger: Logger = Object.freeze({
  error(message: string, fields: Readonly<Record<string, unknown>>): void {
    console.error(message, fields);
  },
  warn(message: string, fields: Readonly<Record<string, unknown>>): void {
    console.warn(message, fields);
  },
  info(): void {
    // Only a logger of the application receives these.
  },
});

/** The request that a statement belongs to. In a batch, it is the operation. */
export interface TracedRequest {
  /** The id of the request, as `ctx.request.id`. All operations of a batch have that of the batch. */
  readonly id: string;
  readonly method: string;
  /** The raw path and query. */
  readonly target: string;
}

/** A statement that a service has run, as `onStatement` receives it. @see docs/reference/tables.md, Trace statements */
export interface TracedStatement {
  /** The text with placeholders, before additions that limit its time. */
  readonly sql: string;
  /** The values of the placeholders. They may contain personal data. */
  readonly parameters: readonly unknown[];
  /** Milliseconds until its last row. Statements that share a round trip have the same time. */
  readonly ms: number;
  /** The rows that it returned or wrote; of a page that the database writes as JSON, the entities. */
  readonly rows: number;
  /** The error of the driver; absent after success. */
  readonly error?: unknown;
  readonly request: TracedRequest;
}

/** A statement of a request as it is reported within odatakit. */
export interface ReportedStatement extends Omit<TracedStatement, "request"> {
  /** Returns the plan of the database, in lines; undefined if it cannot be read after the request. */
  readonly explain: (() => Maybe<readonly string[]>) | undefined;
  /** Returns the columns that decide which rows it reads; undefined if nothing knows. */
  readonly columns?: (() => UsedColumns) | undefined;
  /** Writes the statement for people; undefined for a statement that only the service runs. */
  readonly paste?: (() => PastedStatement) | undefined;
}

/** A read as people run it without the service, or why they cannot. */
export type PastedStatement =
  | {
      /** One statement with its values in place, and without the limits of the service. */
      readonly sql: string;
      /** The navigation properties of the response whose entities it does not read. */
      readonly omits: readonly string[];
    }
  | { readonly refusal: string };

/** Receives the statements of one request. */
export interface StatementScope {
  report(statement: ReportedStatement): void;
  /** The receiver besides the application, which also gets the statements of operations within the request. */
  readonly follower?: StatementFollower | undefined;
}

/** Receives the statements of one request for its user. */
export interface StatementFollower extends StatementScope {
  /** Called when a rule hides entities from the user, who must not learn the numbers of rows. */
  hideRows(): void;
}

/** Keeps a scope during synchronous and asynchronous work. */
interface ScopeStorage {
  getStore(): StatementScope | undefined;
  run<T>(scope: StatementScope, work: () => T): T;
}

/** Makes a storage for scopes. @returns undefined in a runtime without `AsyncLocalStorage` */
export function scopeStorage(host?: HostGlobal): ScopeStorage | undefined {
  const hooks = builtinModule("node:async_hooks", host) as
    | { readonly AsyncLocalStorage: new () => ScopeStorage }
    | undefined;
  return hooks === undefined ? undefined : new hooks.AsyncLocalStorage();
}

const STORAGE: ScopeStorage | undefined = scopeStorage();

/** Returns the scope of the current work; undefined if its statements are not traced. */
export function statementScope(): StatementScope | undefined {
  return STORAGE?.getStore();
}

/** Runs work whose statements a scope receives. */
export function inStatementScope<T>(scope: StatementScope, work: () => T): T {
  return STORAGE === undefined ? work() : STORAGE.run(scope, work);
}

/** Whether this runtime can attribute statements to requests. */
export const CAN_TRACE: boolean = STORAGE !== undefined;
