import { sql } from "kysely";
import {
  edm,
  entityType,
  hasMany,
  hasOptional,
  hasRequired,
  odataService,
  type ODataService,
  type RowPredicate,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { sentStatements } from "../sql/sent-statements.ts";
import { refusedConstructs } from "./refused-constructs.ts";
import type { TablePlacement } from "./table-placement.ts";
import { watching } from "./watched-database.ts";

const Parent = entityType("Parent", { id: edm.int32().key(), name: edm.string() });
const Child = entityType("Child", { id: edm.int32().key(), parentId: edm.int32().nullable(), owner: edm.string() });
const Toy = entityType("Toy", { id: edm.int32().key(), childId: edm.int32(), label: edm.string().nullable() });

/** The tables are distributed by the columns that their navigations pair, but not co-located. */
const PLACEMENTS = new Map<string, TablePlacement>([
  ["parents", { column: "id", group: "parents" }],
  ["children", { column: "parentId", group: "children" }],
  ["toys", { column: "childId", group: "toys" }],
  ["gifts", { column: "parent_id", group: "gifts" }],
]);

async function createTables(db: AnyDatabase): Promise<void> {
  await sql`create table parents (id int primary key, name varchar(9) not null)`.execute(db);
  await sql`create table children (id int primary key, ${sql.id("parentId")} int, owner varchar(9) not null)`.execute(
    db,
  );
  await sql`create table toys (id int primary key, ${sql.id("childId")} int not null, label varchar(9))`.execute(db);
  await sql`create table gifts (parent_id int, toy_id int, primary key (parent_id, toy_id))`.execute(db);
  await sql`insert into parents values (1, 'Ann'), (2, 'Bob'), (3, 'Cid'), (4, 'Ann')`.execute(db);
  await sql`insert into children values (1, 1, 'ann'), (2, 1, 'bob'), (3, 2, 'ann'), (4, null, 'ann'), (5, 9, 'ann'), (6, 4, 'ann')`.execute(
    db,
  );
  await sql`insert into toys values (1, 1, 'car'), (2, 1, null), (3, 3, 'car'), (4, 6, 'doll'), (5, 2, 'car')`.execute(
    db,
  );
  await sql`insert into gifts values (1, 1), (1, 4), (2, 2), (3, 5), (3, 9)`.execute(db);
}

interface ChildRow {
  readonly owner: { eq(value: string): RowPredicate };
  readonly parent: { readonly name: { eq(value: string): RowPredicate } };
}
interface ToyRow {
  readonly child: { readonly parent: { readonly name: { eq(value: string): RowPredicate } } };
}

function serve(db: AnyDatabase, distributed: boolean): ODataService {
  const place = { db, operations: ["read", "create", "patch", "replace", "delete"] } as const;
  const parents = { ...place, table: "parents", distributed: distributed && ({ by: "id" } as const) } as const;
  const children = { ...place, table: "children", distributed: distributed && ({ by: "parentId" } as const) } as const;
  const toys = { ...place, table: "toys", distributed: distributed && ({ by: "childId" } as const) } as const;
  const ruled = {
    children: (_user: unknown, row: ChildRow) => row.parent.name.eq("Ann"),
    toys: (_user: unknown, row: ToyRow) => row.child.parent.name.eq("Ann"),
  };
  return odataService({
    profile: "standard",
    schemaCheck: false,
    authenticate: () => ({ id: "ann" }),
    entitySets: [
      sqlEntitySet(Parent, {
        ...parents,
        navigation: {
          children: hasMany(Child, { on: { id: "parentId" }, target: "Children" }),
          seen: hasMany(Child, { on: { id: "parentId" }, target: "Seen" }),
          gifts: hasMany(Toy, {
            through: {
              table: "gifts",
              from: { id: "parent_id" },
              to: { toy_id: "id" },
              ...(distributed ? { distributed: { by: "parent_id" } } : {}),
            },
            target: "Toys",
          }),
        },
      }),
      sqlEntitySet(Child, {
        ...children,
        name: "Children",
        navigation: {
          parent: hasOptional(Parent, { on: { parentId: "id" }, target: "Parents" }),
          toys: hasMany(Toy, { on: { id: "childId" }, target: "Toys" }),
        },
      }),
      sqlEntitySet(Child, {
        ...children,
        name: "Seen",
        navigation: {
          parent: hasOptional(Parent, { on: { parentId: "id" }, target: "Parents" }),
          toys: hasMany(Toy, { on: { id: "childId" }, target: "SeenToys" }),
        },
        authorization: { rows: ruled.children },
      }),
      sqlEntitySet(Toy, {
        ...toys,
        navigation: { child: hasRequired(Child, { on: { childId: "id" }, target: "Children" }) },
      }),
      sqlEntitySet(Toy, {
        ...toys,
        name: "SeenToys",
        navigation: { child: hasRequired(Child, { on: { childId: "id" }, target: "Children" }) },
        authorization: { rows: ruled.toys as never },
      }),
    ],
  });
}

const TARGETS = [
  "Children?$filter=Parent/Name eq 'Ann'",
  "Children?$filter=not (Parent/Name eq 'Ann')&$count=true",
  "Children?$filter=Parent/Name gt 'Ann' or Owner eq 'bob'",
  "Children?$orderby=Parent/Name desc,Id&$expand=Parent",
  "Children?$filter=Parent/Children/any(c:c/Owner eq 'bob')",
  "Parents?$filter=Children/any()",
  "Parents?$filter=Children/any(c:c/Owner eq 'ann' and c/Toys/any(t:t/Label eq 'car'))",
  "Parents?$filter=not Children/any(c:c/Toys/any())&$expand=Children($top=1)",
  "Parents?$filter=Children/all(c:c/Owner eq 'ann')",
  "Parents?$filter=Children/$count gt 1",
  "Parents?$orderby=Children/$count desc,Name,Id desc",
  "Parents?$filter=Gifts/any(g:g/Label eq 'doll')&$expand=Gifts",
  "Parents?$filter=Gifts/$count gt 1",
  "Parents(1)/Children?$filter=Parent/Name eq 'Ann'",
  "Parents(1)/Gifts?$orderby=Label desc",
  "Toys?$filter=Child/Parent/Name eq 'Ann'&$orderby=Child/Parent/Name,Id desc",
  "Seen?$count=true",
  "Seen/$count",
  "Seen(1)",
  "Seen(3)",
  "Seen(1)/Owner",
  "Seen?$filter=Parent/Name eq 'Ann' and Toys/any()&$expand=Toys",
  "Seen?$orderby=Parent/Name&$expand=Parent",
  "Parents?$expand=Seen($expand=Toys)",
  "Parents?$filter=Seen/any(s:s/Toys/$count gt 1)",
  "Parents(1)/Seen",
  "SeenToys?$orderby=Label,Id",
  "SeenToys(3)",
  "Seen(6)/Toys",
];

const WRITES: ReadonlyArray<readonly [method: string, target: string, body: object | null]> = [
  ["PATCH", "Seen(1)", { Owner: "new" }],
  ["PATCH", "Seen(3)", { Owner: "new" }],
  ["PUT", "Children(2)", { ParentId: 1, Owner: "put" }],
  ["PATCH", "Children(4)", { ParentId: null, Owner: "put" }],
  ["PUT", "Toys(5)", { ChildId: 2 }],
  ["PUT", "Toys(50)", { ChildId: 2 }],
  ["POST", "Seen", { Id: 7, ParentId: 4, Owner: "x" }],
  ["POST", "Seen", { Id: 8, ParentId: 2, Owner: "x" }],
  ["DELETE", "Seen(3)", null],
  ["DELETE", "Seen(6)", null],
  ["POST", "SeenToys", { Id: 7, ChildId: 1, Label: "new" }],
  ["POST", "SeenToys", { Id: 8, ChildId: 3, Label: "new" }],
  ["GET", "Children?$orderby=Id&$select=Id", null],
];

describe.each(ENGINES.filter(({ name }) => name === "postgres"))(
  "tables of $title that are paired but not co-located",
  (engine) => {
    async function answers(open: typeof engine.open, distributed: boolean): Promise<readonly unknown[]> {
      const { db, close } = await open();
      await createTables(db);
      const service = serve(db, distributed);
      const found: unknown[] = [];
      const sent = await sentStatements(db, async () => {
        for (const [method, target, body] of [...TARGETS.map((each) => ["GET", each, null] as const), ...WRITES]) {
          const init = { method, body: body === null ? null : JSON.stringify(body) };
          const headers = { "Content-Type": "application/json" };
          const response = await service.fetch(new Request(`http://service.example/${target}`, { ...init, headers }));
          found.push([method, target, response.status, await response.text()]);
        }
      });
      await close();
      const refused = sent.flatMap(({ sql: text }) => refusedConstructs(text, PLACEMENTS));
      expect(distributed ? refused : []).toEqual([]);
      return found;
    }

    test("return the same as tables of one machine, on every route", async () => {
      const expected = await answers(engine.open, false);
      expect(await answers(watching(engine, PLACEMENTS), true)).toEqual(expected);
      const statuses = expected.map((answer) => (answer as readonly unknown[])[2]);
      expect(statuses.filter((status) => Number(status) >= 500)).toEqual([]);
      expect(statuses.slice(TARGETS.length)).toEqual([200, 404, 200, 200, 200, 404, 201, 403, 204, 204, 201, 409, 200]);
      // A hidden row stays.
      const kept = [1, 2, 3, 4, 5, 7].map((id) => ({ Id: id }));
      expect(expected.at(-1)).toMatchObject({ 3: expect.stringContaining(JSON.stringify(kept)) });
    });
  },
);
