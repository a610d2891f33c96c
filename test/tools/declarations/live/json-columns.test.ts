import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { expect, test } from "vitest";
import { ENGINES, type DatabaseName } from "../../../engine/executors/engines.ts";

/** The types of JSON, and whether the database keeps the text as it is. */
const TYPES: Partial<Readonly<Record<DatabaseName, ReadonlyArray<readonly [type: string, isKept: boolean]>>>> = {
  postgres: [
    ["json", true],
    ["jsonb", false],
  ],
  mariadb: [["json", true]],
};

const CASES = ENGINES.flatMap((engine) =>
  (TYPES[engine.name] ?? []).map(([type, isKept]) => ({ engine, type, isKept, title: engine.title })),
);

test.each(CASES)("$type of $title is written as text", async ({ engine, type, isKept }) => {
  const { db, close } = await engine.open();
  try {
    await sql`create table documents (id int primary key, content ${sql.raw(type)}, options ${sql.raw(type)} not null default '{"a": 1}')`.execute(
      db,
    );
    const { entitySets, described } = await introspectDatabase(db, {
      include: ["documents"],
      operations: () => ["read", "create", "replace", "patch", "delete"],
    });
    expect(
      described.sets[0]?.properties.map(({ name, type: edm, isReadOnly, computed }) => [
        name,
        edm,
        isReadOnly,
        computed,
      ]),
    ).toEqual([
      ["Id", "Edm.Int32", false, false],
      ["Content", "Edm.String", false, false],
      ["Options", "Edm.String", false, false],
    ]);
    const failures: unknown[] = [];
    const logger = {
      error: (...given: unknown[]) => failures.push(given),
      warn: () => undefined,
      info: () => undefined,
    };
    const service = odataService({ prefix: "/odata", profile: "standard", entitySets, logger });
    const send = async (path: string, method = "GET", body?: object): Promise<readonly [number, unknown]> => {
      const response = await service.fetch(
        new Request(`http://h/odata/${encodeURI(path)}`, {
          method,
          headers: { "Content-Type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      return [response.status, text === "" ? null : JSON.parse(text)];
    };
    const text = '{"b":[1, 2.50],"ä😀":null}';
    const [created] = await send("Documents", "POST", { Id: 1, Content: text });
    const [, read] = (await send("Documents(1)")) as readonly [number, { Content: string; Options: string }];
    expect([created, JSON.parse(read.Content), JSON.parse(read.Options)]).toEqual([201, JSON.parse(text), { a: 1 }]);
    if (isKept) expect(read.Content).toBe(text);
    expect(await send(`Documents?$filter=Content eq '${read.Content}'&$select=Id`)).toMatchObject([
      200,
      { value: [{ Id: 1 }] },
    ]);
    expect((await send("Documents(1)", "PATCH", { Options: "[]", Content: null }))[0]).toBe(200);
    expect(await send("Documents(1)")).toMatchObject([200, { Options: "[]", Content: null }]);
    for (const wrong of ["{", "", "{'a':1}", "\uD800"]) {
      expect([wrong, (await send("Documents(1)", "PATCH", { Content: wrong }))[0]]).toEqual([wrong, 400]);
      expect([wrong, (await send("Documents", "POST", { Id: 2, Content: wrong }))[0]]).toEqual([wrong, 400]);
    }
    const [status] = await send("Documents(1)", "PATCH", { Content: '{"a":"\\u0000"}' });
    expect(status).toBe(type === "jsonb" ? 400 : 200);
    expect((await send("Documents(1)", "PATCH", { Options: null }))[0]).toBe(400);
    expect((await send("Documents(1)", "PUT", { Content: "1" }))[0]).toBe(200);
    expect(failures).toEqual([]);
  } finally {
    await sql`drop table documents`.execute(db);
    await close();
  }
});
