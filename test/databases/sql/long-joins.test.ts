import { sql } from "kysely";
import { edm, entityType, enumType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTable, ENGINES, insertRow, type DatabaseEngine } from "../../engine/executors/engines.ts";
import { memoryGrowth } from "../../memory-growth.ts";

/** Concatenations of many texts are joined at once: joined one by one, they would take memory for each intermediate text. */

const Mode = enumType("Mode", { Plain: 0 });
const Text = entityType("Text", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  other: edm.string(),
  mode: edm.enum(Mode).nullable(),
});

/** @param more further rows with long texts */
async function serviceOver(engine: DatabaseEngine, length: number, more = 0) {
  const opened = await engine.open();
  const long = engine.name === "mariadb" ? "longtext" : "text";
  await createTable(opened, "texts", {
    id: "int primary key",
    text: long,
    other: `${long} not null`,
    mode: "varchar(10)",
  });
  const { db, close } = opened;
  const rows = [
    [1, "a".repeat(length), "b", "Plain"],
    [2, null, "é", null],
    [3, "", "\u{1F600}", null],
  ] as const;
  for (const row of rows) await insertRow(opened, "texts", row);
  for (let id = 4; id < 4 + more; id += 1) await insertRow(opened, "texts", [id, "a".repeat(length), "b", null]);
  const service = odataService({
    schemaCheck: false,
    defaults: { computeEnabled: true, applyEnabled: true },
    entitySets: [sqlEntitySet(Text, { name: "Texts", db, table: "texts", operations: ["read"] })],
  });
  return { service, db, close };
}

const sum = (...texts: readonly string[]): string => texts.reduce((inner, text) => `concat(${inner},${text})`);
const times = (count: number, text: string): string => sum(...Array.from({ length: count }, () => text));

type Service = Awaited<ReturnType<typeof serviceOver>>["service"];

type Found = readonly [status: number, text: string];

async function find(service: Service, filter: string): Promise<Found> {
  return ask(service, `$orderby=Id&$filter=${filter}`);
}

async function ask(service: Service, query: string): Promise<Found> {
  const response = await service.fetch(new Request(`http://service.example/Texts?$select=Id&${encodeURI(query)}`));
  return [response.status, await response.text()];
}

const TOO_MUCH = {
  error: {
    code: "InvalidQueryOption",
    message:
      "The query takes too much memory. Filter by a property with an index, request fewer rows with $top, or call fewer functions in $filter and $orderby.",
  },
};

describe.each(ENGINES)("over $title", (engine) => {
  test.each<readonly [filter: string, ids: readonly number[]]>([
    [`${times(3, "Text")} eq 'aaa'`, [1]],
    [`${times(3, "Text")} eq null`, [2]],
    [`${sum("Text", "'x'", "Other")} eq 'axb'`, [1]],
    [`${sum("'x'", "'y'", "'z'")} eq 'xyz'`, [1, 2, 3]],
    [`${sum("Other", "null", "'x'")} eq null`, [1, 2, 3]],
    [`concat(concat(Other,Text),concat(tolower(Text),concat(Other,'!'))) eq 'baab!'`, [1]],
    [`concat(concat(Other,Text),concat(tolower(Text),concat(Other,'!'))) eq null`, [2]],
    [`length(${times(64, "Other")}) eq 64`, [1, 2, 3]],
    [`tolower(${sum("toupper(Other)", "substring(Text,0,1)", "Text")}) eq 'baa'`, [1]],
    [`not (${times(3, "Text")} eq 'aaa')`, [2, 3]],
    [`endswith(${times(4, "Other")},${times(3, "Other")})`, [1, 2, 3]],
    [`substring(${times(3, "Text")},1) eq 'aa'`, [1]],
    [`substring(${times(3, "Text")},1) eq null`, [2]],
    [`substring(${times(3, "Other")},1,1) eq '\u{1F600}'`, [3]],
    [`substring(trim(${sum("' '", "Other", "Other")}),1) eq 'é'`, [2]],
    [`substring(substring(${times(5, "Other")},1),1) eq 'bbb'`, [1]],
    [`length(trim(${times(5, "Other")})) eq 5`, [1, 2, 3]],
    [`length(substring(${times(5, "Other")},2)) eq 3`, [1, 2, 3]],
    [`substring(${times(3, "Other")},length(${times(2, "Other")})) eq 'b'`, [1]],
    [`length(${sum("Other", "Text", "Text", "Other", "tolower(Text)")}) eq 5`, [1]],
  ])("%s", async (filter, ids) => {
    const { service, close } = await serviceOver(engine, 1);
    const [status, text] = await find(service, filter);
    expect([status, text]).toEqual([200, expect.stringContaining(JSON.stringify(ids.map((id) => ({ Id: id }))))]);
    await close();
  });
});

const sqlite = ENGINES.filter(({ name }) => name === "sqlite");

describe.each(sqlite)("long texts over $title", (engine) => {
  const opened = serviceOver(engine, 1_000_000);
  afterAll(async () => (await opened).close());
  /** Sends a request, and returns the megabytes that it takes. */
  async function measure(service: Service, query: string): Promise<readonly [...Found, megabytes: number]> {
    await find(service, "length(Text) eq 1");
    let found: Found = [0, ""];
    const megabytes = await memoryGrowth(async () => {
      found = await ask(service, query);
    });
    return [...found, megabytes];
  }

  const ALL = times(64, "Text");
  const THIRD = times(21, "Text");

  test.each(
    Object.entries({
      "their length": `length(${ALL}) eq 64000000`,
      "their end": `endswith(${ALL},'a')`,
      "a part of them": `contains(${ALL},'aa')`,
      "their start": `startswith(${ALL},'aa')`,
      "a position in them": `indexof(${ALL},'aa') eq 0`,
      "their last character": `substring(${ALL},63999999) eq 'a'`,
      "all characters but the first": `substring(${ALL},1) gt 'a'`,
      "trimmed ones": `trim(${ALL}) gt 'a'`,
      "the length of trimmed ones": `length(trim(${ALL})) eq 64000000`,
      "a comparison of two": `Id eq 1 and ${ALL} eq ${ALL}`,
      "the length in lower case": `length(tolower(${THIRD})) eq 21000000`,
      "a part in upper case": `substring(toupper(${THIRD}),1) gt 'A'`,
      "two letter cases": `toupper(tolower(${times(7, "Text")})) gt 'A'`,
    }),
  )("64 times a megabyte take less than 300 MB: %s", async (_name, filter) => {
    const { service } = await opened;
    const [status, text, megabytes] = await measure(service, `$filter=${filter}`);
    expect([status, text]).toEqual([200, expect.stringContaining('[{"Id":1}]')]);
    expect(megabytes).toBeLessThan(300);
  });

  test("an order by 64 times a megabyte takes less than 300 MB", async () => {
    const { service } = await opened;
    const [status, text, megabytes] = await measure(service, `$orderby=${ALL}`);
    expect([status, text]).toEqual([200, expect.stringContaining('[{"Id":2},{"Id":3},{"Id":1}]')]);
    expect(megabytes).toBeLessThan(300);
  });

  const chain = (count: number, text: string): string => `${"trim(".repeat(count)}${text}${")".repeat(count)}`;

  const lowers = Array.from({ length: 60 }, (_, index) => `tolower(substring(Text,${String(index)})) eq 'b'`);

  test.each(
    Object.entries({
      "nested trims": `$filter=${chain(9, ALL)} eq 'a'`,
      "a part of a part": `$filter=substring(substring(${ALL},1),1) eq 'a'`,
      "the length of a part": `$filter=length(substring(${ALL},1)) eq 1`,
      "the end of a text as long": `$filter=endswith(${ALL},${ALL})`,
      "many parts in lower case": `$filter=${lowers.join(" or ")}`,
      "two orders": `$orderby=${ALL},${ALL} desc`,
      "an order by a part": `$orderby=substring(${ALL},1)`,
    }),
  )("texts that a row would keep several times are refused: %s", async (_name, query) => {
    const { service } = await opened;
    const [status, text, megabytes] = await measure(service, query);
    expect([status, JSON.parse(text)]).toEqual([400, TOO_MUCH]);
    expect(megabytes).toBeLessThan(300);
  });

  test.each([`concat(${times(2, "tolower(Text)")},'!') eq 'a'`, `toupper(substring(Text,1)) eq 'A'`])(
    "long texts of many rows take the memory of one: %s",
    async (filter) => {
      const { service, close } = await serviceOver(engine, 1_000_000, 70);
      const [status, text, megabytes] = await measure(service, `$filter=${filter}`);
      expect([status, text]).toEqual([200, expect.stringContaining('"value":[]')]);
      expect(megabytes).toBeLessThan(100);
      await close();
    },
  );

  test("a text of 64 texts of 20 MB is refused before it is made", async () => {
    const { service, close } = await serviceOver(engine, 20_000_000);
    const [status, text, megabytes] = await measure(service, `$filter=contains(${ALL},'b')`);
    expect([status, JSON.parse(text)]).toEqual([400, TOO_MUCH]);
    expect(megabytes).toBeLessThan(100);
    await close();
  });

  test("the length of more than 64 MB is known without joining them", async () => {
    const { service, close } = await serviceOver(engine, 22_000_000);
    const [status, text] = await find(service, `length(${times(3, "Text")}) eq 66000000`);
    expect([status, text]).toEqual([200, expect.stringContaining('[{"Id":1}]')]);
    await close();
  });

  test("more than 64 MB are refused", async () => {
    const { service, close } = await serviceOver(engine, 22_000_000);
    const [status, text] = await find(service, `contains(${times(3, "Text")},'b')`);
    expect([status, JSON.parse(text)]).toEqual([
      400,
      {
        error: {
          code: "InvalidQueryOption",
          message: "'concat' makes a text of 66000000 bytes: combine fewer or shorter texts.",
        },
      },
    ]);
    await close();
  });
});

const TOO_LONG = {
  error: {
    code: "UnsupportedQueryOption",
    message: "MariaDB cannot evaluate the expression: a joined text is longer than 'max_allowed_packet' of the server.",
  },
};

const TOO_LONG_GROUP = {
  error: {
    code: "UnsupportedQueryOption",
    message:
      "MariaDB cannot evaluate the expression: an intermediate number is out of range, a text is not a number, or a value to sort by has more than 65,535 bytes.",
  },
};

const mariadb = ENGINES.filter(({ name }) => name === "mariadb");

describe.each(mariadb)("long texts over $title", (engine) => {
  // `max_allowed_packet` is 16 MiB by default: a longer result of `concat` would be null.
  const opened = serviceOver(engine, 6_000_000);
  afterAll(async () => (await opened).close());

  test.each([
    `contains(${times(3, "Text")},'a')`,
    `length(${times(3, "Text")}) eq 18000000`,
    `${times(3, "Text")} eq null`,
    `length(tolower(${sum("Text", "Text", "toupper(Text)")})) gt 0`,
  ])("a text is refused that is longer than the server allows: %s", async (filter) => {
    const { service } = await opened;
    const [status, text] = await find(service, filter);
    expect([status, JSON.parse(text)]).toEqual([400, TOO_LONG]);
  });

  test.each([
    `$select=Id,Joined&$compute=${times(3, "Text")} as Joined`,
    `$select=Id,Size&$compute=length(${times(3, "Text")}) as Size`,
    `$filter=Id eq 1&$select=Size&$compute=length(tolower(${times(3, "Text")})) as Size`,
    `$select=Id,Joined&$compute=${times(3, "Text")} as Joined&$count=true&$top=1`,
    `$apply=compute(${times(3, "Text")} as Joined)/groupby((Joined))`,
    `$apply=compute(length(${times(3, "Text")}) as Size)/groupby((Size),aggregate($count as Rows))`,
    `$apply=groupby((Mode),aggregate(Id with sum as Sum))/compute(${times(3, "Mode")} as Short)&$filter=length(${times(3, "Short")}) gt 100000`,
    `$apply=compute(${times(3, "Text")} as Joined)/aggregate(Joined with max as Most)`,
    `$apply=compute(${times(3, "Text")} as Joined)/filter(Joined eq null)/aggregate($count as Rows)`,
    `$apply=groupby((Text),aggregate(Id with sum as Sum))/compute(${times(3, "Text")} as Joined)`,
    `$apply=compute(${times(3, "Text")} as Joined)`,
    `$apply=groupby((Text))&$compute=length(${times(3, "Text")}) as Size`,
  ])("a computed text is never null because it is longer than the server allows: %s", async (query) => {
    const { service } = await opened;
    const response = await service.fetch(new Request(`http://service.example/Texts?${encodeURI(query)}`));
    const text = await response.text();
    if (query.includes("Short")) {
      expect([response.status, text]).toEqual([200, expect.stringContaining('"value":[]')]);
      return;
    }
    const expected = query.includes("groupby((Text)") ? TOO_LONG_GROUP : TOO_LONG;
    expect([response.status, JSON.parse(text)]).toEqual([400, expected]);
  });

  test("shorter texts are joined", async () => {
    const { service } = await opened;
    const [status, text] = await find(service, `length(${times(2, "Text")}) eq 12000000`);
    expect([status, text]).toEqual([200, expect.stringContaining('[{"Id":1}]')]);
  });

  // The longest text of the server is 16777216 bytes.
  describe("texts and a stored text", () => {
    const stored = serviceOver(engine, 1);
    beforeAll(async () => {
      const { db } = await stored;
      await sql`update texts set text = repeat('a', 16777210) where id = 1`.execute(db);
    });
    afterAll(async () => (await stored).close());

    test.each([
      "concat(Text,'123456') ne null",
      "concat('é',Text) ne null and Id eq 1",
      "concat(Text,@p) ne null&@p='123456'",
      "concat(Text,Mode) ne null",
    ])("are joined if they fit: %s", async (filter) => {
      const [status, text] = await find((await stored).service, filter);
      expect([status, text]).toEqual([200, expect.stringMatching(/\[\{"Id":1\}/)]);
    });

    test.each([
      "concat(Text,'1234567') eq null",
      "concat('é',concat(Text,'12345')) eq null",
      "concat(Text,@p) eq null&@p='1234567'",
      "concat(Text,concat(Mode,Mode)) eq null",
    ])("are refused if they do not: %s", async (filter) => {
      const [status, text] = await find((await stored).service, filter);
      expect([status, JSON.parse(text)]).toEqual([400, TOO_LONG]);
    });
  });
});
