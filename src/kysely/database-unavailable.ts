import { type ODataError, protocolError } from "../errors/odata-error.ts";

/** Seconds after which a client may try again. */
const RETRY_AFTER = "1";

/** A database that cannot be reached. */
export function unavailable(cause: unknown): ODataError {
  return protocolError("ServiceUnavailable", "The database cannot be reached at the moment: try again later.", {
    cause,
    headers: { "Retry-After": RETRY_AFTER },
  });
}

/** A database that is busy with other writes. */
export function tooBusy(cause: unknown): ODataError {
  return protocolError("ServiceUnavailable", "Other writes were in the way each time: try again later.", {
    cause,
    headers: { "Retry-After": RETRY_AFTER },
  });
}
