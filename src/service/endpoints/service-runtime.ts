import type { HeldBytes } from "../../base/held-bytes.ts";
import { keptPerPair, once } from "../../base/memo.ts";
import { required } from "../../base/required.ts";
import type { Context, User } from "../../definition/context.ts";
import type { EntitySetHandlers } from "../../definition/handlers.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { StoredHandler } from "../../definition/model/stored-database.ts";
import type { EntitySet, EntityType } from "../../edm/model.ts";
import type { ReadForm } from "../../engine/plan/plan-collection.ts";
import type { TargetWay } from "../../engine/plan/plan-related.ts";
import type { NavigationSource } from "../../engine/reads/read-navigation.ts";
import type { QueryTarget } from "../../language/binder/bind-query-options.ts";
import type { Capabilities } from "../../language/query/capabilities.ts";
import type { ShapeCache, SelectExpandClause } from "../../language/query/clauses.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import type { BodyReaders, FacetFaults, RelatedBodyConversion } from "../../payload/body-readers.ts";
import type { PayloadFormat } from "../../payload/payload-format.ts";
import { sha256Base64 } from "../../payload/sha256.ts";
import type { TokenSeal } from "../../payload/token-seal.ts";
import {
  type EntityRoutes,
  compileEntityWriter,
  type EntityWriter,
  type WriterTarget,
} from "../../payload/write-entity.ts";
import type { EntitySets } from "../sets/entity-sets.ts";

/** The state that all requests of one registration share: made at startup, except for the caches. */
export interface ServiceRuntime {
  readonly definition: ServiceDefinition;
  readonly entitySets: ReadonlyMap<EntitySet, EntitySetRuntime>;
  /** The paths of the further routes that the application gave. */
  readonly furtherPaths: readonly string[];
  /** Returns `$metadata` for a user. */
  readonly metadata: (user: User | null) => Metadata;
  readonly shapes: ShapeCache;
  /** The routes of entities, which responses link to. */
  readonly routes: EntityRoutes;
  /** Seals keyset tokens; null without a secret. */
  readonly seal: TokenSeal | null;
  /** Returns the seal of this process, which no other process can open. */
  readonly ownSeal: () => TokenSeal;
  /** Whether any rule may refuse a request. */
  readonly hasRules: boolean;
  /** Whether any set has `cacheControl` or `vary`. */
  readonly cachesReads: boolean;
  /** The entity sets of `ctx.sets`. */
  readonly sets: EntitySets;
  /** Counts the bytes that all responses hold; null: without limit. */
  readonly held: HeldBytes | null;
  /** The warnings that are logged once. */
  readonly warned: Set<string>;
}

/** The state that the endpoints of one entity set share. */
export interface EntitySetRuntime {
  readonly handlers: EntitySetDefinition["handlers"];
  readonly capabilities: Capabilities;
  /** The target that query options are bound to. */
  readonly target: QueryTarget;
  readonly settings: EntitySetDefinition["settings"];
  /** The form in which the set is read as a collection; undefined for a set that is not read. */
  readonly form: ReadForm | undefined;
  /** How the bodies of its entities are read. */
  readonly bodies: BodyReaders;
  /** The navigation properties that the set declares, by wire name. */
  readonly navigations: ReadonlyMap<string, NavigationRuntime>;
}

/** Returns the state for the endpoints of a set. */
export function runtimeOf({ entitySets }: Pick<ServiceRuntime, "entitySets">, entitySet: EntitySet): EntitySetRuntime {
  return required(entitySets.get(entitySet), `The service has no entity set ${entitySet.name}.`);
}

/**
 * Returns the list that receives the facet faults of a body, so that they are reported together with the issues of `validate`;
 * undefined where the faults alone end the request.
 */
export function facetFaults(
  { definition }: Pick<ServiceRuntime, "definition">,
  origin: EntityOrigin,
  rule: "create" | "patch",
): FacetFaults {
  if (!definition.profile.findsEveryFault || origin.kind !== "EntitySet") return undefined;
  return definition.entitySets.get(origin.name)?.validators?.[rule] === undefined ? undefined : [];
}

/**
 * Whether a write takes the null that responses show in place of a cell that cannot be read, and leaves the cell. Functions of
 * the application get no null for a property that must have a value.
 * @see docs/reference/storage.md, Cells that cannot be read
 */
export function keepsUnreadable(
  { handlers, validators, hooks }: EntitySetDefinition,
  write: "replace" | "patch",
): boolean {
  const handler = handlers[write] as StoredHandler | undefined;
  return validators === null && hooks === null && handler?.keepsUnreadable === true;
}

/** The state that the endpoints of one navigation property share. */
export interface NavigationRuntime {
  readonly source: NavigationSource;
  /** The target that query options are bound to: the target set, or its substitute. */
  readonly target: QueryTarget;
  /** The set or type of the related entities. */
  readonly origin: EntityOrigin;
  readonly selectPushdownEnabled: boolean;
  /** Of the target set. */
  readonly search: EntitySetHandlers<Context>["search"];
  /** How the body of a new related entity is read. */
  readonly readNew: RelatedBodyConversion;
  /** The table that its routes read; null where a handler reads them, or the navigation has no routes. */
  readonly table: TargetWay | null;
}

/** $metadata, made once. JSON is null in a profile whose `$format=json` of `$metadata` is XML. */
export interface Metadata {
  readonly xml: () => MetadataRepresentation;
  readonly json: (() => MetadataRepresentation) | null;
}

/** One format of $metadata. */
interface MetadataRepresentation {
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly etag: string;
}

/**
 * Makes one format of $metadata at its first request. Its ETag is the hash of its bytes.
 * @see docs/reference/formats.md
 */
export function metadataRepresentation(contentType: string, write: () => Uint8Array): () => MetadataRepresentation {
  return once(() => {
    const body = write();
    return { contentType, body, etag: `"${sha256Base64(body)}"` };
  });
}

/** The set of entities, or their type if no set is declared for them. */
export type EntityOrigin = EntitySet | EntityType;

/**
 * By layout and format, of which there are at most 36. Entities that are objects have no layout, so their origin is the key instead.
 * Writers live as long as the clause, so the bounded cache of shapes limits them too. Sets of one type may have the same
 * clauses and layouts.
 */
const writersOf = keptPerPair(
  (_clause: SelectExpandClause, _origin: EntityOrigin) =>
    new WeakMap<RowShape | EntityOrigin, Map<string, EntityWriter>>(),
);

/**
 * Returns the writer of entities for a clause and a format, made on first use.
 * @param service the service of the origin
 * @param origin the set or type of the entities: without a set they have neither URLs nor ETags
 * @param rowShape the layout of the entities when they are rows
 */
export function entityWriterFor(
  { routes }: { readonly routes: EntityRoutes },
  origin: EntityOrigin,
  clause: SelectExpandClause,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): EntityWriter {
  const ofClause = writersOf(clause, origin);
  const ofLayout = ofClause.get(rowShape ?? origin) ?? new Map<string, EntityWriter>();
  ofClause.set(rowShape ?? origin, ofLayout);
  const { metadata, ieee754Compatible, isUnnamed = false, isTransient = false, saved } = format;
  const key = `${metadata}${ieee754Compatible ? "+" : ""}${isUnnamed ? "?" : ""}${isTransient ? "!" : ""}${saved ?? ""}`;
  let writer = ofLayout.get(key);
  if (writer === undefined) {
    writer = compileEntityWriter(
      toTarget(routes, origin),
      clause,
      { metadata, ieee754Compatible, isUnnamed, isTransient, saved },
      rowShape,
    );
    ofLayout.set(key, writer);
  }
  return writer;
}

function toTarget(routes: EntityRoutes, origin: EntityOrigin): WriterTarget {
  return origin.kind === "EntitySet"
    ? { entitySet: origin, entityType: origin.entityType, routes }
    : { entitySet: null, entityType: origin, routes };
}
