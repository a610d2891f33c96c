import { readsLater } from "../../base/later.ts";
import type { Host, IncomingRequest } from "../../definition/context.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import type { Reading } from "../../language/query/reading.ts";
import type { BatchScope } from "../sets/transaction-part.ts";
import type { StageClock } from "./stage-clock.ts";

/** The URL of a request, cut but not decoded. */
export interface RequestUrl {
  /** The raw path, prefix included. */
  readonly path: string;
  /** The raw query string without the question mark. */
  readonly query: string;
}

/** A request as it arrived, before the service knows who calls. */
export interface Arrival {
  readonly odata: ODataRequest;
  /** The id of the request, which the response contains in `X-Request-Id`. */
  readonly requestId: string;
  readonly url: RequestUrl;
  /** The URL of the GET request with the same response, for a request whose query options came in its body. */
  readonly sent?: RequestUrl | undefined;
  /** Everything before the prefix, as clients know it: scheme, authority, and the path of a mount or a proxy. */
  readonly baseUrl: string;
  /** The batch that contains the request; absent for a single request. */
  readonly batch?: BatchScope | undefined;
  /** Where the request, or its batch, reads databases that tell positions; null: none does. */
  readonly reading: Reading | null;
  /** Measures the stages of the request; null unless the service reports their time. */
  readonly clock: StageClock | null;
}

/** The facts that the application sees. */
type VisibleArrival = Pick<Arrival, "baseUrl" | "requestId" | "url"> & {
  readonly odata: Pick<ODataRequest, "headers" | "hostRequest" | "method">;
};

/** Returns the request as the application sees it. Headers are made on first use. */
export function toIncomingRequest(arrival: VisibleArrival): IncomingRequest {
  const { odata } = arrival;
  const { requestId: id } = arrival;
  return withHeadersOf({ id, method: odata.method, url: fullUrlOf(arrival), host: hostOf(odata) }, odata);
}

/** Gives a request as the application sees it the headers, which are made on first use. */
export const withHeadersOf: <T extends object>(
  request: T,
  odata: Pick<ODataRequest, "headers">,
) => T & {
  readonly headers: Headers;
} = readsLater("headers");

/** Returns the request of the host. The application registers its type. */
export function hostOf({ hostRequest }: Pick<ODataRequest, "hostRequest">): Host {
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- an application states the type by Register
  return hostRequest as never;
}

/** Returns the absolute URL of a request as the client sees it. */
function fullUrlOf({ baseUrl, url: { path, query } }: VisibleArrival): string {
  return query === "" ? baseUrl + path : `${baseUrl}${path}?${query}`;
}
