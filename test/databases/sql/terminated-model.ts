import { edm, entityType, odataService, type Logger } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const Item = entityType("Item", { id: edm.int32().key().computed(), name: edm.string() });
const logger: Logger = { error: () => undefined, warn: () => undefined, info: () => undefined };

/** A service over the table `items`, whose keys the database generates. */
export function terminatedService(db: AnyDatabase): ReturnType<typeof odataService> {
  const items = sqlEntitySet(Item, { db, table: "items", operations: ["read", "create", "patch"] });
  return odataService({ entitySets: [items], logger });
}
