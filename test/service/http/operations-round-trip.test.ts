import fc from "fast-check";
import { action, edm, entitySet, entityType, fn, odataService } from "odatakit";
import { expect, test } from "vitest";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";
import { ORIGIN } from "./doors.ts";
import { Access, Color, Position } from "./operation-model.ts";

const text = fc.string({ unit: anyCharacter, maxLength: 20 });
const integer = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 });
const double = fc.double({ noNaN: true });
const two = (value: number): string => String(value).padStart(2, "0");
const date = fc
  .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
  .map((each) => each.toISOString().slice(0, 10));
const fraction = fc.constantFrom("", ".5", ".123456789012", ".000001");
const time = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fraction)
  .map(([hour, minute, second, part]) => `${two(hour)}:${two(minute)}:${two(second)}${part}`);
const offset = fc.constantFrom("Z", "+02:00", "-11:30");
const decimal = fc
  .tuple(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.nat(9))
  .map(([whole, tenths]) => `${String(whole)}.${String(tenths)}`);
/** JSON writes minus zero as zero. */
const plain = double.map((value) => (value === 0 ? 0 : value));
const position = fc.record({ latitude: plain, longitude: fc.option(plain) });

/** A type, its canonical values, and how a URL writes one of them. */
interface Kind {
  readonly make: () => ReturnType<(typeof edm)["string"]>;
  readonly values: fc.Arbitrary<unknown>;
  readonly literal: (value: never) => string;
}

/** The builders of all types share one type in this table; the arbitrary of each determines its values. */
function kind<T>(make: () => object, values: fc.Arbitrary<T>, literal: (value: T) => string = String): Kind {
  return { make: make as Kind["make"], values, literal };
}

const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;
function number(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "INF" : "-INF";
  return Object.is(value, -0) ? "-0.0" : String(value);
}
const json = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) =>
    typeof each === "number" && !Number.isFinite(each) ? number(each) : each,
  );
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const wirePosition = ({ latitude, longitude }: { latitude: number; longitude: number | null }) => ({
  Latitude: latitude,
  Longitude: longitude,
});

const KINDS: Readonly<Record<string, Kind>> = {
  Boolean: kind(() => edm.boolean(), fc.boolean()),
  Byte: kind(() => edm.byte(), fc.nat(255)),
  SByte: kind(() => edm.sByte(), integer(8)),
  Int16: kind(() => edm.int16(), integer(16)),
  Int32: kind(() => edm.int32(), integer(32)),
  Int64: kind(() => edm.int64(), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
  Double: kind(() => edm.double(), double, number),
  Single: kind(() => edm.single(), fc.float({ noNaN: true }), number),
  Decimal: kind(() => edm.decimal(), decimal),
  String: kind(() => edm.string(), text, quoted),
  Guid: kind(() => edm.guid(), fc.uuid()),
  Binary: kind(
    () => edm.binary(),
    fc.uint8Array({ maxLength: 12 }).map((bytes) => Uint8Array.from(bytes)),
    (bytes) => `binary'${base64(bytes)}'`,
  ),
  Date: kind(() => edm.date(), date),
  TimeOfDay: kind(() => edm.timeOfDay(), time),
  DateTimeOffset: kind(
    () => edm.dateTimeOffset(),
    fc.tuple(date, time, offset).map((parts) => `${parts[0]}T${parts[1]}${parts[2]}`),
  ),
  Duration: kind(
    () => edm.duration(),
    fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 23 })).map(([d, h]) => `P${d}DT${h}H`),
    (value) => `duration'${value}'`,
  ),
  Color: kind(
    () => edm.enum(Color),
    fc.constantFrom("Red", "Green", "Blue"),
    (value) => `Ops.Color'${value}'`,
  ),
  Access: kind(() => edm.enum(Access), fc.constantFrom("None", "Read", "Write", "Read,Write"), quoted),
  Position: kind(
    () => edm.complex(Position),
    position,
    (value) => json(wirePosition(value)),
  ),
  Texts: kind(() => edm.collection(edm.string()), fc.array(text, { maxLength: 4 }), json),
  Positions: kind(
    () => edm.collection(edm.complex(Position)),
    fc.array(position, { maxLength: 3 }),
    (values) => json(values.map(wirePosition)),
  ),
};

const kept: { given: unknown; result: unknown } = { given: undefined, result: undefined };
const Holder = entityType("Holder", { id: edm.int32().key() });
const entries = <T>(make: (each: Kind) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(KINDS).map(([name, each]) => [`of${name}`, make(each)]));
const keep = (x: unknown): never => {
  kept.given = x;
  return kept.result as never;
};

const service = odataService({
  namespace: "Ops",
  entitySets: [
    entitySet(Holder, {
      getByKey: () => null,
      functions: entries(({ make }) =>
        fn(Holder, { bound: "entity", params: { x: make() }, returns: make(), handler: (_key, { x }) => keep(x) }),
      ),
    }),
  ],
  functions: entries(({ make }) => fn({ params: { x: make() }, returns: make(), handler: ({ x }) => keep(x) })),
  actions: Object.fromEntries(
    Object.entries(KINDS).map(([name, { make }]) => [
      `do${name}`,
      action({ params: { x: make() }, returns: make(), handler: ({ x }) => keep(x) }),
    ]),
  ),
});

async function ask(path: string, body?: string): Promise<string> {
  const init = body === undefined ? {} : { method: "POST", body, headers: { "Content-Type": "application/json" } };
  const response = await service.fetch(new Request(`${ORIGIN}/${path}`, init));
  const answer = await response.text();
  expect({ path, status: response.status, answer: response.status === 200 ? "" : answer }).toEqual({
    path,
    status: 200,
    answer: "",
  });
  return answer;
}

test.each(Object.entries(KINDS))("every value of %s reaches the handler, and comes back", async (name, each) => {
  await fc.assert(
    fc.asyncProperty(each.values, async (value) => {
      kept.result = value;
      const literal = encodeURIComponent(each.literal(value as never));
      const forms = [`of${name}?x=${literal}`, `of${name}(x=@p)?@p=${literal}`, `of${name}(x=${literal})`];
      const bare = new Set<string>();
      for (const form of forms) {
        kept.given = undefined;
        bare.add(await ask(form));
        expect(kept.given).toEqual(value);
      }
      // One value has one form, and an action accepts the result of a function.
      expect(bare.size).toBe(1);
      const [body = ""] = bare;
      kept.given = undefined;
      expect(await ask(`do${name}`, `{"x":${body}}`)).toBe(body);
      expect(kept.given).toEqual(value);
      expect(await ask(`Holders(1)/of${name}?x=${literal}`)).toContain(body);
    }),
    { numRuns: caseCount(60) },
  );
});

test("every text without quotes at its ends is taken as it is, or refused: never as another", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }), async (value) => {
      kept.given = undefined;
      kept.result = "";
      const response = await service.fetch(new Request(`${ORIGIN}/ofString?x=${encodeURIComponent(value)}`));
      // A quoted string is the text between the quotes.
      const isQuoted = /^\s*(?:'.*'|".*")\s*$/su.test(value);
      if (response.status !== 200) expect(kept.given).toBeUndefined();
      else if (!isQuoted) expect(kept.given).toBe(value);
    }),
    { numRuns: caseCount(300) },
  );
});

test("whatever the body of an action is, it is answered, and is never a 500", async () => {
  const names = fc.constantFrom("x", "X", "__proto__", "constructor", "x@odata.type", "x@odata.bind", "@odata.id");
  const bodies = fc.oneof(
    fc.dictionary(names, fc.jsonValue(), { maxKeys: 3 }).map((body) => JSON.stringify(body)),
    fc.json(),
    fc.string({ maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(...Object.keys(KINDS)), async (body, name) => {
      kept.result = undefined;
      const init = { method: "POST", body, headers: { "Content-Type": "application/json" } };
      const response = await service.fetch(new Request(`${ORIGIN}/do${name}`, init));
      expect([204, 400, 501], body).toContain(response.status);
    }),
    { numRuns: caseCount(400) },
  );
});

test("any text in parentheses gets a response that is not a 500", async () => {
  const pieces = fc.constantFrom(
    "x",
    "=",
    ",",
    "'",
    '"',
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "@p",
    "1",
    "null",
    " ",
    "%27",
    "a",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(pieces, { maxLength: 10 }),
      fc.constantFrom(...Object.keys(KINDS)),
      async (parts, name) => {
        kept.result = undefined;
        const piece = parts.join("");
        for (const target of [`of${name}(${piece})`, `of${name}?x=${piece}`, `of${name}(x=@p)?@p=${piece}`]) {
          const response = await service.fetch(new Request(`${ORIGIN}/${encodeURI(target).replaceAll("%25", "%")}`));
          expect([200, 204, 400, 404], target).toContain(response.status);
        }
      },
    ),
    { numRuns: caseCount(300) },
  );
});
