import { expect, test } from "vitest";
import { CsvFile, type CsvColumn, MAX_CSV_ROWS } from "../../../explorer/src/format/csv.ts";
import { COLOR, primitive } from "./sample-model.ts";

function column(title: string, type: string | null, path = [title]): CsvColumn {
  return { title, path, type: type === null ? null : primitive(type) };
}

/** Reads CSV as RFC 4180 defines it. */
function parse(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gu)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

async function textOf(file: CsvFile): Promise<string> {
  return new TextDecoder().decode(await file.toBlob().arrayBuffer());
}

test("writes exact values, and null apart from empty text", async () => {
  const file = new CsvFile([
    column("Id", "Int64"),
    column("Total", "Decimal"),
    column("Name", "String"),
    column("X", "Double"),
  ]);
  const page = [
    { Id: "9223372036854775807", Total: "-0.10", Name: 'a "b", c\r\nd', X: 0.1 },
    { Id: "1", Total: null, Name: "", X: "INF" },
    { Id: "2", Total: "1", Name: " x ", X: -1.5e300 },
  ];
  expect(file.append(page)).toBe(3);
  expect(await textOf(file)).toBe(
    'Id,Total,Name,X\r\n9223372036854775807,-0.10,"a ""b"", c\r\nd",0.1\r\n1,,"",INF\r\n2,1," x ",-1.5e+300\r\n',
  );
  expect(parse(await textOf(file))[1]).toEqual(["9223372036854775807", "-0.10", 'a "b", c\r\nd', "0.1"]);
});

test("begins with a byte order mark", async () => {
  const file = new CsvFile([column("Größe", "String")]);
  const bytes = new Uint8Array(await file.toBlob().arrayBuffer());
  expect(Array.from(bytes.slice(0, 5))).toEqual([0xef, 0xbb, 0xbf, 0x47, 0x72]);
  expect(file.toBlob().type).toBe("text/csv;charset=utf-8");
});

test.for(["=1+1", "+1", "-1+1", "-1", "@SUM(A1)", " =1", "＝1", "\u200B=1", "\u0000=1", "\uFEFF =1", "\u00AD-1"])(
  "makes a text of the formula %j",
  async (formula) => {
    const file = new CsvFile([column("Name", "String")]);
    file.append([{ Name: formula }]);
    expect(parse(await textOf(file))[1]).toEqual([`'${formula}`]);
  },
);

test.for([
  ["x;=1+1", "x;'=1+1"],
  ["x\t=1+1", "x\t'=1+1"],
  ["x; \u200B@A1;-1", "x;' \u200B@A1;'-1"],
  ["x\r\n=1", "x\r\n'=1"],
  ["\t=1", "'\t'=1"],
  ["\rx", "'\rx"],
  ["a=b, -c; d - e", "a=b, -c; d - e"],
] as const)("makes a text of the formula after a separator in %j", async ([text, expected]) => {
  const file = new CsvFile([column(text, "String", ["Name"])]);
  file.append([{ Name: text }]);
  expect(parse(await textOf(file))).toEqual([[expected], [expected]]);
});

test("reads long runs of separators and blanks in linear time", async () => {
  const file = new CsvFile([column("Name", "String")]);
  file.append([{ Name: `${";".repeat(50_000)}${" ".repeat(50_000)}x` }]);
  expect((await textOf(file)).length).toBe(100_009);
});

test("leaves the sign of numbers, and makes texts of dates and durations with a sign", async () => {
  const columns = [
    column("A", "Decimal"),
    column("B", "Date"),
    column("C", "Duration"),
    column("D", "Double"),
    column("Sum", null),
    column("Text", null),
  ];
  const file = new CsvFile(columns);
  file.append([{ A: "-1.5", B: "-0001-01-01", C: "-PT5S", D: "-INF", Sum: "-12.50", Text: "-cmd" }]);
  expect(parse(await textOf(file))[1]).toEqual(["-1.5", "'-0001-01-01", "'-PT5S", "'-INF", "-12.50", "'-cmd"]);
});

test("follows paths, and writes nested values as JSON", async () => {
  const columns = [
    column("Customer", "String", ["Customer", "Name"]),
    column("Tags", null),
    { title: "Color", path: ["Color"], type: { kind: "enum", enum: COLOR } as const },
  ];
  const file = new CsvFile(columns);
  file.append([{ Customer: { Name: "Ann" }, Tags: ["a", "b"], Color: "Red" }, { Customer: null }]);
  expect(parse(await textOf(file))).toEqual([
    ["Customer", "Tags", "Color"],
    ["Ann", '["a","b"]', "Red"],
    ["", "", ""],
  ]);
});

test("takes 100,000 rows", () => {
  const file = new CsvFile([column("Id", "Int32")]);
  const page = Array.from({ length: 60_000 }, (_, Id) => ({ Id }));
  expect([file.append(page), file.isFull, file.append(page), file.isFull, file.append(page)]).toEqual([
    60_000,
    false,
    40_000,
    true,
    0,
  ]);
  expect(file.rows).toBe(MAX_CSV_ROWS);
});
