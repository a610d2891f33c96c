import { CompiledQuery } from "kysely";
import type { Row } from "../../../query/row-shape.ts";
import type { BatchCommand, BatchOptions, BatchReader } from "../../connection/batch-reader.ts";
import { runLimited } from "../../connection/limited-query.ts";
import type { AnyKysely } from "../../connection/synchronous-reader.ts";
import { Batch, type PgConnection } from "./batch.ts";
import { PreparedStatements } from "./prepared-statements.ts";

/** How many lost statements show that connections do not keep them. */
const MOST_LOST = 8;

/** Reads in batches through Kysely's dialect for PostgreSQL and the driver `pg`. */
export class PgBatches implements BatchReader {
  readonly #connections = new WeakMap<object, PreparedStatements>();
  #isPreparing = true;
  #lost = 0;

  stopPreparing(): void {
    this.#isPreparing = false;
  }

  canSend(value: unknown): boolean {
    // The driver converts dates, arrays and other objects by its own settings.
    return value === null || value === undefined || typeof value !== "object";
  }

  async read(
    db: AnyKysely,
    commands: readonly BatchCommand[],
    options: BatchOptions,
  ): Promise<readonly (readonly Row[])[]> {
    const first = this.#batch(commands, options, this.#isPreparing);
    try {
      return await run(db, first, options);
    } catch (error) {
      if (!first.isStale) throw error;
      this.#lost += 1;
      // A pooler that gives each transaction another connection, such as older versions of PgBouncer.
      if (this.#lost >= MOST_LOST) this.stopPreparing();
      return run(db, this.#batch(commands, options, false), options);
    }
  }

  #batch(commands: readonly BatchCommand[], { timeout }: BatchOptions, isPreparing: boolean): Batch {
    return new Batch(commands, { timeout, preparedBy: isPreparing ? this.#preparedBy : null });
  }

  readonly #preparedBy = (connection: PgConnection): PreparedStatements => {
    let known = this.#connections.get(connection);
    if (known === undefined) this.#connections.set(connection, (known = new PreparedStatements()));
    return known;
  };
}

async function run(db: AnyKysely, batch: Batch, { limit }: BatchOptions): Promise<readonly (readonly Row[])[]> {
  const { rows } = await runLimited(db, queryOf(batch), limit);
  return rows;
}

/** Returns a batch as a compiled query. Kysely's driver gives its text to `pg`, which accepts a query object instead. */
function queryOf(batch: Batch): CompiledQuery<readonly Row[]> {
  const { query, queryId } = CompiledQuery.raw("");
  const parameters = batch.commands.flatMap((command) => command.parameters);
  return { query, queryId, parameters, sql: batch as unknown as string };
}
