import type { Capabilities } from "../query/capabilities.ts";

/** What an entity set offers, as `$metadata` tells it: operations that have routes, and query options that are served. */
export interface CsdlCapabilities {
  /** The settings of query options, with every option that is not served switched off. */
  readonly query: Capabilities;
  /** Whether `GET /Set` has a route. */
  readonly readable: boolean;
  /** Whether `GET /Set(key)` has a route. */
  readonly readableByKey: boolean;
  /** The navigation properties of the set that have routes, by wire name. */
  readonly navigable: ReadonlySet<string>;
  /** The navigation properties of the set that `$expand` can bring, by wire name. */
  readonly expandable: ReadonlySet<string>;
  readonly insertable: boolean;
  /** By PUT or PATCH. */
  readonly updatable: boolean;
  readonly deletable: boolean;
}
