import type { EntitySet } from "../../edm/model.ts";
import { type ODataError, protocolError } from "../../errors/odata-error.ts";
import type { User, Context } from "../context.ts";

/**
 * The error for a user who may not do something: 401 where credentials may help.
 * @param action what was tried, such as `read Orders`; it must not contain data
 * @param target what the error is about, such as the name of a navigation
 * @see docs/guides/authorization.md
 */
export function refusal(user: User | null, action: string, target?: string): ODataError {
  if (user === null) {
    return protocolError("Unauthorized", `It takes a user to ${action}: send the request with credentials.`, {
      target,
    });
  }
  return protocolError("Forbidden", `The user of this request may not ${action}.`, { target });
}

/** The error for whoever could not see what they write. */
export function refusalOfUnseen(user: User | null, { name }: EntitySet): ODataError {
  if (user === null) return refusal(user, `write entities of ${name}`);
  return protocolError("Forbidden", `You may not write this entity of ${name}: you could not see it afterwards.`);
}

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
