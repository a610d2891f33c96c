import { splitHeaderList } from "./headers.ts";

/**
 * Tells whether an If-Match or If-None-Match header names an entity tag: `*` names every one; the weak prefix `W/` is
 * dropped before comparing.
 * @param header the header's value
 * @param etag the current entity tag, quotes included
 * @see specification, Conditional requests and ETags, 4 to 6
 */
export function matchesEntityTag(header: string, etag: string): boolean {
  if (namesEveryEntityTag(header)) return true;
  const current = stripWeakPrefix(etag);
  return splitHeaderList(header).some((tag) => stripWeakPrefix(tag) === current);
}

/**
 * Tells whether an If-Match or If-None-Match header is `*`: any entity, whatever its tag.
 * @see RFC 9110, sections 13.1.1 and 13.1.2
 */
export function namesEveryEntityTag(header: string): boolean {
  return header.trim() === "*";
}

function stripWeakPrefix(tag: string): string {
  return tag.startsWith("W/") || tag.startsWith("w/") ? tag.slice(2) : tag;
}
