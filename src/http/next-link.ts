/** One pair of a query string as sent, with its decoded name. */
interface RawQueryPair {
  readonly raw: string;
  readonly name: string;
}

/**
 * Creates a next link: the URL of the request with some options replaced by one. All other options stay as sent.
 * @param url the absolute URL of the request, without the query
 * @param pairs the query of the request
 * @param dropped the decoded names of the options to omit
 * @param added the option to append, percent-encoded, such as `$skiptoken=AQAAAA%3D%3D`
 * @see docs/reference/paging.md
 */
export function nextLink(
  url: string,
  pairs: readonly RawQueryPair[],
  dropped: readonly string[],
  added: string,
): string {
  const kept = pairs.filter((pair) => !dropped.includes(pair.name)).map((pair) => pair.raw);
  return `${url}?${[...kept, added].join("&")}`;
}
