import type { RuleContext } from "./context.ts";
import type { ServiceDefinition } from "./service-definition.ts";

/** What each record of the log says of its request. */
export interface RequestFields {
  readonly requestId: string;
  readonly method: string;
  /** Without the query, because filters hold the data of users. */
  readonly path: string;
  /** The entity set that the path begins with; absent for any other path. */
  readonly set?: string;
}

/** What places a request. */
export interface PlacedRequest {
  readonly id: string;
  readonly method: string;
  /** The raw path, prefix included. */
  readonly path: string;
}

/** What the log needs of a registration. Without a model no entity set is known. */
export type FieldsScope = Partial<Pick<ServiceDefinition, "prefix" | "model">>;

/** The first segment of a path below the prefix, without its key. */
const FIRST_SEGMENT = /^\/([^/(?#]*)/;

/**
 * Returns what each record of the log says of its request.
 * @see docs/reference/services.md, Log failures
 */
export function requestFields(scope: FieldsScope, { id, method, path }: PlacedRequest): RequestFields {
  const set = entitySetAt(path, scope);
  return { requestId: id, method, path, ...(set === undefined ? {} : { set }) };
}

/**
 * Logs a warning about a request. A logger that throws does not change the response.
 * @param fields beside those of the request
 * @see docs/reference/services.md, Log failures
 */
export function logWarning(
  service: ServiceDefinition,
  { request: { id, method, url } }: Pick<RuleContext, "request">,
  message: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  try {
    const place = requestFields(service, { id, method, path: pathOf(url, service) });
    service.logger.warn(message, { ...place, ...fields });
  } catch {
    // There is nowhere left to report to.
  }
}

/** The raw path of an absolute URL, as the service received it: a path in `publicUrl` is no part of it. */
function pathOf(url: string, { publicUrl }: Pick<ServiceDefinition, "publicUrl">): string {
  const path =
    publicUrl !== undefined && url.startsWith(publicUrl)
      ? url.slice(publicUrl.length)
      : url.replace(/^[^:/?#]+:\/\/[^/?#]*/, "");
  return path.replace(/[?#].*$/s, "");
}

function entitySetAt(path: string, { prefix = "", model }: FieldsScope): string | undefined {
  const segment = FIRST_SEGMENT.exec(path.slice(prefix.length))?.[1] ?? "";
  try {
    const name = decodeURIComponent(segment);
    return model?.entityContainer.entitySets.has(name) === true ? name : undefined;
  } catch {
    // The path is not one that the service can read.
    return undefined;
  }
}
