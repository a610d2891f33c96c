import { chain, type Maybe } from "../base/maybe.ts";
import type { EntitySet } from "../edm/model.ts";
import { checkContentHeaders } from "../http/content-headers.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { Exchange } from "./exchange.ts";

/** A body that is still to be read: what its headers tell has been checked. */
export interface RequestBody {
  /**
   * Reads the body, and what it says.
   * @param bind gets the parsed body, and whether strings stand for numbers in it
   * @throws ODataError `PayloadTooLarge`, `InvalidBody`, and what `bind` throws
   */
  read<T>(bind: (json: JsonValue, ieee754Compatible: boolean) => T): Maybe<T>;
}

/**
 * Checks the headers of a body, before the query options are looked at and anything is read.
 * @param entitySet the set whose limit holds; null: that of the registration
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 * @see specification, Cross-cutting request rules, 4 and 5; decisions, Writing (order of checks)
 */
export function openBody(exchange: Exchange, entitySet: EntitySet | null): RequestBody {
  const { limits, defaultSettings } = exchange.service.definition;
  const settings = entitySet === null ? defaultSettings : exchange.entitySet(entitySet).settings;
  const { maxRequestBodyBytes: maxBytes } = settings;
  const { maxJsonDepth: maxDepth, maxJsonValues: maxValues } = limits;
  const { ieee754Compatible } = checkContentHeaders(exchange.odata, maxBytes);
  return {
    read: (bind) => {
      const json = readJsonBody(exchange.odata, { maxBytes, maxDepth, maxValues });
      return chain<JsonValue, ReturnType<typeof bind>>(json, (value) => bind(value, ieee754Compatible));
    },
  };
}
