import { sql } from "kysely";
import { edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, eachDoor, type HeaderTable, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";
import { openSql } from "./sql-database.ts";

const Page = entityType("Page", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  version: edm.int32(),
  nextId: edm.int32().nullable(),
});
/** A page without ETags. */
const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

const PAGES = [
  { id: 1, text: "a", version: 3, nextId: 2 },
  { id: 2, text: null, version: 4, nextId: null },
];
const NOTES = [{ id: 1, text: "n" }];
const PROFILES = ["specification", "standard"] as const;
type Profile = (typeof PROFILES)[number];
const common = (profile: Profile) => ({ prefix: "/s", namespace: "Wiki", profile, logger: noFailures });
const find = (id: number | null | undefined) => PAGES.find((page) => page.id === id) ?? null;
const before = (id: number) => PAGES.filter(({ nextId }) => nextId === id);

function overHandlers(profile: Profile): Service {
  return odataService({
    ...common(profile),
    entitySets: [
      entitySet(Page, {
        etag: ["version"],
        getAll: () => PAGES,
        getByKey: find,
        navigation: {
          next: hasOptional(Page, { target: "Pages", get: (id) => find(find(id)?.nextId) }),
          before: hasMany(Page, { target: "Pages", get: before }),
        },
      }),
      entitySet(Note, { getAll: () => NOTES, getByKey: (id) => NOTES.find((note) => note.id === id) ?? null }),
    ],
  });
}

const { db, close } = await openSql();
beforeAll(async () => {
  await sql`create table pages (id integer primary key, text text, version integer not null, "nextId" integer)`.execute(
    db,
  );
  await sql`create table notes (id integer primary key, text text not null)`.execute(db);
  await db.insertInto("pages").values(PAGES).execute();
  await db.insertInto("notes").values(NOTES).execute();
});
afterAll(close);

function overTables(profile: Profile): Service {
  const operations = ["read"] as const;
  return odataService({
    ...common(profile),
    entitySets: [
      sqlEntitySet(Page, {
        db,
        table: "pages",
        operations,
        etag: ["version"],
        navigation: {
          next: hasOptional(Page, { target: "Pages", on: { nextId: "id" } }),
          before: hasMany(Page, { target: "Pages", on: { id: "nextId" } }),
        },
      }),
      sqlEntitySet(Note, { db, table: "notes", operations }),
    ],
  });
}

const FORMS = [
  ["handlers", overHandlers],
  ["tables", overTables],
] as const;

/** Requires a 412 with the envelope; a response to HEAD has no body. */
function expectFailed(answer: Answer, method: string, message: RegExp): void {
  expect(answer.status).toBe(412);
  expect(answer.headers).toMatchObject({ "odata-version": "4.0" });
  if (method === "HEAD") {
    expect(answer.text).toBe("");
  } else {
    expect(answer.json.error).toMatchObject({ code: "PreconditionFailed", message: expect.stringMatching(message) });
  }
}

eachDoor((door) => {
  describe.each(FORMS.flatMap(([form, make]) => PROFILES.map((profile) => [form, profile, make] as const)))(
    "If-Match of reads, over %s, profile %s",
    (_form, profile, make) => {
      const send = door.to(make(profile));
      const read = (path: string, headers: HeaderTable, method = "GET") => send(`/s/${path}`, headers, method);
      const etagOf = async (path: string) => (await read(path, {})).headers["etag"] ?? "";

      /** Entities and properties that exist, with the entity whose ETag counts. */
      const EXISTING = [
        ["Pages(1)", "Pages(1)"],
        ["Pages(1)/Text", "Pages(1)"],
        ["Pages(2)/Text", "Pages(2)"],
      ] as const;

      test.each(EXISTING)("%s has the ETag of the request", async (path, owner) => {
        const etag = await etagOf(owner);
        expect(etag).not.toBe("");
        const plain = await read(path, {});
        for (const ifMatch of [etag, `"x", ${etag}`, `W/${etag}`, "*"]) {
          const answer = await read(path, { "If-Match": ifMatch });
          expect({ ...answer }).toEqual({ ...plain });
        }
      });

      test.each(EXISTING)("%s with another ETag is 412", async (path) => {
        for (const method of ["GET", "HEAD"]) {
          expectFailed(
            await read(path, { "If-Match": '"x"' }, method),
            method,
            /^If-Match does not hold\. The entity/u,
          );
          expectFailed(await read(path, { "If-Match": "x" }, method), method, /double quotes/u);
        }
      });

      test.each(EXISTING)("%s: If-Match comes before If-None-Match", async (path, owner) => {
        const etag = await etagOf(owner);
        const changed = await read(path, { "If-Match": '"x"', "If-None-Match": etag });
        expectFailed(changed, "GET", /^If-Match/u);
        const known = await read(path, { "If-Match": etag, "If-None-Match": etag });
        expect({ status: known.status, text: known.text }).toEqual({ status: 304, text: "" });
      });

      test.each([["Pages(9)"], ["Pages(9)/Text"]])("%s is missing, so If-Match does not hold", async (path) => {
        for (const ifMatch of ["*", '"x"']) {
          expectFailed(await read(path, { "If-Match": ifMatch }), "GET", /No entity has this key/u);
        }
      });

      test("a set without ETags skips the check, but * needs an entity", async () => {
        for (const path of ["Notes(1)", "Notes(1)/Text"]) {
          for (const ifMatch of ["*", '"x"']) expect((await read(path, { "If-Match": ifMatch })).status).toBe(200);
        }
        for (const path of ["Notes(9)", "Notes(9)/Text"]) {
          expect((await read(path, { "If-Match": '"x"' })).status).toBe(404);
          expectFailed(await read(path, { "If-Match": "*" }), "GET", /No entity has this key/u);
        }
      });

      test.each([
        ["Pages"],
        ["Pages/$count"],
        ["Pages(1)/Text/$value"],
        ["Pages(2)/Before"],
        ["Pages(1)/Next/$ref"],
        ["$metadata"],
        [""],
        ["Pages(1)/Next"],
        ["Pages(2)/Next"],
        ["Pages(2)/Before(1)"],
        ["Pages(2)/Before(7)"],
        ["Pages(1)?$expand=Next"],
        ["Pages(9)?$expand=Next"],
      ])("no effect on '%s'", async (path) => {
        const plain = await read(path, {});
        for (const ifMatch of ['"x"', "*"]) {
          const answer = await read(path, { "If-Match": ifMatch });
          expect({ ...answer, requestId: "" }).toEqual({ ...plain, requestId: "" });
        }
      });
    },
  );
});
