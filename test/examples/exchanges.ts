import { afterAll, beforeAll, expect, test } from "vitest";
import { openShop, type Shop } from "../clients/shop.ts";
import { nodeDoor, ORIGIN, type HeaderTable, type Send } from "../service/http/doors.ts";

/** The root of the shop as clients see it. */
export const ROOT: string = `${ORIGIN}/odata`;

const VARY = "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization";

/** The headers of a response with JSON. */
export const JSON_RESPONSE: HeaderTable = {
  "odata-version": "4.0",
  "content-type": "application/json;odata.metadata=minimal",
  vary: VARY,
};

/** The headers of `/$count`. */
export const TEXT_RESPONSE: HeaderTable = { "odata-version": "4.0", "content-type": "text/plain", vary: VARY };

/** The headers of a response without content. */
export const EMPTY_RESPONSE: HeaderTable = { "odata-version": "4.0" };

/** The headers of an error. */
export const ERROR_RESPONSE: HeaderTable = {
  "odata-version": "4.0",
  "content-type": "application/json;odata.metadata=minimal",
  "content-language": "en",
  "cache-control": "no-store",
};

/** ETags of the first two versions of a product. */
export const FIRST_ETAG = '"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU="';
export const SECOND_ETAG = '"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8="';

/** A request as a client sends it, and the response that it needs. Requests of one table run in order. */
export interface Exchange {
  readonly name: string;
  /** The method, and the path below the root, encoded as the client encodes it. */
  readonly request: readonly [method: "GET" | "HEAD" | "POST" | "PATCH" | "PUT" | "DELETE", path: string];
  readonly headers: HeaderTable;
  readonly body?: string;
  readonly response: {
    readonly status: number;
    readonly headers: HeaderTable;
    /** The text of the body; empty if absent. */
    readonly text?: string;
  };
}

/** Joins the lines of a batch. */
export function crlf(...lines: readonly string[]): string {
  return lines.join("\r\n");
}

/** Replaces the random part of the boundaries of batches by `id`. */
function withoutIds(text: string): string {
  return text.replaceAll(/(?<name>(?:batch|changeset)response)_[a-f0-9]+(?:-[a-f0-9]+)*/gu, "$<name>_id");
}

/**
 * Runs the requests of a client against the shop of the client tests, in order, and compares status, headers and body of
 * each response. Returns a function that sends further requests.
 */
export function runExchanges(exchanges: readonly Exchange[], { pageSize = 1000 } = {}): () => Send {
  let shop: Shop;
  let send: Send;
  beforeAll(async () => {
    shop = await openShop({ isPlain: false, pageSize });
    send = nodeDoor.to(shop.service);
  });
  afterAll(() => shop.close());
  test.each(exchanges)("$name: $request", async ({ request: [method, path], headers, body, response }) => {
    const answer = await send(`/odata${path}`, headers, method, body);
    const { status, headers: received, headerNames, text } = answer;
    const type = received["content-type"];
    const known = { ...received, ...(type === undefined ? {} : { "content-type": withoutIds(type) }) };
    expect({ status, headers: known, text: withoutIds(text) }).toEqual({ text: "", ...response });
    expect(headerNames.filter((each) => each.toLowerCase() === "odata-version")).toHaveLength(1);
  });
  return () => send;
}
