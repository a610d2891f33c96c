import type { DescribedWarning } from "odatakit/introspect";
import { expect, test } from "vitest";
import { bannerLines } from "../../../src/tools/cli/serve/banner.ts";

type BannerFacts = Parameters<typeof bannerLines>[0];

const warning = (code: string, place: string): DescribedWarning => ({ code, place, message: "is odd", flag: null });

/** The lines of a banner without its first one. */
function lines(
  settings: Partial<BannerFacts["settings"]>,
  warnings: readonly DescribedWarning[] = [],
  shown: string | null = null,
  sets: readonly object[] = [],
): readonly string[] {
  const facts = {
    url: "http://h/odata",
    settings: {
      auth: null,
      isAnonymous: false,
      write: null,
      rules: { maxTop: 5, indexedOnly: false },
      timeout: 500,
      paging: "keyset",
      hasOpenApi: false,
      limits: [],
      ...settings,
    },
    loaded: {
      opened: { kind: "postgres", shown: shown ?? "postgres://h/d", file: null },
      found: { schema: { product: "PostgreSQL 15" }, warnings, described: { sets } },
    },
    version: "1",
    ms: 1,
    hasOwnSecret: true,
    warnings: [],
  };
  return bannerLines(facts as unknown as BannerFacts).slice(4, shown === null ? -2 : -1);
}

test.each([
  ["data/shop.db", "data/shop.db"],
  ["My Shop.db", '"My Shop.db"'],
  [`a"b$c.db`, String.raw`"a\"b\$c.db"`],
  ["postgres://app@h/d?a=1&b=2", '"postgres://app@h/d?a=1&b=2"'],
  ["postgres://app:***@h/d", "<db>"],
])("proposes to pull %s", (shown, expected) => {
  expect(lines({}, [], shown).at(-1)).toBe(`  Eject  npx odatakit pull ${expected} --out src/model`);
});

const COUNTS = "  0 entity sets, 0 properties, 0 navigations. ";

test.each([
  [{}, "Anonymous read access from this machine"],
  [{ isAnonymous: true }, "Anonymous read access"],
  [{ auth: "key" }, "read access with an API key"],
  [{ auth: "basic", write: "all" }, "read and write access with a password"],
] as const)("shows the access of users: %j", (settings, text) => {
  expect(lines(settings)).toEqual([`${COUNTS}${text}; 5 rows a page, 0.5 s a query.`]);
});

test("shows the limits that differ from the default", () => {
  expect(lines({ limits: ["--pool 2", "--max-body 2MiB"] }).slice(1)).toEqual(["  Limits    --pool 2 --max-body 2MiB"]);
});

test.each([
  [[3], "  3 rows of 1 entity set left out, without a key."],
  [[1, 0, 2], "  3 rows of 2 entity sets left out, without a key."],
  [[null, 1], "  1 row or more of 2 entity sets left out, without a key."],
])("counts rows without a key: %j", (rows, expected) => {
  const sets = rows.map((leftOutRows) => ({ setName: "A", properties: [], navigations: [], leftOutRows }));
  expect(lines({}, [], null, sets)[1]).toBe(expected);
});

test("shows severe warnings first", () => {
  const warnings = [warning("secret", "T1"), warning("text-xml", "T2"), warning("unreadable-key", "T3")];
  expect(lines({}, warnings).slice(2)).toEqual(["T3", "T1", "T2"].map((place) => `    ${place}  is odd`));
});

test("groups warnings by cause, and shows eight", () => {
  const warnings = ["a", "a", "b", "c", "d", "e", "f", "g", "h", "i"].map((code, at) =>
    warning(code, `T${String(at)}`),
  );
  expect(lines({}, warnings).slice(1)).toEqual([
    "  10 warnings",
    "    T0 and 1 more  is odd",
    ...["T2", "T3", "T4", "T5", "T6", "T7", "T8"].map((place) => `    ${place}  is odd`),
    "    1 other kind: `odatakit inspect` lists all",
  ]);
});
