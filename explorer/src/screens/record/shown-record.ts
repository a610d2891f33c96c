import type { Entity } from "../../format/entity.ts";
import type { ResolvedPath } from "../../query/resolve-type.ts";
import type { OpenSession } from "../../state/session.ts";

/** A record, and where it is. */
export interface ShownRecord {
  readonly session: OpenSession;
  readonly path: string;
  readonly place: ResolvedPath;
  readonly entity: Entity;
}
