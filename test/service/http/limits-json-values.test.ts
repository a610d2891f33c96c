import {
  action,
  complexType,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  odataService,
  type ServiceOptions,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError } from "./doors.ts";
import { watched } from "./limits.ts";
import { noFailures } from "./model.ts";

const Place = complexType("Place", { city: edm.string().nullable() });
const Box = entityType("Box", {
  id: edm.int32().key(),
  place: edm.complex(Place).nullable(),
  tags: edm.collection(edm.string()),
});

function boxes(defaults: ServiceOptions["defaults"]) {
  const calls: string[] = [];
  const called = <T>(name: string, value: T): T => {
    calls.push(name);
    return value;
  };
  const box = { id: 1, place: null, tags: [] };
  const service = odataService({
    name: "s",
    logger: noFailures,
    ...(defaults === undefined ? {} : { defaults }),
    entitySets: [
      entitySet(Box, {
        name: "Boxes",
        getByKey: () => box,
        create: (made) => called("create", made),
        replace: (_key, made) => called("replace", made),
        patch: () => called("patch", box),
        navigation: {
          parts: hasMany(() => Box, {
            target: "Boxes",
            create: (_key, made) => called("part", made),
            addRef: () => called("link", undefined),
          }),
        },
      }),
    ],
    actions: {
      Pack: action({ params: { tags: edm.collection(edm.string()) }, handler: () => called("Pack", undefined) }),
    },
    functions: {
      Count: fn({
        params: { tags: edm.collection(edm.string()) },
        returns: edm.int32(),
        handler: ({ tags }) => called("Count", tags.length),
      }),
    },
  });
  return { service, calls };
}

const JSON_TYPE = { "Content-Type": "application/json" };
const items = (count: number): string => Array.from({ length: count }, () => '""').join(",");
const annotations = (count: number): string => Array.from({ length: count }, (_, at) => `"@a.b${at}":1`).join(",");

/** Each route that reads a body, with a body of eight values. */
const BODIES: Readonly<Record<string, readonly [method: string, path: string, body: string, status: number]>> = {
  "a new entity": ["POST", "/s/Boxes", `{"Id":1,"Tags":[${items(5)}]}`, 201],
  "a replacement": ["PUT", "/s/Boxes(1)", `{"Tags":[${items(6)}]}`, 200],
  "a change": ["PATCH", "/s/Boxes(1)", `{"Place":{"City":"x"},"Tags":[${items(4)}]}`, 200],
  annotations: ["PATCH", "/s/Boxes(1)", `{${annotations(7)}}`, 200],
  "annotations within": ["PATCH", "/s/Boxes(1)", `{"Place":{${annotations(6)}}}`, 200],
  "a property": ["PUT", "/s/Boxes(1)/Tags", `{"value":[${items(6)}]}`, 204],
  "a related entity": ["POST", "/s/Boxes(1)/Parts", `{"Id":2,"Tags":[${items(5)}]}`, 201],
  "a link": ["POST", "/s/Boxes(1)/Parts/$ref", `{"@odata.id":"Boxes(2)",${annotations(6)}}`, 204],
  "an action": ["POST", "/s/Pack", `{"tags":[${items(6)}]}`, 204],
};

const TOO_MANY = (most: number): RegExp =>
  new RegExp(`more than ${String(most)} JSON values: .* Send less at once`, "u");

eachDoor((door) => {
  describe.each(Object.entries(BODIES))("%s", (_name, [method, path, body, status]) => {
    test("is read up to maxJsonValues", async () => {
      const { service, calls } = boxes({ maxJsonValues: 8 });
      expect((await door.to(service)(path, JSON_TYPE, method, body)).status).toBe(status);
      expect(calls).toHaveLength(1);
    });

    test("is 413 above it, before any handler", async () => {
      const { service, calls } = boxes({ maxJsonValues: 7 });
      const answer = await door.to(service)(path, JSON_TYPE, method, body);
      expectError(answer, { status: 413, code: "PayloadTooLarge", message: TOO_MANY(7) });
      expect(calls).toEqual([]);
    });
  });

  test("29 MB of annotations end at the default limit", async () => {
    const { service, calls } = boxes(undefined);
    const body = `{"Id":1,${annotations(1_900_000)}}`;
    expect(body.length).toBeGreaterThan(28_000_000);
    const answer = await watched(() => door.to(service)("/s/Boxes", JSON_TYPE, "POST", body));
    expectError(answer, { status: 413, code: "PayloadTooLarge", message: TOO_MANY(100_000) });
    expect(calls).toEqual([]);
  });

  test("null means no limit", async () => {
    const { service, calls } = boxes({ maxJsonValues: null });
    const answer = await door.to(service)("/s/Boxes", JSON_TYPE, "POST", `{"Id":1,"Tags":[],${annotations(120_000)}}`);
    expect([answer.status, calls]).toEqual([201, ["create"]]);
  });

  test.each(["/s/Count(tags=@t)?@t=", "/s/Count?tags="])("an argument in the URL is 400 above it: %s", async (path) => {
    const { service, calls } = boxes({ maxJsonValues: 4 });
    const send = door.to(service);
    expect((await send(`${path}${encodeURIComponent(`[${items(3)}]`)}`)).text).toBe("3");
    const answer = await send(`${path}${encodeURIComponent(`[${items(4)}]`)}`);
    expectError(answer, { status: 400, code: "InvalidParameter", target: "tags", message: TOO_MANY(4) });
    expect(calls).toEqual(["Count"]);
  });
});
