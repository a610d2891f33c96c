import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { ServiceProfile } from "../../definition/service-profile.ts";
import { fullDescription } from "../../edm/annotation.ts";
import type { EntityType, StructuralProperty, ValueType } from "../../edm/model.ts";
import { typeName } from "../../edm/type-name.ts";
import type { Capabilities } from "../../language/query/capabilities.ts";
import { applyExample, computeExample } from "./aggregation-examples.ts";
import type { DocumentObject } from "./open-api-document.ts";
import { type SchemaRegistry, valueSchema } from "./value-schemas.ts";

/** The query options of routes, in the order of their listing. */
export type QueryOption =
  | "$top"
  | "$skip"
  | "$filter"
  | "$orderby"
  | "$select"
  | "$expand"
  | "$count"
  | "$search"
  | "$apply"
  | "$compute";

/** The query options for reading a collection. */
export const COLLECTION_OPTIONS: readonly QueryOption[] = [
  "$top",
  "$skip",
  "$filter",
  "$orderby",
  "$select",
  "$expand",
  "$count",
  "$search",
  "$apply",
  "$compute",
];

/** The query options that have an effect on a count. */
export const COUNT_OPTIONS: readonly QueryOption[] = ["$filter", "$search", "$apply"];

/** The query options for reading one entity. */
export const ENTITY_OPTIONS: readonly QueryOption[] = ["$select", "$expand", "$compute"];

/**
 * Returns the parameters for the query options that a set allows.
 * @param options the query options of the route
 * @see docs/reference/openapi.md
 */
export function queryParameters(
  type: EntityType,
  capabilities: Capabilities,
  options: readonly QueryOption[],
): readonly DocumentObject[] {
  return options
    .filter((option) => isAllowed(option, capabilities))
    .map((option) => toOption(option, type, capabilities));
}

function isAllowed(option: QueryOption, capabilities: Capabilities): boolean {
  switch (option) {
    case "$top":
    case "$skip":
      return true;
    case "$filter":
      return capabilities.filterEnabled;
    case "$orderby":
      return capabilities.orderByEnabled;
    case "$select":
      return capabilities.selectEnabled;
    case "$expand":
      return capabilities.expandEnabled;
    case "$count":
      return capabilities.countEnabled;
    case "$search":
      return capabilities.searchEnabled;
    case "$apply":
      return capabilities.applyEnabled === true;
    case "$compute":
      return capabilities.computeEnabled === true;
  }
}

function toOption(option: QueryOption, type: EntityType, capabilities: Capabilities): DocumentObject {
  const { maxTop } = capabilities;
  const among = (what: string, allowed: ReadonlySet<string> | null): string =>
    allowed === null ? what : `${what} Allowed: ${[...allowed].join(", ")}.`;
  switch (option) {
    case "$top": {
      const limit = maxTop === null ? "" : ` At most ${String(maxTop)} (MaxTop), which is also the size of a page.`;
      const schema = { type: "integer", minimum: 0, maximum: maxTop ?? undefined };
      return inQuery(option, `The number of items to return.${limit}`, schema);
    }
    case "$skip":
      return inQuery(option, "The number of items to skip.", { type: "integer", minimum: 0 });
    case "$filter":
      return inQuery(
        option,
        among("The condition that items must meet.", capabilities.filterProperties),
        TEXT,
        filterOf(examplesIn(type, capabilities.filterProperties)),
      );
    case "$orderby":
      return inQuery(
        option,
        among("The order of the items.", capabilities.orderByProperties),
        TEXT,
        orderOf(examplesIn(type, capabilities.orderByProperties)),
      );
    case "$select":
      return inQuery(
        option,
        among("The properties to return.", capabilities.selectProperties),
        TEXT,
        selectOf(examplesIn(type, capabilities.selectProperties)),
      );
    case "$expand":
      return inQuery(
        option,
        among("The related entities to return.", expandableIn(type, capabilities)),
        TEXT,
        expandOf(type, expandableIn(type, capabilities)),
      );
    case "$count":
      return inQuery(option, "Whether to return the number of items.", { type: "boolean" });
    case "$search":
      return inQuery(option, "Words and phrases to search for, with AND, OR and NOT.", TEXT, "coffee NOT tea");
    case "$apply":
      return inQuery(
        option,
        "Steps that group and aggregate the items. The other options apply to the result.",
        TEXT,
        ...applyExamples(type, capabilities),
      );
    case "$compute":
      return inQuery(
        option,
        "Further values of each item, with their names.",
        TEXT,
        computeExample(type, capabilities),
      );
  }
}

/** Returns the navigations that clients can expand; null: all. */
function expandableIn(
  { navigationProperties }: EntityType,
  { expandProperties, expansions }: Capabilities,
): ReadonlySet<string> | null {
  const unloaded = expansions?.unloaded ?? new Set();
  if (unloaded.size === 0) return expandProperties;
  const allowed = expandProperties ?? navigationProperties.map(({ name }) => name);
  return new Set([...allowed].filter((name) => !unloaded.has(name)));
}

const TEXT: DocumentObject = { type: "string" };

function inQuery(
  name: string,
  description: string,
  schema: DocumentObject,
  ...examples: ReadonlyArray<string | undefined>
): DocumentObject {
  return { name, in: "query", description, schema: shownBy(schema, examples) };
}

/** Examples belong to the schema: viewers would send an example of the parameter by default. */
function shownBy(schema: DocumentObject, examples: ReadonlyArray<string | undefined>): DocumentObject {
  const found = examples.filter((example) => example !== undefined);
  return found.length === 0 ? schema : { ...schema, examples: found };
}

/** Returns examples of `$apply`: the first fits the examples of the other options, which a client may send together. */
function applyExamples(type: EntityType, capabilities: Capabilities): readonly string[] {
  const groups = applyExample(type, capabilities);
  const condition = capabilities.filterEnabled ? filterOf(examplesIn(type, capabilities.filterProperties)) : undefined;
  if (groups === undefined) return [];
  return [condition === undefined ? "identity" : `filter(${condition})`, groups];
}

/** Returns the primitive properties that an allowlist contains. */
function examplesIn({ properties }: EntityType, allowed: ReadonlySet<string> | null): readonly StructuralProperty[] {
  return properties.filter(
    ({ name, type, isCollection }) =>
      type.kind === "PrimitiveType" && !isCollection && (allowed === null || allowed.has(name)),
  );
}

/** Returns an example of a filter. */
function filterOf(properties: readonly StructuralProperty[]): string | undefined {
  const text = properties.find(({ type }) => type.name === "Edm.String");
  if (text !== undefined) return `${text.name} eq 'text'`;
  const number = properties.find(({ type }) => type.name === "Edm.Int32");
  return number === undefined ? undefined : `${number.name} gt 10`;
}

function expandOf({ navigationProperties }: EntityType, allowed: ReadonlySet<string> | null): string | undefined {
  return navigationProperties.find(({ name }) => allowed?.has(name) !== false)?.name;
}

function orderOf([first]: readonly StructuralProperty[]): string | undefined {
  return first === undefined ? undefined : `${first.name} desc`;
}

function selectOf(properties: readonly StructuralProperty[]): string | undefined {
  const names = properties.slice(0, 2).map(({ name }) => name);
  return names.length === 0 ? undefined : names.join(",");
}

/** The key predicate of a path, and its parameters. */
interface KeyTemplate {
  /** The key predicate with its parentheses. */
  readonly predicate: string;
  readonly parameters: readonly DocumentObject[];
}

/**
 * Returns the key predicate of a type in a path template, which also contains the quotes of literals.
 * @param taken the names of the other parameters of the path
 * @see OData URL Conventions 4.0, section 4.3.1
 */
export function keyTemplate(type: EntityType, schemas: SchemaRegistry, taken: readonly string[] = []): KeyTemplate {
  const isNamed = type.key.length > 1;
  const parts = type.key.map((property) => ({ property, parameter: parameterName(property.name, taken) }));
  const texts = parts.map(({ property, parameter }) => {
    const literal = literalTemplate(property.type, `{${parameter}}`);
    return isNamed ? `${encodeURIComponent(property.name)}=${literal}` : literal;
  });
  return {
    predicate: `(${texts.join(",")})`,
    parameters: parts.map(({ property, parameter }) => keyParameter(property, parameter, schemas)),
  };
}

/** Returns the names of the parameters of a key. */
export function keyParameterNames({ key }: EntityType): readonly string[] {
  return key.map(({ name }) => parameterName(name, []));
}

/** Returns a unique name that is valid in generated code. */
function parameterName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? parameterName(`Related${name}`, taken) : name;
}

function literalTemplate(type: ValueType, value: string): string {
  const name = typeName(type);
  if (type.kind === "EnumType" && name !== "Edm.String") return `${encodeURIComponent(name)}'${value}'`;
  switch (name) {
    case "Edm.String":
      return `'${value}'`;
    case "Edm.Duration":
      return `duration'${value}'`;
    case "Edm.Binary":
      return `binary'${value}'`;
    default:
      return value;
  }
}

function keyParameter(property: StructuralProperty, name: string, schemas: SchemaRegistry): DocumentObject {
  const quotes = property.type.name === "Edm.String" ? " A quote within it is doubled." : "";
  const description = `${fullDescription(property) ?? "The key of the entity."}${quotes}`;
  const schema = valueSchema({ ...property, nullable: false }, "answer", schemas);
  return { name, in: "path", required: true, description, schema };
}

function inHeader(name: string, description: string, example?: string): DocumentObject {
  return { name, in: "header", description, schema: shownBy(TEXT, [example]) };
}

/** The header of a read that returns 304 if the client has the current entity. */
export const IF_NONE_MATCH: DocumentObject = inHeader(
  "If-None-Match",
  "The ETags that the client has. The response is 304 if the entity has one of them.",
);

const IF_MATCH: DocumentObject = inHeader("If-Match", "The ETag that the entity must have, or *.");
const REQUIRED_IF_MATCH: DocumentObject = { ...IF_MATCH, required: true };
const IF_NO_MATCH: DocumentObject = inHeader(
  "If-None-Match",
  "The ETags that the entity must not have, or * if the entity must not exist.",
);

/** Returns the headers of a conditional read of an entity, or of one of its properties. */
export function readConditionsOf(set: EntitySetDefinition): readonly DocumentObject[] {
  if (set.entitySet.etag.length === 0) return [];
  return hasNotModified(set) ? [IF_MATCH, IF_NONE_MATCH] : [IF_MATCH];
}

/** The conditions of writes of a stream. */
export const STREAM_CONDITIONS: readonly DocumentObject[] = Object.freeze([IF_MATCH, IF_NO_MATCH]);

/** Returns whether reads of an entity may be 304: its ETag shows whether the response has changed. */
export function hasNotModified({ entitySet, settings }: EntitySetDefinition): boolean {
  return entitySet.etag.length > 0 && settings.vary === "";
}

/** Returns whether writes check preconditions: entities have an ETag and can be read by key. */
export function hasConditions({ entitySet, handlers }: EntitySetDefinition): boolean {
  return entitySet.etag.length > 0 && handlers.getByKey !== undefined;
}

/** Returns the headers of a conditional write that needs none of them: an operation, or a change along a navigation. */
export function conditionsOf(set: EntitySetDefinition): readonly DocumentObject[] {
  return hasConditions(set) ? [IF_MATCH, IF_NO_MATCH] : [];
}

/** Returns the headers of a PATCH or DELETE of an entity, or of a write of one of its properties. */
export function writeConditionsOf(set: EntitySetDefinition): readonly DocumentObject[] {
  return hasConditions(set) ? [matchOf(set, false), IF_NO_MATCH] : [];
}

/**
 * Returns the headers of a conditional PUT. Without the standard profile, If-None-Match applies only to a create.
 * @param mayCreate whether `If-None-Match: *` can replace If-Match
 */
export function replaceConditionsOf(
  set: EntitySetDefinition,
  { putChecksIfNoneMatch }: ServiceProfile,
  mayCreate: boolean,
): readonly DocumentObject[] {
  if (!hasConditions(set)) return [];
  const match = matchOf(set, mayCreate);
  if (putChecksIfNoneMatch) return [match, IF_NO_MATCH];
  return mayCreate ? [match, inHeader("If-None-Match", "* if the entity must not exist.", "*")] : [match];
}

function matchOf({ settings }: EntitySetDefinition, mayCreate: boolean): DocumentObject {
  return settings.requireIfMatch && !mayCreate ? REQUIRED_IF_MATCH : IF_MATCH;
}

/** The header of a read that requests smaller pages. */
export const PREFER_PAGE_SIZE: DocumentObject = inHeader("Prefer", "The preferred page size.", "maxpagesize=50");

/** The header of a write that states whether the client prefers a response with content. */
export const PREFER_RETURN: DocumentObject = inHeader(
  "Prefer",
  "return=minimal for no content, return=representation for the entity.",
  "return=minimal",
);

/** The query options of the routes along a navigation property. */
export interface NavigationQueryOptions {
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
const SPECIFIED: NavigationQueryOptions = {
  collection: ["$top", "$skip", "$orderby", "$select", "$count"],
  count: [],
  entity: ["$select"],
  references: ["$top", "$skip", "$orderby", "$count"],
};

/** The query options for reading references. */
export const REFERENCES_OPTIONS: readonly QueryOption[] = ["$top", "$skip", "$filter", "$orderby", "$count", "$search"];

/** The options that entity sets support. */
const STANDARD: NavigationQueryOptions = {
  collection: COLLECTION_OPTIONS,
  count: COUNT_OPTIONS,
  entity: ENTITY_OPTIONS,
  references: REFERENCES_OPTIONS,
};

/** Returns the query options of navigation routes for a profile. @see docs/reference/navigation.md */
export function navigationOptions({ navigationTakesEveryOption }: ServiceProfile): NavigationQueryOptions {
  return navigationTakesEveryOption ? STANDARD : SPECIFIED;
}
