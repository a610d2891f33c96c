import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import { faultOf, sendTo } from "./writes-model.ts";

const Page = entityType("Page", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  version: edm.int32().computed(),
});

describe.each(ENGINES)("a table of $title with `requireIfMatch`", (engine) => {
  test("is written only with the ETag that the client has read, or to create a row", async () => {
    const { db, close } = await engine.open();
    await sql`create table pages (id int primary key, text varchar(50), version int not null)`.execute(db);
    await sql`insert into pages values (1, 'a', 1)`.execute(db);
    const pages = sqlEntitySet(Page, {
      db,
      table: "pages",
      operations: ["read", "create", "replace", "patch", "delete"],
      rowVersion: "version",
      etag: ["version"],
      allowUpsert: true,
      requireIfMatch: true,
    });
    const send = sendTo(odataService({ entitySets: [pages] }));
    const stored = async () => (await sql`select id, text, version from pages order by id`.execute(db)).rows;
    const writes = [
      ["PATCH", "Pages(1)", { Text: "b" }],
      ["PUT", "Pages(1)", { Text: "b" }],
      ["DELETE", "Pages(1)", undefined],
      ["PUT", "Pages(1)/Text", { value: "b" }],
      ["DELETE", "Pages(1)/Text", undefined],
      ["PUT", "Pages(2)", { Text: "b" }],
    ] as const;
    for (const [method, path, body] of writes) {
      expect(faultOf(await send(method, path, body))).toEqual([428, "PreconditionRequired", "If-Match"]);
    }
    expect(await stored()).toEqual([{ id: 1, text: "a", version: 1 }]);
    const etag = (await send("GET", "Pages(1)")).headers.get("ETag") ?? "";
    expect((await send("PATCH", "Pages(1)", { Text: "b" }, { "If-Match": etag })).json).toMatchObject({ Version: 2 });
    const late = await send("PATCH", "Pages(1)", { Text: "c" }, { "If-Match": etag });
    expect(faultOf(late)).toEqual([412, "PreconditionFailed", undefined]);
    expect((await send("PUT", "Pages(2)", { Text: "n" }, { "If-None-Match": "*" })).status).toBe(201);
    const taken = await send("PUT", "Pages(2)", { Text: "m" }, { "If-None-Match": "*" });
    expect(faultOf(taken)).toEqual([412, "PreconditionFailed", undefined]);
    expect((await send("DELETE", "Pages(1)", undefined, { "If-Match": "*" })).status).toBe(204);
    expect(await stored()).toEqual([{ id: 2, text: "n", version: 1 }]);
    await close();
  });
});
