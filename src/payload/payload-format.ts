/**
 * The negotiated form of a JSON payload.
 * @see OData JSON Format 4.0, sections 3.1 and 3.2
 */
export interface PayloadFormat {
  /** The amount of control information. */
  readonly metadata: "none" | "minimal" | "full";
  /** Whether Int64, Decimal and counts are written as strings. */
  readonly ieee754Compatible: boolean;
  /** Whether nothing names the set of the entities, so that they have no ids; those of expansions have theirs. */
  readonly isUnnamed?: boolean | undefined;
  /** Whether a step of `$apply` made the entities: they have neither type nor links, and full control information says so. */
  readonly isTransient?: boolean | undefined;
  /** The entities that a write saved: they have an id even if their set cannot be read by key. The graph includes expansions. */
  readonly saved?: "entity" | "graph" | undefined;
}
