import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { ServiceProfile } from "../definition/service-profile.ts";
import type { EntityType, StructuralProperty, ValueType } from "../edm/model.ts";
import type { Capabilities } from "../query/capabilities.ts";
import type { DocumentObject } from "./open-api-document.ts";
import type { SchemaRegistry } from "./schema-registry.ts";
import { valueSchema } from "./value-schemas.ts";

/** The query options that a route may take, in the order in which they are listed. */
export type QueryOption = "$top" | "$skip" | "$filter" | "$orderby" | "$select" | "$expand" | "$count" | "$search";

/** All options of the read of a collection. */
export const COLLECTION_OPTIONS: readonly QueryOption[] = [
  "$top",
  "$skip",
  "$filter",
  "$orderby",
  "$select",
  "$expand",
  "$count",
  "$search",
];

/**
 * The parameters of those query options that a set allows.
 * @param options what the route takes
 * @see specification, Generated API descriptions
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
      return inQuery(option, `How many items to return.${limit}`, schema);
    }
    case "$skip":
      return inQuery(option, "How many items to pass over.", { type: "integer", minimum: 0 });
    case "$filter":
      return inQuery(
        option,
        among("Which items to return.", capabilities.filterProperties),
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
        among("Which properties to return.", capabilities.selectProperties),
        TEXT,
        selectOf(examplesIn(type, capabilities.selectProperties)),
      );
    case "$expand":
      return inQuery(option, among("Which related entities to return.", capabilities.expandProperties), TEXT);
    case "$count":
      return inQuery(option, "Whether to return how many items there are.", { type: "boolean" });
    case "$search":
      return inQuery(option, "Words and phrases to search for, with AND, OR and NOT.", TEXT, "coffee NOT tea");
  }
}

const TEXT: DocumentObject = { type: "string" };

function inQuery(name: string, description: string, schema: DocumentObject, example?: string): DocumentObject {
  return { name, in: "query", description, schema: shownBy(schema, example) };
}

/** An example of the schema only shows the form: viewers send one of the parameter wherever nothing else is said. */
function shownBy(schema: DocumentObject, example: string | undefined): DocumentObject {
  return example === undefined ? schema : { ...schema, examples: [example] };
}

/** The single primitive properties that an allowlist lets through. */
function examplesIn({ properties }: EntityType, allowed: ReadonlySet<string> | null): readonly StructuralProperty[] {
  return properties.filter(
    ({ name, type, isCollection }) =>
      type.kind === "PrimitiveType" && !isCollection && (allowed === null || allowed.has(name)),
  );
}

/** What shows the form of a filter: a comparison with a property whose value needs no explaining. */
function filterOf(properties: readonly StructuralProperty[]): string | undefined {
  const text = properties.find(({ type }) => type.name === "Edm.String");
  if (text !== undefined) return `${text.name} eq 'text'`;
  const number = properties.find(({ type }) => type.name === "Edm.Int32");
  return number === undefined ? undefined : `${number.name} gt 10`;
}

function orderOf([first]: readonly StructuralProperty[]): string | undefined {
  return first === undefined ? undefined : `${first.name} desc`;
}

function selectOf(properties: readonly StructuralProperty[]): string | undefined {
  const names = properties.slice(0, 2).map(({ name }) => name);
  return names.length === 0 ? undefined : names.join(",");
}

/** The key predicate of a path, and the parameters that stand in it. */
export interface KeyTemplate {
  /** With its parentheses. */
  readonly predicate: string;
  readonly parameters: readonly DocumentObject[];
}

/**
 * The key predicate of a type as a path template has it: what a literal has around its value stands in the template.
 * @param taken names of parameters that the path has already
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

/** The names of the parameters of a key. */
export function keyParameterNames({ key }: EntityType): readonly string[] {
  return key.map(({ name }) => parameterName(name, []));
}

/** A name that generated code can have, and that no other parameter has. */
function parameterName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? parameterName(`Related${name}`, taken) : name;
}

function literalTemplate(type: ValueType, value: string): string {
  if (type.kind === "EnumType") return `${encodeURIComponent(type.qualifiedName)}'${value}'`;
  switch (type.name) {
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
  const description = `${property.description ?? "The key of the entity."}${quotes}`;
  const schema = valueSchema({ ...property, nullable: false }, "answer", schemas);
  return { name, in: "path", required: true, description, schema };
}

function inHeader(name: string, description: string, example?: string): DocumentObject {
  return { name, in: "header", description, schema: shownBy(TEXT, example) };
}

/** The header of a read that wants nothing where the client has the entity. */
export const IF_NONE_MATCH: DocumentObject = inHeader(
  "If-None-Match",
  "ETags that the client has: the answer is 304 where the entity has one of them.",
);

const IF_MATCH: DocumentObject = inHeader("If-Match", "The ETag that the entity must have, or *.");

/** Returns whether the preconditions of writes are checked: where entities are read by key, and have an ETag. */
export function hasConditions({ entitySet, handlers }: EntitySetDefinition): boolean {
  return entitySet.etag.length > 0 && handlers.getByKey !== undefined;
}

/** Returns the headers of a write that is made only where they hold. */
export function conditionsOf(set: EntitySetDefinition): readonly DocumentObject[] {
  if (!hasConditions(set)) return [];
  return [IF_MATCH, inHeader("If-None-Match", "ETags that the entity must not have, or *: that there is none.")];
}

/** Returns those headers of a PUT: by the specification If-None-Match is `*`, and counts where the PUT may create. */
export function replaceConditionsOf(
  set: EntitySetDefinition,
  { putChecksIfNoneMatch }: ServiceProfile,
  mayCreate: boolean,
): readonly DocumentObject[] {
  if (putChecksIfNoneMatch || !hasConditions(set)) return conditionsOf(set);
  return mayCreate ? [IF_MATCH, inHeader("If-None-Match", "*: that there is no such entity.", "*")] : [IF_MATCH];
}

/** The header of a read of a collection that asks for smaller pages. */
export const PREFER_PAGE_SIZE: DocumentObject = inHeader("Prefer", "How large pages are wanted.", "maxpagesize=50");

/** The header of a write that says whether the client wants to see what became of it. */
export const PREFER_RETURN: DocumentObject = inHeader(
  "Prefer",
  "return=minimal for no content, return=representation for the entity.",
  "return=minimal",
);
