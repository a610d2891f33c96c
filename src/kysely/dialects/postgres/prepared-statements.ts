import { BoundedCache } from "../../../base/bounded-cache.ts";

/** A statement that a connection of PostgreSQL has prepared, or may prepare. */
export interface PreparedStatement {
  /** The name on the server; null until the second use. */
  name: string | null;
  /** Whether the connection has prepared the name. */
  isParsed: boolean;
  /** The types of the columns, from the description of the statement. */
  columnTypes: readonly number[];
}

/** The most statements of one connection. */
const KEPT = 100;
/** The most characters of their texts together: the server keeps a parsed form of each. */
const CHARACTERS_KEPT = 200_000;

/**
 * The prepared statements of one connection. A statement gets a name when it is used again. Beyond a limit, the least
 * recently used ones are closed with the next batch.
 *
 * A name belongs to one text in all processes: a pooler such as PgBouncer may run it on the server connection of another
 * client.
 */
export class PreparedStatements {
  readonly #prefix = `odatakit_${crypto.randomUUID().replaceAll("-", "")}_`;
  readonly #known: BoundedCache<string, PreparedStatement>;
  #count = 0;
  #closing: string[] = [];

  constructor() {
    const limit = { most: CHARACTERS_KEPT, weightOf: (text: string): number => text.length };
    this.#known = new BoundedCache(KEPT, limit, (dropped) => this.#close(dropped));
  }

  /** Returns the statement of a text; one without a name is used once. */
  use(text: string): PreparedStatement {
    const known = this.#known.get(text);
    if (known === undefined) {
      const made: PreparedStatement = { name: null, isParsed: false, columnTypes: [] };
      this.#known.set(text, made);
      return made;
    }
    known.name ??= `${this.#prefix}${String((this.#count += 1))}`;
    return known;
  }

  /** Forgets a statement, because the connection may not have it any longer, or has it in an outdated form. */
  forget(text: string): void {
    const known = this.#known.take(text);
    if (known !== undefined) this.#close(known);
  }

  /** Returns the names to close, once. */
  takeClosing(): readonly string[] {
    const names = this.#closing;
    if (names.length > 0) this.#closing = [];
    return names;
  }

  #close({ name }: PreparedStatement): void {
    if (name !== null) this.#closing.push(name);
  }
}
