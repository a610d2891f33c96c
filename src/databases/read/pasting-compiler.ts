import { createQueryId } from "kysely";
import { isODataError } from "../../base/errors/odata-error.ts";
import { keptPer } from "../../base/memo.ts";
import type { PastedStatement } from "../../definition/logger.ts";
import type { Database } from "../forms/database.ts";
import { literalCompiler, NoLiteralError } from "../forms/literal-syntax.ts";
import { type Execution, isLimit, readSlot } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { StatementState } from "../translate/relation.ts";
import { inSession } from "../translate/utc-session.ts";
import { type CompileTarget, type Statement, StatementCompiler } from "./compile-statement.ts";

/** Returns the database without the conditions and limits by which the service ends statements. */
export const unguarded: (profile: Database) => Database = keptPer((profile: Database): Database => {
  const { values, session, whenScanning, whenUnindexed } = profile;
  const alternative = (form: typeof whenScanning): typeof whenScanning =>
    form === undefined ? undefined : { ...form, profile: unguarded(form.profile) };
  return Object.freeze<Database>({
    ...profile,
    values: Object.freeze({
      ...values,
      rowGuard: undefined,
      withinText: (_bytes: Sql, _most: Sql, text: Sql) => text,
      documents: Object.freeze({ ...values.documents, spendItem: () => null }),
    }),
    session: Object.freeze({ ...session, alive: undefined }),
    whenScanning: alternative(whenScanning),
    whenUnindexed: alternative(whenUnindexed),
  });
});

/** Compiles statements with the values of one execution in place. */
export class PastingCompiler extends StatementCompiler {
  readonly #target: CompileTarget;
  readonly #execution: Execution;

  constructor(target: CompileTarget, execution: Execution) {
    super(target);
    this.#target = target;
    this.#execution = execution;
  }

  /** @throws NoLiteralError for a statement that people cannot run */
  override compile(query: Sql, scope: StatementState, row?: Statement["facts"]["row"]): Statement {
    const statement = super.compile(query, scope, row);
    const { db, profile } = this.#target;
    const { literals } = profile.session;
    const own = literals.ownFunctions?.(statement.sql) ?? [];
    if (own.length > 0) {
      throw new NoLiteralError(`The statement uses functions that only the service has: ${own.join(", ")}.`);
    }
    const compiler = literalCompiler(literals, (slot) => {
      const value = readSlot(slot, this.#execution);
      return isLimit(slot) ? String(value) : literals.write(value);
    });
    const id = createQueryId();
    const node = db.getExecutor().transformQuery(query.toOperationNode(), id);
    const { sql } = compiler.compileQuery(node, id);
    return Object.freeze({ ...statement, sql: inSession(sql, profile, scope.notes), slots: Object.freeze([]) });
  }
}

/** Writes a statement for people. @param make compiles it with a `PastingCompiler` */
export function pasteStatement(make: () => Statement, omits: readonly string[] = []): PastedStatement {
  try {
    return { sql: make().sql, omits };
  } catch (error) {
    if (error instanceof NoLiteralError || isODataError(error)) return { refusal: error.message };
    throw error;
  }
}
