import type { ServiceProfile } from "../definition/service-profile.ts";
import { COLLECTION_OPTIONS, type QueryOption } from "./parameters.ts";

/** What the routes along a navigation property take of the query options. */
export interface NavigationOptions {
  /** `GET /Set(key)/Nav` of a collection. */
  readonly collection: readonly QueryOption[];
  /** `GET /Set(key)/Nav/$count`. */
  readonly count: readonly QueryOption[];
  /** Of one related entity, which is read or created. */
  readonly entity: readonly QueryOption[];
  /** `GET /Set(key)/Nav/$ref` of a collection. */
  readonly references: readonly QueryOption[];
}

/** Less than sets take. */
const SPECIFIED: NavigationOptions = {
  collection: ["$top", "$skip", "$orderby", "$select", "$count"],
  count: [],
  entity: ["$select"],
  references: ["$top", "$skip", "$orderby", "$count"],
};

/** What sets take. */
const STANDARD: NavigationOptions = {
  collection: COLLECTION_OPTIONS,
  count: ["$filter", "$search"],
  entity: ["$select", "$expand"],
  references: COLLECTION_OPTIONS.filter((option) => option !== "$select" && option !== "$expand"),
};

/** The query options of navigation routes, by the profile of the service. @see specification, Navigation routes */
export function navigationOptions({ navigationTakesEveryOption }: ServiceProfile): NavigationOptions {
  return navigationTakesEveryOption ? STANDARD : SPECIFIED;
}
