import type { RoundingMode } from "./clauses.ts";

/** The settings of one entity set that govern query options: resolved once at startup, the same data for all paths. */
export interface Capabilities {
  readonly filterEnabled: boolean;
  readonly orderByEnabled: boolean;
  readonly selectEnabled: boolean;
  readonly expandEnabled: boolean;
  readonly countEnabled: boolean;
  /** Whether a search handler is declared. */
  readonly searchEnabled: boolean;
  /** Allowlists of wire names; null: every property. */
  readonly filterProperties: ReadonlySet<string> | null;
  readonly orderByProperties: ReadonlySet<string> | null;
  readonly selectProperties: ReadonlySet<string> | null;
  readonly expandProperties: ReadonlySet<string> | null;
  /** Most rows of a page; null: no cap. */
  readonly maxTop: number | null;
  readonly roundingMode: RoundingMode;
}

/** Bounds on the work of one request. `null`: no limit. @see decisions, Settings */
export interface Limits {
  readonly maxExpandDepth: number | null;
  readonly maxExpandTop: number | null;
  readonly maxNodeCount: number | null;
  readonly maxAnyAllDepth: number | null;
  readonly maxInListLength: number | null;
  readonly maxOrderByProperties: number | null;
  readonly maxUrlLength: number | null;
  readonly maxJsonDepth: number | null;
  readonly maxJsonValues: number | null;
  readonly maxResponseEntities: number | null;
  readonly maxExpandItems: number | null;
}
