import type { RouteRequest, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { AuthorizationRequirement } from "../../definition/sets/authorization.ts";
import { judge } from "../../engine/rules/judge-rules.ts";

/** The addresses of this machine. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/iu;
/** The hosts of requests to this machine, with a port. */
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/iu;
/** Headers that proxies add. A proxy on this machine would pass on the requests of everybody. */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/** Returns the owner of the traces that a request may read; null: none. */
export type TraceOwner = (request: RouteRequest) => string | null;

/**
 * Makes the function that finds the owner of traces: only requests of the same owner are among them. Users without an id own
 * none, because their traces would belong to all of them.
 * @param rules who may read traces; null: requests from this machine
 * @returns null if no user may read traces
 * @see docs/reference/explorer.md, Traces
 */
export function traceOwners(
  rules: readonly AuthorizationRequirement[] | null,
  { trustProxy, publicUrl }: Pick<ServiceDefinition, "trustProxy" | "publicUrl">,
): TraceOwner | null {
  const isLocal = publicUrl === undefined || isLocalUrl(publicUrl);
  if (rules === null && (trustProxy || !isLocal)) return null;
  return (request) => {
    const { user } = request;
    const mayRead = rules === null ? isFromThisMachine(request) : judge(rules, user) === "passed";
    if (!mayRead) return null;
    const { host } = request;
    if (user === null) return `anonymous at ${host}`;
    // JavaScript callers may return other values.
    const id: unknown = Reflect.get(Object(user) as object, "id");
    return typeof id === "string" && id !== "" ? `user ${identityOf(user)} at ${host}` : null;
  };
}

/** The levels of a user that tell users apart. */
const LEVELS = 3;

/** Returns all values of a user: users of two tenants may have the same id. */
function identityOf(value: unknown, level = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(String(value));
  if (level === LEVELS) return "";
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${identityOf(each, level + 1)}`).join(",")}}`;
}

/**
 * Judges the socket, not claims of the client. A page of another site has another origin, and if its name leads to this
 * machine, another host.
 */
function isFromThisMachine({ remoteAddress = "", host, header }: RouteRequest): boolean {
  const origin = header("origin");
  return (
    LOOPBACK.test(remoteAddress) &&
    LOCAL_HOST.test(host) &&
    (origin === undefined || isLocalUrl(origin)) &&
    PROXY_HEADERS.every((name) => header(name) === undefined)
  );
}

function isLocalUrl(url: string): boolean {
  return URL.canParse(url) && LOCAL_HOST.test(new URL(url).host);
}
