import { action, complexType, edm, entitySet, entityType, enumType, fn, odataService } from "odatakit";
import type { AnyProperty } from "../../../src/definition/types/value-type.ts";
import type { Service } from "./doors.ts";

export const Color = enumType("Color", { Red: 0, Green: 1, Blue: 2 });
export const Access = enumType("Access", { None: 0, Read: 1, Write: 2 }, { isFlags: true });
export const Position = complexType("Position", { latitude: edm.double(), longitude: edm.double().nullable() });

/** One kind of parameter: how it is declared, and how one value of it is written everywhere. */
export interface ParameterCase {
  readonly name: string;
  readonly make: () => AnyProperty;
  /** The value as a handler gets it. */
  readonly value: unknown;
  /** The literal of a URL. */
  readonly literal: string;
  /** The literal without the parts that clients may omit; absent without such parts. */
  readonly plain?: readonly string[];
  /** JSON, in bodies and results. */
  readonly json: string;
  /** Invalid values in a URL. */
  /** The literal in quotes, which clients send, too; absent if that is another literal. */
  readonly quoted?: string;
  readonly wrongLiterals: readonly string[];
  /** Invalid values in a body. */
  readonly wrongJson: readonly string[];
}

const GUID = "01234567-89ab-cdef-0123-456789abcdef";

export const SCALARS: readonly ParameterCase[] = [
  {
    name: "Boolean",
    make: () => edm.boolean(),
    value: true,
    literal: "true",
    json: "true",
    wrongLiterals: ["1", "'true'", "yes"],
    wrongJson: ['"true"', "1"],
  },
  {
    name: "Byte",
    make: () => edm.byte(),
    value: 255,
    literal: "255",
    json: "255",
    wrongLiterals: ["256", "-1", "1.5", "'5'", "abc"],
    wrongJson: ["256", "1.5", '"5"'],
  },
  {
    name: "SByte",
    make: () => edm.sByte(),
    value: -128,
    literal: "-128",
    json: "-128",
    wrongLiterals: ["128", "'5'"],
    wrongJson: ["128"],
  },
  {
    name: "Int16",
    make: () => edm.int16(),
    value: -32_768,
    literal: "-32768",
    json: "-32768",
    wrongLiterals: ["32768", "5.5"],
    wrongJson: ["32768", "true"],
  },
  {
    name: "Int32",
    make: () => edm.int32(),
    value: 2_147_483_647,
    literal: "2147483647",
    json: "2147483647",
    wrongLiterals: ["2147483648", "'1'", "1e1", "one", "1 2", "1,2", "x=1"],
    wrongJson: ["2147483648", "[]", "{}"],
  },
  {
    name: "Int64",
    make: () => edm.int64(),
    value: 9_007_199_254_740_993n,
    literal: "9007199254740993",
    json: "9007199254740993",
    wrongLiterals: ["9223372036854775808", "'1'"],
    wrongJson: ["9223372036854775808", '"x"'],
  },
  {
    name: "Single",
    make: () => edm.single(),
    value: 1.5,
    literal: "1.5",
    json: "1.5",
    wrongLiterals: ["'1.5'", "1,5"],
    wrongJson: ['"1.5"'],
  },
  {
    name: "Double",
    make: () => edm.double(),
    value: -1.5e300,
    literal: "-1.5E300",
    json: "-1.5e+300",
    wrongLiterals: ["1e999", "'1'"],
    wrongJson: ["1e999"],
  },
  {
    name: "Decimal",
    make: () => edm.decimal({ precision: 20, scale: 2 }),
    value: "123456789012345.10",
    literal: "123456789012345.10",
    json: "123456789012345.10",
    wrongLiterals: ["1.234", "'1'"],
    wrongJson: ["1.234"],
  },
  {
    name: "String",
    make: () => edm.string({ maxLength: 10 }),
    value: "O'Neil & ü",
    literal: "'O''Neil & ü'",
    plain: ["O'Neil & ü"],
    json: '"O\'Neil & ü"',
    wrongLiterals: ["'open", "open'", "'12345678901'", "'a' 'b'", "duration'PT1S'"],
    wrongJson: ["5", "true", '"12345678901"'],
  },
  {
    name: "Guid",
    make: () => edm.guid(),
    value: GUID,
    literal: GUID,
    json: `"${GUID}"`,
    wrongLiterals: ["'01234567'", "01234567", "binary'AQID'"],
    wrongJson: ['"x"', "1"],
  },
  {
    name: "Binary",
    make: () => edm.binary(),
    value: Uint8Array.of(255, 254, 0),
    literal: "binary'__4A'",
    plain: ["__4A"],
    json: '"__4A"',
    wrongLiterals: ["binary'!'", "'__4A'", "!!"],
    wrongJson: ['"!"', "1"],
  },
  {
    name: "Date",
    make: () => edm.date(),
    value: "2024-02-29",
    literal: "2024-02-29",
    json: '"2024-02-29"',
    quoted: "'2024-02-29'",
    wrongLiterals: ["2023-02-29", "'2023-02-29'", "'2024-02-29T00:00:00Z'", "today"],
    wrongJson: ['"2023-02-29"', "20240229"],
  },
  {
    name: "TimeOfDay",
    make: () => edm.timeOfDay(),
    value: "13:20:00.5",
    literal: "13:20:00.5",
    json: '"13:20:00.5"',
    quoted: "'13:20:00.5'",
    wrongLiterals: ["25:00:00", "'25:00:00'"],
    wrongJson: ['"25:00:00"'],
  },
  {
    name: "DateTimeOffset",
    make: () => edm.dateTimeOffset(),
    value: "2024-02-29T13:20:00+02:00",
    literal: "2024-02-29T13:20:00+02:00",
    json: '"2024-02-29T13:20:00+02:00"',
    quoted: "'2024-02-29T13:20:00+02:00'",
    wrongLiterals: ["2024-02-29T13:20:00", "'2024-02-29T13:20:00'"],
    wrongJson: ['"2024-02-29T13:20:00"', '"x"'],
  },
  {
    name: "Duration",
    make: () => edm.duration(),
    value: "P1DT2H",
    literal: "duration'P1DT2H'",
    plain: ["P1DT2H"],
    json: '"P1DT2H"',
    wrongLiterals: ["'P1D'", "duration'x'", "1 day"],
    wrongJson: ['"1 day"', "5"],
  },
  {
    name: "Color",
    make: () => edm.enum(Color),
    value: "Green",
    literal: "Ops.Color'Green'",
    plain: ["'Green'", "Green", "1"],
    json: '"Green"',
    wrongLiterals: ["'Pink'", "Pink", "Ops.Access'Read'", "9"],
    wrongJson: ['"Pink"', "1"],
  },
  {
    name: "Access",
    make: () => edm.enum(Access),
    value: "Read,Write",
    literal: "Ops.Access'Read,Write'",
    plain: ["'Read,Write'", "Read,Write"],
    json: '"Read,Write"',
    wrongLiterals: ["'Read,Eat'", "Eat"],
    wrongJson: ['"Eat"'],
  },
];

/** The types that a URL writes as JSON. */
export const STRUCTURES: readonly ParameterCase[] = [
  {
    name: "Position",
    make: () => edm.complex(Position),
    value: { latitude: 1.5, longitude: null },
    literal: '{"Latitude":1.5,"Longitude":null}',
    json: '{"Latitude":1.5,"Longitude":null}',
    wrongLiterals: ["{", "[]", "5", '{"Latitude":"x"}', '{"Latitude":1,"Height":2}', "null", "Position"],
    wrongJson: ["[]", "5", '{"Latitude":"x"}', '{"Latitude":1,"Height":2}', "null"],
  },
  {
    name: "Texts",
    make: () => edm.collection(edm.string()),
    value: ["a,b", "c)d", "e'f"],
    literal: '["a,b","c)d","e\'f"]',
    json: '["a,b","c)d","e\'f"]',
    wrongLiterals: ["a", "['a']", '["a",5]', "[null]", '"a"', "null", "["],
    wrongJson: ['"a"', '["a",5]', "[null]", "null", "{}"],
  },
  {
    name: "Numbers",
    make: () => edm.collection(edm.int64()),
    value: [1n, 9_007_199_254_740_993n],
    literal: "[1,9007199254740993]",
    json: "[1,9007199254740993]",
    wrongLiterals: ["1,2", "[1.5]", "[1,]"],
    wrongJson: ["1", "[1.5]"],
  },
  {
    name: "Positions",
    make: () => edm.collection(edm.complex(Position)),
    value: [{ latitude: 1.5, longitude: 2.5 }],
    literal: '[{"Latitude":1.5,"Longitude":2.5}]',
    json: '[{"Latitude":1.5,"Longitude":2.5}]',
    wrongLiterals: ["{}", "[1]", '[{"Longitude":1}]'],
    wrongJson: ["{}", "[1]"],
  },
];

export const CASES: readonly ParameterCase[] = [...SCALARS, ...STRUCTURES];

/** The arguments of the last call of an operation. */
export interface Calls {
  last: unknown;
}

/** A service with an operation of each kind for each type, which records its argument and returns it. */
export function echoService(calls: Calls): Service {
  const keep = (x: unknown): never => {
    calls.last = x;
    return x as never;
  };
  const Holder = entityType("Holder", { id: edm.int32().key() });
  const entries = <T>(prefix: string, make: (each: ParameterCase) => T): Record<string, T> =>
    Object.fromEntries(CASES.map((each) => [prefix + each.name, make(each)]));
  const params = ({ make }: ParameterCase) => ({ x: make() });
  const ofHolder = entitySet(Holder, {
    getByKey: () => null,
    functions: {
      ...entries("ofEntity", (each) =>
        fn(Holder, {
          bound: "entity",
          params: params(each),
          returns: each.make(),
          handler: (_key, { x }) => keep(x),
        }),
      ),
      ...entries("ofSet", (each) =>
        fn(Holder, { bound: "collection", params: params(each), returns: each.make(), handler: ({ x }) => keep(x) }),
      ),
    },
    actions: entries("do", (each) =>
      action(Holder, {
        bound: "entity",
        params: params(each),
        returns: each.make(),
        handler: (_key, { x }) => keep(x),
      }),
    ),
  });
  return odataService({
    namespace: "Ops",
    prefix: "/o",
    entitySets: [ofHolder],
    functions: entries("get", (each) =>
      fn({ params: params(each), returns: each.make(), handler: ({ x }) => keep(x) }),
    ),
    actions: entries("send", (each) =>
      action({ params: params(each), returns: each.make(), handler: ({ x }) => keep(x) }),
    ),
  });
}
