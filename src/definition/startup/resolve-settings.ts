import { frozenSet } from "../../edm/frozen-map.ts";
import { type EntitySet, shownProperties, type StructuralProperty } from "../../edm/model.ts";
import type { Capabilities, Limits } from "../../language/query/capabilities.ts";
import type { DeclaredSet } from "../model/declared-service.ts";
import type { BatchDefinition, CorsDefinition, EntitySetSettings } from "../model/service-definition.ts";
import type { ServiceDefaults, ServiceOptions } from "../model/service-options.ts";
import { SERVICE_PROFILES, type ServiceProfile } from "../service-profile.ts";
import { readCacheControl } from "../sets/cache-control.ts";
import type { LimitSettings, InheritedSettings } from "../sets/set-settings.ts";

/** Every setting with a value. */
type Resolved<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** The defaults of all settings. @see docs/reference/entity-sets.md */
const DEFAULT_SETTINGS: Resolved<InheritedSettings> = Object.freeze({
  filterEnabled: true,
  orderByEnabled: true,
  selectEnabled: true,
  expandEnabled: true,
  countEnabled: true,
  applyEnabled: false,
  computeEnabled: false,
  maxTop: 1000,
  allowDeepInsert: false,
  bindEnabled: false,
  deepUpdateEnabled: false,
  maxRequestBodyBytes: 30_000_000,
  propertyAccessEnabled: true,
  propertyRouteDocsEnabled: false,
  allowUpsert: false,
  idempotentDelete: true,
  requireIfMatch: false,
  cacheControl: "",
  vary: "",
  roundingMode: "spec-compliant",
  selectPushdownEnabled: true,
  expandPushdownEnabled: true,
  unknownMembers: "reject",
  paging: "offset",
});

/** Returns the profile of a registration, and its defaults, which the profile completes. */
export function profiledDefaults(
  options: Pick<ServiceOptions, "profile" | "defaults">,
): readonly [ServiceProfile, ServiceDefaults] {
  const profile = SERVICE_PROFILES[options.profile ?? "specification"];
  const {
    applyEnabled = profile.aggregates,
    computeEnabled = profile.aggregates,
    bindEnabled = profile.bindsEntities,
  } = options.defaults ?? {};
  return [profile, { ...options.defaults, applyEnabled, computeEnabled, bindEnabled }];
}

/** The defaults of all limits. @see docs/reference/limits.md */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxExpandDepth: 3,
  maxExpandTop: 1000,
  maxNodeCount: 1000,
  maxAnyAllDepth: 3,
  maxInListLength: 1000,
  maxOrderByProperties: 10,
  maxApplySteps: 20,
  maxUrlLength: 16 * 1024,
  maxQueryBodyBytes: 256 * 1024,
  maxJsonDepth: 64,
  maxJsonValues: 100_000,
  maxPageSize: 10_000,
  maxResponseEntities: 100_000,
  maxResponseBytes: 64_000_000,
  maxHeldBytes: undefined,
  maxExpandItems: 50,
  maxIterableEntities: 100_000,
  queryTimeout: 10_000,
  transactionTimeout: 10_000,
});

/** The defaults of batches. @see docs/reference/batch.md */
const DEFAULT_BATCH: BatchDefinition = Object.freeze({
  multipart: true,
  json: false,
  maxParts: 100,
  timeout: 60_000,
  changeSets: "atomic",
});

/** Resolves the option `batch`. @returns null if the service accepts no batches */
export function resolveBatch(batch: ServiceOptions["batch"] = true): BatchDefinition | null {
  if (batch === false) return null;
  return Object.freeze(inherit(DEFAULT_BATCH, batch === true ? [] : [batch]));
}

/**
 * Resolves the option `cors`.
 * @param others the headers that pages send and read because of other options
 * @returns null if no page of another origin may use the service
 */
export function resolveCors(
  cors: ServiceOptions["cors"],
  others: Pick<CorsDefinition, "takesPositions" | "showsTiming">,
): CorsDefinition | null {
  if (cors === undefined) return null;
  const { origins, credentials = false, maxAge, headers = [] } = cors;
  return Object.freeze({
    origins: origins === "*" || origins.includes("*") ? "*" : frozenSet(origins),
    credentials,
    maxAge,
    headers: frozenSet(headers.map((name) => name.toLowerCase())),
    ...others,
  });
}

/** Resolves the limits of a registration. */
export function resolveLimits(defaults: LimitSettings): Limits {
  return Object.freeze(inherit(DEFAULT_LIMITS, [defaults]));
}

/**
 * Resolves the settings of an entity set, except those for query options.
 * @param set undefined for unbound operations
 */
export function resolveSettings(set: DeclaredSet | undefined, defaults: ServiceDefaults): EntitySetSettings {
  const settings = inherit(DEFAULT_SETTINGS, [defaults, set?.options ?? {}]);
  return Object.freeze({
    allowDeepInsert: settings.allowDeepInsert,
    bindEnabled: settings.bindEnabled,
    deepUpdateEnabled: settings.deepUpdateEnabled,
    maxRequestBodyBytes: settings.maxRequestBodyBytes,
    propertyAccessEnabled: settings.propertyAccessEnabled,
    propertyRouteDocsEnabled: settings.propertyRouteDocsEnabled,
    allowUpsert: settings.allowUpsert,
    idempotentDelete: settings.idempotentDelete,
    requireIfMatch: settings.requireIfMatch,
    cacheControl: readCacheControl(settings.cacheControl),
    vary: settings.vary.trim(),
    selectPushdownEnabled: settings.selectPushdownEnabled,
    expandPushdownEnabled: settings.expandPushdownEnabled,
    unknownMembers: settings.unknownMembers,
    paging: settings.paging,
  });
}

/** Resolves the settings of an entity set for query options; allowlists contain wire names. */
export function resolveCapabilities(set: DeclaredSet, entitySet: EntitySet, defaults: ServiceDefaults): Capabilities {
  const settings = inherit(DEFAULT_SETTINGS, [defaults, set.options]);
  const allowlist = (option: string): ReadonlySet<string> | null => {
    const fields = set.options[option];
    if (!Array.isArray(fields)) return null;
    const members = [...shownProperties(entitySet.entityType), ...entitySet.navigationProperties.values()];
    return frozenSet(members.filter(({ field }) => fields.includes(field)).map(({ name }) => name));
  };
  /** Removes the properties that the database cannot compare, and virtual ones, from an allowlist. */
  const comparable = (option: string): ReadonlySet<string> | null => {
    const { entityType, uncomparable = new Set() } = entitySet;
    const listed = allowlist(option);
    if (uncomparable.size === 0 && !shownProperties(entityType).some(isVirtual)) return listed;
    const members = [
      ...entityType.properties.filter((property) => !isVirtual(property)),
      ...entitySet.navigationProperties.values(),
    ];
    const allowed = members.filter(({ field, name }) => !uncomparable.has(field) && listed?.has(name) !== false);
    return frozenSet(allowed.map(({ name }) => name));
  };
  /** Returns the name of an allowlist of `$apply`, which falls back to that of `$select`. */
  const orSelect = (option: string): string => (set.options[option] === undefined ? "selectProperties" : option);
  const { applyQuery, applyQueryOptions: further = [] } = set.options;
  const takes = (option: string): boolean =>
    applyQuery === undefined || (Array.isArray(further) && further.includes(option));
  return Object.freeze({
    ...switchesOf({
      ...settings,
      applyEnabled: settings.applyEnabled && takes("apply"),
      computeEnabled: settings.computeEnabled && takes("compute"),
    }),
    searchEnabled: set.options["search"] !== undefined,
    filterProperties: comparable("filterProperties"),
    orderByProperties: comparable("orderByProperties"),
    selectProperties: allowlist("selectProperties"),
    expandProperties: allowlist("expandProperties"),
    ...(settings.applyEnabled && {
      groupByProperties: comparable(orSelect("groupByProperties")),
      aggregateProperties: comparable(orSelect("aggregateProperties")),
    }),
    ...(settings.computeEnabled && { computeProperties: comparable("selectProperties") }),
  });
}

function isVirtual({ virtual }: StructuralProperty): boolean {
  return virtual !== undefined;
}

/** Resolves the settings for query options on navigations without a target set. */
export function resolveDefaultCapabilities(defaults: ServiceDefaults): Capabilities {
  return Object.freeze({
    ...switchesOf(inherit(DEFAULT_SETTINGS, [defaults])),
    searchEnabled: false,
    filterProperties: null,
    orderByProperties: null,
    selectProperties: null,
    expandProperties: null,
  });
}

/** Returns the settings for query options that a registration may give for all of its sets. */
function switchesOf(
  settings: Resolved<InheritedSettings>,
): Omit<Capabilities, "searchEnabled" | `${"filter" | "orderBy" | "select" | "expand"}Properties`> {
  return {
    ...(settings.applyEnabled && { applyEnabled: true }),
    ...(settings.computeEnabled && { computeEnabled: true }),
    filterEnabled: settings.filterEnabled,
    orderByEnabled: settings.orderByEnabled,
    selectEnabled: settings.selectEnabled,
    expandEnabled: settings.expandEnabled,
    countEnabled: settings.countEnabled,
    maxTop: settings.maxTop,
    roundingMode: settings.roundingMode,
  };
}

/**
 * Overrides the settings of `base` by each source in turn; `undefined` overrides nothing. The startup check found values
 * of the right types.
 */
function inherit<T extends object>(base: T, sources: readonly object[]): T {
  const stated = sources.flatMap((source) =>
    Object.entries(source).filter(([name, value]) => Object.hasOwn(base, name) && value !== undefined),
  );
  return { ...base, ...Object.fromEntries(stated) };
}
