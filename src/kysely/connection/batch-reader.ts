import type { Row } from "../../query/row-shape.ts";
import type { QueryLimit } from "./limited-query.ts";
import type { AnyKysely } from "./synchronous-reader.ts";

/** One statement of a batch, with its values. */
export interface BatchCommand {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** How a batch runs. */
export interface BatchOptions {
  /** The milliseconds after which the database ends each statement; null for no limit. */
  readonly timeout: number | null;
  /** What ends the batch as a whole. */
  readonly limit: QueryLimit;
}

/** Reads with several statements in one round trip, on one connection of a driver. */
export interface BatchReader {
  /** Sends each statement whole from now on: the connections do not keep prepared statements. */
  stopPreparing(): void;
  /** Returns whether the driver can send a value in a batch as it sends it in a single statement. */
  canSend(value: unknown): boolean;
  /**
   * Runs statements that only read, outside a transaction.
   * @returns the rows of each statement, as arrays of cells
   * @throws the error of the first statement that fails
   */
  read(db: AnyKysely, commands: readonly BatchCommand[], options: BatchOptions): Promise<readonly (readonly Row[])[]>;
}

/** The connections of a database whose loss does not end the process. */
export interface GuardedConnections {
  /** Whether a lost connection certainly does not end the process. */
  readonly isGuarded: boolean;
  /** Reads without the conversions of Kysely's driver; absent if that is not possible. */
  readonly batches?: BatchReader | undefined;
  /** Calls a function whenever a connection is opened or closed; absent if nobody can tell. */
  readonly watch?: ((changed: () => void) => void) | undefined;
}
