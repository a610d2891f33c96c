import { sql } from "kysely";
import { edm, entityType, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import { sentStatements } from "../sql/sent-statements.ts";
import { isDistributed, watching } from "./watched-database.ts";

const Author = entityType("Author", { id: edm.int32().key() });
const Book = entityType("Book", { id: edm.guid().key(), authorId: edm.int32(), title: edm.string() });

const guid = (first: string): string => `${first}0000000-0000-0000-0000-000000000000`;
/** Two books of each author. The one with the lower key is the related one. */
const BOOKS = [
  [guid("2"), 1, "later"],
  [guid("1"), 1, "first"],
  [guid("b"), 2, "later"],
  [guid("9"), 2, "first"],
] as const;

const SPREAD = ENGINES.filter(({ name }) => name === "postgres");

test.each(SPREAD)("the first of several related entities, by a key that is a guid, over $title", async (engine) => {
  const { db, close } = await watching(engine)();
  await sql`create table authors (id int primary key)`.execute(db);
  await sql`create table books (id uuid primary key, "authorId" int not null, title varchar(9) not null)`.execute(db);
  await sql`insert into authors values (1), (2)`.execute(db);
  for (const book of BOOKS) await sql`insert into books values (${sql.join(book)})`.execute(db);
  const place = { db, operations: ["read"], distributed: isDistributed(db) } as const;
  const navigation = { book: hasOptional(Book, { target: "Books", on: { id: "authorId" } }) };
  const service = odataService({
    entitySets: [
      sqlEntitySet(Author, { ...place, table: "authors", navigation }),
      sqlEntitySet(Book, { ...place, table: "books" }),
    ],
  });
  const read = async (title: string): Promise<unknown> => {
    const response = await service.fetch(new Request(`http://x.example/Authors?$filter=Book/Title eq '${title}'`));
    return [response.status, await response.json()];
  };
  const context = "http://x.example/$metadata#Authors";
  const statements = await sentStatements(db, async () => {
    expect(await read("first")).toEqual([200, { "@odata.context": context, value: [{ Id: 1 }, { Id: 2 }] }]);
    expect(await read("later")).toEqual([200, { "@odata.context": context, value: [] }]);
  });
  // An index on the columns serves the order of the window.
  const windows = statements.flatMap(({ sql: text }) => /row_number\(\) over \([^)]*\)/.exec(text) ?? []);
  expect(new Set(windows)).toEqual(new Set([`row_number() over (partition by "r2"."authorId" order by "r2"."id")`]));
  await close();
});
