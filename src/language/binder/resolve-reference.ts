import { ODataError } from "../../base/errors/odata-error.ts";
import { attempt } from "../../base/maybe.ts";
import type { EntitySet, Model, Singleton } from "../../edm/model.ts";
import { parseResourcePath } from "../syntax/path-parser.ts";
import { bindEntityKey } from "./bind-key.ts";
import { resolvePath } from "./resolve-path.ts";

/** The entity of a reference. */
interface ResolvedReference {
  readonly entitySet: EntitySet;
  /** In the application's form; undefined for a singleton, whose key the application knows. */
  readonly key: unknown;
  /** Absent: the reference names an entity of the set by its key. */
  readonly singleton?: Singleton;
}

/** The URLs that references are relative to. */
interface ReferenceBase {
  /** Scheme, authority and prefix, without a trailing slash. */
  readonly serviceRoot: string;
  /** The absolute URL of the request without query options. */
  readonly requestUrl: string;
}

/** The scope of references. */
interface ReferenceScope extends ReferenceBase {
  readonly model: Model;
}

/** Scheme and authority at the start of an absolute URL; empty at the start of any other text. */
const AUTHORITY = /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?/i;
/** The start of a reference that is relative to the URL of the request. */
const BELOW_REQUEST = /^\.\.?\//;
const NO_ALIASES: ReadonlyMap<string, string> = new Map();

/**
 * Resolves the `@odata.id` of an entity: an absolute URL below the service root, an absolute path, or a relative path. A path
 * that begins with `./` or `../` is relative to the URL of the request, any other one, such as `Customers(5)`, to the service
 * root.
 * @param fail makes the error of an invalid reference
 * @throws ODataError as `fail` makes it
 * @see OData JSON Format 4.0, section 13; OData URL Conventions 4.0, section 4.4
 */
export function resolveReference(
  id: string,
  { model, ...base }: ReferenceScope,
  fail: (problem: string) => ODataError,
): ResolvedReference {
  const path = pathOfReference(id, base, fail);
  const resource = resolveOrFail(() => resolvePath(parseResourcePath(path), model), fail);
  if (resource.kind !== "entity") throw fail("It is not the URL of one entity, such as Customers(5).");
  const { entitySet, key, singleton } = resource;
  if (singleton !== undefined) return { entitySet, key: undefined, singleton };
  const value = resolveOrFail(() => bindEntityKey(key, entitySet.entityType, NO_ALIASES, entitySet.name), fail);
  return { entitySet, key: value };
}

/**
 * Returns the raw path of a reference below the service root, with its slash.
 * @param fail makes the error of a reference to another service, or with a query
 * @throws ODataError as `fail` makes it
 */
export function pathOfReference(
  id: string,
  { serviceRoot, requestUrl }: ReferenceBase,
  fail: (problem: string) => ODataError,
): string {
  const path = pathBelowRoot(BELOW_REQUEST.test(id) ? pathFrom(id, requestUrl) : id, serviceRoot);
  if (path === null) throw fail(`It is not below the service root, ${serviceRoot}/.`);
  if (/[?#]/.test(path)) throw fail("It must be the URL of one entity, without a query.");
  return path;
}

function resolveOrFail<T>(resolve: () => T, fail: (problem: string) => ODataError): T {
  const result = attempt(resolve, ODataError);
  if (result instanceof ODataError) throw fail(result.message);
  return result;
}

/** Returns the absolute path of a path relative to a URL. @see RFC 3986, section 5.2 */
function pathFrom(path: string, url: string): string {
  const segments = url.replace(AUTHORITY, "").split("/").slice(0, -1);
  for (const segment of path.split("/")) {
    // The first segment is the empty one before the first slash.
    if (segment === ".." && segments.length > 1) segments.pop();
    if (segment !== "." && segment !== "..") segments.push(segment);
  }
  return segments.join("/");
}

/** Returns the raw path below the service root, with its slash; null for any other URL. */
function pathBelowRoot(id: string, serviceRoot: string): string | null {
  const prefix = serviceRoot.replace(AUTHORITY, "");
  const path = id.replace(AUTHORITY, "");
  const isAbsolute = path.length < id.length;
  if (isAbsolute && !isSameAuthority(id.slice(0, id.length - path.length), serviceRoot)) return null;
  if (!isAbsolute && !path.startsWith("/")) return `/${path}`;
  return !path.startsWith("//") && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null;
}

function isSameAuthority(left: string, right: string): boolean {
  return URL.canParse(left) && URL.canParse(right) && new URL(left).origin === new URL(right).origin;
}
