import {
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasRequired,
  odataService,
  role,
  type ServiceOptions,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { expectError, nodeDoor as door, type Send, url } from "./doors.ts";

const Country = entityType("Country", { id: edm.int32().key(), name: edm.string(), tax: edm.decimal() });
const City = entityType("City", {
  id: edm.int32().key(),
  name: edm.string(),
  area: edm.decimal(),
  budget: edm.decimal(),
  countryId: edm.int32(),
  secret: edm.string().ignored(),
});
const CITY = { id: 1, name: "Rome", area: "1285", budget: "5", countryId: 1, secret: "x" };
const COUNTRY = { id: 1, name: "Italy", tax: "0.22" };

type Settings = Readonly<Record<string, unknown>>;

interface Services {
  readonly cities?: Settings;
  readonly countries?: Settings;
  readonly service?: Partial<ServiceOptions>;
}

const ENABLED = { applyEnabled: true, computeEnabled: true } as const;

function sendTo({ cities, countries, service }: Services = {}): Send {
  const sets = [
    entitySet(Country, {
      getAll: () => [COUNTRY],
      getByKey: () => COUNTRY,
      navigation: { cities: hasMany(City, { target: "Cities", on: { id: "countryId" }, get: () => [CITY] }) },
      ...countries,
    }),
    entitySet(City, {
      getAll: () => [CITY],
      getByKey: () => CITY,
      navigation: { country: hasRequired(Country, { target: "Countries", on: { countryId: "id" } }) },
      functions: {
        all: fn({ bound: "collection", returns: edm.collection(City), composable: true, handler: () => [CITY] }),
      },
      ...cities,
    }),
  ];
  return door.to(odataService({ entitySets: sets, defaults: ENABLED, ...service }));
}

const unsupported = (target: string, message: string) => ({
  status: 400,
  code: "UnsupportedQueryOption",
  target,
  message,
});

describe("sets that do not enable the options refuse them as before", () => {
  const OFF = { applyEnabled: false, computeEnabled: false };
  const send = sendTo({ service: { defaults: OFF } });

  test.each(["/Cities", "/Cities/$count", "/Cities(1)", "/Cities(1)/Name", "/Countries(1)/Cities", "/"])(
    "%s",
    async (path) => {
      for (const [option, value] of [
        ["$apply", "groupby((Name))"],
        ["$apply", ""],
        ["$apply", "no such thing"],
        ["$compute", "Area mul 2 as Twice"],
      ] as const) {
        expectError(
          await send(url(path, { [option]: value })),
          unsupported(option, `The query option ${option} is not supported.`),
        );
      }
    },
  );

  test("in the parentheses of $expand", async () => {
    expectError(
      await send(url("/Cities", { $expand: "Country($compute=Tax mul 2 as Twice)" })),
      unsupported(
        "$expand",
        'Unknown option "$compute" within $expand. The options are $filter, $search, $orderby, $skip, $top, $count, $select, $expand, $levels. (position 8 of $expand)',
      ),
    );
  });

  test("with the profile of the standard they are not implemented", async () => {
    const standard = sendTo({ service: { defaults: OFF, profile: "standard" } });
    for (const option of ["$apply", "$compute"]) {
      expectError(await standard(url("/Cities", { [option]: "x" })), {
        status: 501,
        code: "NotImplemented",
        target: option,
        message: `The query option ${option} is not supported.`,
      });
    }
  });

  test("also the target of an expansion, if other sets compute", async () => {
    const mixed = sendTo({ countries: { computeEnabled: false } });
    expectError(
      await mixed(url("/Cities", { $expand: "Country($compute=Tax mul 2 as Twice)" })),
      unsupported(
        "$expand",
        'Unknown option "$compute" within $expand. The options are $filter, $search, $orderby, $skip, $top, $count, $select, $expand, $levels. (position 8 of $expand)',
      ),
    );
  });
});

describe("resources that have none of the options", () => {
  test.each([
    ["/Cities(1)", "$apply", "The query option $apply is not supported on a single entity."],
    ["/Cities(1)/Name", "$apply", "The query option $apply is not supported."],
    ["/Cities(1)/Name", "$compute", "The query option $compute is not supported."],
    ["/Countries(1)/Cities/$ref", "$apply", "The query option $apply is not supported on references."],
  ])("%s?%s is 400 in both profiles", async (path, option, message) => {
    for (const profile of ["specification", "standard"] as const) {
      const send = sendTo({ service: { profile } });
      expectError(await send(url(path, { [option]: "identity" })), unsupported(option, message));
    }
  });

  test("navigation routes have them in the profile of the standard only", async () => {
    for (const [option, value] of [
      ["$apply", "identity"],
      ["$compute", "Area mul 2 as Twice"],
    ] as const) {
      const target = url("/Countries(1)/Cities", { [option]: value });
      expectError(
        await sendTo()(target),
        unsupported(option, `The query option ${option} is not supported on a navigation route.`),
      );
      expect((await sendTo({ service: { profile: "standard" } })(target)).status).toBe(200);
    }
  });
});

describe("what the standard has and the service does not support", () => {
  const WORDS = [
    ["Nest(groupby((Name)) as N)", 0, "nest is not supported."],
    ["filter(Id gt 0)/nest(groupby((Name)) as N)", 16, "nest is not supported."],
    ["concat(identity,expand(Country))", 16, "expand is not supported."],
    ["groupby((rollup(Name,CountryId)))", 9, "rollup is not supported."],
    ["groupby((Area,rollup($all,Name)),aggregate($count as N))", 14, "rollup is not supported."],
    ["groupby(rollup(Name,CountryId))", 8, "rollup is not supported."],
    ["rollup((Name,CountryId))", 0, "rollup is not supported. It belongs to the paths of groupby, as in"],
    ["groupby((rolluprecursive($root/Cities,H,Id)))", 9, "rolluprecursive is not supported."],
    ["groupby((rollupnode()))", 9, "rollupnode is not supported."],
    ["rolluprecursive($root/Cities,H,Id)", 0, "rolluprecursive is not supported."],
    ["from(Name)", 0, "from is not supported."],
    ["join(Country as C,concat(top(1),top(2)))", 18, "'concat' within join is not supported."],
    ["groupby((Name),outerjoin(Country as C))", 15, "'outerjoin' within groupby is not supported."],
    ["addnested(Country,identity as C)", 0, "addnested is not supported."],
    ["expand(Country,filter(Tax gt 1))", 0, "expand is not supported."],
    ["groupby((Name),expand(Country))", 15, "expand is not supported."],
    ["ancestors($root/Cities,H,Id,identity)", 0, "ancestors is not supported."],
    ["descendants($root/Cities,H,Id,identity)", 0, "descendants is not supported."],
    ["traverse($root/Cities,H,Id,preorder)", 0, "traverse is not supported."],
    ["Default.grow()", 0, 'the function "Default.grow" cannot be a step'],
    ["aggregate(Forecast)", 10, "custom aggregates are not supported."],
    ["aggregate(Area as Area2)", 10, "custom aggregates are not supported."],
    ["aggregate(Area with Default.median as M)", 20, 'the method "Default.median" is not supported.'],
    ["aggregate(Country/$count as N)", 10, "$count of Default.Country, which is no collection, is not supported"],
    ["aggregate(Country with countdistinct as N)", 10, "'countdistinct' cannot take Default.Country"],
    ["com.sap.vocabularies.Hierarchy.v1.TopLevels(HierarchyNodes=$root/Cities,Levels=2)", 0, "the function "],
    ["aggregate($these/$count as N)", 10, "$these is supported in filter and compute of $apply only"],
    ["filter($these/aggregate(Area) gt 1)", 24, "custom aggregates are not supported. Write Area with sum."],
    [
      "compute($these/aggregate($these/$count with max) as X)",
      25,
      "$these is supported in filter and compute of $apply only",
    ],
    ["orderby($these/$count)", 8, "$these is supported in filter and compute of $apply only"],
    ["groupby(($these))", 9, "$these is supported in filter and compute of $apply only"],
    [
      "filter(aggregate(Area with sum) gt 1)",
      7,
      "the function aggregate is not supported. Its place is a step of $apply",
    ],
    ["filter(Country/aggregate(Tax with sum) gt 1)", 15, "the function aggregate is not supported."],
    ["filter(isdefined(Name))", 7, "the function isdefined is not supported."],
    ["filter(isnode(Id))", 7, "the function isnode is not supported."],
    [
      "filter(isnode(HierarchyNodes=$root/Countries,HierarchyQualifier='H',Node=Id))",
      7,
      "the function isnode is not supported.",
    ],
    ["filter(isroot(Node=Id,HierarchyQualifier='H'))", 7, "the function isroot is not supported."],
    ["filter(not isdescendant(Id))", 11, "the function isdescendant is not supported."],
    [
      "filter(Org.OData.Aggregation.V1.isnode(Node=Id))",
      7,
      "The function 'Org.OData.Aggregation.V1.isnode' is not supported in $apply.",
    ],
    ["nest(groupby((Name)))", 0, "nest is not supported."],
    [
      "aggregate(Area with sum from Name with max as X)",
      24,
      "from is not supported: write groupby and a second aggregate.",
    ],
    ["groupby((Name),concat(top(1),top(2)))", 15, "'concat' within groupby is not supported."],
    [
      "aggregate(Country/Tax with sum as X)",
      10,
      "Country/Tax (Edm.Decimal) would be aggregated once for each related entity",
    ],
    [
      "groupby((Country))",
      9,
      "groupby takes paths to single values, not Default.Country. Name its properties: Country/…",
    ],
  ] as const;

  test.each(WORDS)("%s", async (value, position, message) => {
    const answer = await sendTo()(url("/Cities", { $apply: value }));
    const start = `$apply at position ${position}: ${message}`;
    expectError(answer, { status: 400, code: "UnsupportedQueryOption", target: "$apply" });
    expect(String(answer.json.error.message).slice(0, start.length)).toBe(start);
    const standard = await sendTo({ service: { profile: "standard" } })(url("/Cities", { $apply: value }));
    expectError(standard, {
      status: 501,
      code: "NotImplemented",
      target: "$apply",
      message: answer.json.error.message,
    });
  });
});

test.each<[path: string, options: Readonly<Record<string, string>>, message: string]>([
  [
    "/Cities",
    { $filter: "$these/$count gt 1" },
    "$filter at position 0: $these is supported in filter and compute of $apply only",
  ],
  [
    "/Cities",
    { $orderby: "Id,$these/$count" },
    "$orderby at position 3: $these is supported in filter and compute of $apply only",
  ],
  [
    "/Cities",
    { $compute: "$these/$count as N" },
    "$compute at position 0: $these is supported in filter and compute of $apply only",
  ],
  ["/Cities", { $filter: "isdefined(Name)" }, "$filter at position 0: the function isdefined is not supported."],
  ["/Countries", { $filter: "Cities/aggregate(Area with sum) gt 1" }, "$filter at position 7: the function aggregate"],
  [
    "/Countries",
    { $compute: "Cities/aggregate(Area with sum) as A" },
    "$compute at position 7: the function aggregate",
  ],
  [
    "/Countries",
    { $apply: "aggregate(Cities/Country/Tax with sum as A)" },
    "$apply at position 17: Cities/Country/Tax (Edm.Decimal) would be aggregated once for each related entity",
  ],
  ["/Countries", { $expand: "Cities($apply=groupby((Name)))" }, 'Unknown option "$apply" within $expand.'],
])("%s?%o is refused by name", async (path, options, message) => {
  const send = sendTo({ service: { profile: "standard" } });
  const answer = await send(url(path, options));
  const [target = ""] = Object.keys(options);
  expectError(answer, { status: 501, code: "NotImplemented", target });
  expect(String(answer.json.error.message).slice(0, message.length)).toBe(message);
});

describe("flags and allowlists", () => {
  const invalid = (message: string) => ({ code: "InvalidQueryOption", message });
  const off = (message: string) => ({ code: "UnsupportedQueryOption", message });
  test.each<[string, Settings, Settings, string, { readonly code: string; readonly message: string }]>([
    [
      "filter",
      { filterEnabled: false },
      {},
      "filter(Id eq 1)",
      off("$apply at position 0: The query option $filter is not enabled for this entity set."),
    ],
    [
      "filter",
      { filterProperties: ["id"] },
      {},
      "filter(Area gt 1)",
      invalid("$apply at position 7: The property 'Area' is not allowed in $apply."),
    ],
    [
      "filter behind groupby",
      { filterProperties: ["id"] },
      {},
      "groupby((Area))/filter(Area gt 1)",
      invalid("$apply at position 23: The property 'Area' is not allowed in $apply."),
    ],
    [
      "orderby",
      { orderByEnabled: false },
      {},
      "orderby(Id)",
      off("$apply at position 0: The query option $orderby is not enabled for this entity set."),
    ],
    [
      "topcount",
      { orderByProperties: ["id"] },
      {},
      "topcount(1,Area)",
      invalid("$apply at position 11: The property 'Area' is not allowed in $apply."),
    ],
    [
      "$count",
      { countEnabled: false },
      {},
      "aggregate($count as N)",
      off("$apply at position 10: The query option $count is not enabled for this entity set."),
    ],
    [
      "groupby",
      { groupByProperties: ["name"] },
      {},
      "groupby((Name,Area))",
      invalid("$apply at position 14: The property 'Area' is not allowed in $apply."),
    ],
    [
      "aggregate",
      { aggregateProperties: ["area"] },
      {},
      "aggregate(Budget with max as B)",
      invalid("$apply at position 10: The property 'Budget' is not allowed in $apply."),
    ],
    [
      "aggregate",
      { selectProperties: ["area"] },
      {},
      "aggregate(Budget with min as B)",
      invalid("$apply at position 10: The property 'Budget' is not allowed in $apply."),
    ],
    [
      "compute",
      { computeEnabled: false },
      {},
      "compute(Area mul 2 as T)",
      off("$apply at position 0: The query option $compute is not enabled for this entity set."),
    ],
    [
      "compute",
      { selectProperties: ["id"] },
      {},
      "compute(Area mul 2 as T)",
      invalid("$apply at position 8: The property 'Area' is not allowed in $apply."),
    ],
    [
      "a path",
      {},
      { applyEnabled: false },
      "groupby((Country/Name))",
      off("$apply at position 9: The query option $apply is not enabled for the entity set Countries."),
    ],
    [
      "a path",
      {},
      { groupByProperties: ["id"] },
      "groupby((Country/Name))",
      invalid("$apply at position 17: 'Country' has no property 'Name'."),
    ],
    [
      "a path behind groupby",
      {},
      { filterProperties: ["id"] },
      "groupby((Country/Name))/filter(Country/Name eq 'x')",
      invalid("$apply at position 39: 'Name' is not available behind groupby."),
    ],
    [
      "a path behind groupby",
      {},
      { filterEnabled: false },
      "groupby((Country/Name))/filter(Country/Name eq 'x')",
      off("$apply at position 39: The query option $filter is not enabled for the entity set Countries."),
    ],
  ])("%s with %j and %j refuses %s", async (_step, cities, countries, value, { code, message }) => {
    const answer = await sendTo({ cities, countries })(url("/Cities", { $apply: value }));
    expectError(answer, { status: 400, code, target: "$apply" });
    expect(String(answer.json.error.message).slice(0, message.length)).toBe(message);
  });

  test.each([
    ["groupby((Total))", "aggregate(Area with sum as Total)/groupby((Total))"],
    ["filter", "aggregate(Area with sum as Total)/filter(Total gt 1)"],
    ["orderby", "aggregate(Area with sum as Area)/orderby(Area)"],
  ])("%s may use an alias", async (_step, value) => {
    const lists = { filterProperties: ["id"], orderByProperties: ["id"], groupByProperties: ["id"] };
    expect((await sendTo({ cities: lists })(url("/Cities", { $apply: value }))).status).toBe(200);
  });

  test("$select of the entities in concat obeys selectProperties", async () => {
    const send = sendTo({ cities: { selectProperties: ["id", "name"], groupByProperties: ["name", "country"] } });
    const $apply = "concat(identity,groupby((Country/Name),aggregate($count as N)))";
    expectError(await send(url("/Cities", { $apply, $select: "Area" })), {
      status: 400,
      ...invalid("$select at position 0: The property 'Area' is not allowed in $select."),
      target: "$select",
    });
    const grouped = { Country: { Name: "Italy" }, "N@odata.type": "#Decimal", N: 1 };
    const named = await send(url("/Cities", { $apply, $select: "Name,Country/Name,N" }));
    expect([named.status, named.json.value]).toEqual([
      200,
      [{ "@odata.id": "http://service.example/Cities(1)", Name: "Rome" }, grouped],
    ]);
    const star = await send(url("/Cities", { $apply, $select: "*" }));
    expect([star.status, star.json.value]).toEqual([200, [{ Id: 1, Name: "Rome" }, grouped]]);
  });

  test("an ignored property is an unknown one", async () => {
    const send = sendTo();
    for (const template of [
      "groupby((#))",
      "aggregate(# with max as X)",
      "filter(# eq 'x')",
      "topcount(1,#)",
      "compute(length(#) as X)",
      "groupby((Country/#))",
      "groupby((Name))/filter(# eq 'x')",
    ]) {
      const [ignored, unknown] = await Promise.all(
        ["Secret", "Hidden"].map((name) => send(url("/Cities", { $apply: template.replace("#", name) }))),
      );
      expect(ignored?.status).toBe(400);
      expect(ignored?.text.replaceAll("Secret", "Hidden")).toBe(unknown?.text);
    }
  });
});

describe("rules", () => {
  const authenticate = () => ({ id: "u", roles: [] });

  test.each([
    "groupby((Budget))",
    "aggregate(Budget with max as X)",
    "filter(Budget gt 1)",
    "compute(Budget mul 2 as X)",
    "compute(Budget mul 2 as X)/filter(X gt 1)",
    "compute(Budget mul 2 as X)/aggregate($count as N)",
    "topcount(1,Budget)",
    "groupby((Name),filter(Budget gt 1)/aggregate($count as N))",
    "concat(identity,aggregate(Budget with sum as B))",
  ])("%s of a property that the user may not read is 403", async ($apply) => {
    const cities = { authorization: { properties: { budget: { read: role("hr") } } } };
    const send = sendTo({ cities, service: { authenticate } });
    const answer = await send(url("/Cities", { $apply }));
    expect([answer.status, answer.json.error?.code, answer.json.error?.target]).toEqual([403, "Forbidden", "Budget"]);
  });

  test.each([
    ["$apply", "groupby((Country/Name))"],
    ["$apply", "filter(Country/Name eq 'x')/aggregate($count as N)"],
    ["$apply", "compute(Country/Tax as T)/aggregate(T with max as M)"],
    ["$apply", "aggregate($root/Countries(1)/Tax mul Area with sum as M)"],
    ["$apply", "compute(Country/Tax as T)/aggregate($count as N)"],
    ["$compute", "Country/Tax mul 2 as T"],
  ])("%s=%s along a set that the user may not read is 403", async (option, value) => {
    const countries = { authorization: { read: role("hr") } };
    const send = sendTo({ countries, service: { authenticate } });
    const answer = await send(url("/Cities", { [option]: value }));
    expect([answer.status, answer.json.error?.code]).toEqual([403, "Forbidden"]);
  });
});

test("entities among other rows have only the properties that the user may read", async () => {
  const cities = { authorization: { properties: { budget: { read: role("hr") } } } };
  const send = sendTo({ cities, service: { authenticate: () => ({ id: "u", roles: [] }) } });
  const $apply = "concat(identity,aggregate($count as N))";
  for (const options of [{}, { $orderby: "Id" }, { $select: "*" }, { $filter: "Id ge 0 or N ge 0" }]) {
    const answer = await send(url("/Cities", { $apply, ...options }));
    expect([answer.status, answer.text.includes("Budget")]).toEqual([200, false]);
  }
});

test("a computed value that a request names and does not select obeys rules", async () => {
  const authorization = { properties: { budget: { read: role("hr") }, tax: { read: role("hr") } } };
  const cities = { authorization: { properties: { budget: authorization.properties.budget } } };
  const countries = { authorization: { properties: { tax: authorization.properties.tax } } };
  const send = sendTo({ cities, countries, service: { authenticate: () => ({ id: "u", roles: [] }) } });
  for (const path of ["/Cities", "/Cities(1)", "/Cities/$count"]) {
    const answer = await send(url(path, { $compute: "Budget mul 2 as T", $select: "Id" }));
    expect([answer.status, answer.json.error?.target]).toEqual([403, "Budget"]);
  }
  const answer = await send(url("/Cities", { $expand: "Country($compute=Tax mul 2 as T;$select=Id)" }));
  expect([answer.status, answer.json.error?.target]).toEqual([403, "Tax"]);
});

describe("$compute", () => {
  test.each<[string, Readonly<Record<string, string>>, string, string]>([
    [
      "/Cities",
      { $compute: "" },
      "$compute",
      "$compute at position 0: expected a property, a literal or a function, found the end.",
    ],
    [
      "/Cities",
      { $compute: "Area mul 2" },
      "$compute",
      "$compute at position 10: expected an operator, or as and a name, as in Price mul 2 as Double, found the end.",
    ],
    [
      "/Cities",
      { $compute: "Area mul 2 as Name" },
      "$compute",
      "$compute at position 14: 'Name' is a property of 'City': choose another name.",
    ],
    [
      "/Cities",
      { $compute: "Area as A,A mul 2 as B" },
      "$compute",
      "$compute at position 10: 'City' has no property 'A'.",
    ],
    ["/Cities", { $compute: "Secret as A" }, "$compute", "$compute at position 0: 'City' has no property 'Secret'."],
    [
      "/Cities",
      { $compute: "Country as A" },
      "$compute",
      "$compute at position 0: A computed value is a single value, not Default.Country.",
    ],
    ["/Cities(1)", { $compute: "Nope as A" }, "$compute", "$compute at position 0: 'City' has no property 'Nope'."],
    [
      "/Cities",
      { $compute: "Area mul 2 as T", $filter: "Tt gt 1" },
      "$filter",
      "$filter at position 0: 'City' has no property 'Tt'.",
    ],
    [
      "/Cities",
      { $expand: "Country($compute=Area as A)" },
      "$expand",
      "$expand at position 17: 'Country' has no property 'Area'.",
    ],
    [
      "/Cities",
      { $apply: "groupby((Name))", $compute: "length(Name) as Name" },
      "$compute",
      "$compute at position 16: The rows already have the name 'Name': choose another one.",
    ],
    [
      "/Cities",
      { $apply: "groupby((Name))", $expand: "Country" },
      "$expand",
      "The rows of $apply are no entities, so they have no related entities to expand.",
    ],
    [
      "/Cities",
      { $apply: "concat(filter(Id eq 1),filter(Id eq 2))", $expand: "Country" },
      "$expand",
      "$expand does not apply to the rows of concat: send one request for each part, or write the conditions of the parts in one filter.",
    ],
    [
      "/Cities",
      { $apply: "concat(identity,aggregate($count as N))", $expand: "Country" },
      "$expand",
      "The rows of $apply are no entities, so they have no related entities to expand.",
    ],
    [
      "/Cities",
      { $apply: "groupby((Name))", $select: "Id" },
      "$select",
      "$select at position 0: 'Id' is not available behind groupby. Available: Name.",
    ],
    [
      "/Cities",
      { $apply: "aggregate($count as N)", $orderby: "Name" },
      "$orderby",
      "$orderby at position 0: 'Name' is not available behind aggregate. Available: N.",
    ],
  ])("%s?%j", async (path, options, target, message) => {
    expectError(await sendTo()(url(path, options)), { status: 400, code: "InvalidQueryOption", target, message });
  });
});

test("a set with applyQuery refuses the options that its handler does not apply", async () => {
  const send = sendTo({ cities: { getAll: undefined, applyQuery: () => ({ items: [CITY] }), functions: undefined } });
  for (const option of ["$apply", "$compute"]) {
    expectError(
      await send(url("/Cities", { [option]: "x" })),
      unsupported(option, `The query option ${option} is not supported.`),
    );
  }
});

test("more steps than maxApplySteps are refused", async () => {
  const send = sendTo({ service: { defaults: { ...ENABLED, maxApplySteps: 2 } } });
  expect((await send(url("/Cities", { $apply: "identity/identity" }))).status).toBe(200);
  expectError(await send(url("/Cities", { $apply: "identity/groupby((Name),top(1))" })), {
    status: 400,
    code: "InvalidQueryOption",
    target: "$apply",
    message: "$apply at position 24: there are more than 2 steps: send several requests.",
  });
});

test("composable functions accept the options as their set", async () => {
  for (const profile of ["specification", "standard"] as const) {
    const send = sendTo({ service: { profile } });
    const path = "/Cities/Default.all()";
    const grouped = await send(url(path, { $apply: "groupby((Name),aggregate(Area with sum as S))" }));
    expect([grouped.status, grouped.json.value]).toEqual([
      200,
      [{ Name: "Rome", "S@odata.type": "#Decimal", S: 1285 }],
    ]);
    const computed = await send(
      url(path, { $compute: "Area mul 2 as Twice", $select: "Twice", $filter: "Twice gt 1" }),
    );
    expect([computed.status, computed.json.value?.[0]?.Twice]).toEqual([200, 2570]);
  }
});

describe("the ways to send the options", () => {
  const GROUPED = [{ Name: "Rome" }];

  test("parameter aliases, also of searches and counts", async () => {
    const send = sendTo({ cities: { search: () => [CITY] } });
    const options = { $apply: "filter(Area gt @least and Name in @names)/top(@n)/groupby((Name))", "@least": "5" };
    const answer = await send(url("/Cities", { ...options, "@names": "['Rome','Oslo']", "@n": "3" }));
    expect([answer.status, answer.json.value]).toEqual([200, GROUPED]);
    const missing = await send(url("/Cities", { $apply: "top(@n)" }));
    expectError(missing, {
      status: 400,
      code: "InvalidQueryOption",
      target: "$apply",
      message: "$apply at position 4: 'top' takes a whole number, as in top(5).",
    });
    const searched = await send(url("/Cities", { $apply: "search(@text)/groupby((Name))", "@text": "x" }));
    expect([searched.status, searched.json.value]).toEqual([200, GROUPED]);
  });

  test("without $, with the profile of the standard", async () => {
    const send = sendTo({ service: { profile: "standard" } });
    const grouped = await send(url("/Cities", { apply: "groupby((Name))" }));
    expect([grouped.status, grouped.json.value]).toEqual([200, GROUPED]);
    const expanded = await send(
      url("/Cities", { expand: "Country(compute=Tax mul 2 as Twice;select=Twice)", select: "Id" }),
    );
    expect([expanded.status, expanded.json.value?.[0]?.Country?.Twice]).toEqual([200, 0.44]);
  });

  test("a write refuses $compute on every route, since its options shape the stored entity", async () => {
    const cities = hasMany(City, { target: "Cities", on: { id: "countryId" }, get: () => [CITY], create: () => CITY });
    const send = sendTo({
      cities: { create: () => CITY },
      countries: { navigation: { cities } },
      service: { profile: "standard" },
    });
    const body = '{"Id":1,"Name":"Rome","Area":1285,"Budget":5,"CountryId":1}';
    const headers = { "Content-Type": "application/json" };
    for (const path of ["/Cities", "/Countries(1)/Cities"]) {
      const answer = await send(url(path, { $compute: "Area mul 2 as Twice" }), headers, "POST", body);
      expect([path, answer.status, answer.json.error?.target]).toEqual([path, 400, "$compute"]);
    }
  });

  test("in the body of POST …/$query, and for /$count", async () => {
    const send = sendTo();
    const body = "$apply=groupby((Name),aggregate($count as N))&$select=Name";
    const answer = await send("/Cities/$query", { "Content-Type": "text/plain" }, "POST", body);
    expect([answer.status, answer.json.value]).toEqual([200, GROUPED]);
    const count = await send(url("/Cities/$count", { $apply: "groupby((Name))", $filter: "Name eq 'Oslo'" }));
    expect([count.status, count.text]).toEqual([200, "0"]);
  });

  test("a search in $apply and $search must both match", async () => {
    const texts: string[] = [];
    const search = ({ text }: { readonly text: string }) => {
      texts.push(text);
      return [CITY];
    };
    const send = sendTo({ cities: { search } });
    const both = { $apply: "filter(Id gt 0)/search(don't OR b)", $search: '"a b"' };
    expect((await send(url("/Cities", both))).status).toBe(200);
    expect(texts).toEqual(['(don\'t OR b) AND ("a b")']);
    expectError(await send(url("/Cities", { $apply: "top(1)", $search: "a" })), {
      status: 400,
      code: "InvalidQueryOption",
      target: "$search",
      message:
        "$search cannot follow steps of $apply that change or limit the rows: write search(…) as its first step.",
    });
    expectError(await send(url("/Cities", { $apply: "search(a AND)/top(1)" })), {
      status: 400,
      code: "InvalidQueryOption",
      target: "$apply",
      message: "$apply at position 12: a word, a phrase in double quotes or an opening parenthesis is missing.",
    });
  });
});

test("countEnabled: false of a set leaves its number in expressions, as the path /$count", async () => {
  const send = sendTo({ cities: { countEnabled: false } });
  const countries =
    '{"@odata.context":"http://service.example/$metadata#Countries","value":[{"Id":1,"Name":"Italy","Tax":0.22}]}';
  const counted = "Countries(Cities__)";
  expect((await send(url("/Countries", { $filter: "Cities/$count gt 0" }))).text).toBe(countries);
  expect((await send(url("/Countries", { $orderby: "Cities/$count" }))).text).toBe(countries);
  for (const options of [
    { $compute: "Cities/$count as Cities__", $select: "Cities__" },
    { $apply: "compute(Cities/$count as Cities__)/groupby((Cities__))" },
  ]) {
    const { status, json } = await send(url("/Countries", options));
    expect([status, json["@odata.context"], json.value]).toEqual([
      200,
      `http://service.example/$metadata#${counted}`,
      [expect.objectContaining({ "Cities__@odata.type": "#Int64", Cities__: 1 })],
    ]);
  }
  expect((await send(url("/Cities/$count", {}))).text).toBe("1");
  for (const [path, options] of [
    ["/Cities", { $count: "true" }],
    ["/Countries", { $expand: "Cities/$count" }],
    ["/Cities", { $apply: "aggregate($count as N)" }],
  ] as const) {
    expectError(await send(url(path, options)), {
      status: 400,
      code: "UnsupportedQueryOption",
      target: Object.keys(options)[0] ?? "",
    });
  }
});
