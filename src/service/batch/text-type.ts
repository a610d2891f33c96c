import { readHeaderParameter, splitHeaderList } from "../../http/headers.ts";

/** Whether text of a media type is UTF-8, so that a string of JSON can be its body: it states no other charset. */
export function isUtf8Type(contentType: string): boolean {
  const charsets = splitHeaderList(contentType, ";")
    .slice(1)
    .map(readHeaderParameter)
    .filter(({ name }) => name === "charset");
  return charsets.every(({ value }) => ["utf-8", "utf8", "us-ascii"].includes(value.toLowerCase()));
}
