import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fuzzCount } from "../../cases.ts";
import { ENGINES } from "./engines.ts";
import { DAYS, EVENTS, INSTANTS, MOMENTS, eventServices, type EventServices } from "./instants.ts";

const ORIGIN = "http://service.example";
const RUNS = fuzzCount(150);

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

async function send(
  service: EventServices["memory"],
  target: string,
  init: { readonly method?: string; readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { body, ...others } = init;
  const request = new Request(ORIGIN + encodeURI(target).replaceAll("+", "%2B"), {
    ...others,
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json;odata.metadata=none",
      Prefer: "return=representation",
      ...init.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await service.fetch(request);
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text), headers: response.headers };
}

const instant = fc.constantFrom(...INSTANTS);
const day = fc.constantFrom(...DAYS);
const operator = fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le");
const literal = fc.constantFrom(
  ...MOMENTS.map(({ at }) => at),
  "2024-10-27T02:30:00+02:00",
  "2024-10-27T00:30:00.0005Z",
  "2024-10-27T00:29:59.9994999Z",
  "1969-12-31T23:59:59.999Z",
  "9999-12-31T23:59:59.999999999999Z",
  "0000-01-01T00:00:00Z",
  "-0004-03-01T00:00:00Z",
  "12024-01-01T00:00:00Z",
  "now()",
  "null",
);
const dayLiteral = fc.constantFrom(
  "2024-02-29",
  "1970-01-01",
  "1969-12-31",
  "0001-01-01",
  "2024-10-28",
  "12024-01-01",
  "null",
);
const leaf = fc.oneof(
  fc.tuple(instant, operator, literal).map((parts) => parts.join(" ")),
  fc.tuple(literal, operator, instant).map((parts) => parts.join(" ")),
  fc.tuple(instant, operator, instant).map((parts) => parts.join(" ")),
  fc.tuple(day, operator, dayLiteral).map((parts) => parts.join(" ")),
  fc.tuple(day, operator, day).map((parts) => parts.join(" ")),
  fc.tuple(day, operator, instant).map((parts) => parts.join(" ")),
  fc.tuple(day, operator, literal).map((parts) => parts.join(" ")),
  fc
    .tuple(
      instant,
      fc.array(
        literal.filter((text) => text !== "now()"),
        { minLength: 1, maxLength: 3 },
      ),
    )
    .map(([name, list]) => `${name} in (${list.join(",")})`),
  fc
    .tuple(
      fc.constantFrom("year", "month", "day", "hour", "minute", "second"),
      instant,
      operator,
      fc.constantFrom(1, 10, 24, 27, 30, 59, 2024),
    )
    .map(([name, of, op, value]) => `${name}(${of}) ${op} ${String(value)}`),
  fc
    .tuple(fc.constantFrom("year", "month", "day"), day, operator, fc.constantFrom(1, 2, 29, 2024))
    .map(([name, of, op, value]) => `${name}(${of}) ${op} ${String(value)}`),
  fc.tuple(instant, operator, dayLiteral).map(([of, op, value]) => `date(${of}) ${op} ${value}`),
  fc.tuple(instant, operator).map(([of, op]) => `time(${of}) ${op} 00:30:00.001`),
  fc.tuple(instant, operator).map(([of, op]) => `fractionalseconds(${of}) ${op} 0.001`),
  fc.tuple(instant, instant, operator).map(([one, other, op]) => `${one} sub ${other} ${op} duration'PT0.001S'`),
  fc.tuple(instant, operator, literal).map(([one, op, other]) => `${one} add duration'PT1H' ${op} ${other}`),
  fc.tuple(day, operator, dayLiteral).map(([one, op, other]) => `${one} add duration'P1D' ${op} ${other}`),
  fc.tuple(operator, literal).map(([op, value]) => `moment/at ${op} ${value}`),
  instant.map((name) => `second/at eq ${name}`),
);
const filter: fc.Arbitrary<string> = fc.oneof(
  leaf,
  leaf.map((one) => `not (${one})`),
  fc.tuple(leaf, fc.constantFrom("and", "or"), leaf).map(([one, op, other]) => `(${one}) ${op} (${other})`),
);
const order = fc
  .array(fc.tuple(fc.oneof(instant, day), fc.constantFrom("", " desc")), { minLength: 1, maxLength: 2 })
  .map((terms) => terms.map((parts) => parts.join("")).join(","));

describe.each(ENGINES)("timestamps and dates in every form of storage: $title", (engine) => {
  let services: EventServices;
  beforeAll(async () => {
    services = await eventServices(engine);
  });
  afterAll(() => services.close());

  async function expectAlike(target: string): Promise<void> {
    const [expected, found] = [await send(services.memory, target), await send(services.database, target)];
    expect([found.status, found.body], target).toEqual([expected.status, expected.body]);
    expect(expected.status, `${target} ${JSON.stringify(expected.body)}`).toBe(200);
  }

  test("generated filters and orders are answered as over arrays", async () => {
    const property = fc.asyncProperty(filter, order, (where, by) =>
      expectAlike(`/Events?$select=id,lite&$filter=${where}&$orderby=${by}`),
    );
    await fc.assert(property, { numRuns: RUNS, seed: 11 });
  });

  test.each([
    "/Events",
    "/Events(3)",
    "/Events(3)/jd",
    "/Events?$expand=moment,second&$select=id",
    "/Events?$orderby=moment/at desc,id",
    "/Moments?$expand=events($orderby=lite desc;$select=id;$top=2;$count=true)",
    "/Moments(2024-10-27T00:30:00.001Z)",
    "/Moments(2024-10-27T03:30:00%2B02:00)/events?$orderby=jd",
    "/Moments?$filter=events/any(e: e/jd gt 2024-03-01T00:00:00Z)",
    "/Moments?$filter=events/all(e: e/lite ne 2024-02-29T12:30:00.5Z)&$orderby=at desc",
  ])("%s", async (target) => {
    await expectAlike(decodeURIComponent(target));
  });

  test("keyset pages by each form hold each entity once, in order", async () => {
    for (const by of [...INSTANTS, ...DAYS]) {
      const seen: number[][] = [];
      for (const service of [services.memory, services.database]) {
        const ids: number[] = [];
        let target: string | undefined = `/Events?$select=id&$orderby=${by} desc`;
        while (target !== undefined) {
          const { body } = await send(service, target, {
            headers: { Prefer: "odata.maxpagesize=5", Accept: "application/json" },
          });
          const page = body as {
            readonly value: ReadonlyArray<{ readonly id: number }>;
            readonly "@odata.nextLink"?: string;
          };
          ids.push(...page.value.map(({ id }) => id));
          target =
            page["@odata.nextLink"] === undefined ? undefined : decodeURI(page["@odata.nextLink"].replace(ORIGIN, ""));
        }
        seen.push(ids);
      }
      expect(seen[1], by).toEqual(seen[0]);
      expect(seen[0]).toHaveLength(EVENTS.length);
    }
  });

  test("writes store each form, and the ETag of their values guards them", async () => {
    const { database, db } = services;
    const at = "2024-10-27T02:30:00.25+02:00";
    const given = { plain: at, utc: at, ms: at, secs: "2024-10-27T00:30:00Z", jd: at, lite: at };
    const days = Object.fromEntries(DAYS.map((name) => [name, "2024-02-29"]));
    const body = { id: 100, ...given, ...days };
    const stored = {
      id: 100,
      ...Object.fromEntries(INSTANTS.map((name) => [name, "2024-10-27T00:30:00.250Z"])),
      ...days,
    };
    const created = await send(database, "/Events", { method: "POST", body });
    expect([created.status, created.body]).toEqual([201, { ...stored, secs: "2024-10-27T00:30:00Z" }]);
    const { rows } = await sql`select ms, secs, jd, lite, ${sql.id("dayMs")} as d from events where id = 100`.execute(
      db,
    );
    const cells = Object.values(rows[0] as object).map((cell) =>
      typeof cell === "string" && !cell.includes("-") ? Number(cell) : cell,
    );
    expect(cells).toEqual([
      1_729_989_000_250,
      1_729_989_000,
      2_460_610.5208362266,
      "2024-10-27 00:30:00.250",
      1_709_164_800_000,
    ]);
    const etag = created.headers.get("ETag") ?? "";
    const patch = (value: object, match: string): Promise<Answer> =>
      send(database, "/Events(100)", { method: "PATCH", body: value, headers: { "If-Match": match } });
    const changed = await patch({ lite: "2024-10-27T00:30:00Z", jd: null }, etag);
    expect(changed).toMatchObject({ status: 200, body: { lite: "2024-10-27T00:30:00.000Z", jd: null } });
    expect((await patch({ ms: null }, etag)).status).toBe(412);
    const again = await patch({ ms: null }, changed.headers.get("ETag") ?? "");
    expect(again.status).toBe(200);
    for (const wrong of [
      { ms: "2024-10-27T00:30:00.0001Z" },
      { secs: "2024-10-27T00:30:00.5Z" },
      { jd: "2024-10-27T00:30:00.00001Z" },
      { lite: "2024-10-27T00:30:00.00001Z" },
    ]) {
      const refused = await patch(wrong, again.headers.get("ETag") ?? "");
      expect(refused, JSON.stringify(wrong)).toMatchObject({
        status: 400,
        body: { error: { code: "InvalidBody", target: Object.keys(wrong)[0] } },
      });
    }
    const removed = await send(database, "/Events(100)", {
      method: "DELETE",
      headers: { "If-Match": again.headers.get("ETag") ?? "" },
    });
    expect(removed.status).toBe(204);
  });

  test("a cell that is none of its form is a 500, and a date with a time of day too", async () => {
    const { database, db } = services;
    const cells = { dayMs: 1, dayJd: 2_460_610.25, lite: "2024-10-27T00:30:00Z", dayLite: "2024-10-27 00:00:01" };
    for (const [field, cell] of Object.entries(cells)) {
      await sql`insert into events (id, ${sql.id(field)}) values (300, ${cell})`.execute(db);
      expect(await send(database, "/Events(300)"), field).toMatchObject({ status: 500 });
      await sql`delete from events where id = 300`.execute(db);
    }
  });

  test("deep insert passes a key on in the form of the column that refers to it", async () => {
    const { database, db } = services;
    const created = await send(database, "/Moments", {
      method: "POST",
      body: { at: "2030-01-01T00:00:00.125Z", name: "deep", events: [{ id: 200 }] },
    });
    expect(created).toMatchObject({ status: 201, body: { events: [{ id: 200, ms: "2030-01-01T00:00:00.125Z" }] } });
    await sql`delete from events where id = 200`.execute(db);
    expect((await send(database, "/Moments(2030-01-01T01:00:00.125+01:00)", { method: "DELETE" })).status).toBe(204);
  });
});
