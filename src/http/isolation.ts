import { protocolError } from "../errors/odata-error.ts";
import type { ODataRequest } from "./odata-request.ts";

/**
 * Refuses a request for snapshot isolation, which the service does not support, before anything of the request runs. The
 * only value that the standard defines is `snapshot`; others are ignored. `OPTIONS` reads no data, so no snapshot matters.
 * @throws ODataError `PreconditionFailed`
 * @see OData Protocol 4.0, section 8.2.4
 */
export function refuseIsolation(request: ODataRequest): void {
  if (request.method === "OPTIONS") return;
  for (const name of ["OData-Isolation", "Isolation"]) {
    if (request.header(name.toLowerCase())?.trim().toLowerCase() !== "snapshot") continue;
    throw protocolError(
      "PreconditionFailed",
      `This service does not support snapshot isolation. Send the request without the header ${name}.`,
    );
  }
}
