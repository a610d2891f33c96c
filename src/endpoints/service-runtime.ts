import { required } from "../base/required.ts";
import type { QueryTarget } from "../binder/bind-query-options.ts";
import type { Context } from "../definition/context.ts";
import type { EntitySetHandlers } from "../definition/handlers.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/model/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import type { NavigationSource } from "../execution/reads/read-navigation.ts";
import type { BodyReaders, RelatedBodyConversion } from "../payload/body-readers.ts";
import { sha256Base64 } from "../payload/sha256.ts";
import type { TokenSeal } from "../payload/token-seal.ts";
import type { EntityRoutes } from "../payload/write-entity.ts";
import type { ReadForm } from "../plan/plan-collection.ts";
import type { TargetWay } from "../plan/plan-related.ts";
import type { Capabilities } from "../query/capabilities.ts";
import type { ShapeCache } from "../query/clauses.ts";
import type { EntitySets } from "../sets/entity-sets.ts";
import type { EntityOrigin } from "./entity-writer-for.ts";

/** The state that all requests of one registration share: made at startup, except for the caches. */
export interface ServiceRuntime {
  readonly definition: ServiceDefinition;
  readonly entitySets: ReadonlyMap<EntitySet, EntitySetRuntime>;
  /** The paths of the further routes that the application gave. */
  readonly furtherPaths: readonly string[];
  /** $metadata, written once. JSON is null in a profile whose `$format=json` of `$metadata` is XML. */
  readonly metadata: { readonly xml: MetadataRepresentation; readonly json: MetadataRepresentation | null };
  readonly shapes: ShapeCache;
  /** The routes of entities, which responses link to. */
  readonly routes: EntityRoutes;
  /** Seals keyset tokens; null without a secret. */
  readonly seal: TokenSeal | null;
  /** Whether any rule may refuse a request. */
  readonly hasRules: boolean;
  /** The entity sets of `ctx.sets`. */
  readonly sets: EntitySets;
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

/** One format of $metadata. */
interface MetadataRepresentation {
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly etag: string;
}

/**
 * Makes one format of $metadata, whose ETag is the hash of its bytes.
 * @see docs/reference/formats.md
 */
export function metadataRepresentation(contentType: string, text: string): MetadataRepresentation {
  const body = new TextEncoder().encode(text);
  return { contentType, body, etag: `"${sha256Base64(body)}"` };
}
