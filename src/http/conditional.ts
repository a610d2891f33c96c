import { splitHeaderList } from "./headers.ts";

/**
 * Returns whether an If-Match or If-None-Match header matches an entity tag. `*` matches every tag; the weak prefix `W/`
 * is ignored.
 * @param etag the current entity tag, quotes included
 * @see RFC 9110, section 13.1
 */
export function matchesEntityTag(header: string, etag: string): boolean {
  if (namesEveryEntityTag(header)) return true;
  const current = stripWeakPrefix(etag);
  return splitHeaderList(header).some((tag) => stripWeakPrefix(tag) === current);
}

/**
 * Returns whether an If-Match or If-None-Match header is `*`, which matches any entity.
 * @see RFC 9110, sections 13.1.1 and 13.1.2
 */
export function namesEveryEntityTag(header: string): boolean {
  return header.trim() === "*";
}

/**
 * Returns the same for the state of an entity. The part of a tag after a point marks one representation of that state, and is
 * not compared.
 */
export function matchesState(header: string, etag: string): boolean {
  if (namesEveryEntityTag(header)) return true;
  const current = stateOf(etag);
  return splitHeaderList(header).some((tag) => stateOf(tag) === current);
}

function stateOf(tag: string): string {
  return stripWeakPrefix(tag).replace(/\.[^.]*"$/u, '"');
}

function stripWeakPrefix(tag: string): string {
  return tag.startsWith("W/") || tag.startsWith("w/") ? tag.slice(2) : tag;
}
