import { Kysely, sql } from "kysely";
import { authenticated, edm, entityType, hasMany, hasOptional, hasRequired, odataService, role } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { as, authenticate } from "./guarded-model.ts";
import { noFailures } from "./model.ts";

const Folder = entityType("Folder", { id: edm.int32().key(), name: edm.string() });
const Paper = entityType("Paper", { id: edm.int32().key(), name: edm.string(), folderId: edm.int32() });
const Seal = entityType("Seal", { id: edm.int32().key(), color: edm.string() });

const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect(":memory:") });
beforeAll(async () => {
  await sql`create table folders (id integer primary key, name text not null)`.execute(db);
  await sql`create table papers (id integer primary key, name text not null, folderId integer not null)`.execute(db);
  await sql`create table seals (id integer primary key, color text not null)`.execute(db);
  await sql`insert into folders values (1, 'Letters')`.execute(db);
});
afterAll(() => db.destroy());

/** An open set, and two guarded sets. */
const serviceWith = (rule: ReturnType<typeof authenticated>) => {
  const operations = ["read", "create"] as const;
  return odataService({
    entitySets: [
      sqlEntitySet(Folder, {
        db,
        table: "folders",
        operations,
        navigation: {
          papers: hasMany(Paper, { target: "Papers", on: { id: "folderId" } }),
          first: hasOptional(Paper, { target: "Papers", on: { id: "id" } }),
          seals: hasMany(Seal, { target: "Seals", on: { id: "id" } }),
        },
      }),
      sqlEntitySet(Paper, {
        db,
        table: "papers",
        operations,
        authorization: { all: rule },
        navigation: { folder: hasRequired(Folder, { target: "Folders", on: { folderId: "id" } }) },
      }),
      sqlEntitySet(Seal, { db, table: "seals", operations, authorization: { all: rule } }),
    ],
    authenticate,
    logger: noFailures,
  });
};

const BOTH: readonly (readonly [known: string, unknown: string])[] = [
  ["Folders?$expand=Papers($select=Name)", "Folders?$expand=Papers($select=Nam)"],
  ["Folders?$expand=Papers($filter=Name eq 'x')", "Folders?$expand=Papers($filter=Nam eq 'x')"],
  ["Folders?$expand=Papers($filter=Id eq 1)", "Folders?$expand=Papers($filter=Id eq 99999999999)"],
  ["Folders?$expand=Papers($orderby=Name)", "Folders?$expand=Papers($orderby=Nam)"],
  ["Folders?$expand=Papers($expand=Folder)", "Folders?$expand=Papers($expand=Folde)"],
  ["Folders?$expand=Seals,Papers($select=Name)", "Folders?$expand=Seals,Papers($select=Nam)"],
  ["Folders?$expand=Papers&$top=1", "Folders?$expand=Papers&$top=x"],
  ["Folders?$expand=Papers", "Folders?$expand=Papers($search=x)"],
  ["Folders?$filter=Papers/any(p:p/Name eq 'x')", "Folders?$filter=Papers/any(p:p/Nope eq 'x')"],
  ["Folders?$filter=Papers/any(p:p/Id eq 1)", "Folders?$filter=Papers/any(p:p/Id eq 'x')"],
  ["Folders?$filter=Papers/any(p:p/Folder/Id eq 1)", "Folders?$filter=Papers/any(p:p/Folder/Nope eq 1)"],
  ["Folders?$filter=First/Name eq 'x'", "Folders?$filter=First/Nam eq 'x'"],
  [
    "Folders?$filter=Seals/any() and $root/Papers(1)/Name eq 'x'",
    "Folders?$filter=Seals/any() and $root/Papers(1)/Nam eq 'x'",
  ],
  [
    "Folders?$filter=$root/Papers(1)/Name eq 'x' and Seals/any()",
    "Folders?$filter=$root/Papers(1)/Nam eq 'x' and Seals/any()",
  ],
  ["Folders?$filter=$root/Papers(1)/Name eq 'x'", "Folders?$filter=$root/Papers(Nope=1)/Name eq 'x'"],
  ["Folders?$filter=$root/Papers(1)/Name eq 'x'", "Folders?$filter=$root/Papers/Name eq 'x'"],
  ["Folders?$orderby=First/Name", "Folders?$orderby=First/Nam"],
  ["Folders?$orderby=Papers/$count", "Folders?$orderby=Papers/Nam"],
  ["Folders/$count?$filter=First/Name eq 'x'", "Folders/$count?$filter=First/Nam eq 'x'"],
  ["Folders(1)?$expand=Papers($select=Name)", "Folders(1)?$expand=Papers($select=Nam)"],
];

describe("names after a navigation that the user may not follow", () => {
  describe.each([
    ["an anonymous user", authenticated(), null, 401],
    ["a user without the role", role("clerk"), "ann", 403],
  ] as const)("are hidden from %s", (_title, rule, user, status) => {
    const ask = async (service: ReturnType<typeof serviceWith>, path: string, asked: string | null) => {
      const response = await service.fetch(new Request(`http://f.example/${encodeURI(path)}`, { headers: as(asked) }));
      const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
      return { status: response.status, headers, body: await response.text() };
    };

    test.each(BOTH)("%s and %s", async (known, unknown) => {
      const service = serviceWith(rule);
      const first = await ask(service, known, user);
      expect(first.status).toBe(status);
      expect(await ask(service, unknown, user)).toEqual(first);
      await ask(service, known, "eve:clerk");
      expect(await ask(service, known, user)).toEqual(first);
      expect(await ask(service, unknown, user)).toEqual(first);
    });

    test("but names of the open set are not", async () => {
      const service = serviceWith(rule);
      for (const path of ["Folders?$select=Nam", "Folders?$filter=Nope eq 1", "Folders?$expand=Paper"]) {
        const answer = await ask(service, path, user);
        expect([path, answer.status]).toEqual([path, 400]);
      }
      expect((await ask(service, "Folders?$expand=Papers($select=Nam)", "eve:clerk")).status).toBe(400);
    });
  });
});
