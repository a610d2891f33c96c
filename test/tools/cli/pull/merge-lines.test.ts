import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeLines } from "../../../../src/tools/cli/pull/merge-lines.ts";
import { caseCount } from "../../../cases.ts";

const BASE = `import { edm, entityType, hasMany } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { db } from "./database.ts";
import { Order } from "./order.ts";

export const Customer = entityType("Customer", {
  id: edm.int32().key().computed(),
  name: edm.string({ maxLength: 40 }),
  fax: edm.string().nullable(),
  since: edm.date(),
});

export const customers = sqlEntitySet(Customer, {
  db,
  table: "customers",
  operations: ["read"],
  columns: {
    fax: "fax_number",
  },
  navigation: {
    orders: hasMany(() => Order, { on: { id: "customerId" }, target: "Orders" }),
  },
});
`;

type Change = (text: string) => string;

function replaced(from: string, to: string): Change {
  return (text) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  };
}

const EDITS: Readonly<Record<string, Change>> = {
  "renames a property": (text) =>
    replaced("    fax:", "    telefax:")(replaced("  fax: edm.string()", "  telefax: edm.string()")(text)),
  "changes a type": replaced("since: edm.date()", "since: edm.dateTimeOffset()"),
  "removes a property": replaced("  name: edm.string({ maxLength: 40 }),\n", ""),
  "adds lines at the end of the properties": replaced(
    "  since: edm.date(),\n",
    "  since: edm.date(),\n  // Points of loyalty.\n  points: edm.int32(),\n",
  ),
  "adds lines before the properties": replaced("  id: edm.int32()", "  rank: edm.int32(),\n  id: edm.int32()"),
  "adds a comment": replaced("export const Customer", "// Who buys.\nexport const Customer"),
  "adds options": replaced('operations: ["read"],', 'operations: ["read", "create"],\n  etag: ["name"],'),
  "imports a name": replaced("{ edm, entityType, hasMany }", "{ authenticated, edm, entityType, hasMany }"),
  "imports a module": replaced('from "./database.ts";', 'from "./database.ts";\nimport { rules } from "./rules.ts";'),
  "adds a function at the end": (text) => `${text}\nexport function f(): void {}\n`,
};

const CHANGES: Readonly<Record<string, Change>> = {
  "a new column at the end": (text) =>
    replaced(
      "  columns: {\n",
      '  columns: {\n    vatId: "vat_id",\n',
    )(replaced("  since: edm.date(),\n});", "  since: edm.date(),\n  vatId: edm.string(),\n});")(text)),
  "a new column in the middle": replaced(
    "  name: edm.string({ maxLength: 40 }),\n",
    "  name: edm.string({ maxLength: 40 }),\n  city: edm.string(),\n",
  ),
  "a new navigation": (text) =>
    replaced(
      '"./order.ts";',
      '"./order.ts";\nimport { Tag } from "./tag.ts";',
    )(
      replaced(
        "  navigation: {\n",
        '  navigation: {\n    tag: hasOptional(() => Tag, { target: "Tags" }),\n',
      )(replaced("{ edm, entityType, hasMany }", "{ edm, entityType, hasMany, hasOptional }")(text)),
    ),
};

function linesOf(text: string): readonly string[] {
  return text.split("\n");
}

describe.each(Object.entries(CHANGES))("after %s", (_change, change) => {
  test.each(Object.entries(EDITS))("an edit survives that %s", (_edit, edit) => {
    const { lines, conflicts, ownEdits } = mergeLines(linesOf(BASE), linesOf(edit(BASE)), linesOf(change(BASE)));
    expect(conflicts).toEqual([]);
    expect(ownEdits).toBeGreaterThan(0);
    const isOwn = (line: string): boolean => line !== "" && !line.startsWith("import");
    const without = (text: string, other: string): readonly string[] =>
      linesOf(text).filter((line) => isOwn(line) && !linesOf(other).includes(line));
    const [yours, theirs] = [edit(BASE), change(BASE)];
    expect(lines).toEqual(expect.arrayContaining([...without(yours, BASE), ...without(theirs, BASE)]));
    const gone = new Set([...without(BASE, yours), ...without(BASE, theirs)]);
    expect(lines.filter((line) => gone.has(line))).toEqual([]);
    const kept = linesOf(BASE).filter((line) => isOwn(line) && !gone.has(line));
    expect(lines.filter((line) => isOwn(line) && linesOf(BASE).includes(line))).toEqual(kept);
  });
});

test("imports are merged by name", () => {
  const merged = (yours: string, theirs: string): readonly string[] =>
    mergeLines(['import { b } from "m";', ""], [yours, ""], [theirs, ""]).lines;
  expect(merged('import { a, b } from "m";', 'import { b, c } from "m";')).toEqual([
    'import { a, b, c } from "m";',
    "",
  ]);
  expect(merged('import { b, a } from "m";', 'import { b, c } from "m";')).toEqual([
    'import { b, a, c } from "m";',
    "",
  ]);
  expect(merged('import { a } from "m";', 'import { c } from "m";')).toEqual(['import { a, c } from "m";', ""]);
  const { lines } = mergeLines(
    ['import { b } from "m";', ""],
    ['import { a, b } from "m";', 'import { x } from "x";', ""],
    ['import { c } from "m";', 'import { y } from "y";', ""],
  );
  expect(lines).toEqual(['import { a, c } from "m";', 'import { x } from "x";', 'import { y } from "y";', ""]);
});

test("lists of searched properties are merged by name", () => {
  const merged = (base: string, yours: string, theirs: string): string => {
    const [old, mine, made] = [base, yours, theirs].map((names) => [`  search: [${names}],`, ""]);
    const { lines, conflicts } = mergeLines(old ?? [], mine ?? [], made ?? []);
    return conflicts.length > 0 ? "conflict" : lines.join("\n");
  };
  expect(merged('"title"', '"name"', '"title", "added"')).toBe('  search: ["name", "added"],\n');
  expect(merged('"title", "fax"', '"name", "fax"', '"title"')).toBe('  search: ["name"],\n');
  expect(merged('"title"', "", '"added"')).toBe('  search: ["added"],\n');
  expect(merged('"fax"', '"fax", "a"', "")).toBe('  search: ["a"],\n');
  expect(merged('"a"', "...own", '"b"')).toBe("conflict");
  const long = "x".repeat(60);
  expect(merged('"title"', '"name"', `"title", "${long}"`)).toBe(`  search: [\n    "name",\n    "${long}",\n  ],\n`);
});

describe("conflicts", () => {
  const drop = (text: string): string =>
    replaced('    fax: "fax_number",\n', "")(replaced("  fax: edm.string().nullable(),\n", "")(text));

  test("a column that was dropped, and that you renamed", () => {
    const yours = EDITS["renames a property"]?.(BASE) ?? "";
    const { lines, conflicts } = mergeLines(linesOf(BASE), linesOf(yours), linesOf(drop(BASE)));
    expect(conflicts).toEqual([
      {
        line: 9,
        base: ["  fax: edm.string().nullable(),"],
        yours: ["  telefax: edm.string().nullable(),"],
        theirs: [],
      },
      { line: 18, base: ['    fax: "fax_number",'], yours: ['    telefax: "fax_number",'], theirs: [] },
    ]);
    expect(lines).toEqual(linesOf(yours));
  });

  test("their lines are those of your text, after other edits", () => {
    const yours = replaced("fax: edm.string()", "fax: edm.guid()")(EDITS["adds a comment"]?.(BASE) ?? "");
    const { conflicts } = mergeLines(linesOf(BASE), linesOf(yours), linesOf(drop(BASE)));
    expect(conflicts.map(({ line, yours: lines }) => [line, lines])).toEqual([[10, ["  fax: edm.guid().nullable(),"]]]);
  });

  test("a type that both changed", () => {
    const change = (type: string): readonly string[] => linesOf(BASE.replace("edm.date()", type));
    const both = mergeLines(linesOf(BASE), change("edm.string()"), change("edm.int64()"));
    expect(both.conflicts).toHaveLength(1);
    expect(mergeLines(linesOf(BASE), change("edm.string()"), change("edm.string()")).conflicts).toEqual([]);
  });

  test("a property that both added, in different places", () => {
    const yours = replaced("  id: edm.int32()", "  city: edm.guid(),\n  id: edm.int32()")(BASE);
    const { conflicts } = mergeLines(
      linesOf(BASE),
      linesOf(yours),
      linesOf(CHANGES["a new column in the middle"]?.(BASE) ?? ""),
    );
    expect(conflicts).toEqual([
      { line: 7, base: [], yours: ["  city: edm.guid(),"], theirs: ["  city: edm.string(),"] },
    ]);
  });

  test("the same property and column, in one place", () => {
    const add = (type: string): readonly string[] =>
      linesOf(BASE.replace("  since: edm.date(),\n", `  since: edm.date(),\n  city: ${type},\n`));
    expect(mergeLines(linesOf(BASE), add("edm.guid()"), add("edm.string()")).conflicts).toHaveLength(1);
  });
});

describe("entries of several lines", () => {
  const entry = (name: string): string => `    ${name}: hasMany(() => Order, {\n      target: "Orders",\n    }),\n`;
  const text = (...names: readonly string[]): readonly string[] =>
    linesOf(`export const x = f({\n  navigation: {\n${names.map(entry).join("")}  },\n});\n`);

  test.each([
    [["a"], ["a", "b"], ["a", "c"], ["a", "c", "b"]],
    [["a"], ["b", "a"], ["c", "a"], ["c", "b", "a"]],
    [
      ["a", "d"],
      ["a", "b", "d"],
      ["a", "c", "d"],
      ["a", "c", "b", "d"],
    ],
    [["a", "d"], ["a"], ["a", "d", "c"], ["a", "c"]],
    [["a", "d"], ["d"], ["a", "c", "d"], ["c", "d"]],
  ])("%j, yours %j, database %j: %j", (base, yours, theirs, merged) => {
    const result = mergeLines(text(...base), text(...yours), text(...theirs));
    expect(result.conflicts).toEqual([]);
    expect(result.lines).toEqual(text(...merged));
  });
});

/** Texts with few different lines, so that they have much in common. */
const TEXTS = fc.array(fc.constantFrom("a: 1,", "b: 2,", "x: {", "},", "", "  c: 3,", 'import { a } from "b";'), {
  maxLength: 12,
});

describe("any texts", () => {
  test("without edits the result is the new text; without changes it is yours", () => {
    fc.assert(
      fc.property(TEXTS, TEXTS, (base, other) => {
        expect(mergeLines(base, base, other)).toEqual({ lines: other, conflicts: [], ownEdits: 0 });
        expect(mergeLines(base, other, base)).toMatchObject({ lines: other, conflicts: [] });
        expect(mergeLines(base, other, other)).toMatchObject({ lines: other, conflicts: [] });
      }),
      { numRuns: caseCount(5000) },
    );
  });

  test("without a conflict, each line that both sides keep or one side adds is there", () => {
    fc.assert(
      fc.property(TEXTS, TEXTS, TEXTS, (base, yours, theirs) => {
        const { lines, conflicts } = mergeLines(base, yours, theirs);
        if (conflicts.length > 0) return;
        for (const line of yours) {
          const isOwn = !base.includes(line) && !line.startsWith("import");
          if (isOwn) expect(lines).toContain(line);
        }
        for (const line of theirs) {
          const isNew = !base.includes(line) && !line.startsWith("import");
          if (isNew) expect(lines).toContain(line);
        }
      }),
      { numRuns: caseCount(5000) },
    );
  });
});
