import type { DatabaseConnection } from "kysely";
import type { Row } from "../../language/query/row-shape.ts";

/** One statement that reads, with its values. */
export interface ReadCommand {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The number of cells in a row. A further column is null in no row. Absent: unknown. */
  readonly width?: number | undefined;
}

/** How statements are read. */
export interface ReadOptions {
  /** The milliseconds after which the database ends each statement, where it can; null for no limit. */
  readonly timeout: number | null;
  /** Whether the connection may prepare the statements. */
  readonly prepares: boolean;
  /** The most characters that the cells of one statement may have. */
  readonly most: number;
  /** The most characters of several rows. A single row may have `most`. */
  readonly enough: number;
}

/** The rows of one statement. */
export interface ReadRowsResult {
  readonly rows: readonly Row[];
  /** Whether they end before the first row with which the cells have too many characters. */
  readonly isCut: boolean;
  /** How many rows the driver has seen before that one, but did not keep; absent: it does not know. */
  readonly seen?: number;
}

/** How many characters of rows a driver keeps that counts them while they arrive. */
export interface RowRoom extends Pick<ReadOptions, "most" | "enough"> {
  /** Whether the driver may end the connection to receive no more rows. */
  readonly mayEnd: boolean;
  /** Whether there were more. */
  isCut: boolean;
}

/** The values of a statement whose rows have limited characters. They pass Kysely on their way to the driver. */
export class RoomyValues extends Array<unknown> {
  // A log of the application shows the values alone.
  #room: RowRoom | undefined;

  get room(): RowRoom | undefined {
    return this.#room;
  }

  static for(values: readonly unknown[], room: RowRoom): RoomyValues {
    const made = new RoomyValues();
    made.push(...values);
    made.#room = room;
    return made;
  }
}

/** The interface of a connection that returns rows as arrays of cells. */
export interface ArrayReader {
  /**
   * Runs statements that only read, outside a transaction. It keeps no rows beyond the limit.
   * @returns the rows of each statement
   * @throws the error of the first statement that fails
   */
  readEach(commands: readonly ReadCommand[], options: ReadOptions): Promise<readonly ReadRowsResult[]>;
}

/** The interface of the adapter of a dialect over a pool whose lost connections do not end the process. */
export interface PooledAdapter {
  /** Whether the connections run several statements in one round trip. */
  readonly pipelines: boolean;
  /** Calls a function whenever a connection is opened or closed. */
  watchConnections(changed: () => void): void;
}

/** Whether a connection reads arrays: not if Kysely logs its statements, since it then overrides a method of it. */
export function isArrayReader(connection: DatabaseConnection): connection is DatabaseConnection & ArrayReader {
  return (
    "readEach" in connection && typeof connection.readEach === "function" && !Object.hasOwn(connection, "executeQuery")
  );
}

/** Whether the adapter of a dialect belongs to a pool. */
export function isPooledAdapter(adapter: object): adapter is PooledAdapter {
  return "pipelines" in adapter && "watchConnections" in adapter && typeof adapter.watchConnections === "function";
}
