import { arraySource, type CollectionQuery, edm, entitySet, entityType, fn, hasMany, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { expectError, nodeDoor as door, ORIGIN, url } from "../../service/http/doors.ts";

const Book = entityType("Book", {
  id: edm.int32().key(),
  title: edm.string(),
  price: edm.decimal({ scale: 2 }).nullable(),
});
const BOOKS = [
  { id: 1, title: "A", price: "1.50" },
  { id: 2, title: "B", price: "2.00" },
  { id: 3, title: "A", price: null },
];

/** A service whose set applies queries itself, with the queries that its handler got. */
function applying(items: readonly object[], set: object = {}) {
  const queries: CollectionQuery[] = [];
  const books = entitySet(Book, {
    applyQuery: (query: CollectionQuery) => {
      queries.push(query);
      return { items: items as typeof BOOKS, count: items.length };
    },
    ...set,
  });
  const service = odataService({
    prefix: "/b",
    profile: "standard",
    authenticate: () => ({ id: "1" }),
    entitySets: [books],
  } as never);
  return { queries, send: door.to(service) };
}

describe("a handler that applies the query itself", () => {
  const both = { applyQueryOptions: ["apply", "compute"] };

  test.each([{ $apply: "aggregate($count as N)" }, { $compute: "Id add 1 as N" }])(
    "gets no %o unless it says that it applies it",
    async (options) => {
      const { queries, send } = applying(BOOKS);
      const answer = await send(url("/b/Books", options));
      expect(answer.status).toBe(501);
      expect(answer.json.error.target).toBe(Object.keys(options)[0]);
      expect(queries).toEqual([]);
    },
  );

  test("gets the steps with the literals of the request, and its rows are written", async () => {
    const { queries, send } = applying(
      [
        { Title: "A", Total: "3.50", More: null },
        { Title: "B", Total: null },
      ],
      both,
    );
    const $apply =
      "filter(Id gt 2)/groupby((Title),aggregate(Price with sum as Total))/top(5)/compute(Total add 1 as More)";
    const answer = await send(url("/b/Books", { $apply, $orderby: "Total desc" }));
    expect({ status: answer.status, text: answer.text }).toEqual({
      status: 200,
      text: `{"@odata.context":"${ORIGIN}/b/$metadata#Books(Title,Total,More)","value":[{"Title":"A","Total@odata.type":"#Decimal","Total":3.50,"More@odata.type":"#Decimal","More":4.5},{"Title":"B","Total":null,"More":null}]}`,
    });
    const [query] = queries;
    expect(query?.apply?.branches[0].steps).toMatchObject([
      { kind: "filter", filter: { expression: { kind: "comparison", right: { kind: "literal", value: 2 } } } },
      { kind: "group", keys: [{ kind: "value", property: { name: "Title" } }], aggregates: [{ method: "sum" }] },
      { kind: "limit", top: { kind: "literal", value: 5n } },
    ]);
    expect(query).toMatchObject({ filter: null, orderBy: [{ descending: true }], select: null, skip: 0 });
  });

  test("gets computed values, which the service computes for its items", async () => {
    const { queries, send } = applying(BOOKS, both);
    const options = { $compute: "Price mul 2 as Twice", $select: "Id,Twice", $filter: "Twice gt 3", $top: "2" };
    const answer = await send(url("/b/Books", options));
    expect({ status: answer.status, text: answer.text }).toEqual({
      status: 200,
      text: `{"@odata.context":"${ORIGIN}/b/$metadata#Books(Id,Twice)","value":[{"Id":1,"Twice@odata.type":"#Decimal","Twice":3},{"Id":2,"Twice@odata.type":"#Decimal","Twice":4},{"Id":3,"Twice":null}]}`,
    });
    expect(queries).toMatchObject([
      {
        compute: [
          { property: { name: "Twice" }, expression: { kind: "arithmetic", right: { kind: "literal", value: "2" } } },
        ],
        filter: { expression: { left: { kind: "arithmetic" } } },
        select: null,
      },
    ]);
  });

  test("gets no concat, because its items do not tell their part", async () => {
    const { queries, send } = applying(BOOKS, both);
    const answer = await send(url("/b/Books", { $apply: "concat(aggregate($count as N),top(1))" }));
    expectError(answer, {
      status: 501,
      code: "NotImplemented",
      target: "$apply",
      message: "'concat' is not supported in $apply: the entity set applies the query itself.",
    });
    expect(queries).toEqual([]);
  });

  test("gets the row rule as the first condition", async () => {
    const rows = (_user: unknown, row: { readonly title: { eq(value: string): unknown } }) => row.title.eq("A");
    const { queries, send } = applying([{ N: "2" }], { ...both, authorization: { rows } });
    const answer = await send(url("/b/Books", { $apply: "filter(Id gt 2)/aggregate($count as N)" }));
    expect(answer.text).toBe(
      `{"@odata.context":"${ORIGIN}/b/$metadata#Books(N)","value":[{"N@odata.type":"#Decimal","N":2}]}`,
    );
    expect(queries[0]?.apply?.branches[0].steps).toMatchObject([
      { kind: "filter", filter: { expression: { right: { kind: "literal", value: "A" } } } },
      { kind: "filter", filter: { expression: { right: { kind: "literal", value: 2 } } } },
      { kind: "group" },
    ]);
    expect(queries[0]?.filter).toBe(null);
  });
});

describe.each([
  ["a list", (): typeof BOOKS => BOOKS.slice(0, 2)],
  ["a source", () => arraySource(Book, BOOKS.slice(0, 2))],
])("a search handler that returns %s", (_what, found) => {
  const texts: string[] = [];
  const search = ({ text }: { readonly text: string }): unknown => {
    texts.push(text);
    return found();
  };
  const books = entitySet(Book, { getAll: () => BOOKS, search } as never);
  const send = door.to(odataService({ prefix: "/b", profile: "standard", entitySets: [books] } as never));

  test.each([
    [
      "search(red)/groupby((Title),aggregate(Price with sum as P))",
      '{"Title":"A","P@odata.type":"#Decimal","P":1.50},{"Title":"B","P@odata.type":"#Decimal","P":2.00}',
    ],
    ["filter(Id gt 1)/search(red)/aggregate(Price with sum as P)", '{"P@odata.type":"#Decimal","P":2.00}'],
  ])("finds the entities that further steps apply to: %s", async ($apply, rows) => {
    texts.length = 0;
    const answer = await send(url("/b/Books", { $apply }));
    expect({ status: answer.status, rows: answer.text.slice(answer.text.indexOf("[") + 1, -2), texts }).toEqual({
      status: 200,
      rows,
      texts: ["red"],
    });
  });
});

test("all entities of an async iterable are aggregated, up to maxIterableEntities", async () => {
  async function* iterate(): AsyncGenerator<(typeof BOOKS)[number], void, void> {
    for (const book of BOOKS) yield await Promise.resolve(book);
  }
  const send = (most: number) =>
    door.to(
      odataService({
        prefix: "/b",
        profile: "standard",
        defaults: { maxIterableEntities: most },
        entitySets: [entitySet(Book, { getAll: iterate })],
      }),
    )(url("/b/Books", { $apply: "aggregate($count as N)" }));
  expect((await send(3)).text).toBe(
    `{"@odata.context":"${ORIGIN}/b/$metadata#Books(N)","value":[{"N@odata.type":"#Decimal","N":3}]}`,
  );
  expectError(await send(2), {
    status: 400,
    code: "InvalidQueryOption",
    message:
      "The getAll handler returned more than 2 entities, and this request needs all of them: narrow it, or omit $orderby, $count and $expand.",
  });
});

describe("entities of navigations and functions", () => {
  const Shelf = entityType("Shelf", { id: edm.int32().key() });
  const service = (profile: "standard" | "specification") =>
    door.to(
      odataService({
        prefix: "/b",
        profile,
        defaults: { applyEnabled: true, computeEnabled: true },
        entitySets: [
          entitySet(Book, {
            getAll: () => BOOKS,
            functions: {
              cheap: fn({
                bound: "collection",
                returns: edm.collection(Book),
                composable: true,
                handler: () => BOOKS.slice(1),
              }),
            },
          }),
          entitySet(Shelf, {
            getAll: () => [{ id: 1 }],
            getByKey: (id) => ({ id }),
            navigation: { books: hasMany(Book, { target: "Books", get: () => BOOKS.slice(0, 2) }) },
          }),
        ],
      }),
    );
  const $apply = "groupby((Title),aggregate(Price with max as P))";
  const row = (title: string, price: string): string => `{"Title":"${title}","P@odata.type":"#Decimal","P":${price}}`;

  test("a navigation is grouped", async () => {
    const answer = await service("standard")(url("/b/Shelfs(1)/Books", { $apply }));
    expect({ status: answer.status, text: answer.text }).toEqual({
      status: 200,
      text: `{"@odata.context":"${ORIGIN}/b/$metadata#Books(Title,P)","value":[${row("A", "1.50")},${row("B", "2.00")}]}`,
    });
    const count = await service("standard")(url("/b/Shelfs(1)/Books/$count", { $apply }));
    expect({ status: count.status, text: count.text }).toEqual({ status: 200, text: "2" });
  });

  test("a navigation is not grouped where its routes do not take every option", async () => {
    const answer = await service("specification")(url("/b/Shelfs(1)/Books", { $apply }));
    expectError(answer, { status: 400, code: "UnsupportedQueryOption", target: "$apply" });
  });

  test("the entities of a composable function are grouped", async () => {
    const answer = await service("standard")(url("/b/Books/cheap()", { $apply, $top: "1" }));
    expect({ status: answer.status, text: answer.text }).toEqual({
      status: 200,
      text: `{"@odata.context":"${ORIGIN}/b/$metadata#Books(Title,P)","value":[{"Title":"A","P":null}]}`,
    });
    const computed = await service("standard")(url("/b/Books/cheap()", { $compute: "Id add 1 as N", $select: "N" }));
    expect(computed.text).toBe(
      `{"@odata.context":"${ORIGIN}/b/$metadata#Books(N)","value":[{"N@odata.type":"#Int64","N":3},{"N@odata.type":"#Int64","N":4}]}`,
    );
  });
});
