import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { readHeaderParameter, splitHeaderList } from "./headers.ts";
import type { ODataRequest } from "./odata-request.ts";

/** The characters of an authority. A host must not smuggle a path, a query or a quote into URLs of responses. */
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%-]+)(?::\d{1,5})?$/;

/**
 * Checks that the Host header names one host, even where the base of URLs comes from elsewhere.
 * @throws ODataError `InvalidUrl` if the header is missing, repeated or malformed
 * @see RFC 9112, section 3.2
 */
export function checkHost({ host }: Pick<ODataRequest, "host">): void {
  if (!isAuthority(host)) throw invalidHost("Host");
}

function isAuthority(host: string): boolean {
  return host.length <= 255 && AUTHORITY.test(host);
}

/** @param source the header at fault */
function invalidHost(source: string): ODataError {
  const message = `The ${source} header does not name a host: send one host name, with an optional port.`;
  return protocolError("InvalidUrl", message, { target: source });
}

/**
 * Returns the scheme, authority and mount path under which the client reached the service, such as
 * `https://api.example.com`.
 * @param trustProxy whether to use Forwarded, X-Forwarded-Proto and X-Forwarded-Host
 * @throws ODataError `InvalidUrl` if the host is malformed
 * @see docs/guides/deployment.md
 */
export function readBaseUrl(request: ODataRequest, trustProxy: boolean): string {
  let { scheme, host } = request;
  let source = "Host";
  if (trustProxy) {
    const forwarded = readForwarded(request);
    if (forwarded.scheme !== undefined) scheme = forwarded.scheme;
    if (forwarded.host !== undefined) [host, source] = [forwarded.host, forwarded.source];
  }
  if (!isAuthority(host)) throw invalidHost(source);
  return `${scheme}://${host}${request.mountPath ?? ""}`;
}

interface Forwarded {
  readonly scheme: string | undefined;
  readonly host: string | undefined;
  readonly source: string;
}

/** Reads the first hop of Forwarded, or else of the X-Forwarded headers. @see RFC 7239 */
function readForwarded(request: ODataRequest): Forwarded {
  const forwarded = request.header("forwarded");
  let scheme: string | undefined;
  let host: string | undefined;
  if (forwarded !== undefined) {
    for (const pair of splitHeaderList(splitHeaderList(forwarded)[0] ?? "", ";")) {
      const { name, value } = readHeaderParameter(pair);
      if (name === "proto") scheme = toScheme(value);
      else if (name === "host" && value !== "") host = value;
    }
    return { scheme, host, source: "Forwarded" };
  }
  scheme = toScheme(splitHeaderList(request.header("x-forwarded-proto") ?? "")[0]);
  host = splitHeaderList(request.header("x-forwarded-host") ?? "")[0];
  return { scheme, host, source: "X-Forwarded-Host" };
}

function toScheme(text: string | undefined): string | undefined {
  const scheme = text?.toLowerCase();
  return scheme === "http" || scheme === "https" ? scheme : undefined;
}

/** Methods that do not write. @see RFC 9110, section 9.2.1 */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Returns whether a page of another origin made the browser send a write. Clients other than browsers send neither header.
 * @param base the scheme and authority under which clients reach the service
 * @see Fetch Metadata Request Headers, Sec-Fetch-Site; RFC 6454, section 7 (Origin)
 */
export function isCrossSiteWrite(request: Pick<ODataRequest, "method" | "header">, base: string): boolean {
  if (SAFE_METHODS.has(request.method)) return false;
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = request.header("origin");
  return origin !== undefined && !(URL.canParse(base) && origin.toLowerCase() === new URL(base).origin);
}
