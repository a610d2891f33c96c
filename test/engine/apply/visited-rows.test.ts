import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { expectError, nodeDoor as door, ORIGIN, url } from "../../service/http/doors.ts";

const Fact = entityType("Fact", { id: edm.int32().key(), city: edm.string() });
const facts = (count: number): { readonly id: number; readonly city: string }[] =>
  Array.from({ length: count }, (_none, id) => ({ id, city: `c${String(id % 7)}` }));

function serviceOf(set: object, options: object = {}) {
  const sets = [entitySet(Fact, set as { readonly getAll: () => [] })];
  return door.to(odataService({ prefix: "/f", profile: "standard", entitySets: sets, ...options } as never));
}

const repeated = (times: number, text: string, separator = ","): string =>
  Array.from({ length: times }, () => text).join(separator);

describe("the steps behind the first one visit a limited number of rows in memory", () => {
  const error = {
    status: 400,
    code: "InvalidQueryOption",
    target: "$apply",
    message:
      "The steps of $apply behind the first one would visit more than 1000000 rows of Facts in memory: begin with a filter that matches fewer entities, or write fewer steps.",
  };
  /** Facts that count how often a step reads their city. */
  const counting = (count: number): { readonly rows: object[]; readonly reads: () => number } => {
    let reads = 0;
    const rows = facts(count).map(({ id, city }) => ({
      id,
      get city() {
        reads += 1;
        return city;
      },
    }));
    return { rows, reads: () => reads };
  };

  test.each([
    ["steps one after another", repeated(18, "filter(City ne 'x')", "/")],
    ["parts of concat", `concat(${repeated(9, "filter(City ne 'x')/aggregate($count as N)")})`],
  ])("%s", async (_title, $apply) => {
    const { rows, reads } = counting(300_000);
    const send = serviceOf({ getAll: () => rows });
    expectError(await send(url("/f/Facts", { $apply })), error);
    // The first pass, and three whole ones.
    expect(reads()).toBeLessThanOrEqual(1_200_000);
  });

  test("parts of concat without steps, of which a page needs one row each", async () => {
    const { rows, reads } = counting(300_000);
    const send = serviceOf({ getAll: () => rows });
    const $apply = `concat(${repeated(9, "orderby(City)")})`;
    expectError(await send(url("/f/Facts", { $apply, $top: "1" })), error);
    expect(reads()).toBeLessThan(8_000_000);
  });

  test("an iterable that is no array", async () => {
    const rows = facts(300_000);
    let visited = 0;
    function* counted(): Iterable<object> {
      for (const row of rows) {
        visited += 1;
        yield row;
      }
    }
    const send = serviceOf({ queryable: () => arraySource(Fact, { [Symbol.iterator]: () => counted() } as never) });
    const $apply = `concat(${repeated(9, "filter(City ne 'x')/aggregate($count as N)")})`;
    expectError(await send(url("/f/Facts", { $apply })), error);
    // The first pass, that of the second part, and 100,000 rows less those of the aggregates of both.
    expect(visited).toBe(699_999);
  });

  test("a greater maxResponseEntities raises the limit", async () => {
    const send = serviceOf({ getAll: () => facts(300_000) }, { defaults: { maxResponseEntities: 1_200_000 } });
    const $apply = `${repeated(5, "filter(Id ge 0)", "/")}/aggregate($count as N)`;
    expectError(await send(url("/f/Facts", { $apply })), {
      ...error,
      message: error.message.replace("1000000", "1200000"),
    });
    const answer = await send(url("/f/Facts", { $apply: $apply.replace("filter(Id ge 0)/", "") }));
    expect(answer.text).toBe(
      `{"@odata.context":"${ORIGIN}/f/$metadata#Facts(N)","value":[{"N@odata.type":"#Decimal","N":300000}]}`,
    );
  });
});
