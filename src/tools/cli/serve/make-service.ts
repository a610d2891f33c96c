import type { IncomingMessage } from "node:http";
import {
  isODataError,
  odataError,
  odataService,
  role,
  type EntitySet,
  type IncomingRequest,
  type ODataError,
  type ODataService,
} from "odatakit";
import { explorerRoute, type ApplicationWarning, type SignIn } from "odatakit/explorer";
import type { DescribedWarning } from "odatakit/introspect";
import { openApiRoute } from "odatakit/openapi";
import { logLine } from "../log-line.ts";
import type { Access } from "./access.ts";
import type { FailedStatements } from "./failed-statements.ts";
import { sentHeader } from "./sent-header.ts";
import { isLoopback, type ServeCommandSettings } from "./serve-settings.ts";

/** The parts of a service except its sets. */
interface ServiceParts {
  readonly settings: ServeCommandSettings;
  readonly access: Access;
  readonly secret: string | Uint8Array;
  /** The name of the connection files. */
  readonly fileName: string;
  readonly report: (line: string) => void;
  /** Returns the warnings that the banner shows, for the explorer. */
  readonly warnings: () => readonly DescribedWarning[];
  /** Called after a request has failed; absent if the schema is not watched. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** The failures that a change of the schema does not explain. */
  readonly failed: FailedStatements;
  /**
   * Called for a cell without a value of its property, which must have one.
   * @throws the error of the cell if another kind of property may have the value
   */
  readonly onOtherValue?: ((fields: Readonly<Record<string, unknown>>) => void) | undefined;
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
  { settings, access, secret, fileName, report, warnings, onFailure, failed, onOtherValue }: ServiceParts,
): ODataService {
  const { prefix, profile, timeout, paging, origins, trustsProxy, host, auth, rules } = settings;
  const { hasExplorer, hasOpenApi, maxBody, maxResponse, maxHeld } = settings;
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
      ...(maxResponse === null ? {} : { maxResponseBytes: maxResponse }),
      ...(maxHeld === null ? {} : { maxHeldBytes: maxHeld }),
    },
    ...(paging === "keyset" ? { secret } : {}),
    ...(origins.length === 0 ? {} : { cors: { origins: origins.includes("*") ? "*" : origins } }),
    routes: [
      ...(hasExplorer
        ? [explorerRoute({ signIn: signInOf(settings), warnings: () => warnings().map(toWarning) })]
        : []),
      ...(hasOpenApi ? [openApiRoute()] : []),
    ],
    // The explorer shows the time of the stages to the users of this machine.
    serverTiming: hasExplorer && isGuarded,
    ...(access.challenge === null ? {} : { challenge: access.challenge, authorization: role("read") }),
    explainError: (error) =>
      explainLimit(error, maxBody) ??
      // Without a watch, the service does not notice changes of the schema.
      (onFailure === undefined || failed.isLasting(error) ? undefined : explainSchemaChange(error)),
    logger: {
      error: (message, fields) => {
        report(logLine("error", message, fields));
        onFailure?.(fields["err"]);
      },
      warn: (message, fields) => {
        if (fields["nullable"] === false) onOtherValue?.(fields);
        report(logLine("warning", message, fields));
      },
      info: () => undefined,
    },
    authenticate: (request) => {
      // A page of the internet whose name leads to this machine must not read the database.
      if (isGuarded && !LOCAL_HOST.test(namedHost(request))) {
        throw odataError(421, "MisdirectedRequest", "This service answers requests for localhost only.");
      }
      return access.userOf(request);
    },
  });
}

function toWarning({ code, place, message, flag }: DescribedWarning): ApplicationWarning {
  return { code, place, message, fix: flag ?? "" };
}

/** Returns the host that a request names. The authority of its target replaces the header. @see RFC 9112, section 3.2.2 */
function namedHost(request: Pick<IncomingRequest, "headers" | "host">): string {
  const { url = "" } = request.host as Partial<IncomingMessage>;
  return /^https?:\/\/([^/?#]*)/iu.exec(url)?.[1] ?? sentHeader(request, "host") ?? "";
}

/** Returns how users of the explorer sign in. */
function signInOf({ auth, oidc, clientId }: ServeCommandSettings): SignIn | undefined {
  if (auth === null) return undefined;
  if (auth !== "oidc" || oidc === null) return { kind: auth === "basic" ? "basic" : "key" };
  // Without a client, users paste a token.
  return clientId === null ? { kind: "bearer" } : { kind: "oidc", issuer: oidc.issuer, clientId };
}

interface DriverError extends Error {
  readonly code?: unknown;
  readonly errno?: unknown;
  /** The function of PostgreSQL that reports the error. */
  readonly routine?: unknown;
}

/** The length of the chain of causes to follow. */
const MAX_CAUSES = 5;

/**
 * PostgreSQL: a table, a column, or a function for its type does not exist, types differ, or a prepared statement returns
 * other columns than before.
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const POSTGRES_CODES: ReadonlySet<unknown> = new Set(["42P01", "42703", "42883", "42804", "3F000"]);
/** A server may translate the message of this function. */
const OTHER_PLAN = "RevalidateCachedQuery";
/** MariaDB: an unknown column or table, or a view over one. @see https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const MARIADB_NUMBERS: ReadonlySet<unknown> = new Set([1054, 1146, 1356]);
/** SQLite has one code for all errors of statements. */
const SQLITE_MESSAGE = /^(?:no such (?:table|column|view): |table .+ has no column named |database schema has changed)/;

/** A cell that the service cannot read, such as a text in a column whose rows were integers. */
const UNREADABLE = /^(?:Column .+ of table .+: )?The database contains .+ is expected\./s;

/** Returns whether an error is about a value that the types of the service do not have. */
export function isUnreadable(error: unknown): boolean {
  return isCausedBy(error, ({ message }) => UNREADABLE.test(message));
}

/** Returns the error for requests whose statement does not fit the schema any more: 503, since the service follows it. */
export function explainSchemaChange(error: unknown): ODataError | undefined {
  const isOther = mayBeSchemaChange(error);
  if (!isOther && !isUnreadable(error)) return undefined;
  const message = isOther
    ? "A statement does not fit the schema of the database, which may have changed: the service reads it again. Try again later."
    : "The kind of values of the database has changed, and the service is about to follow it. Try again later.";
  return odataError(503, "ServiceUnavailable", message, { headers: { "Retry-After": "1" } });
}

/** Returns whether an error is one of those after a change of the schema. */
export function mayBeSchemaChange(error: unknown): boolean {
  return isCausedBy(error, isSchemaChange);
}

function isSchemaChange({ code, errno, routine, message }: DriverError): boolean {
  if (POSTGRES_CODES.has(code) || MARIADB_NUMBERS.has(errno)) return true;
  return routine === OTHER_PLAN || SQLITE_MESSAGE.test(message);
}

function isCausedBy(error: unknown, matches: (error: DriverError) => boolean): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (matches(current)) return true;
    current = current.cause;
  }
  return false;
}
