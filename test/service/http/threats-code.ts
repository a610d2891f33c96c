// A separate program, which runs with --disallow-code-generation-from-strings.
import { Kysely, sql } from "kysely";
import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const Row = entityType("Row", { id: edm.int32().key(), text: edm.string() });
const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect(":memory:") });
await sql`create table Stored (id integer primary key, text text not null)`.execute(db);
const service = odataService({
  entitySets: [
    entitySet(Row, { name: "Loaded", queryable: () => arraySource(Row, [{ id: 1, text: "a" }]) }),
    sqlEntitySet(Row, { name: "Stored", db, table: "Stored", operations: ["read", "create"] }),
  ],
});

const read = "?$filter=contains(Text,'a') or Id in (1,2)&$orderby=length(Text)&$select=Text&$count=true";
const results: Array<number | string> = [];
for (const path of ["$metadata", `Loaded${read}`, `Stored${read}`, "Stored/$count"]) {
  const answer = await service.fetch(new Request(`http://service.example/${path}`));
  await answer.text();
  results.push(answer.status);
}
try {
  // oxlint-disable-next-line no-eval -- proves that the flag is set
  (0, eval)("1");
} catch (error) {
  results.push((error as Error).name);
}
console.log(results.join(" "));
