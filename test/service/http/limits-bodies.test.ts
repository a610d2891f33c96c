import { complexType, edm, entitySet, entityType, enumType, odataService, type ServiceOptions } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor } from "./doors.ts";
import { bytesKept, watched } from "./limits.ts";
import { noFailures } from "./model.ts";

const Inner = complexType("Inner", { x: edm.int32() });
const Box = entityType("Box", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  inner: edm.complex(Inner).nullable(),
  tags: edm.collection(edm.string()),
});

function boxService(defaults: ServiceOptions["defaults"]) {
  const work = { calls: 0 };
  const service = odataService({
    name: "s",
    propertyNaming: "camelCase",
    logger: noFailures,
    ...(defaults === undefined ? {} : { defaults }),
    entitySets: [
      entitySet(Box, {
        unknownMembers: "ignore",
        create: (box) => {
          work.calls += 1;
          return box;
        },
      }),
    ],
  });
  return { service, work };
}

const MILLION = 1_000_000;
const arrays = "[".repeat(MILLION / 2) + "]".repeat(MILLION / 2);

/** Nested bodies: rejected for their depth; without a limit, for their content. */
const NESTED: Readonly<Record<string, string>> = {
  "arrays that do not end": "[".repeat(MILLION),
  "objects that do not end": '{"a":'.repeat(MILLION / 5),
  "arrays in a collection": `{"id":1,"tags":${arrays}}`,
  "arrays in an unknown member": `{"id":1,"unknown":${arrays}}`,
  "arrays in an annotation": `{"id":1,"name@odata.type":${arrays}}`,
  "objects in a complex value": `{"id":1,"inner":${'{"x":'.repeat(MILLION / 10)}1${"}".repeat(MILLION / 10)}}`,
};

/** Long bodies that do not match the type. */
const LONG: Readonly<Record<string, string>> = {
  digits: `{"id":${"9".repeat(MILLION)}}`,
  "digits of an exponent": `{"id":1e${"9".repeat(MILLION)}}`,
  "a string that does not end": `{"name":"${"a".repeat(MILLION)}`,
  escapes: `{"name":"${"\\u0041".repeat(MILLION / 6)}"}`,
  members: `{${Array.from({ length: 50_000 }, (_none, index) => `"m${String(index)}":1`).join(",")}}`,
  "one member again and again": `{${'"id":1,'.repeat(100_000)}"id":1}`,
  commas: `{${",".repeat(MILLION)}}`,
  quotes: `{${'"'.repeat(MILLION)}}`,
  blanks: `${" ".repeat(MILLION)}x`,
  "the name of a member": `{"id":1,"${"a".repeat(MILLION)}`,
};

const HEADERS = { "Content-Type": "application/json" };

eachDoor((door) => {
  const limited = boxService(undefined);
  const open = boxService({ maxJsonDepth: null, maxJsonValues: null, maxRequestBodyBytes: null });

  describe("a body that nests is refused by its depth, before any handler", () => {
    test.each(Object.entries(NESTED))("%s", async (_name, body) => {
      const answer = await watched(() => door.to(limited.service)("/s/Boxes", HEADERS, "POST", body));
      expect([answer.status, answer.json.error.code, limited.work.calls]).toEqual([400, "InvalidBody", 0]);
      expect(answer.json.error.message).toMatch(/deeper than 64 levels/u);
    });
  });

  test.each(Object.entries(NESTED))("without a limit, it is read as usual: %s", async (_name, body) => {
    const answer = await watched(() => door.to(open.service)("/s/Boxes", HEADERS, "POST", body));
    expect([201, 400]).toContain(answer.status);
  });

  describe("a long body is rejected for its content", () => {
    test.each(Object.entries(LONG))("%s", async (_name, body) => {
      for (const { service, work } of [limited, open]) {
        work.calls = 0;
        const answer = await watched(() => door.to(service)("/s/Boxes", HEADERS, "POST", body));
        expect([answer.status, answer.json.error.code, work.calls]).toEqual([400, "InvalidBody", 0]);
        expect(answer.text.length).toBeLessThan(1500);
      }
    });
  });

  test("the depth is a setting", async () => {
    const { service } = boxService({ maxJsonDepth: 2 });
    const send = door.to(service);
    expect((await send("/s/Boxes", HEADERS, "POST", '{"id":1,"tags":[],"inner":{"x":1}}')).status).toBe(201);
    expect((await send("/s/Boxes", HEADERS, "POST", '{"id":1,"tags":[],"inner":{"x":[1]}}')).status).toBe(400);
  });
});

test("nothing from refused requests is kept", async () => {
  const { service, work } = boxService({ maxRequestBodyBytes: 900_000 });
  const post = async (body: string): Promise<number> => {
    const init = { method: "POST", headers: HEADERS, body };
    const response = await service.fetch(new Request("http://service.example/s/Boxes", init));
    await response.text();
    return response.status;
  };
  const flood = async (round: number): Promise<void> => {
    for (const body of [...Object.values(NESTED), ...Object.values(LONG)]) {
      // New names and values each time: a cache by text would grow.
      const text = body.slice(0, 800_000).replace("{", `{"name${String(round)}":"${"é".repeat(20_000)}",`);
      expect(await post(text)).toBe(400);
      expect(await post(text.padEnd(900_001))).toBe(413);
    }
  };
  await flood(0);
  const before = bytesKept();
  for (let round = 1; round <= 12; round += 1) await flood(round);
  expect(bytesKept() - before).toBeLessThan(30_000_000);
  expect(work.calls).toBe(0);
});

test("a member name of more than 8,388,608 characters, and a float or flags of more than 65,536, are refused", async () => {
  const Access = enumType("Access", { Read: 1, Write: 2 }, { isFlags: true });
  const Float = entityType("Float", {
    id: edm.int32().key(),
    double: edm.double(),
    access: edm.enum(Access).default("Read"),
  });
  const service = odataService({
    logger: noFailures,
    entitySets: [entitySet(Float, { unknownMembers: "ignore", create: (given) => given })],
  });
  const post = async (body: string): Promise<unknown> => {
    const headers = { "Content-Type": "application/json;IEEE754Compatible=true" };
    const response = await service.fetch(new Request("http://x.example/Floats", { method: "POST", body, headers }));
    const json = (await response.json()) as { readonly error?: { readonly message: string } };
    return [response.status, json.error?.message];
  };
  const name = "n".repeat(2 ** 23);
  expect(await post(`{"Id":1,"Double":1.5,"${name}":2}`)).toEqual([201, undefined]);
  expect(await post(`{"Id":1,"Double":1.5,\n"${name}n":2}`)).toEqual([
    400,
    "The body cannot be read. A member name is longer than 8388608 characters at line 2, column 1 (position 22).",
  ]);
  const digits = `1.${"0".repeat(65_534)}`;
  const problem = `"${digits.slice(0, 40)}…" is not an Edm.Double: write at most 65536 characters.`;
  for (const [quote, described] of [
    ["", problem.replaceAll('"', "")],
    ['"', problem],
  ] as const) {
    expect(await post(`{"Id":1,"Double":${quote}${digits}${quote}}`)).toEqual([201, undefined]);
    expect(await post(`{"Id":1,"Double":${quote}${digits}0${quote}}`)).toEqual([400, `Double: ${described}`]);
  }
  const flags = `${"Read,".repeat(13_106)}Read,2`;
  expect(await post(`{"Id":1,"Double":1,"Access":"${flags}"}`)).toEqual([201, undefined]);
  expect(await post(`{"Id":1,"Double":1,"Access":"${flags} "}`)).toEqual([
    400,
    `Access: "${flags.slice(0, 40)}…" is too long: write at most 65536 characters.`,
  ]);
});
