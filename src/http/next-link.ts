/** One pair of a query string: as sent, and its decoded name. */
export interface RawQueryPair {
  readonly raw: string;
  readonly name: string;
}

/**
 * Makes a next link: the URL of the request with one option put in place of others. All other options stay as sent.
 * @param url the absolute URL of the request without its query
 * @param pairs the pairs of the request's query
 * @param dropped decoded names of the options to leave out
 * @param added the option to append, percent-encoded, such as `$skiptoken=AQAAAA%3D%3D`
 * @see decisions, Reading
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
