import type { StatementFacts } from "../connection/statement-facts.ts";
import type { SynchronousReader } from "../connection/synchronous-reader.ts";
import type { DialectCapabilities } from "./dialect-capabilities.ts";
import type { DialectSession } from "./dialect-session.ts";
import type { DialectSyntax } from "./dialect-syntax.ts";
import type { DialectValues } from "./dialect-values.ts";
import type { WriteSyntax } from "./write-syntax.ts";

/** One kind of database: one frozen object per kind, made once in its own folder. Each part answers one question. */
export interface Database {
  /** For messages. */
  readonly name: string;
  readonly values: DialectValues;
  readonly syntax: DialectSyntax;
  readonly capabilities: DialectCapabilities;
  readonly writes: WriteSyntax;
  readonly session: DialectSession;
  /** For statements that would read all related rows once per row; absent for a database that always finds a good plan. */
  readonly whenScanning?: AlternativeForm | undefined;
  /** For a database that has functions for indexes, and cheaper ones for expressions that no index serves; absent: none. */
  readonly whenUnindexed?: AlternativeForm | undefined;
  /** The differences if the rows are on several machines. */
  readonly whenSpread?: Partial<Pick<Database, "session" | "syntax" | "values">> | undefined;
}

/** A statement whose plan is checked. */
export interface PlannedStatement {
  readonly sql: string;
  /** Its placeholders. */
  readonly slots: readonly unknown[];
  readonly facts: StatementFacts;
}

/** An alternative form for statements that lack an index. */
interface AlternativeForm {
  readonly profile: Database;
  /** Checks the query plan of a `select`. */
  readonly isNeeded: (statement: PlannedStatement, reader: SynchronousReader) => boolean;
}
