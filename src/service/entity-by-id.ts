import { type ODataError, protocolError } from "../base/errors/odata-error.ts";
import type { ServiceDefinition } from "../definition/model/service-definition.ts";
import { readBaseUrl } from "../http/base-url.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { pathOfReference } from "../language/binder/resolve-reference.ts";
import type { ResourcePath } from "../language/query/resource-path.ts";
import type { PathSegmentSyntax } from "../language/syntax/ast.ts";
import { parseQueryString, withSign } from "../language/syntax/query-options-parser.ts";
import type { RequestUrl } from "./endpoints/arrival.ts";

/** The facts about a service that its URLs depend on. */
type UrlFacts = Pick<ServiceDefinition, "prefix" | "publicUrl" | "trustProxy" | "profile">;

/** Returns whether a path is `$entity`, which names an entity by the query option `$id`. */
export function isEntityById([first, second]: readonly PathSegmentSyntax[], { profile }: UrlFacts): boolean {
  return (
    profile.pathReach === "further" &&
    first?.name === "$entity" &&
    first.parentheses === undefined &&
    second === undefined
  );
}

/**
 * Returns the URL of the entity that `$entity?$id=…` names, with the other query options.
 * @param baseUrl the base URL of the batch that contains the request; undefined outside of batches
 * @throws ODataError `InvalidQueryOption`, target `$id`: it is absent, or the URL of another service
 * @see OData Protocol 4.0, section 11.2.8; docs/reference/navigation.md
 */
export function entityUrlById(
  odata: ODataRequest,
  { path, query }: RequestUrl,
  { prefix, publicUrl, trustProxy, profile }: UrlFacts,
  baseUrl: string = publicUrl ?? readBaseUrl(odata, trustProxy),
): RequestUrl {
  const names = { signIsOptional: profile.signIsOptional, isParameter: () => false };
  const pairs = parseQueryString(query).map((pair) => withSign(pair, names));
  const [id, second] = pairs.filter(({ name }) => name === "$id");
  if (id === undefined) throw invalidId("It is missing. Send the @odata.id of an entity, such as Customers(5).");
  if (second !== undefined) throw invalidId("It appears twice: give each option once.");
  const scope = { serviceRoot: baseUrl + prefix, requestUrl: baseUrl + path };
  const others = pairs.filter((pair) => pair !== id).map(({ raw }) => raw);
  return { path: prefix + pathOfReference(id.value.trim(), scope, invalidId), query: others.join("&") };
}

/**
 * Checks that `$id` names one entity.
 * @throws ODataError `InvalidQueryOption`, target `$id`
 */
export function requireEntityPath(path: ResourcePath): void {
  if (path.kind !== "entity") throw invalidId("It is not the URL of one entity, such as Customers(5).");
}

function invalidId(problem: string): ODataError {
  return protocolError("InvalidQueryOption", `$id: ${problem}`, { target: "$id" });
}
