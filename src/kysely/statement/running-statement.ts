import { statementScope, type StatementScope } from "../../definition/logger.ts";

/** A statement in execution that the application traces. It is reported once, at its end. */
export class RunningStatement {
  readonly #scope: StatementScope;
  readonly #sql: string;
  readonly #parameters: readonly unknown[];
  readonly #begun: number = performance.now();
  #rows = 0;
  #isOver = false;

  constructor(scope: StatementScope, sql: string, parameters: readonly unknown[]) {
    this.#scope = scope;
    this.#sql = sql;
    this.#parameters = parameters;
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
    this.#scope.report({ sql: this.#sql, parameters: this.#parameters, ms, rows: this.#rows, ...outcome });
  }
}

/** Begins to trace a statement. @returns undefined if the application does not trace the statements of this request */
export function beginStatement(sql: string, parameters: readonly unknown[]): RunningStatement | undefined {
  const scope = statementScope();
  return scope === undefined ? undefined : new RunningStatement(scope, sql, parameters);
}
