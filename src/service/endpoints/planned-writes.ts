import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { PlannedWrite } from "../../definition/sets/transactional-database.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import type { ResourcePath } from "../../language/query/resource-path.ts";

/** The path of a set, or of something within it. */
export type SetPath = Extract<ResourcePath, { readonly entitySet: unknown }>;

/** Returns the handlers of a set that a method of a path would call, to write. Operations do not belong to sets. */
export function plannedWrites(definition: ServiceDefinition, path: SetPath, method: string): readonly PlannedWrite[] {
  const set = definitionIn(definition, path.entitySet);
  return handlersOf(set, path, method).map((handler) => toWrite(definition, set, handler));
}

function toWrite(definition: ServiceDefinition, set: EntitySetDefinition, handler: unknown): PlannedWrite {
  const { entitySet, database, transactional } = set;
  const own = transactional ? "transactional" : "handler";
  return { name: entitySet.name, database, by: definition.handlersCheckingRows.has(handler) ? "table" : own };
}

/** Returns the handlers that a method of a path calls, to write. */
function handlersOf(
  { handlers, navigationHandlers, settings }: EntitySetDefinition,
  path: SetPath,
  method: string,
): readonly unknown[] {
  const { create, replace, patch, delete: remove } = handlers;
  const declared = (...listed: readonly unknown[]): readonly unknown[] => listed.filter((each) => each !== undefined);
  switch (path.kind) {
    case "entitySet":
      return declared(create);
    case "entity": {
      const upsert =
        settings.allowUpsert && path.singleton === undefined && path.step === undefined ? create : undefined;
      if (method === "PUT") return declared(replace, upsert);
      return method === "PATCH" ? declared(patch, upsert) : declared(remove);
    }
    case "property":
      return declared(patch);
    case "navigation":
    case "reference": {
      const { create: add, addRef, setRef, removeRef } = navigationHandlers.get(path.navigationProperty.name) ?? {};
      if (path.kind === "navigation") return declared(add);
      if (method === "POST") return declared(addRef);
      return method === "PUT" ? declared(setRef) : declared(removeRef);
    }
    default:
      return [];
  }
}
