import { describe, expect, test } from "vitest";
import { type QueryShape, shapeKey } from "../../../src/language/query/clauses.ts";
import { bindCollection, bindCountOf, bindEntity, bindNothing, errorOf, type Settings } from "./requests.ts";
import { summary } from "./summary.ts";

const INVALID = "InvalidQueryOption";
const UNSUPPORTED = "UnsupportedQueryOption";

test("a query without options", () => {
  const { shape, ...rest } = bindCollection("");
  expect(rest).toEqual({ values: [], search: null, top: undefined, skip: 0, skipToken: undefined, count: false });
  expect(shape).toMatchObject({ filter: null, orderBy: [], parameters: [], roundingMode: "spec-compliant" });
  expect(shape.selectExpand.isSelection).toBe(false);
});

test("the options that vary per request", () => {
  const bound = bindCollection("$top=0&$skip=5&$count=TRUE&$skiptoken=BQAAAA==&$format=json&x=1&$filter=Name eq 'a'");
  expect(bound).toMatchObject({ top: 0, skip: 5, count: true, skipToken: "BQAAAA==", values: ["a"] });
});

test("the rounding mode of the set is part of the shape", () => {
  const { shape } = bindCollection("", { capabilities: { roundingMode: "BankersRounding" } });
  expect(shape.roundingMode).toBe("BankersRounding");
});

describe("the values of parameters", () => {
  test.each<[string, readonly unknown[]]>([
    ["Price gt 5", ["5"]],
    ["Price gt 5.50", ["5.50"]],
    ["Int64 eq 5", [5n]],
    ["Int32 add 2 eq 9223372036854775807", [2n, 9223372036854775807n]],
    ["Double gt 5", [5]],
    ["Double gt -INF", [Number.NEGATIVE_INFINITY]],
    ["Name eq 'O''Neil'", ["O'Neil"]],
    ["Color eq 'Red'", ["Red"]],
    ["Access has Shop.Access'Write,Read'", ["Read,Write"]],
    ["Access eq Shop.Access'3'", ["Read,Write"]],
    ["DateTimeOffset gt 2024-01-31", ["2024-01-31T00:00:00Z"]],
    ["Date eq 2024-01-31T01:00:00+01:00", ["2024-01-31T01:00:00+01:00"]],
    ["Guid eq 01234567-89AB-CDEF-0123-456789ABCDEF", ["01234567-89ab-cdef-0123-456789abcdef"]],
    ["Active eq True", [true]],
    ["Binary eq binary'AQI='", [new Uint8Array([1, 2])]],
    ["Name eq @p and Int32 eq 1&@p='x'", ["x", 1]],
    ["Duration div 2 gt duration'PT1H'", ["2", "PT1H"]],
  ])("%s", (text, values) => {
    expect(bindCollection(`$filter=${text}`).values).toEqual(values);
  });

  test.each([
    ["$filter=Color eq 'Purple'", "$filter", /^\$filter at position 9: .*Purple.* Red, Green, Blue/],
    ["$filter=Color eq Shop.Color'Purple'", "$filter", /^\$filter at position 9: .*Purple.* Red, Green, Blue/],
    ["$filter=Date eq 2024-02-30", "$filter", /^\$filter at position 8: /],
    ["$filter=DateTimeOffset gt 2024-02-30", "$filter", /^\$filter at position 18: /],
    ["$filter=DateTimeOffset gt 2024-01-01T25:00:00Z", "$filter", /^\$filter at position 18: /],
    ["$filter=substring(Name,3000000000) eq 'x'", "$filter", /^\$filter at position 15: /],
    ["$filter=Int32 div 0 eq 1", "$filter", /^\$filter at position 10: The divisor must not be zero\.$/],
    ["$filter=5 mod 0 eq 1", "$filter", /divisor must not be zero/],
    ["$filter=Price div 0.00 eq 1", "$filter", /divisor must not be zero/],
    ["$filter=Price div -0.0 eq 1", "$filter", /divisor must not be zero/],
    ["$filter=Int32 div (0) eq 1", "$filter", /divisor must not be zero/],
    ["$filter=Duration div 0 eq null", "$filter", /divisor must not be zero/],
    ["$filter=Int32 div @p eq 1&@p=0", "$filter", /divisor must not be zero/],
    ["$orderby=Name,Int32 mod 0", "$orderby", /^\$orderby at position 15: The divisor must not be zero\.$/],
  ])("400: %s", (query, target, message) => {
    expect(errorOf(() => bindCollection(query))).toEqual([400, INVALID, target, expect.stringMatching(message)]);
  });

  test.each([
    "$filter=Double div 0 eq 1",
    "$filter=Single mod 0 eq 1",
    "$filter=0 div Int32 eq 0",
    "$filter=Price add 0 eq 1",
  ])("zero is accepted: %s", (query) => {
    expect(bindCollection(query).values).not.toEqual([]);
  });
});

describe("the shape cache", () => {
  test.each([
    ["$filter=Price gt 5", "$filter=Price  gt  7"],
    ["$filter=Name eq 'a' and Int32 eq 1&$orderby=Name", "$filter=Name eq 'b' and Int32 eq 2&$orderby=Name"],
    ["$filter=Name eq @p&@p='a'", "$filter=Name eq 'b'"],
    ["$top=5&$filter=Active", "$skip=7&$count=true&$filter=Active&$skiptoken=AAAAAA=="],
    ["$select=Name,Price", "$select=Name, Price"],
    ["$filter=Int32 in (1,2)", "$filter=Int32 in (3,4)"],
    ["", "$top=1"],
  ])("%s and %s share one shape", (first, second) => {
    const cache = new Map<string, QueryShape>();
    const { shape } = bindCollection(first, { cache });
    expect(bindCollection(second, { cache }).shape).toBe(shape);
    expect([...cache.keys()]).toEqual([shape.key]);
  });

  test.each([
    ["$filter=Price gt 5", "$filter=Price gt 5.0"],
    ["$filter=Price gt 5", "$filter=Price gt null"],
    ["$filter=Int32 in (1,2)", "$filter=Int32 in (1,2,3)"],
    ["$filter=Active", "$orderby=Active"],
    ["$orderby=Name", "$orderby=Name desc"],
    ["$select=Name", "$select=Price"],
    ["$filter=Color eq Shop.Color'Red' or Access eq 'Read'", "$filter=Color eq 'Red' or Access eq 'Read'"],
  ])("%s and %s do not", (first, second) => {
    const cache = new Map<string, QueryShape>();
    bindCollection(first, { cache });
    bindCollection(second, { cache });
    expect(cache.size).toBe(2);
  });

  test("a cached shape is not bound again", () => {
    const cache = new Map<string, QueryShape>();
    const { shape } = bindCollection("$filter=Name eq 'a'", { cache });
    const other = {
      ...shape,
      parameters: [{ literal: 0, type: shape.parameters[0]!.type, option: "x", refuseZero: false }],
    };
    cache.set(shape.key, other);
    expect(bindCollection("$filter=Name eq 'b'", { cache }).shape).toBe(other);
  });

  test("invalid queries are not cached; a wrong literal does not affect the shape", () => {
    const cache = new Map<string, QueryShape>();
    errorOf(() => bindCollection("$filter=Nothing eq 1", { cache }));
    expect(cache.size).toBe(0);
    errorOf(() => bindCollection("$filter=Color eq 'Purple'", { cache }));
    expect(bindCollection("$filter=Color eq 'Blue'", { cache }).values).toEqual(["Blue"]);
  });

  test("sets do not share shapes; /$count shares those of its collection, a key read those of its $select", () => {
    const cache = new Map<string, QueryShape>();
    const { shape } = bindCollection("$filter=Id eq 1", { cache });
    expect(bindCollection("$filter=Id eq 1", { cache, set: "Suppliers" }).shape).not.toBe(shape);
    expect(bindCountOf("$filter=Id eq 2", { cache }).shape).toBe(shape);
    expect(bindCollection("$select=Id", { cache }).shape.selectExpand).toBe(bindEntity("$select=Id", { cache }));
  });

  test("keys cannot be forged from the text of an option", () => {
    expect(shapeKey(["A", "b", undefined])).not.toBe(shapeKey(["A", "b-"]));
    expect(shapeKey(["A", "1:b"])).not.toBe(shapeKey(["A", undefined, "b"]));
    expect(shapeKey(["", "ab"])).not.toBe(shapeKey(["ab", ""]));
  });
});

describe("options that a collection does not support", () => {
  test.each([
    ["$apply=x", "$apply", "The query option $apply is not supported."],
    ["$compute=x", "$compute", "The query option $compute is not supported."],
    ["$index=0", "$index", "The query option $index is not supported."],
    ["$deltatoken=x", "$deltatoken", "The query option $deltatoken is not supported."],
    ["$search=x", "$search", "The query option $search is not enabled for this entity set."],
    ["$id=x", "$id", "The query option $id is not supported on a collection."],
  ])("%s", (query, target, message) => {
    expect(errorOf(() => bindCollection(query))).toEqual([400, UNSUPPORTED, target, message]);
  });
});

describe("values of options", () => {
  test.each([
    ["$top=-1", "$top"],
    ["$top=1.5", "$top"],
    ["$top=", "$top"],
    ["$top=99999999999999999999", "$top"],
    ["$skip=-1", "$skip"],
    ["$skip=x", "$skip"],
    ["$count=1", "$count"],
    ["$filter=", "$filter"],
    ["$orderby=", "$orderby"],
    ["$select=", "$select"],
    ["$orderby=Name up", "$orderby"],
    ["$filter=Name eq 'a", "$filter"],
    [`$orderby=${Array.from({ length: 11 }, () => "Name").join(",")}`, "$orderby"],
    [`$filter=${"(".repeat(100_000)}`, "$filter"],
    [`$filter=${"not ".repeat(100_000)}Active`, "$filter"],
    [`$filter=${Array.from({ length: 2000 }, () => "Active").join(" or ")}`, "$filter"],
    [`$filter=Int32 in (${Array.from({ length: 1001 }, () => "1").join(",")})`, "$filter"],
    [`$filter=${"Address/".repeat(5000)}City eq 'x'`, "$filter"],
  ])("%.60s", (query, target) => {
    expect(errorOf(() => bindCollection(query))).toEqual([400, INVALID, target, expect.any(String)]);
  });

  test("null disables a limit", () => {
    const query = `$filter=Int32 in (${Array.from({ length: 1001 }, () => "1").join(",")})`;
    expect(bindCollection(query, { limits: { maxInListLength: null } }).values).toHaveLength(1001);
  });

  test.each([
    [`$filter=${"Address/".repeat(5000)}City eq 'x'`],
    [`$filter=${"Int32 add ".repeat(5000)}1 eq 1`],
    [`$filter=${"Active eq ".repeat(5000)}true`],
  ])("without limits deep trees are still refused: %.30s", (query) => {
    const limits = { maxNodeCount: null, maxInListLength: null };
    expect(errorOf(() => bindCollection(query, { limits }))).toEqual([400, INVALID, "$filter", expect.any(String)]);
  });
});

describe("settings of the set", () => {
  test.each<[NonNullable<Settings["capabilities"]>, string, string]>([
    [{ filterEnabled: false }, "$filter=", "$filter"],
    [{ orderByEnabled: false }, "$orderby=Name", "$orderby"],
    [{ selectEnabled: false }, "$select=Name", "$select"],
    [{ countEnabled: false }, "$count=false", "$count"],
  ])("%j refuses %s", (capabilities, query, target) => {
    const message = `The query option ${target} is not enabled for this entity set.`;
    const expected = [400, UNSUPPORTED, target, message];
    expect(errorOf(() => bindCollection(query, { capabilities }))).toEqual(expected);
    if (target !== "$count") expect(errorOf(() => bindCountOf(query, { capabilities }))).toEqual(expected);
    if (target === "$select") expect(errorOf(() => bindEntity(query, { capabilities }))).toEqual(expected);
  });

  const lists = {
    filterProperties: new Set(["Name", "Address"]),
    orderByProperties: new Set(["Name", "Address"]),
    selectProperties: new Set(["Name", "Address"]),
  };

  test.each([
    ["$filter=Price gt 5", "$filter", "$filter at position 0: The property 'Price' is not allowed in $filter."],
    [
      "$filter=Name eq 'x' and length(string) eq 1",
      "$filter",
      "$filter at position 23: The property 'String' is not allowed in $filter.",
    ],
    ["$filter=$it/Price gt 5", "$filter", "$filter at position 4: The property 'Price' is not allowed in $filter."],
    ["$filter=Tags/$count gt 5", "$filter", "$filter at position 0: The property 'Tags' is not allowed in $filter."],
    [
      "$filter=Supplier/Name eq 'x'",
      "$filter",
      "$filter at position 0: The property 'Supplier' is not allowed in $filter.",
    ],
    ["$filter=Prcie gt 5", "$filter", "$filter at position 0: 'Product' has no property 'Prcie'."],
    ["$filter=Nmae gt 5", "$filter", "$filter at position 0: 'Product' has no property 'Nmae'. Did you mean 'Name'?"],
    ["$orderby=Name,Price", "$orderby", "$orderby at position 5: The property 'Price' is not allowed in $orderby."],
    ["$select=Name,Price", "$select", "$select at position 5: The property 'Price' is not allowed in $select."],
    ["$select=Supplier", "$select", "$select at position 0: The property 'Supplier' is not allowed in $select."],
  ])("off the allowlist: %s", (query, target, message) => {
    expect(errorOf(() => bindCollection(query, { capabilities: lists }))).toEqual([400, INVALID, target, message]);
  });

  test.each([
    "$filter=Name eq 'x' or Address/City eq 'x'",
    "$filter=$it/name eq 'x'",
    "$orderby=Name,Address/Location/Latitude",
    "$select=Name,Address/City",
    "$select=*",
    "$filter=now() gt 2024-01-01T00:00:00Z",
  ])("on the allowlist: %s", (query) => {
    expect(bindCollection(query, { capabilities: lists }).shape.key).not.toBe("");
  });
});

describe("/$count", () => {
  test("applies $filter and accepts other options of clients", () => {
    const query = "$orderby=Nothing desc&$filter=Price gt 5&$top=5&$skip=2&$select=Nothing&$format=json";
    const { shape, ...rest } = bindCountOf(query);
    expect(rest).toEqual({ values: ["5"], search: null, top: undefined, skip: 0, skipToken: undefined, count: true });
    expect(shape).toMatchObject({ orderBy: [], selectExpand: { isSelection: false } });
    expect(shape.filter && summary(shape.filter.expression)).toBe("(Price gt ?0:Decimal):Decimal");
  });

  test.each([
    ["$top=x", INVALID, "$top"],
    ["$skip=-1", INVALID, "$skip"],
    ["$orderby=Name up", INVALID, "$orderby"],
    ["$select=,", INVALID, "$select"],
    ["$filter=Nothing eq 1", INVALID, "$filter"],
    ["$count=true", UNSUPPORTED, "$count"],
    ["$expand=Supplier", UNSUPPORTED, "$expand"],
    ["$search=x", UNSUPPORTED, "$search"],
    ["$skiptoken=AAAAAA==", UNSUPPORTED, "$skiptoken"],
    ["$apply=x", UNSUPPORTED, "$apply"],
  ])("refuses %s", (query, code, target) => {
    expect(errorOf(() => bindCountOf(query))).toEqual([400, code, target, expect.any(String)]);
  });
});

describe("one entity", () => {
  test("supports $select, $expand and $format", () => {
    expect(bindEntity("$format=json").isSelection).toBe(false);
    expect(bindEntity("$select=Price,Name").contextSelect).toEqual(["Price", "Name"]);
    expect(bindEntity("$expand=Supplier").expanded).toHaveLength(1);
  });

  test.each(["$filter=Active", "$orderby=Name", "$top=1", "$skip=1", "$count=true", "$search=x", "$apply=x"])(
    "refuses %s",
    (query) => {
      const [target] = query.split("=");
      expect(errorOf(() => bindEntity(query))).toEqual([400, UNSUPPORTED, target, expect.any(String)]);
    },
  );
});

describe("a resource without query options", () => {
  test("supports $format and custom options", () => {
    expect(bindNothing("$format=json&sap-client=100")).toBeUndefined();
  });

  test.each(["$filter=Active", "$top=1", "$select=Name", "$deltatoken=x"])("refuses %s", (query) => {
    const [target] = query.split("=");
    expect(errorOf(() => bindNothing(query))).toEqual([400, UNSUPPORTED, target, expect.any(String)]);
  });
});
