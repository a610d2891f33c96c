import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import type { Service } from "./doors.ts";
import { fillTables, OTHER_STAFF, STAFF, staffLists, type StaffData, staffTables, STYLES } from "./staff-model.ts";
import { NAMING, READS } from "./staff-requests.ts";

/**
 * Properties that no allowlist has: requests that name them are refused on every route, and filters, orders, groups, aggregates
 * and computed values are the same for two databases that differ only in these properties.
 */

const ALLOWLISTS = ["filterProperties", "orderByProperties", "selectProperties"] as const;
/** Allowlists of these properties; those of `$apply` are the same without their own settings. */
const listed = (properties: readonly string[], own: boolean): object => ({
  authorization: {},
  ...Object.fromEntries(ALLOWLISTS.map((name) => [name, properties])),
  ...(own ? { groupByProperties: properties, aggregateProperties: properties } : {}),
});
const FIELDS = ["id", "name", "grade", "departmentId", "bossId", "version", "department", "boss", "team"];
const optionsOf = (own: boolean) =>
  [{ ...listed(FIELDS, own), search: undefined }, listed(["id", "name", "employees"], own)] as const;

interface Form {
  readonly title: string;
  readonly open: (data: StaffData) => Promise<{ readonly service: Service; readonly close: () => Promise<void> }>;
}

const FORMS: readonly Form[] = [true, false].flatMap((own) => {
  const [ofEmployees, ofDepartments] = optionsOf(own);
  const more = own ? "" : ", without those of $apply";
  return [
    ...STYLES.map((style) => ({
      title: style + more,
      open: (data: StaffData) =>
        Promise.resolve({
          service: staffLists(data, style, ofEmployees, ofDepartments).service,
          close: () => Promise.resolve(),
        }),
    })),
    ...ENGINES.map((engine) => ({
      title: engine.title + more,
      open: async (data: StaffData) => {
        const { db, close } = await engine.open();
        await fillTables(db, engine.name, data);
        return { service: staffTables(db, ofEmployees, ofDepartments).service, close };
      },
    })),
  ];
});

/** The paths of options, because properties have separate routes, and expansions have no allowlists of names. */
const NAMED = NAMING.filter(([path]) => path.includes("?"));
/** Reads that show no whole entity. */
const APPLIED = READS.filter(
  ({ path }) => /\$apply=.*(?:groupby|aggregate)/u.test(path) && !/concat|search/u.test(path),
);

async function answersOf({ open }: Form, data: StaffData, paths: readonly string[]): Promise<string[]> {
  const { service, close } = await open(data);
  try {
    const found: string[] = [];
    for (const path of paths) {
      const response = await service.fetch(new Request(`http://service.example/s/${path}`));
      const lines = [...response.headers].filter(([name]) => name !== "x-request-id").map((pair) => pair.join(": "));
      found.push([path, response.status, ...lines.toSorted(), await response.text()].join("\n"));
    }
    return found;
  } finally {
    await close();
  }
}

describe.each(FORMS)("properties outside of allowlists: $title", (form) => {
  test("are refused wherever an option names them", async () => {
    const paths = NAMED.map(([path]) => path);
    const answers = await answersOf(form, STAFF, paths);
    // Not every form has all routes.
    expect(answers.filter((text) => !/^40[045]$/u.test(text.split("\n")[1] ?? ""))).toEqual([]);
    expect(await answersOf(form, OTHER_STAFF, paths)).toEqual(answers);
  });

  test("change no group, aggregate and number", async () => {
    const paths = APPLIED.map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(5);
    const answers = await answersOf(form, STAFF, paths);
    expect(await answersOf(form, OTHER_STAFF, paths)).toEqual(answers);
    const succeeded = answers.filter((text) => text.split("\n")[1] === "200");
    // A handler may refuse steps.
    if (!form.title.startsWith("applied")) expect(succeeded.length).toBe(paths.length);
  });
});
