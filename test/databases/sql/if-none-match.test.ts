import { sql } from "kysely";
import { edm, entityType, odataService, resource } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import { faultOf, sendTo } from "./writes-model.ts";

const Page = entityType("Page", { id: edm.int32().key(), text: edm.string(), version: edm.int32().computed() });

describe.each(ENGINES)("If-None-Match of writes to $title", (engine) => {
  test("rejects matching entities, and detects a concurrent write", async () => {
    const { db, close } = await engine.open();
    await sql`create table pages (id int primary key, text varchar(50) not null, version int not null)`.execute(db);
    await sql`insert into pages values (1, 'a', 1)`.execute(db);
    const pages = sqlEntitySet(Page, {
      db,
      table: "pages",
      operations: ["read", "patch", "delete"],
      rowVersion: "version",
      etag: ["version"],
    });
    let isOverwritten = false;
    // The rule runs on the loaded entity, which it locks: here the rule itself writes the row at that moment.
    const overwrite = resource(async (_user, _page, context) => {
      const open = (context.transaction ?? db) as typeof db;
      if (isOverwritten) await sql`update pages set version = version + 10`.execute(open);
      return true;
    });
    const contested = sqlEntitySet(Page, {
      name: "Contested",
      db,
      table: "pages",
      operations: ["read", "patch", "delete"],
      rowVersion: "version",
      etag: ["version"],
      authorization: { update: overwrite, delete: overwrite },
    });
    const service = odataService({ entitySets: [pages, contested], authenticate: () => ({ id: "u", roles: [] }) });
    const send = sendTo(service);
    const etag = (await send("GET", "Pages(1)")).headers.get("ETag") ?? "";
    const failed = [412, "PreconditionFailed", undefined];
    for (const tags of [etag, "*", `"x", ${etag}`]) {
      expect(faultOf(await send("PATCH", "Pages(1)", { Text: "b" }, { "If-None-Match": tags }))).toEqual(failed);
      expect(faultOf(await send("PUT", "Pages(1)/Text", { value: "b" }, { "If-None-Match": tags }))).toEqual(failed);
      expect(faultOf(await send("DELETE", "Pages(1)", undefined, { "If-None-Match": tags }))).toEqual(failed);
    }
    expect((await send("PATCH", "Pages(1)", { Text: "b" }, { "If-None-Match": '"x"' })).json).toMatchObject({
      Text: "b",
      Version: 2,
    });
    isOverwritten = true;
    expect(faultOf(await send("PATCH", "Contested(1)", { Text: "c" }, { "If-None-Match": '"x"' }))).toEqual(failed);
    expect(faultOf(await send("DELETE", "Contested(1)", undefined, { "If-None-Match": '"x"' }))).toEqual(failed);
    isOverwritten = false;
    // The failed writes undid those of their rules.
    expect((await send("GET", "Pages(1)")).json).toMatchObject({ Text: "b", Version: 2 });
    expect((await send("DELETE", "Pages(1)", undefined, { "If-None-Match": '"x"' })).status).toBe(204);
    expect((await send("PATCH", "Pages(1)", { Text: "c" }, { "If-None-Match": "*" })).status).toBe(404);
    await close();
  });
});
