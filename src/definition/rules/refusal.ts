import type { EntitySet } from "../../edm/model.ts";
import { type ODataError, protocolError } from "../../errors/odata-error.ts";
import type { User, Context } from "../context.ts";

/**
 * Makes the error for a refused request: 401 if credentials may help, otherwise 403.
 * @param action the refused action, such as `read Orders`; it must not contain data
 * @param target the target of the error, such as the name of a navigation
 * @see docs/guides/authorization.md
 */
export function refusal(user: User | null, action: string, target?: string): ODataError {
  if (user === null) {
    return protocolError(
      "Unauthorized",
      `Authentication is required to ${action}. Send credentials with the request.`,
      {
        target,
      },
    );
  }
  return protocolError("Forbidden", `The user of this request may not ${action}.`, { target });
}

/** Makes the error for a write of an entity that the user could not see afterwards. */
export function refusalOfUnseen(user: User | null, { name }: EntitySet): ODataError {
  if (user === null) return refusal(user, `write entities of ${name}`);
  return protocolError("Forbidden", `You may not write this entity of ${name}: you could not see it afterwards.`);
}

/**
 * Returns the user of the request.
 * @throws ODataError `Unauthorized` (401) for an anonymous request
 * @see docs/guides/authorization.md
 */
export function requireUser(context: Pick<Context, "user">): User {
  if (context.user === null) {
    throw protocolError("Unauthorized", "This request requires authentication. Send credentials with the request.");
  }
  return context.user;
}
