import { edm, entityType, enumType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { createTable, ENGINES, insertRow, type DatabaseEngine } from "../../engine/executors/engines.ts";

/** Concatenations of many texts, which are joined at once. */

const Mode = enumType("Mode", { Plain: 0 });
const Text = entityType("Text", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  other: edm.string(),
  mode: edm.enum(Mode).nullable(),
});

async function serviceOver(engine: DatabaseEngine) {
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
    [1, "a", "b", "Plain"],
    [2, null, "é", null],
    [3, "", "\u{1F600}", null],
  ] as const;
  for (const row of rows) await insertRow(opened, "texts", row);
  const service = odataService({
    schemaCheck: false,
    defaults: { computeEnabled: true, applyEnabled: true },
    entitySets: [sqlEntitySet(Text, { name: "Texts", db, table: "texts", operations: ["read"] })],
  });
  return { service, close };
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
    const { service, close } = await serviceOver(engine);
    const [status, text] = await find(service, filter);
    expect([status, text]).toEqual([200, expect.stringContaining(JSON.stringify(ids.map((id) => ({ Id: id }))))]);
    await close();
  });
});
