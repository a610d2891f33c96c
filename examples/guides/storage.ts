import { Kysely, sql } from "kysely";
import { edm, entityType, enumType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table invoices (
  no integer primary key, status integer not null, paid text not null, colors text not null, sent real)`.execute(db);
await sql`insert into invoices values (1, 20, 'N', 'red;blue', julianday('2024-02-29 12:45:00'))`.execute(db);

const Invoice = entityType("Invoice", {
  number: edm.int32().key(),
  status: edm.enum(enumType("Status", { Draft: 0, Sent: 1, Paid: 2 })),
  paid: edm.boolean(),
  colors: edm.collection(edm.string()),
  sent: edm.dateTimeOffset({ precision: 0 }).nullable(),
});
const invoices = sqlEntitySet(Invoice, {
  db,
  table: "invoices",
  operations: ["read", "create", "patch"],
  columns: {
    number: "no",
    status: { storage: { values: { Draft: 10, Sent: 15, Paid: 20 } } },
    paid: { storage: { true: "Y", false: "N" } },
    colors: { convert: { fromDatabase: (cell) => String(cell).split(";"), toDatabase: (colors) => colors.join(";") } },
    sent: { storage: "julian" },
  },
});

const billing = odataService({ entitySets: [invoices] });
const target = "http://billing.example/Invoices?$filter=Status gt 'Draft' and not Paid and year(Sent) eq 2024";
console.log(await (await billing.fetch(new Request(target))).text());
await db.destroy();
