import {
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  hasMany,
  hasOptional,
  odataService,
  type ResultOf,
} from "odatakit";

export const Color = enumType("Color", { Red: 0, Green: 1, Blue: 2 });
export const Access = enumType("Access", { None: 0, Read: 1, Write: 2, Execute: 4 }, { isFlags: true });
export const Position = complexType("Position", { latitude: edm.double(), longitude: edm.double().nullable() });
export const Address = complexType("Address", {
  street: edm.string(),
  city: edm.string().nullable(),
  position: edm.complex(Position).nullable(),
  alarmCode: edm.string().ignored(),
});

/** Every type, nullable and not, alone, nested and in collections. */
export const Sample = entityType("Sample", {
  id: edm.int32().key(),
  text: edm.string({ maxLength: 40 }),
  maybeText: edm.string().nullable(),
  boolean: edm.boolean(),
  maybeBoolean: edm.boolean().nullable(),
  byte: edm.byte(),
  maybeByte: edm.byte().nullable(),
  sByte: edm.sByte(),
  maybeSByte: edm.sByte().nullable(),
  int16: edm.int16(),
  maybeInt16: edm.int16().nullable(),
  int32: edm.int32(),
  maybeInt32: edm.int32().nullable(),
  int64: edm.int64(),
  maybeInt64: edm.int64().nullable(),
  single: edm.single(),
  maybeSingle: edm.single().nullable(),
  double: edm.double(),
  maybeDouble: edm.double().nullable(),
  decimal: edm.decimal({ precision: 20, scale: 4 }),
  maybeDecimal: edm.decimal({ precision: 20, scale: 4 }).nullable(),
  amount: edm.decimal(),
  guid: edm.guid(),
  maybeGuid: edm.guid().nullable(),
  binary: edm.binary(),
  maybeBinary: edm.binary().nullable(),
  date: edm.date(),
  maybeDate: edm.date().nullable(),
  timeOfDay: edm.timeOfDay(),
  maybeTimeOfDay: edm.timeOfDay().nullable(),
  dateTimeOffset: edm.dateTimeOffset(),
  maybeDateTimeOffset: edm.dateTimeOffset().nullable(),
  duration: edm.duration(),
  maybeDuration: edm.duration().nullable(),
  color: edm.enum(Color),
  maybeColor: edm.enum(Color).nullable(),
  access: edm.enum(Access),
  maybeAccess: edm.enum(Access).nullable(),
  home: edm.complex(Address),
  maybeHome: edm.complex(Address).nullable(),
  texts: edm.collection(edm.string()),
  maybeTexts: edm.collection(edm.string().nullable()),
  numbers: edm.collection(edm.int64()),
  amounts: edm.collection(edm.decimal()),
  colors: edm.collection(edm.enum(Color)),
  homes: edm.collection(edm.complex(Address)),
  renamed: edm.string().nullable().json("remark"),
  secret: edm.string().ignored(),
});
export type SampleRow = ResultOf<typeof Sample>;

const SECRET = "the secret that never crosses the wire";
const bytes = (...octets: number[]): Uint8Array => Uint8Array.from(octets);

export const SAMPLES: readonly SampleRow[] = [
  {
    id: 1,
    text: "Chai",
    maybeText: "hot & sweet",
    boolean: true,
    maybeBoolean: true,
    byte: 1,
    maybeByte: 1,
    sByte: 1,
    maybeSByte: 1,
    int16: 1,
    maybeInt16: 1,
    int32: 5,
    maybeInt32: 5,
    int64: 5n,
    maybeInt64: 5n,
    single: 0.5,
    maybeSingle: 0.5,
    double: 2.5,
    maybeDouble: 0.1,
    decimal: "18.0000",
    maybeDecimal: "18.0000",
    amount: "1.10",
    guid: "00000000-0000-0000-0000-000000000001",
    maybeGuid: "00000000-0000-0000-0000-000000000001",
    binary: bytes(1, 2, 3),
    maybeBinary: bytes(1, 2, 3),
    date: "2024-02-29",
    maybeDate: "2024-02-29",
    timeOfDay: "08:30:00",
    maybeTimeOfDay: "08:30:00",
    dateTimeOffset: "2024-02-29T10:20:30Z",
    maybeDateTimeOffset: "2024-02-29T10:20:30Z",
    duration: "PT1H30M",
    maybeDuration: "PT1H30M",
    color: "Red",
    maybeColor: "Green",
    access: "Read",
    maybeAccess: "Read,Write",
    home: { street: "Main St 1", city: "Berlin", position: { latitude: 52.5, longitude: 13.4 }, alarmCode: SECRET },
    maybeHome: { street: "Main St 1", city: "Berlin", position: { latitude: 52.5, longitude: 13.4 } },
    texts: ["a", "b"],
    maybeTexts: ["a", null],
    numbers: [1n, 2n],
    amounts: ["1.10", "2"],
    colors: ["Red", "Blue"],
    homes: [
      { street: "A 1", city: "Berlin", position: { latitude: 1.5, longitude: null }, alarmCode: SECRET },
      { street: "A 2", city: null, position: null },
    ],
    renamed: "said",
    secret: SECRET,
  },
  {
    // Nullable members are left out, as handlers may.
    id: 2,
    text: "chang",
    boolean: false,
    byte: 2,
    sByte: 2,
    int16: 2,
    int32: 10,
    int64: 9007199254740993n,
    single: 1.5,
    double: 3.5,
    decimal: "19.5000",
    amount: "1.1",
    guid: "00000000-0000-0000-0000-000000000002",
    binary: bytes(),
    date: "2024-03-01",
    timeOfDay: "17:00:00",
    dateTimeOffset: "2024-03-01T00:30:00+02:00",
    duration: "P1D",
    color: "Green",
    access: "Read,Write",
    home: { street: "Side St 2" },
    texts: [],
    maybeTexts: [],
    numbers: [],
    amounts: [],
    colors: [],
    homes: [],
    secret: SECRET,
  },
  {
    id: 3,
    text: "Aniseed Syrup",
    maybeText: "",
    boolean: true,
    maybeBoolean: false,
    byte: 255,
    maybeByte: 255,
    sByte: 127,
    maybeSByte: 127,
    int16: 32767,
    maybeInt16: 32767,
    int32: 2147483647,
    maybeInt32: 2147483647,
    int64: 9223372036854775807n,
    maybeInt64: 9223372036854775807n,
    single: 1024,
    maybeSingle: 1024,
    double: 1.7976931348623157e308,
    maybeDouble: 1.5,
    decimal: "9999999999999999.9999",
    maybeDecimal: "9999999999999999.9999",
    amount: "123456789012345678901234567890.123456789",
    guid: "abcdef01-2345-6789-abcd-ef0123456789",
    maybeGuid: "abcdef01-2345-6789-abcd-ef0123456789",
    binary: bytes(255, 254, 253),
    maybeBinary: bytes(255, 254, 253),
    date: "9999-12-31",
    maybeDate: "9999-12-31",
    timeOfDay: "23:59:59.999999999999",
    maybeTimeOfDay: "23:59:59.999999999999",
    dateTimeOffset: "9999-12-31T23:59:59.999999999999Z",
    maybeDateTimeOffset: "9999-12-31T23:59:59.999999999999Z",
    duration: "P1000DT2H48M5.477S",
    maybeDuration: "P1000DT2H48M5.477S",
    color: "Blue",
    maybeColor: "Blue",
    access: "None",
    maybeAccess: "None",
    home: { street: "Side St 3", city: "Paris", position: { latitude: 48.85, longitude: null } },
    maybeHome: { street: "Q 3", city: null, position: null },
    texts: ["a"],
    maybeTexts: ["a"],
    numbers: [9007199254740993n],
    amounts: ["123456789012345678901234567890.123456789"],
    colors: ["Green"],
    homes: [{ street: "C 1", city: "Paris", position: { latitude: 2, longitude: 3 } }],
    renamed: null,
    secret: SECRET,
  },
  {
    id: 4,
    text: "Ångström",
    maybeText: "100%_sure",
    boolean: false,
    maybeBoolean: true,
    byte: 0,
    maybeByte: 0,
    sByte: -128,
    maybeSByte: -128,
    int16: -32768,
    maybeInt16: -32768,
    int32: -2147483648,
    maybeInt32: -2147483648,
    int64: -9223372036854775808n,
    maybeInt64: -9223372036854775808n,
    single: -0.5,
    maybeSingle: -0.5,
    double: -2.5,
    maybeDouble: Number.NEGATIVE_INFINITY,
    decimal: "-2.5000",
    maybeDecimal: "-2.5000",
    amount: "-0.5",
    guid: "00000000-0000-0000-0000-000000000004",
    maybeGuid: "00000000-0000-0000-0000-000000000004",
    binary: bytes(0),
    maybeBinary: bytes(0),
    date: "0001-01-01",
    maybeDate: "0001-01-01",
    timeOfDay: "00:00:00",
    maybeTimeOfDay: "00:00:00",
    dateTimeOffset: "0001-01-01T00:00:00Z",
    maybeDateTimeOffset: "0001-01-01T00:00:00Z",
    duration: "-P1DT1S",
    maybeDuration: "-P1DT1S",
    color: "Red",
    maybeColor: "Red",
    access: "Read,Write,Execute",
    maybeAccess: "Write,Execute",
    home: { street: "Main St 4", city: "Berlin", position: null },
    texts: ["b", "c", "d"],
    maybeTexts: [null],
    numbers: [-9223372036854775808n, 0n],
    amounts: ["0.0000001"],
    colors: ["Blue"],
    homes: [],
    renamed: "100%",
    secret: SECRET,
  },
  {
    id: 5,
    text: "O'Neil & Söhne",
    maybeText: "Chai",
    boolean: true,
    maybeBoolean: null,
    byte: 5,
    sByte: -5,
    int16: -5,
    int32: -7,
    int64: 9007199254740992n,
    single: Number.POSITIVE_INFINITY,
    double: Number.POSITIVE_INFINITY,
    decimal: "0.0001",
    amount: "0",
    guid: "00000000-0000-0000-0000-000000000005",
    binary: bytes(97),
    date: "1999-12-31",
    timeOfDay: "12:34:56.789",
    // The instant of row 1 at another offset.
    dateTimeOffset: "2024-02-29T12:20:30+02:00",
    duration: "PT1H30M",
    color: "Green",
    access: "Write",
    home: { street: "X 5", city: "", position: { latitude: 0, longitude: 0 } },
    texts: [],
    maybeTexts: [],
    numbers: [],
    amounts: [],
    colors: [],
    homes: [],
    renamed: "",
    secret: SECRET,
  },
  {
    id: 6,
    text: "日本語 𝒳",
    maybeText: " padded ",
    boolean: false,
    maybeBoolean: false,
    byte: 6,
    maybeByte: 6,
    sByte: 6,
    maybeSByte: 6,
    int16: 6,
    maybeInt16: 6,
    int32: 0,
    maybeInt32: 0,
    int64: 0n,
    maybeInt64: 0n,
    single: Number.NaN,
    maybeSingle: Number.NaN,
    double: Number.NaN,
    maybeDouble: Number.NaN,
    decimal: "2.5000",
    maybeDecimal: "2.5000",
    amount: "2.5",
    guid: "00000000-0000-0000-0000-000000000006",
    maybeGuid: "00000000-0000-0000-0000-000000000006",
    binary: bytes(251, 239),
    maybeBinary: bytes(251, 239),
    date: "2024-03-01",
    maybeDate: "2024-03-01",
    timeOfDay: "12:00:00",
    maybeTimeOfDay: "12:00:00",
    dateTimeOffset: "2024-02-29T10:20:30.5-03:30",
    maybeDateTimeOffset: "2024-02-29T10:20:30.5-03:30",
    duration: "PT0S",
    maybeDuration: "PT0S",
    color: "Blue",
    maybeColor: "Blue",
    access: "Execute",
    maybeAccess: "Read",
    home: { street: "Y 6", city: "Tokyo", position: { latitude: 35.7, longitude: 139.7 } },
    maybeHome: { street: "Y 6", city: "Tokyo", position: { latitude: 35.7, longitude: 139.7 } },
    texts: ["x"],
    maybeTexts: ["x", "y"],
    numbers: [0n],
    amounts: ["-0.5"],
    colors: ["Red", "Green", "Blue"],
    homes: [{ street: "F 1", city: "Tokyo", position: null }],
    renamed: "日本",
    secret: SECRET,
  },
];

/** A related type, so that navigations are there to be refused. */
export const Part = entityType("Part", { id: edm.int32().key(), sampleId: edm.int32(), name: edm.string() });
const PARTS = [
  { id: 1, sampleId: 1, name: "leaf" },
  { id: 2, sampleId: 1, name: "stem" },
];

async function* slowly<T>(rows: Iterable<T>): AsyncGenerator<T> {
  for (const row of rows) {
    await Promise.resolve();
    yield row;
  }
}

function* lazily<T>(rows: Iterable<T>): Generator<T> {
  yield* rows;
}

/** The records of a test logger. */
export interface LogRecord {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that keeps its records. */
export function recordingLogger() {
  const errors: LogRecord[] = [];
  return {
    errors,
    error: (message: string, fields: Readonly<Record<string, unknown>>) => {
      errors.push({ message, fields });
    },
    warn: () => {},
    info: () => {},
  };
}

/** A logger for services that must not fail: the 500 fails the test, and the log shows the reason. */
export const noFailures = {
  error: (message: string, fields: Readonly<Record<string, unknown>>) => {
    console.error(message, fields);
  },
  warn: () => {},
  info: () => {},
};

const samples = entitySet(Sample, {
  queryable: () => arraySource(Sample, SAMPLES),
  getByKey: (key) => SAMPLES.find(({ id }) => id === key) ?? null,
  navigation: {
    parts: hasMany(Part, {
      on: { id: "sampleId" },
      target: "Parts",
      get: (key) => PARTS.filter((part) => part.sampleId === key),
    }),
    favourite: hasOptional(Part, { target: "Parts", get: () => null }),
  },
});

/** The samples by each way of handing them over. */
export const sampleService = odataService({
  prefix: "/odata",
  namespace: "Kit",
  entitySets: [
    samples,
    entitySet(Sample, { name: "ArraySamples", getAll: () => SAMPLES }),
    entitySet(Sample, { name: "LazySamples", getAll: () => lazily(SAMPLES) }),
    entitySet(Sample, { name: "SlowSamples", getAll: async () => slowly(SAMPLES) }),
    entitySet(Sample, { name: "BankersSamples", getAll: () => SAMPLES, roundingMode: "BankersRounding" }),
    entitySet(Part, {
      queryable: async () => arraySource(Part, PARTS),
      getByKey: async (key) => PARTS.find(({ id }) => id === key) ?? null,
    }),
  ],
  logger: noFailures,
});

/** The sets whose options the framework applies. */
export const SAMPLE_SETS = ["Samples", "ArraySamples", "LazySamples", "SlowSamples"] as const;

/** A small type for tests of settings and paging. */
export const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string(),
  rank: edm.int32().nullable(),
  price: edm.decimal({ precision: 10, scale: 2 }),
  place: edm.complex(Position).nullable(),
  secret: edm.string().ignored(),
});
export type ItemOptions = Parameters<typeof entitySet<typeof Item>>[1];

export const ITEMS = Array.from({ length: 7 }, (_, index) => ({
  id: index + 1,
  name: `Item ${String(index + 1)}`,
  // Two of each, so that the order needs the key; one null.
  rank: index === 6 ? null : Math.floor(index / 2),
  price: `${String(index)}.50`,
  place: null,
  secret: "hidden",
}));

/** Returns an item as `GET /Set` shows it. */
export function shown(id: number) {
  const { name, rank, price } = ITEMS[id - 1]!;
  return { Id: id, Name: name, Rank: rank, Price: Number(price), Place: null };
}

/** Each way to read a set of items. `whole` returns more than a page; `exact` returns the requested items. */
export const ITEM_FORMS = {
  queryable: { queryable: () => arraySource(Item, ITEMS) },
  "queryable, async": { queryable: async () => arraySource(Item, ITEMS) },
  "get-all": { getAll: () => ITEMS },
  "get-all, async iterable": { getAll: async () => slowly(ITEMS) },
  "profile-applied, whole": {
    applyQuery: ({ skip, top, count }) => ({
      items: ITEMS.slice(skip, top === undefined ? undefined : skip + top),
      ...(count ? { count: ITEMS.length } : {}),
    }),
  },
  "profile-applied, exact": {
    applyQuery: async ({ skip, top, pageSize, count }) => ({
      items: ITEMS.slice(skip, skip + (pageSize === null ? (top ?? ITEMS.length) : pageSize + 1)),
      count: count ? BigInt(ITEMS.length) : undefined,
    }),
  },
} satisfies Record<string, Partial<ItemOptions>>;
export type ItemForm = keyof typeof ITEM_FORMS;
export const FORM_NAMES = Object.keys(ITEM_FORMS) as ItemForm[];

/** One service at `/s` with the set `Items`, read in the given form. */
export function itemService(form: ItemForm, options: Partial<ItemOptions> = {}) {
  const getByKey = (key: number) => ITEMS.find(({ id }) => id === key) ?? null;
  return odataService({
    prefix: "/s",
    entitySets: [entitySet(Item, { getByKey, ...(ITEM_FORMS[form] as Partial<ItemOptions>), ...options })],
    logger: noFailures,
  });
}

/** The keys of the entities of a collection answer. */
export function idsOf(body: { readonly value: ReadonlyArray<{ readonly Id: number }> }): number[] {
  return body.value.map(({ Id }) => Id);
}
