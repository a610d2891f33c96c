import { BoundedCache } from "../../base/bounded-cache.ts";

/** The most statements of one connection. */
const KEPT = 100;
/** The most characters of their texts together: the server keeps a parsed form of each. */
const CHARACTERS_KEPT = 200_000;
/** The most names of one connection in its whole life: the driver remembers each. */
const MOST_NAMES = 1000;

/**
 * The names of the statements that one connection prepares. A statement gets a name when it is used again. Beyond a limit,
 * the least recently used ones are closed with the next read.
 *
 * A name belongs to one text in all processes: a pooler such as PgBouncer may run it on the server connection of another
 * client.
 */
export class PreparedNames {
  readonly #prefix = `odatakit_${crypto.randomUUID().replaceAll("-", "")}_`;
  readonly #known: BoundedCache<string, { name: string | undefined }>;
  #count = 0;
  #closing: string[] = [];

  constructor() {
    const limit = { most: CHARACTERS_KEPT, weightOf: (text: string): number => text.length };
    this.#known = new BoundedCache(KEPT, limit, (dropped) => this.#close(dropped));
  }

  /** Returns the name of a text; undefined for one that is used once. */
  use(text: string): string | undefined {
    const known = this.#known.get(text);
    if (known === undefined) {
      this.#known.set(text, { name: undefined });
      return undefined;
    }
    known.name ??= `${this.#prefix}${String((this.#count += 1))}`;
    return known.name;
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

  /** Whether the connection has given as many names as it may. */
  get isSpent(): boolean {
    return this.#count >= MOST_NAMES;
  }

  #close({ name }: { readonly name: string | undefined }): void {
    if (name !== undefined) this.#closing.push(name);
  }
}
