import { clientNetwork } from "../base/client-network.ts";
import type { User } from "../definition/context.ts";
import type { ODataRequest } from "../http/odata-request.ts";

/**
 * Returns the name of a client: the id of its user or, without one, its address. All requests of a client have the same.
 * @param trustsProxy whether a forwarded address tells the client
 * @returns undefined if neither is known
 * @see docs/reference/sql.md, Where statements run
 */
export function clientOf(user: User | null, odata: ODataRequest, trustsProxy: boolean): string | undefined {
  const id: unknown = user === null ? null : Reflect.get(Object(user) as object, "id");
  if (typeof id === "number" || typeof id === "bigint" || (typeof id === "string" && id !== "")) {
    return `user ${String(id)}`;
  }
  const facts = { header: (name: string) => odata.header(name), remoteAddress: odata.remoteAddress };
  const address = clientNetwork(facts, trustsProxy);
  return address === "" ? undefined : `address ${address}`;
}
