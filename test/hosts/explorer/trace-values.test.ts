import { expect, test } from "vitest";
import type { PastedStatement } from "../../../src/definition/logger.ts";
import { Traces } from "../../../src/hosts/explorer/traces.ts";

const REQUEST = { id: "1", method: "GET", target: "/odata/Orders" };

test("a trace shows each kind of value, and the message of each kind of error", async () => {
  const traces = new Traces();
  const scope = traces.begin("ann", REQUEST);
  const parameters = [
    null,
    undefined,
    true,
    1.5,
    Number.POSITIVE_INFINITY,
    12n,
    "x".repeat(1001),
    new Uint8Array(3),
    new Date(0),
    new Date(Number.NaN),
    { many: 12n },
  ];
  scope.report({ sql: "select ?", parameters, rows: 0, ms: 1, error: "text", explain: undefined });
  scope.report({ sql: "select 1", parameters: [], rows: 1, ms: 1, error: new Error("broken"), explain: undefined });
  const trace = await traces.read("ann", "1", []);
  expect(trace?.statements).toEqual([
    {
      sql: "select ?",
      parameters: [
        null,
        null,
        true,
        1.5,
        "Infinity",
        "12",
        `${"x".repeat(1000)}… (1001 characters)`,
        "3 bytes",
        "1970-01-01T00:00:00.000Z",
        "Invalid Date",
        '{"many":"12"}',
      ],
      rows: 0,
      ms: 1,
      error: "text",
    },
    { sql: "select 1", parameters: [], rows: 1, ms: 1, error: "broken" },
  ]);
});

test("a trace counts what it has no room for, and what has no text", async () => {
  const traces = new Traces();
  const scope = traces.begin("ann", REQUEST);
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  scope.report({ sql: "select ?", parameters: [circle], rows: 0, ms: 1, explain: undefined });
  for (let count = 0; count < 102; count += 1) {
    scope.report({ sql: "select 1", parameters: [], rows: 1, ms: 1, explain: undefined });
  }
  const trace = await traces.read("ann", "1", []);
  expect([trace?.statements.length, trace?.omitted]).toEqual([100, 3]);
  expect(await traces.read("bob", "1", [])).toBeNull();
});

test("a trace has a statement for people, unless it would reveal or need more than the trace may have", async () => {
  const traces = new Traces();
  const scope = traces.begin("ann", REQUEST);
  const report = (parameters: readonly unknown[], sql: string): void => {
    const paste = () => ({ sql, omits: [] });
    scope.report({ sql: "select ?", parameters, rows: 0, ms: 1, explain: undefined, paste });
  };
  report(["a"], "select 'a'");
  report([new Uint8Array(3)], "select x'000000'");
  report(["x".repeat(1001)], "select 'x'");
  report(["x".repeat(60_000)], "select 'y'");
  const pastedOf = async () => (await traces.read("ann", "1", []))?.statements.map(({ pasted }) => pasted);
  const refusal = { refusal: expect.any(String) as string };
  expect(await pastedOf()).toEqual([
    { sql: "select 'a'", omits: [] },
    { sql: "select x'000000'", omits: [] },
    { sql: "select 'x'", omits: [] },
    refusal,
  ]);
  scope.hideRows();
  expect(await pastedOf()).toEqual([{ sql: "select 'a'", omits: [] }, undefined, undefined, undefined]);
});

test("the statements for people in a trace have together 50,000 characters", async () => {
  const traces = new Traces();
  const scope = traces.begin("ann", REQUEST);
  const report = (paste: () => PastedStatement): void =>
    scope.report({ sql: "select ?", parameters: [], rows: 0, ms: 1, explain: undefined, paste });
  const long = { sql: "x".repeat(30_000), omits: [] };
  report(() => long);
  report(() => long);
  report(() => {
    throw new Error("The database is closed.");
  });
  report(() => ({ refusal: "It has none." }));
  const trace = await traces.read("ann", "1", []);
  const refusal = { refusal: expect.any(String) as string };
  expect(trace?.statements.map(({ pasted }) => pasted)).toEqual([long, refusal, refusal, refusal]);
});
