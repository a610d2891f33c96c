import type { RouteRequest, ServiceDefinition } from "../definition/model/service-definition.ts";
import type { AuthorizationRequirement } from "../definition/sets/authorization.ts";
import { judge } from "../execution/rules/judge-rules.ts";

/** The addresses of this machine. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/iu;
/** The hosts of requests to this machine, with a port. */
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/iu;
/** Headers that proxies add. A proxy on this machine would pass on the requests of everybody. */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * Returns the owner of the traces that a request may read: only requests of the same owner are among them.
 * @param rules who may read traces; null: requests from this machine
 * @returns null if the request may read none; also for a user without an id, whose traces could not be told from others
 * @see docs/reference/explorer.md, Traces
 */
export function traceOwner(
  request: RouteRequest,
  rules: readonly AuthorizationRequirement[] | null,
  definition: Pick<ServiceDefinition, "trustProxy" | "publicUrl">,
): string | null {
  const { user } = request;
  const mayRead = rules === null ? isFromThisMachine(request, definition) : judge(rules, user) === "passed";
  if (!mayRead) return null;
  if (user === null) return "anonymous";
  // The application states the type of the user.
  const id: unknown = Reflect.get(Object(user) as object, "id");
  const isId = (typeof id === "string" && id !== "") || typeof id === "number" || typeof id === "bigint";
  return isId ? `user ${String(id)}` : null;
}

/** Judges the socket, not what the client says. A page of another site whose name leads to this machine has another host. */
function isFromThisMachine(
  { remoteAddress = "", host, header }: RouteRequest,
  { trustProxy, publicUrl }: Pick<ServiceDefinition, "trustProxy" | "publicUrl">,
): boolean {
  const isLocal = publicUrl === undefined || LOCAL_HOST.test(new URL(publicUrl).host);
  return (
    !trustProxy &&
    isLocal &&
    LOOPBACK.test(remoteAddress) &&
    LOCAL_HOST.test(host) &&
    PROXY_HEADERS.every((name) => header(name) === undefined)
  );
}
