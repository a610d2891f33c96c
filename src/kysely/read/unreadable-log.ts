import { defaultLogger, type Logger } from "../../definition/logger.ts";
import type { ForgivenCells } from "../columns/table-columns.ts";

/** Milliseconds in which one column is logged once. */
const INTERVAL = 60_000;

/** The records of one column. */
interface Reported {
  /** When the last record was written. */
  at: number;
  /** The cells since then. */
  further: number;
}

/** Logs cells that cannot be read and are null in responses: for each column at once, then at most once a minute. */
export class UnreadableLog implements ForgivenCells {
  readonly #loggers = new Set<Logger>();
  readonly #columns = new Map<string, Reported>();

  /** Logs to the logger of a service, too. Without one, the console receives the records. */
  logTo(logger: Logger): void {
    this.#loggers.add(logger);
  }

  report(table: string | undefined, column: string, key: readonly unknown[], error: unknown): void {
    const name = JSON.stringify([table, column]);
    const known = this.#columns.get(name);
    const now = Date.now();
    if (known !== undefined && now - known.at < INTERVAL && now >= known.at) {
      known.further += 1;
      return;
    }
    this.#columns.set(name, { at: now, further: 0 });
    const message = `A cell of the column ${column}${table === undefined ? "" : ` of ${table}`} cannot be read: the response contains null, or an empty collection.`;
    // Loggers write JSON, which has no bigint.
    const shown = key.map((part) => (typeof part === "bigint" ? String(part) : part));
    const fields = { table, column, key: shown, further: known?.further ?? 0, err: error };
    for (const logger of this.#loggers.size === 0 ? [defaultLogger] : this.#loggers) logger.warn(message, fields);
  }
}
