import { chain, type Maybe } from "../base/maybe.ts";
import type { EntitySet } from "../edm/model.ts";
import { checkContentHeaders } from "../http/content-headers.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import { runtimeOf } from "./service-runtime.ts";

/** A body whose headers were checked, and that is still to be read. */
export interface RequestBody {
  /**
   * Reads and parses the body.
   * @param bind gets the parsed body, and whether it contains numbers as strings
   * @throws ODataError `PayloadTooLarge`, `InvalidBody`, and the error of `bind`
   */
  read<T>(bind: (json: JsonValue, ieee754Compatible: boolean) => T): Maybe<T>;
}

/**
 * Checks the headers of a body, before the query options are bound and the body is read.
 * @param entitySet the set with the limit; null: the limit of the registration
 * @throws ODataError `PayloadTooLarge`, `UnsupportedMediaType`
 * @see docs/reference/writing.md
 */
export function openBody(request: AuthorizedRequest, entitySet: EntitySet | null): RequestBody {
  const { limits, defaultSettings } = request.service.definition;
  const settings = entitySet === null ? defaultSettings : runtimeOf(request.service, entitySet).settings;
  const { maxRequestBodyBytes: maxBytes } = settings;
  const { maxJsonDepth: maxDepth, maxJsonValues: maxValues } = limits;
  const { odata } = request.arrival;
  const { ieee754Compatible } = checkContentHeaders(odata, maxBytes);
  return {
    read: (bind) => {
      request.arrival.clock?.enter("body");
      const json = readJsonBody(odata, { maxBytes, maxDepth, maxValues });
      return chain(json, (value) => bind(value, ieee754Compatible));
    },
  };
}
