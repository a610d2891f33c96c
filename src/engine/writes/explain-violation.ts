import { isODataError } from "../../base/errors/odata-error.ts";
import { violationIn } from "../../base/errors/violated-constraint.ts";
import { type Maybe, recover } from "../../base/maybe.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { declaredViolation, type ViolatingWrite } from "../../definition/sets/constraints.ts";

/**
 * Calls a handler that writes. If a statement of it violates a constraint of the database, the error that the set declares for
 * the constraint replaces that of the driver. Handlers of tables have already replaced it.
 * @throws ODataError `InvalidBody`, `Conflict` or `NullNotAllowed`; any other error of the handler
 * @see docs/reference/validation.md
 */
export function explainingViolations<T>(
  { constraints }: Pick<EntitySetDefinition, "constraints">,
  write: Pick<ViolatingWrite, "place" | "isDelete">,
  call: () => Maybe<T>,
): Maybe<T> {
  if (constraints === null) return call();
  return recover(call, (error): never => {
    const violation = isODataError(error) ? null : violationIn(error);
    throw (violation === null ? null : declaredViolation(constraints, violation, { ...write, cause: error })) ?? error;
  });
}

/** A write of the entity in the body. */
export const OF_BODY: Pick<ViolatingWrite, "place" | "isDelete"> = Object.freeze({ place: "", isDelete: false });
/** A removal. */
export const OF_DELETE: typeof OF_BODY = Object.freeze({ place: null, isDelete: true });
/** A write whose body has other members than properties, such as the parameters of an action. */
export const OF_OTHERS: typeof OF_BODY = Object.freeze({ place: null, isDelete: false });
