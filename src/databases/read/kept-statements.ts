import { BoundedCache } from "../../base/memo.ts";
import type { JsonStatement, RowStatement, Statement } from "./compile-statement.ts";
import { IdentityCache, type SchemaChanges } from "./identity-cache.ts";

/** The maximum number of cached statements that write: patches may name any combination of properties. */
const WRITES_KEPT = 300;
/** The maximum number of values that the cached inserts of several rows bind together, about 240 bytes each: as many as one statement may. */
const VALUES_KEPT = 65_536;

/** Statements that databases share do not depend on the changes of one. */
export const UNCHANGED: SchemaChanges = Object.freeze({ count: 0 });

/** Makes the cache of the statements that write a table. A key begins with the number of values of several rows, else 0. */
export function keptWrites(): BoundedCache<string, object> {
  return new BoundedCache(WRITES_KEPT, { most: VALUES_KEPT, weightOf: (key) => Number.parseInt(key, 10) });
}

/**
 * The compiled statements of one table or base query. Databases with the same schema share them, because they contain nothing
 * of a database: each is compiled for the first database that needs it.
 */
export class KeptStatements {
  readonly pages: IdentityCache<Map<number, RowStatement>>;
  /** The first statement of `$apply` and computed values, or an object that means that none is possible. */
  readonly applied: IdentityCache<object>;
  readonly keysFirst: IdentityCache<Map<number, RowStatement>>;
  readonly json: IdentityCache<Map<number, JsonStatement | null>>;
  readonly totals: IdentityCache<Statement>;
  readonly keyed: IdentityCache<RowStatement>;
  readonly tests: IdentityCache<Map<number, RowStatement>>;
  readonly related: IdentityCache<Map<number, RowStatement>>;
  readonly counts: IdentityCache<Map<number, RowStatement>>;
  /** The statements over the rows that meet a condition. */
  readonly narrowed: IdentityCache<KeptStatements>;
  readonly #writes = new Map<string, BoundedCache<string, object>>();

  constructor(changes: SchemaChanges) {
    this.pages = new IdentityCache(changes);
    this.applied = new IdentityCache(changes);
    this.keysFirst = new IdentityCache(changes);
    this.json = new IdentityCache(changes);
    this.totals = new IdentityCache(changes);
    this.keyed = new IdentityCache(changes);
    this.tests = new IdentityCache(changes);
    this.related = new IdentityCache(changes);
    this.counts = new IdentityCache(changes);
    this.narrowed = new IdentityCache(changes);
  }

  /** Returns the statements that write the table. @param rowVersion the property that counts writes; empty without one */
  writes(rowVersion: string): BoundedCache<string, object> {
    const known = this.#writes.get(rowVersion) ?? keptWrites();
    this.#writes.set(rowVersion, known);
    return known;
  }
}
