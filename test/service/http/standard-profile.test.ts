import { sql } from "kysely";
import {
  action,
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  hasOptional,
  hasRequired,
  odataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eachDoor, expectAnswer, expectError, JSON_HEADERS, ORIGIN, type Send, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";
import { openSql } from "./sql-database.ts";

const Color = enumType("Color", { Red: 0, Green: 1 });
const Place = complexType("Place", { city: edm.string(), zip: edm.int32() });
const Author = entityType("Author", { id: edm.int32().key(), name: edm.string() });
const Book = entityType("Book", {
  id: edm.int32().key(),
  authorId: edm.int32(),
  title: edm.string(),
  price: edm.int32(),
});

const AUTHORS = [
  { id: 1, name: "Ann" },
  { id: 2, name: "Ben" },
];
const BOOKS = [
  { id: 1, authorId: 1, title: "red sea", price: 5 },
  { id: 2, authorId: 1, title: "red sky", price: 9 },
  { id: 3, authorId: 1, title: "blue sky", price: 7 },
  { id: 4, authorId: 2, title: "red moon", price: 3 },
];
const PLACE = { city: "Rome", zip: 7 };

const booksOf = (id: number) => BOOKS.filter(({ authorId }) => authorId === id);
const authorOf = (id: number) =>
  AUTHORS.find((author) => author.id === BOOKS.find((book) => book.id === id)?.authorId) ?? null;

const unbound = {
  number: fn({ returns: edm.int32(), handler: () => 7 }),
  numbers: fn({ returns: edm.collection(edm.int32()), handler: () => [1, 2] }),
  color: fn({ returns: edm.enum(Color), handler: () => "Green" as const }),
  colors: fn({ returns: edm.collection(edm.enum(Color)), handler: () => ["Red"] as const }),
  place: fn({ returns: edm.complex(Place), handler: () => PLACE }),
  places: fn({ returns: edm.collection(edm.complex(Place)), handler: () => [PLACE] }),
  author: fn({ returns: Author, handler: () => AUTHORS[0]! }),
  writers: fn({ returns: edm.collection(Author), handler: () => AUTHORS }),
  list: fn({ returns: edm.collection(Author), composable: true, handler: () => AUTHORS }),
  none: fn({ returns: edm.int32().nullable(), handler: () => null }),
};
const actions = {
  doNumber: action({ returns: edm.int32(), handler: () => 7 }),
  doNothing: action({ handler: () => undefined }),
};
const bound = {
  boundNumber: fn({ bound: "collection", returns: edm.int32(), handler: () => 7 }),
  boundPlace: fn({ bound: "collection", returns: edm.complex(Place), handler: () => PLACE }),
  boundNumbers: fn({ bound: "collection", returns: edm.collection(edm.int32()), handler: () => [1, 2] }),
} as const;

type Profile = "specification" | "standard" | undefined;
const common = (profile: Profile) => ({
  prefix: "/s",
  namespace: "Shop",
  profile,
  logger: noFailures,
  functions: unbound,
  actions,
});

/** Authors and books over handlers. */
function overHandlers(profile: Profile): Service {
  return odataService({
    ...common(profile),
    entitySets: [
      entitySet(Author, {
        queryable: () => arraySource(Author, AUTHORS),
        getByKey: (key) => AUTHORS.find(({ id }) => id === key) ?? null,
        navigation: {
          books: hasMany(Book, {
            target: "Books",
            get: (key) => (AUTHORS.some(({ id }) => id === key) ? booksOf(key) : null),
          }),
        },
        functions: bound,
      }),
      entitySet(Book, {
        queryable: () => arraySource(Book, BOOKS),
        getByKey: (key) => BOOKS.find(({ id }) => id === key) ?? null,
        search: ({ text }) => BOOKS.filter(({ title }) => title.includes(text)),
        navigation: { author: hasOptional(Author, { target: "Authors", get: authorOf }) },
      }),
    ],
  });
}

const { db, close } = await openSql();

/** The same over tables. */
function overTables(profile: Profile): Service {
  return odataService({
    ...common(profile),
    entitySets: [
      sqlEntitySet(Author, {
        db,
        table: "authors",
        operations: ["read"],
        navigation: { books: hasMany(Book, { target: "Books", on: { id: "authorId" } }) },
        functions: bound,
      }),
      sqlEntitySet(Book, {
        db,
        table: "books",
        operations: ["read"],
        search: ["title"],
        navigation: { author: hasRequired(Author, { target: "Authors", on: { authorId: "id" } }) },
      }),
    ],
  });
}

beforeAll(async () => {
  await sql`create table authors (id integer primary key, name text not null)`.execute(db);
  await sql`create table books (id integer primary key, "authorId" integer not null, title text not null, price integer not null)`.execute(
    db,
  );
  await db.insertInto("authors").values(AUTHORS).execute();
  await db.insertInto("books").values(BOOKS).execute();
});
afterAll(close);

const FORMS = [
  ["handlers", overHandlers],
  ["tables", overTables],
] as const;

const context = (fragment: string) => ({ "@odata.context": `${ORIGIN}/s/$metadata#${fragment}` });
const ids = async (send: Send, path: string) => {
  const { status, json } = await send(path);
  expect(status, path).toBe(200);
  return (json.value as readonly { readonly Id: number }[]).map(({ Id }) => Id);
};

eachDoor((door) => {
  const open = (service: Service): Send => {
    const send = door.to(service);
    return (target, ...rest) => send(target.replaceAll(" ", "%20"), ...rest);
  };

  describe.each(FORMS)("navigation routes of the standard profile, over %s", (_, make) => {
    const send = open(make("standard"));

    test.each([
      ["$filter=Price gt 5", [2, 3]],
      ["$filter=Author/Name eq 'Ann' and Price lt 8", [1, 3]],
      ["$filter=Price gt 5&$orderby=Price&$top=1", [3]],
      ["$search=red", [1, 2]],
      ["$search=red&$filter=Price gt 5", [2]],
      ["$search=red&$orderby=Price desc&$skip=1", [1]],
      ["$orderby=Id&$skiptoken=AgAAAA%3D%3D", [3]],
    ])("%s", async (options, expected) => {
      expect(await ids(send, `/s/Authors(1)/Books?${options}`)).toEqual(expected);
    });

    test("$count is taken before $skip and $top, and after $filter and $search", async () => {
      const count = async (options: string) => {
        const { json } = await send(`/s/Authors(1)/Books?$count=true&${options}`);
        return json["@odata.count"] as unknown;
      };
      expect(await count("$skip=2")).toBe(3);
      expect(await count("$skip=9")).toBe(3);
      expect(await count("$skip=1&$top=1")).toBe(3);
      expect(await count("$filter=Price gt 5&$skip=1")).toBe(2);
      expect(await count("$search=red&$skip=1")).toBe(2);
    });

    test("/$count takes $filter and $search", async () => {
      expect((await send("/s/Authors(1)/Books/$count?$filter=Price gt 5")).text).toBe("2");
      expect((await send("/s/Authors(1)/Books/$count?$search=blue")).text).toBe("1");
      expectError(await send("/s/Authors(9)/Books/$count?$search=blue"), { status: 404, code: "NotFound" });
    });

    test("$expand, with the context of the target set", async () => {
      const book = { Id: 3, AuthorId: 1, Title: "blue sky", Price: 7 };
      expectAnswer(await send("/s/Authors(1)/Books?$expand=Author&$filter=Id eq 3"), {
        headers: JSON_HEADERS,
        body: {
          ...context("Books"),
          value: [{ ...book, Author: { Id: 1, Name: "Ann" } }],
        },
      });
      expectAnswer(await send("/s/Authors(1)/Books(3)?$expand=Author($select=Name)&$select=Title"), {
        headers: JSON_HEADERS,
        body: {
          ...context("Books(Title,Author(Name))/$entity"),
          "@odata.id": `${ORIGIN}/s/Books(3)`,
          Title: "blue sky",
          Author: { "@odata.id": `${ORIGIN}/s/Authors(1)`, Name: "Ann" },
        },
      });
      expectAnswer(await send("/s/Books(3)/Author?$expand=Books($filter=Price gt 5;$select=Id)"), {
        headers: JSON_HEADERS,
        body: {
          ...context("Authors(Books(Id))/$entity"),
          "@odata.id": `${ORIGIN}/s/Authors(1)`,
          Id: 1,
          Name: "Ann",
          Books: [{ Id: 2 }, { Id: 3 }],
        },
      });
    });

    test("references take $filter and $search", async () => {
      const refs = (numbers: readonly number[]) => numbers.map((id) => ({ "@odata.id": `${ORIGIN}/s/Books(${id})` }));
      const value = async (options: string) =>
        (await send(`/s/Authors(1)/Books/$ref?${options}`)).json.value as unknown;
      expect(await value("$filter=Price gt 5")).toEqual(refs([2, 3]));
      expect(await value("$search=blue")).toEqual(refs([3]));
    });

    test("a missing parent is 404 for any request", async () => {
      for (const options of ["$search=red", "$filter=Price gt 5", "$expand=Author"]) {
        expectError(await send(`/s/Authors(9)/Books?${options}`), { status: 404, code: "NotFound" });
      }
    });

    test("still rejects unknown routes, and options that the target disables", async () => {
      for (const options of ["$apply=nest(identity as X)", "$index=1", "$deltatoken=x"]) {
        const answer = await send(`/s/Authors(1)/Books?${options}`);
        expectError(answer, { status: 501, code: "NotImplemented", target: options.split("=")[0]! });
      }
      const search = await send("/s/Books(1)/Author?$search=x");
      expectError(search, { status: 400, code: "UnsupportedQueryOption", target: "$search" });
    });

    test("the default profile takes none of these, and counts after $skip", async () => {
      for (const profile of [undefined, "specification"] as const) {
        const other = open(make(profile));
        for (const option of ["$filter=Price gt 5", "$search=red", "$expand=Author", "$skiptoken=AgAAAA%3D%3D"]) {
          expectError(await other(`/s/Authors(1)/Books?${option}`), {
            status: 400,
            code: "UnsupportedQueryOption",
            target: option.split("=")[0]!,
          });
        }
        const expand = await other("/s/Books(1)/Author?$expand=Books");
        expectError(expand, { status: 400, code: "UnsupportedQueryOption", target: "$expand" });
        const counted = await other("/s/Authors(1)/Books?$count=true&$skip=2");
        expect(counted.json["@odata.count"]).toBe(1);
      }
    });

    test.each([
      ["/s/Authors?$expand=Books", "Authors", "Authors"],
      ["/s/Authors?$select=Name&$expand=Books", "Authors(Name,Books)", "Authors(Name)"],
      ["/s/Authors?$expand=Books($select=Id)", "Authors(Books(Id))", "Authors(Books(Id))"],
      [
        "/s/Authors?$select=Name,Books&$expand=Books($select=Id)",
        "Authors(Name,Books,Books(Id))",
        "Authors(Name,Books(Id))",
      ],
      ["/s/Authors?$expand=Books($expand=Author)", "Authors", "Authors"],
      ["/s/Authors?$expand=Books/$ref", "Authors", "Authors"],
      ["/s/Authors?$expand=Books/$count", "Authors", "Authors"],
      ["/s/Authors?$expand=*", "Authors", "Authors"],
      ["/s/Authors?$select=Name&$expand=Books/$ref", "Authors(Name)", "Authors(Name)"],
      ["/s/Authors?$select=*&$expand=Books", "Authors(*,Books)", "Authors(*)"],
      ["/s/Authors?$select=Books&$expand=Books", "Authors(Books)", "Authors(Books)"],
      ["/s/Authors?$select=Name&$expand=Books($expand=Author)", "Authors(Name,Books)", "Authors(Name)"],
      [
        "/s/Authors?$expand=Books($expand=Author($select=Name))",
        "Authors(Books(Author(Name)))",
        "Authors(Books(Author(Name)))",
      ],
      [
        "/s/Authors?$expand=Books($select=Title;$expand=Author)",
        "Authors(Books(Title,Author))",
        "Authors(Books(Title))",
      ],
      ["/s/Authors(1)?$expand=Books", "Authors/$entity", "Authors/$entity"],
      ["/s/Authors?$select=Name", "Authors(Name)", "Authors(Name)"],
      ["/s/Authors", "Authors", "Authors"],
    ])("the context of %s is full, and by default as specified", async (path, full, specified) => {
      expect((await send(path)).json).toMatchObject(context(full));
      expect((await open(make(undefined))(path)).json).toMatchObject(context(specified));
    });
  });

  describe("results of operations", () => {
    const standard = open(overHandlers("standard"));
    const specified = open(overHandlers(undefined));
    const author = { Id: 1, Name: "Ann" };
    const both = [author, { Id: 2, Name: "Ben" }];
    const place = { City: "Rome", Zip: 7 };

    test.each([
      ["number", { ...context("Edm.Int32"), value: 7 }, 7],
      ["numbers", { ...context("Collection(Edm.Int32)"), value: [1, 2] }, [1, 2]],
      ["color", { ...context("Shop.Color"), value: "Green" }, '"Green"'],
      ["colors", { ...context("Collection(Shop.Color)"), value: ["Red"] }, ["Red"]],
      ["place", { ...context("Shop.Place"), ...place }, place],
      ["places", { ...context("Collection(Shop.Place)"), value: [place] }, [place]],
      ["author", { ...context("Shop.Author"), ...author }, author],
      ["writers", { ...context("Collection(Shop.Author)"), value: both }, both],
      ["list", { ...context("Collection(Shop.Author)"), value: both }, both],
      [
        "list()?$select=Name&$top=1",
        { ...context("Collection(Shop.Author)(Name)"), value: [{ Name: "Ann" }] },
        [{ Name: "Ann" }],
      ],
    ])("%s has an envelope, and by default is bare", async (name, enveloped, bare) => {
      const answer = await standard(`/s/${name}`);
      expectAnswer(answer, { headers: JSON_HEADERS, body: enveloped });
      expect(answer.text.startsWith('{"@odata.context":')).toBe(true);
      expectAnswer(await specified(`/s/${name}`), { headers: JSON_HEADERS, body: bare });
    });

    test("of actions too", async () => {
      const headers = { "Content-Type": "application/json" };
      const { json } = await standard("/s/doNumber", headers, "POST", "{}");
      expect(json).toEqual({ ...context("Edm.Int32"), value: 7 });
      expect((await specified("/s/doNumber", headers, "POST", "{}")).json).toBe(7);
      expect((await standard("/s/doNothing", headers, "POST", "{}")).status).toBe(204);
    });

    test("null is 204 in both", async () => {
      expect((await standard("/s/none")).status).toBe(204);
      expect((await specified("/s/none")).status).toBe(204);
    });

    test("a composable one counts, since its envelope has a place for it", async () => {
      expect((await standard("/s/list()?$count=true&$top=1")).json).toEqual({
        ...context("Collection(Shop.Author)"),
        "@odata.count": 2,
        value: [author],
      });
      expectError(await specified("/s/list()?$count=true"), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$count",
      });
    });

    test("without metadata, the context URL is omitted", async () => {
      const headers = { Accept: "application/json;odata.metadata=none" };
      expect((await standard("/s/place", headers)).json).toEqual(place);
      expect((await standard("/s/number", headers)).json).toEqual({ value: 7 });
      expect((await standard("/s/author", headers)).json).toEqual(author);
      expect((await standard("/s/writers", headers)).json).toEqual({ value: both });
    });

    test("with full metadata, responses name types, and begin with the context", async () => {
      const headers = { Accept: "application/json;odata.metadata=full" };
      const { text, json } = await standard("/s/place", headers);
      expect(text.startsWith('{"@odata.context":')).toBe(true);
      expect(json).toMatchObject({ "@odata.type": "#Shop.Place", City: "Rome" });
      expect((await standard("/s/author", headers)).json).toMatchObject({ "@odata.type": "#Shop.Author", Id: 1 });
    });

    test("bound functions return an envelope too; by default only primitive values have one", async () => {
      for (const send of [standard, specified]) {
        expect((await send("/s/Authors/boundNumber()")).json).toEqual({ ...context("Edm.Int32"), value: 7 });
      }
      expect((await standard("/s/Authors/boundPlace()")).json).toEqual({ ...context("Shop.Place"), ...place });
      expect((await specified("/s/Authors/boundPlace()")).json).toEqual(place);
      const numbers = { ...context("Collection(Edm.Int32)"), value: [1, 2] };
      expect((await standard("/s/Authors/boundNumbers()")).json).toEqual(numbers);
      expect((await specified("/s/Authors/boundNumbers()")).json).toEqual([1, 2]);
    });
  });
});

describe("$search on a navigation route", () => {
  const ask = async (service: Service, path: string) => {
    const response = await service.fetch(new Request(ORIGIN + path));
    return [response.status, await response.json()] as const;
  };

  test("over tables is refused if the search does not return rows of the database", async () => {
    const service = odataService({
      profile: "standard",
      logger: noFailures,
      entitySets: [
        sqlEntitySet(Author, {
          db,
          table: "authors",
          operations: ["read"],
          navigation: { books: hasMany(Book, { target: "Books", on: { id: "authorId" } }) },
        }),
        sqlEntitySet(Book, { db, table: "books", operations: ["read"], search: () => BOOKS }),
      ],
    });
    expect(await ask(service, "/Authors(1)/Books?$search=red")).toEqual([
      501,
      {
        error: {
          code: "NotImplemented",
          message:
            "$search is not supported here: the results of the search of Books cannot be joined with other entities.",
          target: "$search",
        },
      },
    ]);
  });

  test("accepts any result of a search handler: synchronous or a promise, source or rows", async () => {
    for (const answer of [
      () => arraySource(Book, BOOKS.slice(1)),
      () => Promise.resolve(BOOKS.slice(1)),
      () => Promise.resolve(arraySource(Book, BOOKS.slice(1))),
    ]) {
      const service = odataService({
        profile: "standard",
        logger: noFailures,
        entitySets: [
          entitySet(Author, {
            navigation: { books: hasMany(Book, { target: "Books", get: async (key) => booksOf(key) }) },
          }),
          entitySet(Book, { getAll: () => BOOKS, search: answer }),
        ],
      });
      const [, body] = await ask(service, "/Authors(1)/Books?$search=any&$select=Id");
      expect(body).toMatchObject({ value: [{ Id: 2 }, { Id: 3 }] });
    }
  });

  test("is refused without a target set, whose other options are taken", async () => {
    const service = odataService({
      profile: "standard",
      logger: noFailures,
      entitySets: [entitySet(Author, { navigation: { books: hasMany(Book, { get: booksOf }) } })],
    });
    expect(await ask(service, "/Authors(1)/Books?$search=red")).toMatchObject([501, { error: { target: "$search" } }]);
    const [, body] = await ask(service, "/Authors(1)/Books?$filter=Price%20gt%205&$count=true&$skip=1");
    expect(body).toMatchObject({ "@odata.count": 2, value: [{ Id: 3 }] });
  });
});

test("two services with different profiles do not affect each other", async () => {
  const [one, two] = [overHandlers("standard"), overHandlers("specification")];
  const ask = async (service: Service, path: string) => (await service.fetch(new Request(ORIGIN + path))).json();
  for (let round = 0; round < 3; round++) {
    expect(await ask(one, "/s/number")).toMatchObject({ value: 7 });
    expect(await ask(two, "/s/number")).toBe(7);
    expect(await ask(one, "/s/Authors?$select=Name&$expand=Books")).toMatchObject(context("Authors(Name,Books)"));
    expect(await ask(two, "/s/Authors?$select=Name&$expand=Books")).toMatchObject(context("Authors(Name)"));
  }
});

describe("context URLs of $levels", () => {
  const Person = entityType("Person", { id: edm.int32().key(), name: edm.string() });
  const ann = { id: 1, name: "Ann" };
  const people = (profile: "specification" | "standard") =>
    odataService({
      profile,
      entitySets: [
        entitySet(Person, {
          name: "People",
          getAll: () => [ann],
          navigation: { boss: hasOptional(() => Person, { target: "People", get: () => ann }) },
        }),
      ],
    });

  test.each([
    [
      "$select=Id&$expand=Boss($levels=2;$select=Name)",
      "#People(Id,Boss(Name,Boss(Name)))",
      "#People(Id,Boss(Name,Boss(Name)))",
    ],
    ["$select=Id&$expand=Boss($levels=2)", "#People(Id)", "#People(Id,Boss)"],
    ["$expand=Boss($levels=2)", "#People", "#People"],
  ])("list each level, and have no empty parentheses: %s", async (query, byDefault, standard) => {
    for (const [profile, context] of [
      ["specification", byDefault],
      ["standard", standard],
    ] as const) {
      const response = await people(profile).fetch(new Request(`http://people.example/People?${query}`));
      const json = (await response.json()) as Record<string, unknown>;
      expect(json["@odata.context"], profile).toBe(`http://people.example/$metadata${context}`);
    }
  });
});
