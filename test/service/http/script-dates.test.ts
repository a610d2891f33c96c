import { action, complexType, edm, entitySet, entityType, hasMany, odataService } from "odatakit";
import { expect, test } from "vitest";
import { eachDoor, type Answer } from "./doors.ts";
import { noFailures } from "./model.ts";
import { JSON_BODY } from "./write-model.ts";

const Period = complexType("Period", { from: edm.date(), at: edm.dateTimeOffset({ precision: 3 }) });
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), due: edm.date() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  due: edm.date().nullable(),
  at: edm.dateTimeOffset().nullable(),
  period: edm.complex(Period).nullable(),
  days: edm.collection(edm.date()),
  times: edm.collection(edm.dateTimeOffset()),
});
const Day = entityType("Day", { day: edm.date().key(), note: edm.string().nullable() });

/** A service, and the values that its handlers received last. */
function shop(profile: "specification" | "standard") {
  const seen: unknown[] = [];
  const noted = <Value>(value: Value): Value => {
    seen.push(structuredClone(value));
    return value;
  };
  const order = { id: 1, due: null, at: null, period: null, days: [], times: [] };
  const service = odataService({
    profile,
    prefix: "/s",
    logger: noFailures,
    batch: { json: true },
    entitySets: [
      entitySet(Order, {
        allowDeepInsert: true,
        getByKey: () => order,
        create: (given) => noted(given),
        replace: (_id, given) => noted(given),
        patch: (_id, delta) => ({ ...order, ...noted(delta) }) as typeof order,
        navigation: {
          lines: hasMany(Line, { target: "Lines", on: { id: "orderId" }, create: (_id, line) => noted(line) }),
        },
        actions: {
          plan: action({
            bound: "entity",
            params: { due: edm.date(), at: edm.dateTimeOffset(), days: edm.collection(edm.date()) },
            handler: (_key, given) => void noted(given),
          }),
        },
      }),
      entitySet(Line, { getAll: () => [] }),
      entitySet(Day, { create: (given) => noted(given) }),
    ],
  });
  return { service, seen };
}

const STAMP = "2024-02-11T00:00:00.000Z";
const DATE = "2024-02-11";
const MIDNIGHT = "2024-02-11T00:00:00Z";
const GIVEN = {
  Due: STAMP,
  At: DATE,
  Period: { From: STAMP, At: DATE },
  Days: [STAMP, DATE],
  Times: [DATE, MIDNIGHT],
};
const READ = {
  due: DATE,
  at: MIDNIGHT,
  period: { from: DATE, at: MIDNIGHT },
  days: [DATE, DATE],
  times: [MIDNIGHT, MIDNIGHT],
};

eachDoor((door) => {
  const writes: ReadonlyArray<readonly [string, string, object, object]> = [
    ["POST", "Orders", { Id: 1, ...GIVEN }, { id: 1, ...READ }],
    [
      "POST",
      "Orders",
      { Id: 1, ...GIVEN, Lines: [{ Id: 1, Due: STAMP }] },
      { id: 1, ...READ, lines: [{ id: 1, orderId: 1, due: DATE }] },
    ],
    ["POST", "Orders(1)/Lines", { Id: 1, Due: STAMP }, { id: 1, orderId: 1, due: DATE }],
    ["PUT", "Orders(1)", GIVEN, { id: 1, ...READ }],
    ["PATCH", "Orders(1)", GIVEN, READ],
    ["PUT", "Orders(1)/Due", { value: STAMP }, { due: DATE }],
    ["PUT", "Orders(1)/At", { value: DATE }, { at: MIDNIGHT }],
    ["PUT", "Orders(1)/Period", { From: STAMP, At: DATE }, { period: READ.period }],
    ["PUT", "Orders(1)/Days", { value: [STAMP] }, { days: [DATE] }],
    ["POST", "Orders(1)/plan", { due: STAMP, at: DATE, days: [STAMP] }, { due: DATE, at: MIDNIGHT, days: [DATE] }],
    ["POST", "Days", { Day: STAMP }, { day: DATE, note: null }],
  ];

  test.each(writes)("%s %s takes the dates of scripts", async (method, path, body, expected) => {
    const { service, seen } = shop("standard");
    const answer = await door.to(service)(`/s/${path}`, JSON_BODY, method, JSON.stringify(body));
    expect([answer.status, answer.text]).toEqual([expect.toSatisfy((status: number) => status < 300), answer.text]);
    expect(seen).toEqual([expected]);
  });

  test.each(writes)("%s %s refuses them with the default profile", async (method, path, body) => {
    const { service, seen } = shop("specification");
    const { status } = await door.to(service)(`/s/${path}`, JSON_BODY, method, JSON.stringify(body));
    expect([status, seen]).toEqual([400, []]);
  });

  test("in batches, too", async () => {
    const { service, seen } = shop("standard");
    const requests = [{ id: "1", method: "PATCH", url: "Orders(1)", headers: JSON_BODY, body: { Due: STAMP } }];
    const { json } = await door.to(service)("/s/$batch", JSON_BODY, "POST", JSON.stringify({ requests }));
    expect([json.responses[0].status, seen]).toEqual([200, [{ due: DATE }]]);
  });

  const error = (answer: Answer) => [answer.status, answer.json.error.code, answer.json.error.target];
  const send = (body: object) => {
    const { service } = shop("standard");
    return door.to(service)("/s/Orders(1)", JSON_BODY, "PATCH", JSON.stringify(body));
  };

  test.each([
    "2024-02-11T00:00Z",
    "2024-02-11T00:00:00z",
    "2024-02-11T00:00:00+00:00",
    "2024-02-11T00:00:00.000000000000Z",
  ])("%s is a Date", async (Due) => {
    expect((await send({ Due })).status).toBe(200);
  });

  test.each([
    "2024-02-11T00:00:00.001Z",
    "2024-02-11T23:00:00.000Z",
    "2024-02-11T00:00:00+01:00",
    "2024-02-10T23:00:00-01:00",
    "2024-02-11T00:00:00",
    "2024-02-30T00:00:00Z",
    "2024-02-11 00:00:00Z",
  ])("%s is no Date", async (Due) => {
    expect(error(await send({ Due }))).toEqual([400, "InvalidBody", "Due"]);
  });

  test.each(["2024-02-30", "11.02.2024", "2024-02-11T00:00:00"])("%s is no DateTimeOffset", async (At) => {
    expect(error(await send({ At }))).toEqual([400, "InvalidBody", "At"]);
  });
});
