import type { RuleContext } from "../context.ts";
import type { Logger } from "../logger.ts";
import type { ServiceDefinition } from "./service-definition.ts";

/** The fields of each log record that identify its request. */
export interface RequestFields {
  readonly requestId: string;
  readonly method: string;
  /** Without the query, because filters contain personal data. */
  readonly path: string;
  /** The entity set that the path begins with; absent for any other path. */
  readonly set?: string;
  /** The tenant whose database is checked. */
  readonly tenant?: string;
}

/** The parts of a request that its log fields are made from. */
export interface PlacedRequest {
  readonly id: string;
  readonly method: string;
  /** The raw path, prefix included. */
  readonly path: string;
}

/** The parts of a registration that log fields are made from. Without a model, `set` is absent. */
export type FieldsScope = Partial<Pick<ServiceDefinition, "prefix" | "model">>;

/** The first segment of a path below the prefix, without its key. */
const FIRST_SEGMENT = /^\/([^/(?#]*)/;

/**
 * Returns the fields of each log record that identify its request.
 * @see docs/reference/services.md, Log failures
 */
export function requestFields(scope: FieldsScope, { id, method, path }: PlacedRequest): RequestFields {
  const set = entitySetAt(path, scope);
  return { requestId: id, method, path, ...(set === undefined ? {} : { set }) };
}

/** Logs something about a request. */
type LogAboutRequest = (
  service: ServiceDefinition,
  context: Pick<RuleContext, "request">,
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/**
 * Logs a failure about a request. A logger that throws does not change the response.
 * @see docs/reference/services.md, Log failures
 */
export const logError: LogAboutRequest = logAt("error");

/**
 * Logs a warning about a request. A logger that throws does not change the response.
 * @see docs/reference/services.md, Log failures
 */
export const logWarning: LogAboutRequest = logAt("warn");

/**
 * Logs information about a request. A logger that throws does not change the response.
 * @see docs/reference/services.md, Log failures
 */
export const logInfo: LogAboutRequest = logAt("info");

function logAt(level: keyof Logger): LogAboutRequest {
  return (service, { request: { id, method, url } }, message, fields) => {
    try {
      const place = requestFields(service, { id, method, path: pathOf(url, service) });
      service.logger[level](message, { ...place, ...fields });
    } catch {
      // A logger that throws leaves nowhere to report to.
    }
  };
}

/** Returns the raw path of an absolute URL as the service received it, without the path of `publicUrl`. */
export function pathOf(url: string, { publicUrl }: Pick<ServiceDefinition, "publicUrl">): string {
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
    const { entitySets, singletons } = model?.entityContainer ?? {};
    return singletons?.get(name)?.entitySet.name ?? entitySets?.get(name)?.name;
  } catch {
    // Malformed percent-encoding.
    return undefined;
  }
}
