import {
  action,
  arraySource,
  authenticated,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  hasRequired,
  odataService,
  type ODataService,
  role,
  type ServiceOptions,
} from "odatakit";

/** Texts that are harmless only as text: each calls `canary` where it runs. */
export const PAYLOADS = {
  picture: `"><img src=x onerror="canary('picture')">`,
  link: "javascript:canary('link')",
  script: "</script></textarea></style></title><script>canary('script')</script>",
  attribute: `' onfocus='canary("attribute")' autofocus='`,
  template: "{{constructor.constructor('canary(1)')()}} ${canary('template')} %3Cb%3E &lt;b&gt; &amp;",
  frame: "<svg/onload=canary('svg')><iframe srcdoc='<script>parent.canary(1)</script>'>",
  direction: "abc\u202Egpj.exe\u202C\u200F ﷽ 日本",
} as const;

const ALL = Object.values(PAYLOADS).join(" ");
const MEGABYTE = `${"A word of many, ".repeat(65_000)}${PAYLOADS.picture}`;
const LONG_NAME = `n${"x".repeat(126)}`;
const GUID = "01234567-89ab-cdef-0123-456789abcdef";
/** A key of signs that mean something in URLs. */
export const SIGNS = `a/b 'c' %41 #d ?e=f&g +h "i" <j> \\k ;l@m:n`;

const Colour = enumType("Colour", { Red: 0, grün: 1, أحمر: 2 }, { annotations: { "Core.Description": ALL } });
const Place = complexType("Place", { street: edm.string().nullable().describe(ALL), عنوان: edm.string().nullable() });

/** One of each type, all null. */
const ODD_TYPES = {
  flag: edm.boolean().nullable(),
  byte: edm.byte().nullable(),
  int64: edm.int64().nullable(),
  decimal: edm.decimal({ precision: 30, scale: 10 }).nullable(),
  single: edm.single().nullable(),
  double: edm.double().nullable(),
  guid: edm.guid().nullable(),
  binary: edm.binary().nullable(),
  date: edm.date().nullable(),
  time: edm.timeOfDay().nullable(),
  instant: edm.dateTimeOffset().nullable(),
  duration: edm.duration().nullable(),
  colour: edm.enum(Colour).nullable(),
  place: edm.complex(Place).nullable(),
  texts: edm.collection(edm.string()),
};

const Wide = entityType("Wide", {
  id: edm.int32().key(),
  ...ODD_TYPES,
  ...Object.fromEntries(
    Array.from({ length: 184 }, (_, index) => [`p${String(index)}`, edm.string().nullable().describe(ALL)]),
  ),
});
const Text = entityType(
  "Text",
  {
    id: edm.string().key(),
    ...Object.fromEntries(
      Object.keys(PAYLOADS).map((name) => [
        name,
        edm.string().nullable().describe(ALL).annotate({ "Common.Label": PAYLOADS.picture }),
      ]),
    ),
    עברית: edm.string().nullable().describe("שלום עולם"),
    [LONG_NAME]: edm.string().nullable(),
    json: edm.string().nullable(),
    place: edm.complex(Place).nullable(),
  },
  { annotations: { "Core.Description": ALL, "Core.LongDescription": ALL } },
);
const Pair = entityType("Pair", {
  guid: edm.guid().key(),
  text: edm.string().key(),
  day: edm.date().key(),
  textId: edm.string(),
});
const Huge = entityType("Huge", { id: edm.int64().key(), text: edm.string(), bytes: edm.binary().nullable() });
const Secret = entityType("Secret", { id: edm.int32().key(), name: edm.string(), salary: edm.int32().nullable() });
const Plain = entityType("Plain", { id: edm.int32().key(), name: edm.string().nullable() });

const TEXTS = [SIGNS, "second", "日本 語"].map((id) => ({
  id,
  ...PAYLOADS,
  עברית: "טקסט ארוך מימין לשמאל (abc) 123",
  [LONG_NAME]: LONG_NAME,
  json: JSON.stringify({ [PAYLOADS.picture]: [PAYLOADS.script] }),
  place: { street: ALL, عنوان: "شارع" },
}));
const PAIRS = [
  { guid: GUID, text: SIGNS, day: "2024-02-29", textId: SIGNS },
  { guid: GUID, text: "", day: "0001-01-01", textId: "second" },
];
const ROWS = [
  { id: 1, name: "one" },
  { id: -2_147_483_648, name: null },
];

function textSets() {
  return [
    entitySet(Text, {
      name: "Texts",
      queryable: () => arraySource(Text, TEXTS),
      getByKey: (id) => TEXTS.find((text) => text.id === id) ?? null,
      create: (text) => text,
      patch: (id) => TEXTS.find((text) => text.id === id) ?? null,
      navigation: { pairs: hasMany(Pair, { on: { id: "textId" }, target: "Pairs", partner: "text_" }) },
      annotations: { "Core.Description": ALL },
    }),
    entitySet(Pair, {
      name: "Pairs",
      queryable: () => arraySource(Pair, PAIRS),
      getByKey: ({ text }) => PAIRS.find((pair) => pair.text === text) ?? null,
      navigation: { text_: hasRequired(Text, { on: { textId: "id" }, target: "Texts", partner: "pairs" }) },
      actions: {
        rename: action({ bound: "entity", params: { name: edm.string() }, handler: (_key) => undefined }),
      },
    }),
    entitySet(Wide, {
      name: "Wides",
      queryable: () => arraySource(Wide, [{ id: 1, texts: [] }]),
      getByKey: (id) => ({ id, texts: [] }),
      patch: (id) => ({ id, texts: [] }),
    }),
  ];
}

function oddSets() {
  const huge = { id: 9_223_372_036_854_775_807n, text: MEGABYTE, bytes: new Uint8Array(5000) };
  return [
    entitySet(Huge, { name: "Huges", getAll: () => [huge], getByKey: () => huge }),
    entitySet(Secret, {
      name: "Secrets",
      queryable: () => arraySource(Secret, [{ id: 1, name: "x", salary: 1 }]),
      getByKey: (id) => ({ id, name: "x", salary: 1 }),
      authorization: { properties: { salary: { read: role("hr") }, name: { read: role("hr") } } },
    }),
    // No read by key, and no option.
    entitySet(Plain, {
      name: "Bare",
      getAll: () => ROWS,
      filterEnabled: false,
      orderByEnabled: false,
      selectEnabled: false,
      expandEnabled: false,
      countEnabled: false,
    }),
    entitySet(Plain, {
      name: "Closed",
      getAll: () => ROWS,
      getByKey: (id) => ({ id, name: null }),
      authorization: { all: authenticated() },
    }),
    entitySet(Plain, { name: "Empty", queryable: () => arraySource(Plain, []), getByKey: () => null }),
    entitySet(Plain, {
      name: "רשומות",
      queryable: () => arraySource(Plain, ROWS),
      getByKey: (id) => ({ id, name: ALL }),
    }),
    entitySet(Plain, {
      name: LONG_NAME,
      queryable: () => arraySource(Plain, ROWS),
      getByKey: (id) => ({ id, name: ALL }),
    }),
  ];
}

/** Many sets of one type. */
function manySets(count: number) {
  return Array.from({ length: count }, (_, index) =>
    entitySet(Plain, {
      name: `Set${String(index)}`,
      queryable: () => arraySource(Plain, ROWS),
      getByKey: (id) => ({ id, name: null }),
    }),
  );
}

/** A service with everything that breaks pages. @param sets how many further sets it has */
export function hostileService(options: Partial<ServiceOptions> & { readonly sets?: number } = {}): ODataService {
  const { sets = 0, ...others } = options;
  return odataService({
    name: "hostile",
    namespace: "Hostile",
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    defaults: { applyEnabled: true, computeEnabled: true },
    entitySets: [...textSets(), ...oddSets(), ...manySets(sets)],
    functions: {
      echo: fn({
        params: {
          text: edm.string().describe(ALL).default(PAYLOADS.picture),
          place: edm.complex(Place).nullable(),
          colour: edm.enum(Colour).nullable(),
        },
        returns: edm.string(),
        authorization: [],
        handler: ({ text }) => text,
        annotations: { "Core.Description": ALL },
      }),
    },
    annotations: { "Core.Description": ALL, "Core.LongDescription": ALL },
    authenticate: ({ headers }) => (headers.get("x-api-key") === "right" ? { id: "ann", roles: [] } : null),
    ...others,
  });
}
