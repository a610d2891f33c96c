import { nearestName } from "../../base/errors/nearest-name.ts";
import type { ExitReason, Terminal } from "./command.ts";

/** A reason why the command cannot do its work. No part contains a password. */
export interface Problem {
  readonly reason: ExitReason;
  /** The problem, and where it is. */
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

/** Writes problems to the standard error. @returns the reason of the first one */
export function reportProblems(problems: readonly Problem[], terminal: Terminal): ExitReason {
  for (const { message, fix } of problems) terminal.report(`odatakit: ${message} ${fix}`);
  return problems[0]?.reason ?? "usage";
}

/**
 * Returns advice for an unknown name: the name that it most likely means, or other advice.
 * @param quote writes a name as its user writes it
 */
export function didYouMean(
  name: string,
  known: Iterable<string>,
  otherwise: string,
  quote: (name: string) => string = JSON.stringify,
): string {
  const nearest = nearestName(name, known);
  return nearest === null ? otherwise : `Did you mean ${quote(nearest)}?`;
}
