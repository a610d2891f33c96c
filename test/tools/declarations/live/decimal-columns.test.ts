import { Kysely, sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, test } from "vitest";

test("sums of doubles under a decimal column of SQLite have its scale, numbers with more digits all of theirs", async () => {
  const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
  await sql`create table bill (id integer primary key, net decimal(10,2), rate decimal(10,2), big numeric(20,2))`.execute(
    db,
  );
  await sql`insert into bill values (1, 0.1 + 0.2, 2.675, 1e15 + 0.25), (2, 1.1 * 3, 0.5, 3), (3, null, 0.1 + 0.2, null)`.execute(
    db,
  );
  const { entitySets } = await introspectDatabase(db);
  const service = odataService({ profile: "standard", entitySets });
  const read = async (query: string): Promise<string> => {
    const target = `http://service.example/Bills?${encodeURI(query)}&$format=application/json;odata.metadata=none`;
    return (await service.fetch(new Request(target))).text();
  };
  expect(await read("$orderby=Net desc")).toBe(
    '{"value":[{"Id":2,"Net":3.30,"Rate":0.5,"Big":3.00},{"Id":1,"Net":0.30,"Rate":2.675,"Big":1000000000000000.20},{"Id":3,"Net":null,"Rate":0.30000000000000004,"Big":null}]}',
  );
  expect(await read("$filter=Net eq 0.3 or Net eq 3.3&$select=Id")).toBe('{"value":[{"Id":1},{"Id":2}]}');
  expect(await read("$filter=Rate eq 2.675&$select=Id")).toBe('{"value":[{"Id":1}]}');
  expect(await read("$apply=aggregate(Net with sum as Sum)")).toBe('{"value":[{"Sum":3.60}]}');
  const metadata = await (await service.fetch(new Request("http://service.example/$metadata"))).text();
  expect(metadata.match(/<Property [^>]*Decimal[^>]*>/gu)).toEqual([
    '<Property Name="Net" Type="Edm.Decimal" Precision="10" Scale="2"/>',
    '<Property Name="Rate" Type="Edm.Decimal" Scale="variable"/>',
    '<Property Name="Big" Type="Edm.Decimal" Precision="20" Scale="2"/>',
  ]);
  await db.destroy();
});
