import { type CompiledQuery, sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { connectionsOf, hearStatements } from "./sent-statements.ts";

const Doc = entityType("Doc", {
  id: edm.int32().key(),
  data: edm.binary().nullable(),
  mark: edm.binary({ maxLength: 8 }).nullable(),
  hex: edm.string().nullable(),
});

const BINARY = { sqlite: "blob", postgres: "bytea", mariadb: "longblob" };
/** Every byte, valid and invalid UTF-8, and enough of them that text would be converted. */
const EVERY = Uint8Array.from({ length: 12_000 }, (_, index) => (index * 7) % 256);
const ODD = Uint8Array.of(0, 0x27, 0x5c, 0xff, 0xfe, 0xc3, 0x28, 0);

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

describe.each(ENGINES)("bytes over $title", ({ name, open }) => {
  let database: OpenDatabase;
  let service: ODataService;
  let end: () => void;
  const heard: CompiledQuery[] = [];

  beforeAll(async () => {
    database = await open();
    const { db } = database;
    const type = sql.raw(BINARY[name]);
    await sql`create table docs (id integer primary key, data ${type}, mark ${type}, hex ${type})`.execute(db);
    service = odataService({
      entitySets: [
        sqlEntitySet(Doc, {
          db,
          table: "docs",
          etag: ["mark"],
          columns: { hex: { name: "hex", storage: "hex" } },
          operations: ["read", "create", "replace", "patch", "delete"],
        }),
      ],
      defaults: { propertyAccessEnabled: true },
      schemaCheck: false,
    });
    end = hearStatements(await connectionsOf(db), (query) => heard.push(query));
  });
  afterEach(() => void heard.splice(0));
  afterAll(async () => {
    end();
    await database.close();
  });

  const send = async (method: string, target: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await service.fetch(
      new Request(`http://docs.example/${target}`, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return {
      status: response.status,
      etag: response.headers.get("etag"),
      body: text === "" ? null : (JSON.parse(text) as Record<string, unknown>),
    };
  };

  /** The parameters that statements bound for values of so many bytes. */
  const bound = (): readonly unknown[] =>
    heard
      .flatMap(({ parameters }) => parameters)
      .filter((each) => Object(each) instanceof Uint8Array || String(each).length > 5000);

  test("are bound as they are, and read as written", async () => {
    const created = await send("POST", "Docs", { Id: 1, Data: base64(EVERY), Mark: base64(ODD), Hex: "00ff" });
    expect(created).toMatchObject({ status: 201, body: { Data: base64(EVERY), Mark: base64(ODD), Hex: "00ff" } });
    // SQLite writes without the connection of Kysely.
    if (name !== "sqlite") expect(bound()).toEqual([EVERY, ODD]);
    expect((await send("GET", "Docs(1)")).body).toMatchObject({ Data: base64(EVERY), Mark: base64(ODD), Hex: "00ff" });
  });

  test("are replaced under an ETag of bytes, compared, sorted and set to null", async () => {
    await send("POST", "Docs", { Id: 2, Data: "", Mark: base64(ODD) });
    const { etag } = await send("GET", "Docs(2)");
    heard.splice(0);
    const patched = await send(
      "PATCH",
      "Docs(2)",
      { Data: base64(ODD), Mark: base64(EVERY.slice(0, 8)) },
      { "if-match": etag ?? "" },
    );
    expect(patched).toMatchObject({ status: 200, body: { Data: base64(ODD), Mark: base64(EVERY.slice(0, 8)) } });
    if (name !== "sqlite") expect(bound()).toEqual(expect.arrayContaining([ODD, EVERY.slice(0, 8)]));
    const outdated = await send("PATCH", "Docs(2)", { Data: null }, { "if-match": etag ?? "" });
    expect(outdated.status).toBe(412);
    const found = await send(
      "GET",
      `Docs?$filter=Data eq binary'${base64(ODD)}' and Data lt binary'_w'&$orderby=Data&$select=Id`,
    );
    expect(found.body?.["value"]).toEqual([expect.objectContaining({ Id: 2 })]);
    expect((await send("PUT", "Docs(2)", { Data: null, Mark: null })).body).toMatchObject({
      Data: null,
      Mark: null,
      Hex: null,
    });
    expect((await send("PUT", "Docs(2)/Data", { value: base64(EVERY) })).status).toBe(204);
    expect((await send("GET", "Docs(2)/Data")).body).toMatchObject({ value: base64(EVERY) });
  });
});
