/** Reads with functions whose arguments fill the memory of a thread, and prints statuses and codes. */
import { Kysely } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });
const [, , file = ""] = process.argv;
const db = new Kysely({ dialect: sqliteDialect(file) });
const service = odataService({
  entitySets: [sqlEntitySet(Item, { db, table: "items", operations: ["read"] })],
  schemaCheck: false,
  defaults: { queryTimeout: null },
});
const DEAR = "/Items?$filter=Id le 30000 and (cast(Name,Edm.Double) eq 1 or cast(concat(Name,'é'),Edm.Double) eq 1)";
for (const target of [DEAR, "/Items(1)?$select=Id", `${DEAR} and Id lt 100`, DEAR]) {
  const response = await service.fetch(new Request(`http://x${encodeURI(target)}`));
  const { error } = (await response.json()) as { readonly error?: { readonly code: string; readonly message: string } };
  console.log(response.status, error?.code ?? "", error?.message ?? "");
}
await db.destroy();
