import { readFileSync, writeFileSync } from "node:fs";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, describe, expect, test } from "vitest";
import { createTable, ENGINES, insertRow, type DatabaseEngine } from "../executors/engines.ts";

/** Concatenations of many texts are joined at once: joined one by one, they would take memory for each intermediate text. */

const Text = entityType("Text", { id: edm.int32().key(), text: edm.string().nullable(), other: edm.string() });

async function serviceOver(engine: DatabaseEngine, length: number) {
  const opened = await engine.open();
  const long = engine.name === "mariadb" ? "longtext" : "text";
  await createTable(opened, "texts", { id: "int primary key", text: long, other: `${long} not null` });
  const { db, close } = opened;
  const rows = [
    [1, "a".repeat(length), "b"],
    [2, null, "é"],
    [3, "", "\u{1F600}"],
  ] as const;
  for (const row of rows) await insertRow(opened, "texts", row);
  const service = odataService({
    schemaCheck: false,
    entitySets: [sqlEntitySet(Text, { name: "Texts", db, table: "texts", operations: ["read"] })],
  });
  return { service, close };
}

const sum = (...texts: readonly string[]): string => texts.reduce((inner, text) => `concat(${inner},${text})`);
const times = (count: number, text: string): string => sum(...Array.from({ length: count }, () => text));

type Service = Awaited<ReturnType<typeof serviceOver>>["service"];

async function find(service: Service, filter: string): Promise<readonly [status: number, text: string]> {
  const response = await service.fetch(
    new Request(`http://service.example/Texts?$select=Id&$orderby=Id&$filter=${encodeURIComponent(filter)}`),
  );
  return [response.status, await response.text()];
}

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
  const peak = (): number => Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
  const now = (): number => Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;

  test.each([`length(${times(64, "Text")}) eq 64000000`, `endswith(${times(64, "Text")},'a')`])(
    "64 texts of a megabyte take less than 400 MB: %.10s",
    async (filter) => {
      const { service } = await opened;
      await find(service, "length(Text) eq 1");
      // Sets the peak to the present.
      writeFileSync("/proc/self/clear_refs", "5");
      const before = now();
      const [status, text] = await find(service, filter);
      expect([status, text]).toEqual([200, expect.stringContaining('[{"Id":1}]')]);
      expect(peak() - before).toBeLessThan(400);
    },
  );

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
