import type { ServiceProfile } from "../definition/service-profile.ts";
import { COLLECTION_OPTIONS, type QueryOption } from "./parameters.ts";

/** The query options of the routes along a navigation property. */
export interface NavigationOptions {
  /** `GET /Set(key)/Nav` of a collection. */
  readonly collection: readonly QueryOption[];
  /** `GET /Set(key)/Nav/$count`. */
  readonly count: readonly QueryOption[];
  /** The routes that read or create one related entity. */
  readonly entity: readonly QueryOption[];
  /** `GET /Set(key)/Nav/$ref` of a collection. */
  readonly references: readonly QueryOption[];
}

/** Fewer options than entity sets support. */
const SPECIFIED: NavigationOptions = {
  collection: ["$top", "$skip", "$orderby", "$select", "$count"],
  count: [],
  entity: ["$select"],
  references: ["$top", "$skip", "$orderby", "$count"],
};

/** The options that entity sets support. */
const STANDARD: NavigationOptions = {
  collection: COLLECTION_OPTIONS,
  count: ["$filter", "$search"],
  entity: ["$select", "$expand"],
  references: COLLECTION_OPTIONS.filter((option) => option !== "$select" && option !== "$expand"),
};

/** Returns the query options of navigation routes for a profile. @see docs/reference/navigation.md */
export function navigationOptions({ navigationTakesEveryOption }: ServiceProfile): NavigationOptions {
  return navigationTakesEveryOption ? STANDARD : SPECIFIED;
}
