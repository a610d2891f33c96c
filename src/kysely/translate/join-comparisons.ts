import type { JoinPair, LinkColumn } from "../../edm/model.ts";
import type { SqlForm } from "../statement/sql-form.ts";

/** How the database compares the two columns of a foreign key. */
export interface JoinComparison {
  readonly form: SqlForm;
  /** Whether a unique index on either column compares so. */
  readonly isShared: boolean;
}

/**
 * The parts of joins that follow a foreign key whose texts the database does not compare by code point. The schema check finds
 * them.
 */
export class JoinComparisons {
  readonly #known = new WeakMap<JoinPair | LinkColumn, JoinComparison>();

  /** Records how a part of a join is compared. */
  set(part: JoinPair | LinkColumn, comparison: JoinComparison): void {
    this.#known.set(part, comparison);
  }

  /** Returns how a part of a join is compared; undefined: by code point. */
  of(part: JoinPair | LinkColumn): JoinComparison | undefined {
    return this.#known.get(part);
  }
}
