import fc from "fast-check";
import {
  action,
  applyDelta,
  complexType,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
} from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import { anyCharacter } from "../../any-character.ts";
import { fuzzCount } from "../../cases.ts";
import { type Answer, eachDoor, type HeaderTable, type SentBody } from "./doors.ts";
import { recordingLogger } from "./model.ts";
import { JSON_BODY } from "./write-model.ts";

const RUNS = fuzzCount(60);
const LIMIT = 20_000;

const Place = complexType("Place", { x: edm.int32(), y: edm.double().nullable(), names: edm.collection(edm.string()) });
const Thing = entityType("Thing", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 50 }),
  count: edm.int64().nullable(),
  price: edm.decimal({ precision: 10, scale: 2 }).nullable(),
  at: edm.dateTimeOffset().nullable(),
  data: edm.binary().nullable(),
  place: edm.complex(Place).nullable(),
  tags: edm.collection(edm.string()),
  constructor: edm.string().nullable(),
  version: edm.int32().computed(),
});

const FIRST = {
  id: 1,
  name: "first",
  count: 1n,
  price: "1.00",
  at: null,
  data: null,
  place: null,
  tags: [],
  constructor: null,
  version: 1,
};
type Row = typeof FIRST;

const rows = new Map<number, Row>();
const links: string[] = [];
let calls = 0;
const logger = recordingLogger();

const reset = (): void => {
  rows.clear();
  rows.set(1, FIRST);
  links.length = 0;
  calls = 0;
  logger.errors.length = 0;
};
beforeEach(reset);

interface Graph extends Row {
  readonly parts?: readonly Graph[] | null;
  readonly best?: Graph | null;
}

/** The members that the service sets in each entity of a graph. */
const versioned = ({ parts, best, ...row }: Graph): Graph => ({
  ...row,
  version: 2,
  ...(parts ? { parts: parts.map(versioned) } : {}),
  ...(best ? { best: versioned(best) } : {}),
});

/** Stores an entity, and returns it. */
const keep = (entity: object): Row => {
  calls += 1;
  const saved = versioned(entity as Graph);
  rows.set(saved.id, saved);
  return saved;
};
const link = (_: unknown, id: string): void => {
  calls += 1;
  links.push(id);
};

/** The parameters of actions. */
const PARAMETERS = {
  name: edm.string({ maxLength: 50 }),
  place: edm.complex(Place).nullable(),
  tags: edm.collection(edm.string()).default([]),
  count: edm.int64().nullable(),
};

const service = odataService({
  prefix: "/s",
  defaults: { maxRequestBodyBytes: LIMIT },
  entitySets: [
    entitySet(Thing, {
      allowDeepInsert: true,
      etag: ["version"],
      getByKey: (key) => rows.get(key) ?? null,
      create: keep,
      replace: (_, thing) => keep(thing),
      patch: (key, delta) => keep(applyDelta(Thing, rows.get(key) as never, delta)),
      navigation: {
        parts: hasMany(Thing, { target: "Things", create: (_, part) => keep(part), addRef: link }),
        best: hasOptional(Thing, { target: "Things", setRef: link }),
      },
      actions: {
        change: action({ bound: "entity", params: PARAMETERS, handler: (key) => link(key, "changed") }),
        mend: action({ bound: "collection", params: PARAMETERS, handler: () => link(null, "mended") }),
      },
    }),
  ],
  actions: { send: action({ params: PARAMETERS, handler: () => link(null, "sent") }) },
  logger,
});

const THING = JSON.stringify({
  Id: 2,
  Name: "Zoë 𝒳",
  Count: 5,
  Price: 1.5,
  At: "2024-02-29T10:00:00Z",
  Data: "AQI",
  Place: { X: 1, Y: 2.5, Names: ["a"] },
  Tags: ["x", "y"],
  Constructor: "c",
  Version: 7,
});

const ARGUMENTS = '{"name":"é","place":{"X":1,"Y":null,"Names":[]},"tags":["a"],"count":5}';

/** The routes that read a body, each with a valid body. */
const ROUTES: ReadonlyArray<readonly [method: string, path: string, body: string]> = [
  ["POST", "Things", THING.replace(/\}$/u, `,"Parts":[${THING}],"Best":null}`)],
  ["PUT", "Things(2)", THING],
  ["PATCH", "Things(1)", '{"Name":"b","Place":null,"Tags":["z"]}'],
  ["POST", "Things(1)/Parts", THING],
  ["POST", "Things(1)/Parts/$ref", '{"@odata.id":"Things(7)"}'],
  ["PUT", "Things(1)/Best/$ref", '{"@odata.id":"Things(7)"}'],
  ["PUT", "Things(1)/Name", '{"value":"é"}'],
  ["PATCH", "Things(1)/Count", '{"value":9007199254740993}'],
  ["PUT", "Things(1)/Place", '{"value":{"X":1,"Y":null,"Names":[]}}'],
  ["PUT", "Things(1)/Tags", '{"value":["a","b"]}'],
  ["POST", "Things(1)/change", ARGUMENTS],
  ["POST", "Things/mend", ARGUMENTS],
  ["POST", "send", ARGUMENTS],
];

const encoder = new TextEncoder();
const PROTOTYPE = JSON.stringify(Reflect.ownKeys(Object.prototype).map(String));
const state = (): string =>
  JSON.stringify([[...rows], links], (_, value: unknown) => (typeof value === "bigint" ? `${String(value)}n` : value));

/** Whatever was sent: never a 500; a refusal changes nothing and reaches no handler; no prototype is touched. */
function expectSound(answer: Answer, before: string, what: string): void {
  expect([200, 201, 204, 400, 413, 415, 501], what).toContain(answer.status);
  if (answer.status >= 400) expect([state(), calls], what).toEqual([before, 0]);
  expect(JSON.stringify(Reflect.ownKeys(Object.prototype).map(String)), what).toBe(PROTOTYPE);
  expect(Object.getPrototypeOf({}), what).toBe(Object.prototype);
  expect(logger.errors, what).toEqual([]);
}

const deep = (open: string, close: string, inner: string, depth: number): string =>
  open.repeat(depth) + inner + close.repeat(depth);
/** A body with another value for one member. */
function withMember(body: string, index: number, json: string): string {
  const members = Object.entries(JSON.parse(body) as object).map(([name, value], at) => {
    return `${JSON.stringify(name)}:${at === index ? json : JSON.stringify(value)}`;
  });
  return `{${members.join(",")}}`;
}

/** The first member of a body, with another value. */
const withFirst = (body: string, json: string): string => withMember(body, 0, json);

/** Faults that are none for a value that may be null, or an object. */
const TAKEN: ReadonlyMap<string, readonly string[]> = new Map([
  ["Things(1)/Count", ["null where a value must be"]],
  ["Things(1)/Place", ["null where a value must be"]],
]);

/** Bodies that no route accepts, made from a body that it accepts. */
const REFUSED: ReadonlyArray<readonly [name: string, make: (body: string) => string]> = [
  ["empty", () => ""],
  ["blank", () => " \r\n\t "],
  ["a byte order mark alone", () => "\uFEFF"],
  ["an array", (body) => `[${body}]`],
  ["an empty array", () => "[]"],
  ["null", () => "null"],
  ["a number", () => "1"],
  ["a text", () => '"x"'],
  ["true", () => "true"],
  ["cut off", (body) => body.slice(0, -1)],
  ["cut off in a text", (body) => body.slice(0, body.lastIndexOf('"'))],
  ["more behind it", (body) => `${body}x`],
  ["two bodies", (body) => body + body],
  ["a comma too many", (body) => body.replace(/\}$/u, ",}")],
  ["single quotes", (body) => body.replaceAll('"', "'")],
  ["a comment", (body) => `/* */${body}`],
  ["the first member twice", (body) => body.replace(/^\{/u, `{${/^\{("[^"]+"):/u.exec(body)?.[1] ?? ""}:null,`)],
  ["an unknown member", (body) => body.replace(/^\{/u, '{"Nope":1,')],
  ["__proto__ as a member", (body) => body.replace(/^\{/u, '{"__proto__":{"polluted":1},')],
  ["prototype as a member", (body) => body.replace(/^\{/u, '{"prototype":{"polluted":1},')],
  ["constructor with a prototype", (body) => body.replace(/^\{/u, '{"constructor":{"prototype":{"polluted":1}},')],
  ["an object where a single value stands", (body) => withFirst(body, '{"a":1}')],
  ["null where a value must be", (body) => withFirst(body, "null")],
  ["a link", (body) => body.replace(/^\{/u, '{"Best@odata.bind":"Things(1)",')],
  ["deep arrays", () => deep("[", "]", "", 9000)],
  ["deep objects", () => deep('{"a":', "}", "1", 3000)],
  ["deep in a member", (body) => withFirst(body, deep("[", "]", "1", 5000))],
  ["open for ever", () => "[".repeat(19_000)],
  ["a member that is huge", (body) => withFirst(body, `"${"x".repeat(LIMIT)}"`)],
  ["huge white space", (body) => body + " ".repeat(LIMIT)],
];

/** Values that fit some types, no type, or the edge of one. */
const ODD_VALUES: readonly string[] = [
  "null",
  "true",
  '""',
  '"x"',
  "[]",
  "{}",
  "[null]",
  "[[]]",
  "-0",
  "1e400",
  "1e-400",
  "1.5",
  "9223372036854775808",
  "99999999999999999999999999",
  '"\\ud800"',
  '"\\u0000"',
  '"2024-02-30"',
  '"INF"',
  '"NaN"',
  '"1"',
  "[1,2]",
  '{"__proto__":null}',
  '{"X":1}',
  '{"X":1,"X":2}',
  '{"value":1}',
  '"\\uD83D\\uDE00"',
  `"${"é".repeat(50)}"`,
];

eachDoor((door) => {
  const send = door.to(service);

  describe.each(ROUTES)("%s %s", (method, path, body) => {
    const ask = (sent: SentBody, headers: HeaderTable = {}) =>
      send(`/s/${path}`, { ...JSON_BODY, ...headers }, method, sent);

    test("accepts a valid body", async () => {
      const before = state();
      const answer = await ask(body);
      expectSound(answer, before, body);
      expect([answer.status, calls]).toEqual([answer.status < 300 ? answer.status : 0, 1]);
    });

    test.each(REFUSED)("%s", async (name, make) => {
      const before = state();
      const answer = await ask(make(body));
      expectSound(answer, before, name);
      if (TAKEN.get(path)?.includes(name) !== true) expect([400, 413, 501], answer.text).toContain(answer.status);
    });

    test.each([
      "text/plain",
      "application/xml",
      "application/json;charset=utf-16",
      "application/json;charset=latin1",
      "multipart/form-data",
      "x",
      ";",
      "application/x-www-form-urlencoded",
    ])("Content-Type %s is 415", async (type) => {
      const before = state();
      const answer = await ask(body, { "Content-Type": type });
      expectSound(answer, before, type);
      expect(answer.status).toBe(415);
    });

    test("a compressed body is 415", async () => {
      const before = state();
      for (const coding of ["gzip", "br", "identity, gzip"]) {
        const answer = await ask(body, { "Content-Encoding": coding });
        expectSound(answer, before, coding);
        expect(answer.status).toBe(415);
      }
    });

    test("bytes that are not UTF-8 are 400", async () => {
      const before = state();
      const utf16 = Uint8Array.from(Buffer.from(body, "utf16le"));
      const bad = [0xff, 0xc0, 0xed].map((byte) =>
        Uint8Array.from([...encoder.encode(body.slice(0, -2)), byte, 0x22, 0x7d]),
      );
      for (const bytes of [utf16, ...bad]) {
        const answer = await ask(bytes);
        expectSound(answer, before, "bytes");
        expect(answer.status).toBe(400);
      }
    });

    test("the response does not depend on the chunks of the body", async () => {
      const bytes = encoder.encode(body);
      const whole = await ask(bytes);
      const cuts = [
        ...Array.from({ length: 12 }, (_, index) => [Math.floor((bytes.length * index) / 12)]),
        [1, 2, 3, 4, 5],
      ];
      for (const positions of [...cuts, bytes.keys()]) {
        reset();
        const edges = [0, ...positions, bytes.length];
        const chunks = edges.slice(1).map((end, index) => bytes.slice(edges[index], end));
        const answer = await ask(chunks.filter(({ length }) => length > 0));
        expect([answer.status, answer.text, calls]).toEqual([whole.status, whole.text, 1]);
      }
    });

    test("a body that is too large is 413 however it comes, and one byte less is read", async () => {
      const before = state();
      for (const size of [LIMIT + 1, LIMIT * 5]) {
        const large = encoder.encode(body.padEnd(size - (encoder.encode(body).length - body.length)));
        const halves = [large.slice(0, LIMIT / 2), large.slice(LIMIT / 2)];
        for (const sent of [large, [large], halves]) {
          const answer = await ask(sent);
          expectSound(answer, before, `${String(size)} bytes`);
          expect([answer.status, answer.json.error.code]).toEqual([413, "PayloadTooLarge"]);
        }
      }
      const exact = encoder.encode(body.padEnd(LIMIT - (encoder.encode(body).length - body.length)));
      expect(exact).toHaveLength(LIMIT);
      expect((await ask(exact)).status).toBeLessThan(300);
    });

    test("odd values of every member", async () => {
      for (const index of Object.keys(JSON.parse(body) as object).keys()) {
        for (const json of ODD_VALUES) {
          reset();
          const before = state();
          const text = withMember(body, index, json);
          expectSound(await ask(text), before, text);
        }
      }
    });

    test("any JSON at all, and any change of a letter", async () => {
      const mutated = fc
        .tuple(fc.nat(body.length - 1), fc.nat(3), fc.string({ unit: anyCharacter, maxLength: 3 }))
        .map(([at, length, text]) => body.slice(0, at) + text + body.slice(at + length));
      const replaced = fc.json({ maxDepth: 4 }).map((json) => withFirst(body, json));
      await fc.assert(
        fc.asyncProperty(fc.oneof(mutated, replaced, fc.json({ maxDepth: 4 })), async (text) => {
          reset();
          const before = state();
          expectSound(await ask(text), before, text);
        }),
        { numRuns: RUNS },
      );
    });
  });
});
