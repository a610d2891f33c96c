import type { EntitySet, NavigationProperty } from "../edm/model.ts";

/** A navigation that an expansion goes along: what is expanded below it starts from its target set. */
export interface ExpandStep {
  readonly entitySet: EntitySet;
  readonly navigationProperty: NavigationProperty;
}

/** What a star in `$expand` stands for where the user of the request may not read every navigation. */
export interface StarAccess {
  /** Equal texts mean equal decisions: it becomes part of the key of the query shape. */
  readonly key: string;
  /** Whether a star skips a navigation. @param via the step that leads to its set; null for the first level */
  skips(step: ExpandStep, via: ExpandStep | null): boolean;
}
