import { Kysely, sql } from "kysely";
import { odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import { noFailures } from "../../service/http/model.ts";
import { Note, type StoredNote } from "../../service/http/write-model.ts";
import { bodyOf, expectationOf, groupsOf, headersOf, OTHER, STORED, WATCHED } from "../../service/http/write-table.ts";

const WRITES = ["create", "replace", "patch", "delete"] as const;

describe("the documented table of writes over an SQLite table", () => {
  test.each((["POST", "PUT", "PATCH", "DELETE"] as const).flatMap(groupsOf))("%s", async (_, rows) => {
    const [first] = rows;
    const { etag, upsert, idempotentDelete, readable } = first!;
    const db = new Kysely<{ notes: StoredNote }>({ dialect: sqliteDialect(":memory:") });
    await sql`create table notes (code text primary key, text text not null, remark text, version integer not null)`.execute(
      db,
    );
    const service = odataService({
      prefix: "/s",
      namespace: "Kit",
      entitySets: [
        sqlEntitySet(Note, {
          name: "Notes",
          db,
          table: "notes",
          operations: readable ? ["read", ...WRITES] : WRITES,
          rowVersion: "version",
          ...(etag ? { etag: ["version" as const] } : {}),
          allowUpsert: upsert,
          idempotentDelete,
        }),
      ],
      logger: noFailures,
    });
    for (const row of rows) {
      await db.deleteFrom("notes").execute();
      await db
        .insertInto("notes")
        .values(row.missing ? [OTHER] : [STORED, OTHER])
        .execute();
      const target = row.verb === "POST" ? "Notes" : "Notes(1.5)";
      const body = bodyOf(row);
      const request = new Request(`http://service.example/s/${target}`, {
        method: row.verb,
        headers: headersOf(row),
        ...(body === undefined ? {} : { body }),
      });
      const answer = await service.fetch(request);
      const text = await answer.text();
      const json = text === "" ? {} : (JSON.parse(text) as { readonly error?: { code: string; target?: string } });
      const shown = text === "" ? "" : json;
      const { calls: _calls, ...expected } = expectationOf(row);
      expect(
        {
          status: answer.status,
          code: json.error?.code,
          target: json.error?.target,
          headers: Object.fromEntries([...answer.headers].filter(([name]) => WATCHED.some((other) => other === name))),
          body: answer.status >= 400 ? undefined : shown,
          rows: new Set(await db.selectFrom("notes").selectAll().execute()),
        },
        JSON.stringify(row),
      ).toEqual({ code: undefined, target: undefined, body: undefined, ...expected, rows: new Set(expected.rows) });
    }
    await db.destroy();
  });
});
