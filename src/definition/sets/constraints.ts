import { ERROR_CODES, type ErrorCode } from "../../base/errors/error-codes.ts";
import { ODataError } from "../../base/errors/odata-error.ts";
import type { Violation } from "../../base/errors/violated-constraint.ts";
import type { EntityType } from "../../edm/model.ts";

/** The option `constraints`: the errors for clients, by the names of constraints. @see docs/reference/validation.md */
export interface ConstraintsOption<Field extends string> {
  readonly [constraint: string]: {
    /** The property at fault. */
    readonly target?: Field | undefined;
    /** The text for the client. */
    readonly message: string;
  };
}

/** The error of a constraint of the database. */
interface ConstraintError {
  /** The wire name of the property at fault; undefined without one. */
  readonly target: string | undefined;
  readonly message: string;
}

/** The errors of a set for violated constraints, by the names of the constraints. */
export type ConstraintErrors = ReadonlyMap<string, ConstraintError>;

/** Returns the errors that the option declares; null without the option. */
export function constraintErrorsOf(option: unknown, { properties }: EntityType): ConstraintErrors | null {
  if (typeof option !== "object" || option === null) return null;
  // The startup check found objects with messages, and targets that are properties.
  const declared = Object.entries(option as ConstraintsOption<string>);
  const nameOf = (target: string | undefined): string | undefined =>
    properties.find(({ field }) => field === target)?.name;
  return new Map(declared.map(([name, { target, message }]) => [name, { target: nameOf(target), message }]));
}

/** The code of each kind of violation. */
const CODES: Readonly<Record<Violation["kind"], ErrorCode>> = {
  check: "InvalidBody",
  unique: "Conflict",
  foreignKey: "Conflict",
  notNull: "NullNotAllowed",
};

/** The write that violates a constraint. */
export interface ViolatingWrite {
  /** The path of the entity in the body, with a trailing slash; null for a write without the properties in its body. */
  readonly place: string | null;
  readonly isDelete: boolean;
  readonly cause: unknown;
}

/** Returns the declared error for a violated constraint; null for a constraint without one. */
export function declaredViolation(
  errors: ConstraintErrors | null,
  { kind, names }: Pick<Violation, "kind" | "names">,
  { place, isDelete, cause }: ViolatingWrite,
): ODataError | null {
  const name = errors === null ? undefined : names.find((each) => errors.has(each));
  const declared = name === undefined ? undefined : errors?.get(name);
  if (declared === undefined) return null;
  const { target, message } = declared;
  const code = isDelete ? "Conflict" : CODES[kind];
  const shown = target === undefined || place === null || isDelete ? undefined : place + target;
  const fault = { code, parameters: { constraint: name ?? "" } };
  return new ODataError(ERROR_CODES[code], code, message, { target: shown, fault, cause });
}
