import { sql } from "kysely";
import { edm, entityType, hasMany, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { sentStatements } from "./sent-statements.ts";

/** The files of a folder. One of them is larger than a response may be. */
const Folder = entityType("Folder", { id: edm.int32().key() });
const File = entityType("File", {
  id: edm.int32().key(),
  folderId: edm.int32(),
  note: edm.string(),
  content: edm.binary().nullable(),
});

const LIMIT = 2000;
const LONG = 5000;
/** The file with a long note, and that with long content. */
const [NOTED, FULL] = [3, 7];
const FILES = 9;

const TYPES = { sqlite: ["text", "blob"], postgres: ["text", "bytea"], mariadb: ["longtext", "longblob"] };

const tooLarge = (what: string) => ({
  error: {
    code: "InvalidQueryOption",
    message: `${what} would exceed maxResponseBytes, which limits a response, and those of a batch together: request fewer properties with $select, fewer entities with $filter and $top, or fewer expansions.`,
  },
});

interface ListPage {
  readonly Files?: readonly object[];
  readonly value?: readonly object[];
  readonly error?: object;
  readonly "Files@odata.nextLink"?: string;
  readonly "@odata.nextLink"?: string;
}

describe.each(ENGINES)("large cells over $title", ({ name, open }) => {
  let database: OpenDatabase;
  let service: ODataService;

  beforeAll(async () => {
    database = await open();
    const { db } = database;
    const [text, bytes] = TYPES[name].map((type) => sql.raw(type));
    await sql`create table folders (id integer primary key)`.execute(db);
    await sql`create table files (id integer primary key, folder_id integer not null, note ${text} not null, content ${bytes})`.execute(
      db,
    );
    await sql`create index files_of_folder on files (folder_id, id)`.execute(db);
    await sql`insert into folders values (1)`.execute(db);
    for (let id = 1; id <= FILES; id += 1) {
      const note = id === NOTED ? "n".repeat(LONG) : `note ${String(id)}`;
      const content = id === FULL ? Buffer.alloc(LONG) : Buffer.from([id]);
      await sql`insert into files values (${id}, 1, ${note}, ${content})`.execute(db);
    }
    const on = { db } as const;
    service = odataService({
      entitySets: [
        sqlEntitySet(Folder, {
          ...on,
          table: "folders",
          operations: ["read"],
          navigation: { files: hasMany(File, { on: { id: "folderId" }, target: "Files" }) },
        }),
        sqlEntitySet(File, {
          ...on,
          table: "files",
          columns: { folderId: "folder_id" },
          operations: ["read", "create", "patch", "delete"],
        }),
      ],
      defaults: { maxResponseBytes: LIMIT, computeEnabled: true },
      profile: "standard",
      schemaCheck: false,
      logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    });
  });
  afterAll(() => database.close());

  const send = async (target: string, init?: RequestInit): Promise<{ status: number; body: unknown }> => {
    const response = await service.fetch(new Request(`http://files.example/${target}`, init));
    const body = await response.text();
    return { status: response.status, body: body.startsWith("{") ? (JSON.parse(body) as unknown) : body };
  };

  test.each([`Files(${NOTED})`, `Files(${FULL})`, `Files(${NOTED})?$select=Note`, `Files(${FULL})?$compute=1 as One`])(
    "%s is refused",
    async (target) => {
      expect(await send(target)).toEqual({ status: 400, body: tooLarge("The entity") });
    },
  );

  test("short properties of a large entity are read, and so are other entities", async () => {
    expect(await send(`Files(${NOTED})?$select=Id,Content`)).toEqual({
      status: 200,
      body: {
        "@odata.context": "http://files.example/$metadata#Files(Id,Content)/$entity",
        "@odata.id": `http://files.example/Files(${NOTED})`,
        Id: NOTED,
        Content: "Aw",
      },
    });
    expect(await send("Files(1)")).toEqual({
      status: 200,
      body: {
        "@odata.context": "http://files.example/$metadata#Files/$entity",
        "@odata.id": "http://files.example/Files(1)",
        Id: 1,
        FolderId: 1,
        Note: "note 1",
        Content: "AQ",
      },
    });
  });

  test("the raw value of one property has no limit", async () => {
    expect(await send(`Files(${NOTED})/Note/$value`)).toEqual({ status: 200, body: "n".repeat(LONG) });
  });

  test.each([
    { target: "Files?$orderby=Id", pages: [[1, 2]] },
    { target: "Files?$orderby=Id&$filter=Id gt 3", pages: [[4, 5, 6]] },
    { target: "Files?$orderby=Id desc", pages: [[9, 8]] },
    { target: "Files?$orderby=Id&$filter=Id gt 3&$count=true", pages: [[4, 5, 6]] },
    { target: "Folders(1)/Files?$orderby=Id desc", pages: [[9, 8]] },
    { target: "Files?$orderby=Id&$select=Id,Copy&$compute=concat(Note,Note) as Copy", pages: [[1, 2]] },
    { target: "Files?$orderby=Id&$select=Id,Note&$filter=Id ne 3", pages: [[1, 2, 4, 5, 6, 7, 8, 9]] },
  ])("$target ends before the entity that is too large", async ({ target, pages }) => {
    const found: number[][] = [];
    let next: string | undefined = target;
    let last: { status: number; body: unknown } | undefined;
    while (next !== undefined) {
      last = await send(next);
      const body = last.body as {
        readonly value?: ReadonlyArray<{ readonly Id: number }>;
        readonly "@odata.nextLink"?: string;
        readonly "@odata.count"?: number;
      };
      if (body.value === undefined) break;
      found.push(body.value.map(({ Id }) => Id));
      if (target.includes("$count")) expect(body["@odata.count"]).toBe(6);
      next = body["@odata.nextLink"]?.slice("http://files.example/".length);
    }
    expect(found.flat()).toEqual(pages.flat());
    if (next !== undefined) expect(last).toEqual({ status: 400, body: tooLarge("The first entity") });
  });

  test("a list with a large entity ends before it", async () => {
    const found: unknown[] = [];
    const { status, body } = await send("Folders(1)?$expand=Files($select=Id)");
    expect([status, (body as { readonly Files: readonly object[] }).Files.length]).toEqual([200, FILES]);
    let next: string | undefined = "Folders(1)?$expand=Files";
    while (next !== undefined) {
      const page = (await send(next)).body as ListPage;
      found.push(...(page.Files ?? page.value ?? []));
      next = (page["Files@odata.nextLink"] ?? page["@odata.nextLink"] ?? "").slice("http://files.example/".length);
      if (page.error !== undefined) expect(page).toEqual(tooLarge("The first entity"));
      if (next === "") next = undefined;
    }
    expect(found).toEqual(
      [1, 2].map((id) => ({ Id: id, FolderId: 1, Note: `note ${String(id)}`, Content: id === 1 ? "AQ" : "Ag" })),
    );
  });

  test("a large entity is written", async () => {
    const body = JSON.stringify({ Id: 20, FolderId: 2, Note: "w".repeat(LONG), Content: null });
    const headers = { "Content-Type": "application/json", Prefer: "return=minimal" };
    expect(await send("Files", { method: "POST", headers, body })).toEqual({ status: 204, body: "" });
    expect(await send("Files(20)", { method: "PATCH", headers, body: `{"FolderId":3}` })).toEqual({
      status: 204,
      body: "",
    });
    expect((await send("Files(20)", { method: "DELETE" })).status).toBe(204);
  });
});

const ROWS = 3500;
/** The row of the long page that no page can contain. */
const LONGEST = 2600;
const Row = entityType("Row", { id: edm.int32().key(), note: edm.string().nullable() });

interface LongPage {
  readonly value: readonly object[];
  readonly "@odata.nextLink"?: string;
}

describe.each(ENGINES)("a long page with a large row over $title", ({ name, open }) => {
  let database: OpenDatabase;
  beforeAll(async () => {
    database = await open();
    const type = sql.raw(name === "sqlite" ? "text" : (TYPES[name][0] ?? "text"));
    await sql`create table long_rows (id integer primary key, note ${type})`.execute(database.db);
    for (let start = 1; start <= ROWS; start += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => sql`(${start + index}, 'note')`);
      await sql`insert into long_rows values ${sql.join(rows)}`.execute(database.db);
    }
    await sql`update long_rows set note = ${"n".repeat(300_000)} where id = ${LONGEST}`.execute(database.db);
  });
  afterAll(() => database.close());

  test.each(["Rows", "Rows?$orderby=Id desc"])("%s ends before it, with one savepoint at most", async (target) => {
    const service = odataService({
      entitySets: [sqlEntitySet(Row, { db: database.db, table: "long_rows", name: "Rows", operations: ["read"] })],
      defaults: { maxTop: 10_000, maxResponseBytes: 200_000, queryTimeout: 100_000 },
      profile: "standard",
      schemaCheck: false,
      logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    });
    await service.ready();
    const found: object[] = [];
    let next: string | undefined = `http://files.example/${target}`;
    const sent = await sentStatements(database.db, async () => {
      while (next !== undefined) {
        const response = await service.fetch(new Request(next));
        if (response.status !== 200) {
          expect(await response.json()).toEqual(tooLarge("The first entity"));
          break;
        }
        const page = (await response.json()) as LongPage;
        found.push(...page.value);
        next = page["@odata.nextLink"];
      }
    });
    const ids = Array.from({ length: ROWS }, (_, index) => index + 1);
    const before = target === "Rows" ? ids.slice(0, LONGEST - 1) : ids.slice(LONGEST).toReversed();
    expect(found).toEqual(before.map((Id) => ({ Id, Note: "note" })));
    const savepoints = sent.filter(({ sql: text }) => text.startsWith("savepoint"));
    expect(savepoints.length).toBe(0);
  });
});
