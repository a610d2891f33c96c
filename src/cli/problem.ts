import type { ExitReason } from "./exit-codes.ts";

/** A reason why the command cannot do its work. No part contains a password. */
export interface Problem {
  readonly reason: ExitReason;
  /** What is wrong, and where. */
  readonly message: string;
  /** The correction. */
  readonly fix: string;
}

/** Makes a problem of the arguments, the environment or `odatakit.json`. */
export function usageProblem(message: string, fix: string): Problem {
  return { reason: "usage", message, fix };
}

/** Makes a problem of a database or its driver. */
export function unavailable(message: string, fix: string): Problem {
  return { reason: "unavailable", message, fix };
}

/** Returns whether a result is a problem. */
export function isProblem(result: object): result is Problem {
  return "reason" in result && "message" in result && "fix" in result;
}
