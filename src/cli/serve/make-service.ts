import {
  isODataError,
  odataError,
  odataService,
  role,
  type EntitySet,
  type ODataError,
  type ODataService,
} from "odatakit";
import { openApiRoute } from "odatakit/openapi";
import { logLine } from "../log-line.ts";
import type { Access } from "./access.ts";
import { explainSchemaChange } from "./schema-change.ts";
import { isLoopback, type ServeSettings } from "./serve-settings.ts";

/** What a service needs besides its sets. */
export interface ServiceParts {
  readonly settings: ServeSettings;
  readonly access: Access;
  readonly secret: string;
  /** The name of the connection files. */
  readonly fileName: string;
  readonly report: (line: string) => void;
  /** Called after a request has failed; absent if nobody looks at the schema. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** The hosts of requests that reach a loopback address without a rebound name. */
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Names the option in the error for a body that is too large. */
function explainLimit(error: unknown, maxBody: number | null): ODataError | undefined {
  if (!isODataError(error) || error.code !== "PayloadTooLarge") return undefined;
  if (maxBody === null || !error.message.includes(`limit of ${String(maxBody)} bytes`)) return undefined;
  const { status, code, message } = error;
  return odataError(status, code, `${message} The option --max-body of the server sets the limit.`);
}

/** Makes the service. */
export function makeService(
  entitySets: readonly EntitySet[],
  { settings, access, secret, fileName, report, onFailure }: ServiceParts,
): ODataService {
  const { prefix, profile, timeout, paging, origins, trustsProxy, hasOpenApi, host, auth, rules, maxBody } = settings;
  const isGuarded = auth === null && isLoopback(host);
  return odataService({
    prefix,
    profile,
    entitySets,
    trustProxy: trustsProxy,
    connectionFiles: fileName,
    defaults: {
      queryTimeout: timeout,
      paging,
      maxTop: rules.maxTop,
      ...(maxBody === null ? {} : { maxRequestBodyBytes: maxBody }),
    },
    ...(paging === "keyset" ? { secret } : {}),
    ...(origins.length === 0 ? {} : { cors: { origins: origins.includes("*") ? "*" : origins } }),
    ...(hasOpenApi ? { routes: [openApiRoute()] } : {}),
    ...(access.challenge === null ? {} : { challenge: access.challenge, authorization: role("read") }),
    explainError: (error) =>
      explainLimit(error, maxBody) ??
      // Without a watch, nobody follows the schema.
      (onFailure === undefined ? undefined : explainSchemaChange(error)),
    logger: {
      error: (message, fields) => {
        report(logLine("error", message, fields));
        onFailure?.(fields["err"]);
      },
      warn: (message, fields) => report(logLine("warning", message, fields)),
      info: () => undefined,
    },
    authenticate: (request) => {
      // A page of the internet whose name leads to this machine must not read the database.
      if (isGuarded && !LOCAL_HOST.test(request.headers.get("host") ?? "")) {
        throw odataError(421, "MisdirectedRequest", "This service answers requests for localhost only.");
      }
      return access.userOf(request);
    },
  });
}
