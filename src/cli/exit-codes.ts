/** Why the command `odatakit` ended. */
export type ExitReason = "success" | "findings" | "usage" | "unavailable" | "nothing" | "declarations" | "bug";

/** The exit codes of the command `odatakit`. */
export const EXIT_CODES: Readonly<Record<ExitReason, number>> = Object.freeze({
  /** Also the end of `serve` by SIGINT or SIGTERM, after open requests have finished. */
  success: 0,
  /** Errors of `check`, differences of `pull --check`, merge conflicts. */
  findings: 1,
  /** Wrong usage, an unsafe combination, or an invalid `odatakit.json`. */
  usage: 2,
  /** The database or its driver is unavailable, or access is denied. */
  unavailable: 3,
  /** The database contains nothing to publish. */
  nothing: 4,
  /** The declarations are invalid: a `ConfigurationError`. */
  declarations: 5,
  /** A bug in odatakit. */
  bug: 70,
});
