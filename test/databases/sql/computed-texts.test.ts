import { edm, entitySet, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, describe, expect, test } from "vitest";
import { createTable, ENGINES, insertRow, type DatabaseEngine } from "../../engine/executors/engines.ts";
import { memoryGrowth } from "../../memory-growth.ts";

/**
 * A computed text is judged by the bytes of its parts before it is made, on every engine: one text has at most 16,000,000, and
 * an equal share of the 64,000,000 that all functions of a request have together.
 */

/** So many functions have 256,000 bytes each. */
const CALLS = 250;
const HALF = 128_000;
const TYPES = { sqlite: ["text", "blob"], postgres: ["text", "bytea"], mariadb: ["longtext", "longblob"] };

const Text = entityType("Text", {
  id: edm.int32().key(),
  half: edm.string(),
  wide: edm.string(),
  long: edm.string(),
  missing: edm.string().nullable(),
  bytes: edm.binary(),
});

/** One row: conditions of several rows are evaluated in different orders. */
const ROW = {
  id: 1,
  half: "a".repeat(HALF),
  wide: "é".repeat(HALF / 2),
  long: "c".repeat(300_000),
  missing: null,
  bytes: new Uint8Array(HALF),
};

const settings = {
  schemaCheck: false,
  defaults: { computeEnabled: true, applyEnabled: true, maxUrlLength: null, maxNodeCount: null },
} as const;

type Service = ReturnType<typeof odataService>;
interface Opened {
  readonly service: Service;
  readonly close: () => Promise<void>;
}

/** The same row with longer texts. */
const LARGE = { ...ROW, id: 2, half: "a".repeat(8_000_000) };

function overMemory(): Promise<Opened> {
  const sets = [ROW, LARGE].map((row) => entitySet(Text, { name: nameOf(row), getAll: () => [row] }));
  return Promise.resolve({ service: odataService({ ...settings, entitySets: sets }), close: () => Promise.resolve() });
}

async function overTables(engine: DatabaseEngine): Promise<Opened> {
  const opened = await engine.open();
  const { db, close } = opened;
  const [text = "", bytes = ""] = TYPES[engine.name];
  const columns = { half: text, wide: text, long: text, missing: text, bytes };
  const sets = [];
  for (const row of [ROW, LARGE]) {
    const name = nameOf(row);
    await createTable(opened, name, { id: "int primary key", ...columns });
    await insertRow(opened, name, Object.values(row));
    sets.push(sqlEntitySet(Text, { name, db, table: name, operations: ["read"] }));
  }
  return { service: odataService({ ...settings, entitySets: sets }), close };
}

function nameOf(row: typeof ROW): string {
  return row === ROW ? "Texts" : "Larges";
}

const PLACES: ReadonlyArray<readonly [title: string, open: () => Promise<Opened>]> = [
  ["a list in memory", overMemory],
  ...ENGINES.map((engine) => [engine.title, () => overTables(engine)] as const),
];

const REFUSED = {
  status: 400,
  headers: {
    "content-type": "application/json;odata.metadata=minimal",
    "odata-version": "4.0",
  },
  body: {
    error: {
      code: "InvalidQueryOption",
      message:
        "The texts that a query computes from one entity have at most 64000000 bytes, and each function an equal share: call fewer functions, or combine shorter texts.",
    },
  },
};

async function ask(service: Service, query: string, set = "Texts") {
  const response = await service.fetch(new Request(`http://x/${set}?${encodeURI(query)}`));
  const { "content-type": type, "odata-version": version } = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers: { "content-type": type, "odata-version": version },
    body: await response.json(),
  };
}

const many = (count: number, make: (index: number) => string, separator: string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator);

const TEXT_CALLS = /\b(?:concat|tolower|toupper|trim|substring)\(|\bcast\(Bytes/gu;

/** Adds conditions with functions of short texts to a query, up to CALLS. */
function amongMany(query: string): string {
  const own = query.match(TEXT_CALLS)?.length ?? 0;
  const others = many(CALLS - own, () => "trim('x') eq 'x'", " and ");
  const options = query.split("&");
  const at = options.findIndex((option) => option.startsWith("$filter="));
  if (at < 0) return [...options, `$filter=${others}`].join("&");
  return options.with(at, `${String(options[at])} and ${others}`).join("&");
}

describe.each(PLACES)("over %s", (_title, open) => {
  const opened = open();
  afterAll(async () => (await opened).close());

  const found = async (query: string, set: string, ids: readonly number[]): Promise<void> => {
    const { status, body } = await ask((await opened).service, `$select=Id&${query}`, set);
    expect({ status, body }).toEqual({
      status: 200,
      body: { "@odata.context": `http://x/$metadata#${set}(Id)`, value: ids.map((Id) => ({ Id })) },
    });
  };

  test.each([
    "$filter=length(concat(Half,Half)) eq 256000",
    "$filter=contains(concat(Wide,Half),'é')",
    "$filter=length(concat(Half,@p)) eq 256000&@p='" + "p".repeat(HALF) + "'",
    "$filter=concat(substring(Long,0,100),'!') gt 'ccc'",
    "$filter=length(concat(substring(Long,7,64000),'')) eq 64000",
    "$filter=substring(Long,0,64000) gt 'c'",
    "$filter=length(toupper(tolower(Half))) eq 128000",
    "$filter=concat(Long,Missing) eq null",
    "$filter=concat(Long,null) eq null",
    "$filter=concat(substring(Long,0,-1),Half) eq Half",
    "$filter=length(cast(Bytes,Edm.String)) eq 170667",
  ])("computes among 250 functions %s", (query) => found(amongMany(query), "Texts", [1]));

  test.each([
    "$filter=contains(concat(Half,concat(Half,Half)),'a')",
    "$filter=length(concat(concat(Wide,Wide),Wide)) gt 0",
    "$filter=concat(Long,'') ne null",
    "$filter=concat(Half,@p) ne null&@p='" + "p".repeat(HALF + 1) + "'",
    "$filter=concat(substring(Long,0,64001),'') ne null",
    "$filter=concat(substring(tolower(Long),0,1),'') ne null",
    "$filter=tolower(Long) eq 'x'",
    "$filter=contains(toupper(Long),'x')",
    "$filter=tolower(trim(Long)) eq 'x'",
    "$filter=length(substring(Long,1)) eq 1",
    "$filter=endswith(Half,concat(Long,'a'))",
    "$filter=indexof(concat(Long,'a'),'a') gt 1",
    "$filter=concat(Long,'a') in ('a','b')",
    "$filter=concat(cast(Bytes,Edm.String),'a') eq 'x'",
    "$filter=Id eq 1 and not (concat(Long,'a') eq 'a')",
    "$orderby=concat(Long,'a') desc,Id",
    "$compute=concat(Long,'a') as Made&$select=Id,Made",
    "$compute=length(concat(Long,'a')) as Size&$select=Size&$count=true",
    "$compute=concat(Half,Half) as Two&$filter=length(concat(Two,Half)) gt 1&$select=Id",
    "$apply=compute(concat(Long,'a') as Made)/aggregate(Made with max as Most)",
    "$apply=filter(contains(concat(Long,'a'),'a'))/aggregate($count as Rows)",
    "$apply=aggregate(Half with max as Most)/compute(length(concat(Most,concat(Most,Most))) as Size)",
  ])("refuses among 250 functions %s", async (query) => {
    expect(await ask((await opened).service, amongMany(query))).toEqual(REFUSED);
  });

  test.each([
    "length(concat(Half,Half)) eq 16000000",
    "length(concat(concat(Half,Long),Long)) eq 8600000",
    "length(trim(Half)) eq 8000000",
    "contains(tolower(Half),'a')",
  ])("computes among few functions %s", (filter) => found(`$filter=${filter}`, "Larges", [2]));

  test.each([
    "length(concat(concat(Half,Half),'c')) gt 0",
    "contains(concat(Half,concat(Half,Long)),'b')",
    many(9, (index) => `contains(tolower(Half),'b${String(index)}')`, " or "),
    many(9, (index) => `length(substring(Half,${String(index)})) eq 1`, " or "),
  ])("refuses among few functions %s", async (filter) => {
    expect(await ask((await opened).service, `$filter=${filter}`, "Larges")).toEqual(REFUSED);
  });

  test.each([
    [
      "uses of a computed name",
      `$compute=tolower(Half) as Low&$filter=${many(9, (i) => `contains(Low,'b${String(i)}')`, " or ")}`,
    ],
    [
      "functions of several options",
      `$filter=contains(tolower(Half),'b')&$orderby=${many(8, (i) => `length(substring(Half,${String(i)}))`, ",")}`,
    ],
    [
      "functions of 64 texts",
      `$filter=${many(4, (i) => `contains(${many(63, () => "concat(", "")}Half${many(63, () => ",Half)", "")},'b${String(i)}')`, " or ")}`,
    ],
  ])("refuses %s that take too much memory together, before a text is made", async (_what, query) => {
    const { service } = await opened;
    let answer: unknown;
    const megabytes = await memoryGrowth(async () => {
      answer = await ask(service, query, "Larges");
    });
    expect(answer).toEqual(REFUSED);
    expect(megabytes).toBeLessThan(150);
  });

  test("holds little more than the texts that all functions may make", async () => {
    const items = many(
      60,
      (index) => `length(concat(concat(Half,Half),'')) add ${String(index)} as S${String(index)}`,
      ",",
    );
    const names = many(60, (index) => `S${String(index)}`, ",");
    const { service } = await opened;
    let answer: Awaited<ReturnType<typeof ask>> | undefined;
    const megabytes = await memoryGrowth(async () => {
      answer = await ask(service, `$compute=${items}&$select=${names}`);
    });
    expect([answer?.status, answer?.body]).toEqual([
      200,
      expect.objectContaining({ value: [expect.objectContaining({ S59: 256_059 })] }),
    ]);
    expect(megabytes).toBeLessThan(300);
  });
});
