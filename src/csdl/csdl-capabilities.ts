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
  /** Most levels of expansions in one request. */
  readonly maxExpandDepth: number;
  /** Whether some route answers with entities of the set, so that there is something to select from and to expand. */
  readonly shown: boolean;
  readonly insertable: boolean;
  /** Whether `POST /Set(key)/Nav` has a route, by wire name: where it has one and the target set has none, or the other way. */
  readonly insertableAlong: ReadonlyMap<string, boolean>;
  readonly patchable: boolean;
  readonly replaceable: boolean;
  readonly deletable: boolean;
}
