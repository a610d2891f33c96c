import { sql } from "kysely";
import { edm, entityType, enumType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";

const Level = enumType("Level", { Low: 1, High: 2 });
const Word = entityType("Word", {
  id: edm.string().key(),
  part: edm.string().nullable(),
  level: edm.enum(Level),
  token: edm.guid(),
});
const Size = entityType("Size", { id: edm.int32().key(), single: edm.single(), double: edm.double() });
const operations = ["read", "create"] as const;

const servers = ENGINES.filter(({ name }) => name === "mariadb");

test.skipIf(servers.length > 0)("the types of MariaDB need a server: npm run test:databases starts one", () => {
  expect(process.env["ODATAKIT_MYSQL"]).toBeUndefined();
});

describe.each(servers)("types of $title", ({ open }) => {
  test.each(["utf8mb3", "latin1"])(
    "texts in the character set %s are compared by code point, as in utf8mb4",
    async (characterSet) => {
      const { db, close } = await open();
      await sql
        .raw(
          `create table words (id varchar(10) primary key, part varchar(10), level varchar(10) not null,
          token char(36) not null) character set ${characterSet}`,
        )
        .execute(db);
      await sql`insert into words values ('a', null, 'Low', '0000000A-0000-4000-8000-000000000000'),
      ('É', 'a', 'High', '0000000b-0000-4000-8000-000000000000')`.execute(db);
      const service = odataService({
        entitySets: [
          sqlEntitySet(Word, {
            db,
            table: "words",
            operations,
            search: ["id"],
            columns: { token: { storage: "text" } },
            navigation: { parts: hasMany(Word, { on: { id: "part" }, target: "Words" }) },
          }),
        ],
      });
      const idsOf = async (query: string): Promise<unknown> => {
        const response = await service.fetch(new Request(`http://words.example/Words?${query}&$select=Id`));
        const body = (await response.json()) as { readonly value?: readonly { readonly Id: string }[] };
        return body.value?.map(({ Id }) => Id) ?? response.status;
      };
      for (const [query, ids] of [
        ["$orderby=Id desc", ["É", "a"]],
        ["$filter=Id eq 'é'", []],
        ["$filter=Id gt 'a'", ["É"]],
        ["$filter=contains(Id,'日')", []],
        ["$filter=tolower(Id) eq 'é'", ["É"]],
        ["$filter=Level gt 'Low'", ["É"]],
        ["$filter=Token eq 0000000a-0000-4000-8000-000000000000", ["a"]],
        ["$filter=Parts/any(p:p/Id eq 'É')", ["a"]],
        ["$search=A", ["a"]],
        // The column has no such character.
        ["$filter=Id eq '日'", characterSet === "latin1" ? 400 : []],
        ["$filter=Id in ('a','日')", characterSet === "latin1" ? 400 : ["a"]],
      ] as const) {
        expect([query, await idsOf(query)]).toEqual([query, ids]);
      }
      await close();
    },
  );

  test("a `tinyint` other than 0 and 1 is not a boolean: 500, and the log names the property", async () => {
    const { db, close } = await open();
    await sql`create table flags (id int primary key, flag tinyint not null)`.execute(db);
    await sql`insert into flags values (1, 1), (2, 2)`.execute(db);
    const Flag = entityType("Flag", { id: edm.int32().key(), flag: edm.boolean() });
    const logged: string[] = [];
    const logger = {
      error: (_text: string, { err }: { readonly err?: unknown }) => void logged.push(String(err)),
      warn: () => {},
      info: () => {},
    };
    const service = odataService({ logger, entitySets: [sqlEntitySet(Flag, { db, table: "flags", operations })] });
    const statusOf = async (path: string): Promise<number> =>
      (await service.fetch(new Request(`http://flags.example/${path}`))).status;
    expect([await statusOf("Flags(1)"), await statusOf("Flags(2)"), await statusOf("Flags")]).toEqual([200, 500, 500]);
    for (const text of logged) expect(text).toMatch(/where flag, /i);
    await close();
  });

  test("a `float` equals the double that comparisons convert it to", async () => {
    const { db, close } = await open();
    await sql`create table sizes (id int primary key, single float not null, \`double\` float not null)`.execute(db);
    const service = odataService({ entitySets: [sqlEntitySet(Size, { db, table: "sizes", operations })] });
    await sql`insert into sizes values (1, 0.1, 0.1)`.execute(db);
    const ask = async (query: string): Promise<unknown> => {
      const headers = { Accept: "application/json;odata.metadata=none" };
      return (await service.fetch(new Request(`http://sizes.example/Sizes${query}`, { headers }))).json();
    };
    const whole = { Id: 1, Single: 0.10000000149011612, Double: 0.10000000149011612 };
    expect(await ask("(1)")).toEqual(whole);
    const both = "Single eq 0.10000000149011612 and Double eq 0.10000000149011612";
    expect(await ask(`?$filter=${both}`)).toEqual({ value: [whole] });
    expect(await ask("?$filter=Single le 0.1 or Double le 0.1")).toEqual({ value: [] });
    await close();
  });
});
