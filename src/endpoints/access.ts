import type { User } from "../definition/context.ts";
import type { AuthorizationRequirement } from "../definition/rules/authorization.ts";

const NO_RULES: readonly AuthorizationRequirement[] = Object.freeze([]);

/** The user, and the results of the rules of the route. */
export interface Access {
  /** Null for an anonymous request. */
  readonly user: User | null;
  /** The rules that only a loaded entity can decide: checked when the entity is loaded. */
  readonly pending: readonly AuthorizationRequirement[];
  /** Whether the route follows a navigation that skips the rules of its target set. */
  readonly isTargetSkipped: boolean;
}

/** Returns the access of a user where no rule restricts the route. */
export function unrestricted(user: User | null): Access {
  return { user, pending: NO_RULES, isTargetSkipped: false };
}
