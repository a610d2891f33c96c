import { type ODataError, protocolError } from "../base/errors/odata-error.ts";
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

/** The version in every response. */
export const ODATA_VERSION = "4.0";

/** The greatest major version that is read. */
const MAX_MAJOR = 999_999_999;

/**
 * Checks the OData-MaxVersion header. Blanks around the version and text after a semicolon are ignored.
 * @throws ODataError `UnsupportedODataVersion` if it is below 4.0 or malformed
 * @see OData Protocol 4.0, section 8.2.7
 */
export function checkMaxVersion(header: string | undefined): void {
  if (header === undefined || header === ODATA_VERSION) return;
  const semicolon = header.indexOf(";");
  const [major, minor, ...rest] = (semicolon < 0 ? header : header.slice(0, semicolon)).split(".", 3);
  const readable = rest.length === 0 && isNumber(major) && isNumber(minor) && Number(major) <= MAX_MAJOR;
  if (readable && Number(major) >= 4) return;
  throw protocolError(
    "UnsupportedODataVersion",
    readable
      ? `OData-MaxVersion is below 4.0. This service uses OData 4.0: send 4.0 or higher, or omit the header.`
      : `OData-MaxVersion is malformed. Send it as major.minor, such as 4.0.`,
    { target: "OData-MaxVersion" },
  );
}

function isNumber(text: string | undefined): boolean {
  return /^\d+$/.test(text?.trim() ?? "");
}

/**
 * Checks that the OData-Version header of a request is 4.0. Blanks around it and text after a semicolon are ignored.
 * @param isLater whether the request has a format of OData 4.01, so that its version is accepted too
 * @throws ODataError `UnsupportedODataVersion` for any other value
 * @see OData Protocol 4.0, section 8.1.5
 */
export function checkRequestVersion(header: string | undefined, isLater: () => boolean = () => false): void {
  if (header === undefined || header === ODATA_VERSION) return;
  const [version = ""] = header.split(";", 1);
  if (version.trim() === ODATA_VERSION || (version.trim() === "4.01" && isLater())) return;
  throw protocolError(
    "UnsupportedODataVersion",
    "OData-Version is not 4.0. This service reads requests in OData 4.0: send 4.0, or omit the header.",
    { target: "OData-Version" },
  );
}

/**
 * Refuses a request for snapshot isolation, which the service does not support, before anything of the request runs. The
 * only value that the standard defines is `snapshot`; others are ignored. `OPTIONS` reads no data, so no snapshot matters.
 * @throws ODataError `PreconditionFailed`
 * @see OData Protocol 4.0, section 8.2.4
 */
export function refuseIsolation(request: ODataRequest): void {
  if (request.method === "OPTIONS") return;
  for (const name of ["OData-Isolation", "Isolation"]) {
    if (request.header(name.toLowerCase())?.trim().toLowerCase() !== "snapshot") continue;
    throw protocolError(
      "PreconditionFailed",
      `This service does not support snapshot isolation. Send the request without the header ${name}.`,
    );
  }
}
