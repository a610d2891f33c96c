/** Entities as JSON. */
export interface JsonEntities {
  /** The entities in UTF-8, with commas between them. */
  readonly bytes: Uint8Array;
  /** The number of entities. */
  readonly length: number;
  /** The number of entities, those of expansions included. */
  readonly total: number;
  /** Where the last entity starts. */
  readonly lastStart: number;
  /** Where the entity before it starts; 0 without one. */
  readonly previousStart: number;
}
