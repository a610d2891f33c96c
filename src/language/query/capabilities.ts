import type { ODataError } from "../../base/errors/odata-error.ts";
import type { EntitySet, EntityType, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { RoundingMode } from "./clauses.ts";

/** The settings of an entity set for query options, resolved once at startup. */
export interface Capabilities {
  readonly filterEnabled: boolean;
  readonly orderByEnabled: boolean;
  readonly selectEnabled: boolean;
  readonly expandEnabled: boolean;
  readonly countEnabled: boolean;
  /** Whether the set has a search handler. */
  readonly searchEnabled: boolean;
  /** Allowlists of wire names; null: all properties. */
  readonly filterProperties: ReadonlySet<string> | null;
  readonly orderByProperties: ReadonlySet<string> | null;
  readonly selectProperties: ReadonlySet<string> | null;
  readonly expandProperties: ReadonlySet<string> | null;
  /** Whether clients may use `$apply`; absent: no. */
  readonly applyEnabled?: true | undefined;
  /** Whether clients may use `$compute`, and `compute` in `$apply`; absent: no. */
  readonly computeEnabled?: true | undefined;
  /** The properties that `groupby` and `aggregate` of `$apply`, and computed values, may use; absent or null: all. */
  readonly groupByProperties?: ReadonlySet<string> | null | undefined;
  readonly aggregateProperties?: ReadonlySet<string> | null | undefined;
  readonly computeProperties?: ReadonlySet<string> | null | undefined;
  /** How the related entities of `$expand` are loaded; absent: in any way. */
  readonly expansions?: ExpansionSources | undefined;
  /** Maximum number of rows of a page; null: no limit. */
  readonly maxTop: number | null;
  readonly roundingMode: RoundingMode;
}

/** How the related entities of the navigations of a set are loaded, by wire name. */
export interface ExpansionSources {
  /** The navigations whose related entities nothing loads, unless a handler has put them into the objects of the set. */
  readonly unloaded: ReadonlySet<string>;
  /** The navigations whose related entities may be objects of handlers, into which a handler may have put further ones. */
  readonly objects: ReadonlySet<string>;
}

/** Limits on the work of one request; null: no limit. @see docs/reference/limits.md */
export interface Limits {
  readonly maxExpandDepth: number | null;
  readonly maxExpandTop: number | null;
  readonly maxNodeCount: number | null;
  readonly maxAnyAllDepth: number | null;
  readonly maxInListLength: number | null;
  readonly maxOrderByProperties: number | null;
  readonly maxApplySteps: number | null;
  readonly maxUrlLength: number | null;
  /** The most bytes of query options in the body of `POST …/$query`. */
  readonly maxQueryBodyBytes: number | null;
  readonly maxJsonDepth: number | null;
  readonly maxJsonValues: number | null;
  /** The most entities of a page, without those of expansions. */
  readonly maxPageSize: number;
  readonly maxResponseEntities: number | null;
  /** The bytes of the entities of a response, or of all responses of a batch, as JSON. */
  readonly maxResponseBytes: number | null;
  /** The bytes that all responses hold together; undefined: a quarter of the limit of the heap. */
  readonly maxHeldBytes: number | null | undefined;
  readonly maxExpandItems: number | null;
  /** The entities of an async iterable that a request needs as a whole. */
  readonly maxIterableEntities: number | null;
  /** Milliseconds for one statement of a database. */
  readonly queryTimeout: number | null;
  /** Milliseconds for one transaction that waits for functions of the application. */
  readonly transactionTimeout: number | null;
}

/** A navigation of an expansion. Expansions below it start from its target set. */
export interface NavigationStep {
  readonly entitySet: EntitySet;
  readonly navigationProperty: NavigationProperty;
}

/** Receives the entities that a query reaches, before the names after them are resolved. It may throw to end the binding. */
export interface PathGuard {
  /** Follows a navigation. */
  follow(step: NavigationStep): void;
  /** Enters a set by `$root`. @param option the option of the request that contains the path */
  enter(entitySet: EntitySet, option: string): void;
}

/** The navigations of a star in `$expand` for a user who may not read all of them. */
export interface StarAccess {
  /** Equal keys mean equal decisions. It is part of the key of the query shape. */
  readonly key: string;
  /** Returns whether a star skips a navigation. @param via the expansion above it; null for the first level */
  skips(step: NavigationStep, via: NavigationStep | null): boolean;
}

/** The set of entities; their type if no set is declared for them. */
export type EntityOwner = EntitySet | EntityType;

/** The permission of a user who may not both read and write a property: a member of Core.Permission. */
export type Permission = "None" | "Read" | "Write";

/** The properties that a user may not read, where there are any. */
export interface PropertyAccess {
  /** Equal keys mean equal decisions. It is part of the key of the query shape. */
  readonly key: string;
  /** Returns the unreadable properties of entities: for a type, those of all of its sets. */
  unreadableOf(owner: EntityOwner): ReadonlySet<StructuralProperty>;
  /** Makes the error of a request that names an unreadable property, whatever its values are. */
  refusal(property: StructuralProperty, owner: EntityOwner): ODataError;
}
