/** What a user may do. */
export type Right = "read" | "write";

/** A user of the service. */
export interface ServeUser {
  readonly id: string;
  readonly roles: readonly Right[];
}

/** Returns the roles of a right: who may write may read. */
export function rolesOf(right: Right): readonly Right[] {
  return right === "write" ? ["read", "write"] : ["read"];
}
