import type { ODataError } from "../base/errors/odata-error.ts";
import type { EntitySet, NavigationProperty, Singleton } from "../edm/model.ts";

/** An existing entity that a body names by its URL. */
export interface NamedEntity {
  /** The URL as sent, or the URL to which a reference such as `$1` leads. */
  readonly id: string;
  /** In the application's form; undefined for a singleton until the service has asked the application for it. */
  readonly key: unknown;
  /** The singleton that the URL names; absent: an entity of a set. */
  readonly singleton?: Singleton | undefined;
}

/** A link that a body states by `Nav@odata.bind`. */
export interface BoundLink {
  /** The set of the entity with the annotation. */
  readonly entitySet: EntitySet;
  readonly navigation: NavigationProperty;
  /** The entity with the annotation, as read: it gets the foreign key. */
  readonly entity: Record<string, unknown>;
  /** The path of that entity in the body, with a trailing slash; empty for the body itself. */
  readonly place: string;
  /** The path of the annotation. */
  readonly target: string;
  /** Null removes the link. */
  readonly named: readonly NamedEntity[] | null;
  /** The fields of the entity whose values follow from the entity around it. */
  readonly inherited: ReadonlySet<string>;
  /** Makes the error `InvalidBody` of the annotation. @param problem the fault and its correction, as sentences */
  readonly fail: (problem: string) => ODataError;
}

/** Reads the links of one body. */
export interface LinkReading {
  /** Whether bodies with entities of a set may state links. */
  readonly accepts: (entitySet: EntitySet) => boolean;
  /**
   * Resolves the URL of an entity in the target set of a navigation.
   * @throws ODataError as `fail` makes it; `NotImplemented` if the navigation has no target set
   */
  readonly resolve: (
    url: string,
    from: Pick<BoundLink, "entitySet" | "navigation">,
    fail: BoundLink["fail"],
  ) => NamedEntity;
  /** The links that were read. */
  readonly found: BoundLink[];
  /** The navigation properties of the entity in the body whose nested entities determine its foreign keys. */
  readonly nested: ReadonlySet<string>;
  /** The number of entities that earlier operations of a batch have named. */
  readonly earlier: number;
}
