import { protocolError } from "../errors/odata-error.ts";
import type { Endpoint } from "./exchange.ts";

/**
 * The endpoint of a route that is declared but that this version does not serve: it says so, and nothing is done.
 * @param what the feature, as the subject of a sentence
 * @throws ODataError `NotImplemented`, always
 */
export function notImplemented(what: string): Endpoint {
  return () => {
    throw protocolError("NotImplemented", `${what} not implemented by this version of the service.`);
  };
}
