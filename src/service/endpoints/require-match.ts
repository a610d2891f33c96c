import { protocolError } from "../../base/errors/odata-error.ts";
import { namesEveryEntityTag } from "../../http/conditional.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import type { Endpoint } from "./stages.ts";

/**
 * Makes an endpoint of a write refuse requests without a precondition. It reads nothing before, so that the response says
 * nothing about the entity.
 * @param mayCreate whether `If-None-Match: *` is a precondition, too: the write then creates an entity or fails
 * @throws ODataError `PreconditionRequired`, and that of the endpoint
 * @see RFC 6585, section 3; docs/reference/etags.md
 */
export function requiringMatch(endpoint: Endpoint, mayCreate: boolean = false): Endpoint {
  return (request, execution) => {
    checkPrecondition(request, mayCreate);
    return endpoint(request, execution);
  };
}

/** @throws ODataError `PreconditionRequired` for a write without a precondition */
export function checkPrecondition(request: AuthorizedRequest, mayCreate: boolean = false): void {
  if (!hasPrecondition(request, mayCreate)) throw preconditionRequired(request, mayCreate);
}

/** Other values of If-None-Match protect no change: the entity may have any version but these. */
function hasPrecondition({ arrival: { odata } }: AuthorizedRequest, mayCreate: boolean): boolean {
  if (odata.header("if-match") !== undefined) return true;
  const ifNoneMatch = mayCreate ? odata.header("if-none-match") : undefined;
  return ifNoneMatch !== undefined && namesEveryEntityTag(ifNoneMatch);
}

function preconditionRequired({ arrival: { odata }, path }: AuthorizedRequest, mayCreate: boolean): Error {
  const name = "entitySet" in path ? path.entitySet.name : "This resource";
  const otherwise = mayCreate ? ", or If-None-Match: * to create an entity" : "";
  const message = `${name} requires If-Match for ${odata.method}: send the ETag that you have read${otherwise}.`;
  return protocolError("PreconditionRequired", message, { target: "If-Match" });
}
