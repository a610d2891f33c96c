import { readHeaderParameter, splitHeaderList } from "./headers.ts";

/** The most languages of a header that count: browsers send fewer. */
const MOST = 10;
const TAG = /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/;

/**
 * Returns the language tags of `Accept-Language` in lower case, the preferred first. `*`, tags with the quality 0 and malformed ones
 * do not count.
 * @see RFC 9110, section 12.5.4
 */
export function preferredLanguages(header: string): readonly string[] {
  const ranges = splitHeaderList(header).flatMap((item) => {
    const [tag = "", ...parameters] = splitHeaderList(item, ";").map((each) => each.toLowerCase());
    const quality = parameters.map(readHeaderParameter).find(({ name }) => name === "q")?.value;
    const weight = quality === undefined ? 1 : Number(quality);
    return TAG.test(tag) && weight > 0 && weight <= 1 ? [{ tag, weight }] : [];
  });
  const sorted = ranges.toSorted((one, other) => other.weight - one.weight);
  return [...new Set(sorted.map(({ tag }) => tag))].slice(0, MOST);
}
