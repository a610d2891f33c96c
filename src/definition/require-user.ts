import { protocolError } from "../errors/odata-error.ts";
import type { Context, User } from "./context.ts";

/**
 * The user of the request.
 * @throws ODataError `Unauthorized` (401) when there is none
 * @see specification, section Authentication
 */
export function requireUser(context: Pick<Context, "user">): User {
  if (context.user === null) {
    throw protocolError("Unauthorized", "This needs a user: send the request with credentials.");
  }
  return context.user;
}
