import type { ODataRequest } from "./odata-request.ts";

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
