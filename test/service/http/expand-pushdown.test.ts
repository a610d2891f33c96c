import { afterAll, describe, expect, test } from "vitest";
import { eachDoor, expectError, ORIGIN, targetOf, url } from "./doors.ts";
import { sqliteShop } from "./shop-sqlite.ts";
import { shop } from "./shop-tables.ts";

const tables = shop({ by: "tables", links: true });
const later = shop({ by: "tables", links: true, later: true });
const handlers = shop({ by: "handlers", links: true });
const sqlite = await sqliteShop({ links: true });
afterAll(async () => {
  await sqlite.db.destroy();
});

/** Every nested option, at one to three levels, on all kinds of navigations. */
const EXPANSIONS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["Authors", { $expand: "Mentor" }],
  ["Authors", { $expand: "Mentor", $select: "Name" }],
  ["Authors", { $expand: "Books" }],
  ["Authors", { $expand: "Books,Mentor,Pupils,Shelf" }],
  ["Authors", { $expand: "*" }],
  ["Authors", { $expand: "*($levels=2)" }],
  ["Authors", { $expand: "*,Books($top=1)" }],
  ["Authors", { $expand: "Books($select=Title)" }],
  ["Authors", { $expand: "Books($filter=Price gt 5;$orderby=Title desc;$select=Title,Price)" }],
  ["Authors", { $expand: "Books($skip=1;$top=1;$count=true)" }],
  ["Authors", { $expand: "Books($top=0;$count=true)" }],
  ["Authors", { $expand: "Books($orderby=length(Title),Price desc;$top=2)" }],
  ["Authors", { $expand: "Books/$count" }],
  ["Authors", { $expand: "Books/$count($filter=Genre eq 'Poem')" }],
  ["Authors", { $expand: "Books/$ref,Mentor/$ref,Shelf/$ref" }],
  ["Authors", { $expand: "Books/$ref($orderby=Title;$top=2)" }],
  ["Authors", { $expand: "Mentor($filter=startswith(Name,'A'))" }],
  ["Authors", { $expand: "Mentor($filter=Name eq 'nobody';$expand=Books)" }],
  ["Authors", { $expand: "Mentor($expand=Mentor($expand=Mentor))" }],
  ["Authors", { $expand: "Mentor($levels=max)" }],
  ["Authors", { $expand: "Mentor($levels=2;$select=Name)" }],
  ["Authors", { $expand: "Pupils($levels=max;$orderby=Name desc)" }],
  ["Authors", { $expand: "Pupils($levels=2;$count=true;$expand=Books($select=Id))" }],
  ["Authors", { $expand: "Books($expand=Notes,Shelf,Author)", $orderby: "Name desc", $top: "3" }],
  ["Authors", { $expand: "Books($expand=Author($expand=Books/$count),Shelf($expand=Books/$ref))" }],
  ["Authors", { $expand: "Shelf($expand=Books($select=Title;$expand=Author($select=Name)))" }],
  ["Authors", { $expand: "Books($expand=Shelf($filter=Place ne null))", $filter: "Id lt 3", $count: "true" }],
  ["Books", { $expand: "Author" }],
  ["Books", { $expand: "Author($select=Name),Shelf($select=Cover)", $select: "Title" }],
  ["Books", { $expand: "Author($expand=Mentor($expand=Books/$count)),Notes($orderby=Number desc)" }],
  ["Books", { $expand: "Shelf($expand=Books)" }],
  ["Books", { $expand: "Author($filter=Id gt 1)", $filter: "contains(Title,'a')", $orderby: "Price desc,Id" }],
  ["Books", { $expand: "Author", $search: "eta" }],
  ["Shelves", { $expand: "Books($expand=Author($expand=Pupils))" }],
  ["Shelves", { $expand: "Books($filter=Price le 9.5 and Genre eq 'Novel';$expand=Notes)" }],
  ["Notes", { $expand: "Book($expand=Author($expand=Mentor),Notes)" }],
  ["Authors", { $expand: "Books($search=eta)" }],
  ["Books", { $expand: "Tags" }],
  ["Books", { $expand: "Tags($orderby=Weight desc;$top=1;$count=true)", $select: "Title" }],
  ["Books", { $expand: "Tags/$ref($filter=Weight gt 2),Author" }],
  ["Tags", { $expand: "Books($select=Title;$expand=Author($select=Name),Tags/$count)" }],
  ["Tags", { $expand: "Books($levels=1;$expand=Tags($levels=1))" }],
  ["Authors", { $expand: "Books($expand=Tags($expand=Books))", $filter: "Id eq 1" }],
  ["Books(20)", { $expand: "Tags,Author" }],
  ["Books(10)", { $expand: "Author" }],
  ["Books(10)", { $expand: "Author($expand=Books),Notes,Shelf" }],
  ["Books(30)", { $expand: "Author,Shelf", $select: "Id" }],
  ["Books(21)", { $expand: "Shelf,Notes/$count" }],
  ["Authors(1)", { $expand: "Books($top=1;$expand=Notes),Pupils/$ref,Mentor" }],
  ["Notes(BookId=10,Number=2)", { $expand: "Book($expand=Shelf)" }],
];
const idsOf = (entities: ReadonlyArray<{ readonly Id: number }>): number[] => entities.map(({ Id }) => Id);
const FORMATS = ["minimal", "full", "none", "minimal;IEEE754Compatible=true"];

eachDoor((door) => {
  const expectedOf = door.to(handlers.service);
  const doors = [tables, later, sqlite].map(({ service }) => door.to(service));

  describe("what joins bring is what handlers bring, letter by letter", () => {
    test.each(EXPANSIONS.map(([path, options]) => [path, Object.values(options).join(" & "), options] as const))(
      "%s %s",
      async (path, _text, options) => {
        for (const format of FORMATS) {
          const headers = { Accept: `application/json;odata.metadata=${format}` };
          const target = url(`/s/${path}`, options);
          const expected = await expectedOf(target, headers);
          expect([expected.status, handlers.logger.errors], expected.text).toEqual([200, []]);
          for (const each of /search/u.test(target) ? doors.slice(0, 2) : doors) {
            const { status, text, headers: answered } = await each(target, headers);
            expect({ status, text }, target).toEqual({ status: 200, text: expected.text });
            expect(answered).toEqual(expected.headers);
          }
        }
        expect([tables, later, sqlite].flatMap(({ logger }) => logger.errors)).toEqual([]);
      },
    );
  });
});

eachDoor((door) => {
  describe("expressions along navigations within expansions, in a database and in memory", () => {
    test.each([
      ["Authors", "Books($filter=Author/Name eq 'Ada' and Shelf/Code ne null;$select=Title)"],
      ["Authors", "Books($orderby=Shelf/Code desc,Id;$top=2;$select=Title)"],
      ["Authors", "Books($filter=Notes/any(n:n/Number eq 2);$count=true)"],
      ["Authors", "Mentor($filter=Books/$count gt 1;$expand=Books/$count($filter=Notes/any()))"],
      ["Books", "Author($filter=Mentor/Name eq 'Ada';$expand=Mentor)"],
      ["Books", "Tags($filter=Books/any(b:b/Author/Id eq 2))"],
      ["Shelves", "Books($filter=Author/Mentor/Mentor eq null;$orderby=Author/Name desc,Id)"],
    ])("%s %s", async (path, $expand) => {
      const target = url(`/s/${path}`, { $expand });
      const expected = await door.to(handlers.service)(target);
      expect(expected.status, expected.text).toBe(200);
      const { status, text } = await door.to(sqlite.service)(target);
      expect({ status, text }).toEqual({ status: 200, text: expected.text });
    });

    test("rejects an expansion that the database of the target cannot join", async () => {
      const mentor = { get: () => null, on: undefined };
      const { service, logger } = shop({ by: "tables", navigation: { mentor } });
      const ask = door.to(service);
      for (const [path, $expand] of [
        ["Authors", "Pupils($filter=Mentor/Name eq 'Ada')"],
        ["Books", "Author($filter=Mentor/Name eq 'Ada')"],
        ["Books(10)", "Author($expand=Pupils($orderby=Mentor/Name))"],
      ] as const) {
        expectError(await ask(url(`/s/${path}`, { $expand })), {
          status: 400,
          code: "UnsupportedQueryOption",
          target: "$expand",
          message: /^Paths through 'Mentor' are not supported in \$expand: the data source of '\w+\/\w+' cannot join/u,
        });
      }
      expect(logger.errors).toEqual([]);
    });
  });
});

describe("statements", () => {
  const get = async (path: string, options: Readonly<Record<string, string>>, made = tables) => {
    made.database.take();
    const response = await made.service.fetch(new Request(ORIGIN + url(`/s/${path}`, options)));
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return made.database.take();
  };

  test.each([
    ["two single ones are joined", "Books", "Author,Shelf", 1],
    ["so are those below them", "Notes", "Book($expand=Author($expand=Mentor),Shelf)", 1],
    ["a collection is one more", "Authors", "Books", 2],
    ["two collections are two more", "Authors", "Books,Pupils,Mentor", 3],
    ["each level is one more", "Authors", "Books($expand=Notes)", 3],
    ["single ones below a collection are joined to it", "Authors", "Books($expand=Author,Shelf($expand=Books))", 3],
    ["levels of a collection", "Authors", "Pupils($levels=3)", 4],
    ["levels of a single one", "Authors", "Mentor($levels=3)", 1],
    ["a single one that is found by what is no key is read apart", "Authors", "Shelf", 2],
    ["a search is a read of its own", "Books", "Author,Notes", 2],
  ])("%s", async (_name, path, $expand, count) => {
    for (const made of [tables, later]) expect(await get(path, { $expand }, made)).toHaveLength(count);
  });

  test.each([
    ["Books", "Author,Shelf", 1],
    ["Notes", "Book($expand=Author($expand=Mentor),Shelf)", 1],
    ["Authors", "Books,Pupils,Mentor", 3],
    ["Authors", "Books($expand=Author,Shelf($expand=Books))", 3],
    ["Authors", "Pupils($levels=3)", 4],
    ["Authors", "Shelf", 2],
    ["Books(10)", "Author,Notes", 2],
    ["Tags", "Books($expand=Author,Tags)", 3],
  ])("of a database: %s with %s", async (path, $expand, count) => {
    sqlite.statements.reset();
    const response = await sqlite.service.fetch(new Request(ORIGIN + url(`/s/${path}`, { $expand })));
    expect(response.status, await response.text()).toBe(200);
    expect(sqlite.statements.texts()).toHaveLength(count);
  });

  test("their number does not depend on that of the parents", async () => {
    expect(await get("Authors", { $expand: "Books($expand=Notes)", $top: "1" })).toHaveLength(3);
    expect(await get("Authors", { $expand: "Books($expand=Notes)", $top: "5" })).toHaveLength(3);
  });

  test("a parent without a value, and a level without entities, cost none", async () => {
    expect(await get("Books", { $expand: "Notes", $filter: "Id eq 999" })).toHaveLength(1);
    expect(await get("Authors(3)", { $expand: "Books($expand=Notes)" })).toEqual([
      expect.stringContaining("authors by key"),
      expect.stringContaining("books of 1"),
    ]);
    expect(await get("Books(12)", { $expand: "Shelf" })).toHaveLength(1);
  });

  test("read only the selected properties, the key, the ETag and the join properties", async () => {
    expect(await get("Books", { $select: "Title", $expand: "Author($select=Born),Shelf($select=Place)" })).toEqual([
      "books: Id,Title,AuthorId,ShelfCode +Author(Id,Name,MentorId,Born) +Shelf(Code,Place)",
    ]);
    expect(await get("Authors", { $select: "Born", $expand: "Books($select=Title;$expand=Notes/$count)" })).toEqual([
      "authors: Id,Name,MentorId,Born",
      "books of 5: Id,Title",
      "notes of 5: BookId,Number",
    ]);
    expect(await get("Shelves", { $select: "Cover", $expand: "Books/$ref" })).toEqual([
      "shelves: Code,Cover",
      "books of 2: Id",
    ]);
  });

  test("selectPushdownEnabled of the target set: all of it, and the ignored ones that are needed", async () => {
    const made = shop({ by: "tables", books: { selectPushdownEnabled: false } });
    expect(
      await get("Authors", { $select: "Name", $expand: "Books($select=Id;$expand=Shelf($select=Code))" }, made),
    ).toEqual(["authors: Id,Name,MentorId", "books of 5: Id,Title,Price,Genre,AuthorId,Words,ShelfCode +Shelf(Code)"]);
    expect(await get("Books", { $select: "Id" }, made)).toEqual(["books: Id,Title,Price,Genre,AuthorId,Words"]);
  });

  test("a shape is compiled once", async () => {
    const options = { $expand: "Books($expand=Author,Notes;$filter=Price gt 1),Mentor" };
    await get("Authors", options);
    const { compiled } = tables.database;
    await get("Authors", { $expand: options.$expand.replace("1", "2") });
    expect(tables.database.compiled).toBe(compiled);
  });
});

test("where a set is may change from request to request: joined where it can be, else read apart, and compiled once", async () => {
  const other = shop({ by: "tables" });
  const places = [tables.tables.books, other.tables.books];
  const queryable = () => {
    const [place] = places;
    places.reverse();
    return place;
  };
  const made = shop({ by: "tables", books: { queryable }, authors: { queryable: () => tables.tables.authors } });
  const target = ORIGIN + url("/s/Authors", { $expand: "Mentor($expand=Shelf),Books($expand=Author)" });
  const answers: string[] = [];
  const statements: (readonly string[])[] = [];
  const compiled: number[] = [];
  for (let count = 0; count < 4; count += 1) {
    const before = tables.database.compiled + other.database.compiled;
    answers.push(await (await made.service.fetch(new Request(target))).text());
    statements.push([...tables.database.take(), ...other.database.take(), ...made.database.take()]);
    compiled.push(tables.database.compiled + other.database.compiled - before);
  }
  expect(new Set(answers).size).toBe(1);
  expect(statements.map((texts) => texts.filter((text) => text.includes("+Author")).length)).toEqual([1, 0, 1, 0]);
  expect(compiled.slice(2)).toEqual([0, 0]);
});

describe("beside one another", () => {
  const asked: unknown[] = [];
  const made = shop({
    by: "tables",
    navigation: {
      notes: {
        getBatch: (keys: readonly bigint[]) => {
          asked.push(keys);
          return new Map(keys.map((key) => [key, [{ bookId: key, number: 7, text: "made" }]]));
        },
      },
    },
  });

  test("calls the handler of a navigation below a joined navigation", async () => {
    const target = url("/s/Authors", {
      $top: "2",
      $select: "Name",
      $expand: "Books($select=Title;$top=1;$expand=Notes($select=Text;$expand=Book($select=Title)))",
    });
    const response = await made.service.fetch(new Request(ORIGIN + target));
    const { value } = (await response.json()) as { readonly value: readonly object[] };
    const etag = expect.any(String);
    const notes = (id: number, title: string) => [
      {
        "@odata.id": `${ORIGIN}/s/Notes(BookId=${id},Number=7)`,
        "@odata.etag": etag,
        Text: "made",
        Book: { "@odata.id": `${ORIGIN}/s/Books(${id})`, Title: title },
      },
    ];
    expect(value).toEqual([
      {
        "@odata.id": `${ORIGIN}/s/Authors(1)`,
        "@odata.etag": etag,
        Name: "Ada",
        Books: [{ "@odata.id": `${ORIGIN}/s/Books(10)`, Title: "Alpha", Notes: notes(10, "Alpha") }],
      },
      {
        "@odata.id": `${ORIGIN}/s/Authors(2)`,
        "@odata.etag": etag,
        Name: "Ben",
        Books: [{ "@odata.id": `${ORIGIN}/s/Books(20)`, Title: "Delta", Notes: notes(20, "Delta") }],
      },
    ]);
    expect(asked.splice(0)).toEqual([[10n, 20n]]);
  });

  test("objects of a handler are joined on to tables", () => {
    expect(made.database.take()).toEqual(["authors: Id,Name,MentorId", "books of 2: Id,Title", "books of 2: Id,Title"]);
  });
});

eachDoor((door) => {
  describe("limits", () => {
    test.each([
      ["Books($select=Id)", "Books", [10, 11, 12]],
      ["Books($select=Id;$orderby=Title desc)", "Books", [11, 12, 10]],
      ["Books($select=Id;$skip=1)", "Books", [11, 12]],
      ["Pupils($orderby=Born,Name)", "Pupils", [2, 5]],
    ])("a capped list %s has a link; its pages complete the list", async ($expand, name, expected) => {
      const defaults = { maxExpandTop: 1, maxTop: 2 };
      for (const { service } of [shop({ by: "tables", defaults }), await sqliteShop({ defaults })]) {
        const ask = door.to(service);
        const { json } = await ask(url("/s/Authors", { $expand, $top: "1" }));
        const ids = idsOf(json.value[0][name]);
        expect(ids).toHaveLength(1);
        let next: string | undefined = json.value[0][`${name}@odata.nextLink`];
        expect(next).toMatch(/\/Authors\(1\)\/(?:Books|Pupils)\?\$skip=/u);
        while (next !== undefined) {
          const page = await ask(targetOf(next));
          expect(page.status, page.text).toBe(200);
          ids.push(...idsOf(page.json.value));
          next = page.json["@odata.nextLink"];
        }
        expect(ids).toEqual(expected);
      }
    });

    test("where the route cannot go on, the request is refused", async () => {
      const ask = door.to(shop({ by: "tables", defaults: { maxExpandTop: 1 } }).service);
      for (const nested of ["$filter=true", "$expand=Notes", "$orderby=length(Title)"]) {
        expectError(await ask(url("/s/Authors", { $expand: `Books(${nested})` })), {
          status: 400,
          code: "InvalidQueryOption",
          target: "$expand",
          message: /'Authors\/Books' has more than 1 entities for one parent/u,
        });
      }
    });

    test.each([
      ["Books", 11, 8],
      ["Mentor", 5 + 4, 5],
      ["Mentor($expand=Books)", 100, 10],
    ])("maxResponseEntities counts what %s brings", async ($expand, enough, tooFew) => {
      const services = async (maxResponseEntities: number) => [
        shop({ by: "tables", defaults: { maxResponseEntities } }).service,
        (await sqliteShop({ defaults: { maxResponseEntities } })).service,
      ];
      const target = url("/s/Authors", { $expand });
      for (const service of await services(enough)) expect((await door.to(service)(target)).status).toBe(200);
      for (const service of await services(tooFew)) {
        expectError(await door.to(service)(target), {
          status: 400,
          code: "InvalidQueryOption",
          target: "$expand",
          message: /more than \d+ entities/u,
        });
      }
    });
  });

  describe("expansions that cannot be pushed down", () => {
    const refused = { status: 400, code: "UnsupportedQueryOption", target: "$expand" } as const;

    test("expandPushdownEnabled: false refuses to expand rows", async () => {
      const { service, database, logger } = shop({ by: "tables", books: { expandPushdownEnabled: false } });
      const ask = door.to(service);
      const message = /position \d+: 'Author' of Books cannot be expanded/u;
      for (const target of [
        url("/s/Books", { $expand: "Author", $select: "Id", $top: "1" }),
        url("/s/Books(10)", { $expand: "Author/$ref" }),
        url("/s/Authors", { $expand: "Books($expand=Author;$select=Id;$top=1)", $top: "1" }),
      ]) {
        expectError(await ask(target), { ...refused, message });
      }
      // A star omits such navigations.
      const star = await ask(url("/s/Books", { $expand: "*", $select: "Id", $top: "1" }));
      expect([star.status, star.json.value]).toEqual([200, [{ Id: 10 }]]);
      const nested = await ask(url("/s/Authors", { $expand: "Books($expand=*;$select=Id;$top=1)", $top: "1" }));
      expect([nested.status, nested.json.value[0].Books]).toEqual([200, [{ Id: 10 }]]);
      // The set of the parents decides, not that of the related entities.
      expect((await ask(url("/s/Authors", { $expand: "Books" }))).status).toBe(200);
      database.take();
      expect((await ask("/s/Books(10)/Author")).status).toBe(200);
      expect(logger.errors).toEqual([]);
    });

    test("a search that does not return a source", async () => {
      const { service } = shop({ by: "tables", books: { search: () => [] } });
      expectError(await door.to(service)(url("/s/Authors", { $expand: "Books($search=x)" })), {
        ...refused,
        message: /'Authors\/Books'/u,
      });
    });

    test("objects serve their nested entities", async () => {
      const rows = [
        { id: 1, name: "Ada", mentorId: null, born: null, books: [{ id: 1n, title: "own", genre: "Poem", words: [] }] },
      ];
      const { service } = shop({
        by: "tables",
        authors: { expandPushdownEnabled: false, queryable: undefined, getAll: () => rows },
      });
      const { json } = await door.to(service)(url("/s/Authors", { $select: "Id", $expand: "Books($select=Title)" }));
      expect(json.value).toMatchObject([{ Id: 1, Books: [{ Title: "own" }] }]);
    });

    test("objects without their join properties are an error of their handler", async () => {
      const rows = [{ name: "Ben", mentorId: 1, born: null }] as never;
      const { service, logger } = shop({ by: "tables", authors: { queryable: undefined, getAll: () => rows } });
      const { status } = await door.to(service)(url("/s/Authors", { $select: "Name", $expand: "Books" }));
      expect([status, logger.errors.length]).toEqual([500, 1]);
    });

    test("objects that a set returns from `applyQuery` are joined too", async () => {
      const items = [{ id: 2, name: "Ben", mentorId: 1, born: null }];
      const { service } = shop({ by: "tables", authors: { queryable: undefined, applyQuery: () => ({ items }) } });
      const { json } = await door.to(service)(url("/s/Authors", { $select: "Id", $expand: "Books($select=Title)" }));
      expect(json.value).toMatchObject([{ Id: 2, Books: [{ Title: "Delta" }, { Title: "Epsilon" }] }]);
    });

    test("objects are joined to tables where that is allowed", async () => {
      const rows = [{ id: 2, name: "Ben", mentorId: 1, born: null }];
      const { service, database } = shop({ by: "tables", authors: { queryable: undefined, getAll: () => rows } });
      const { json } = await door.to(service)(
        url("/s/Authors", { $select: "Id", $expand: "Books($select=Title;$expand=Shelf($select=Code))" }),
      );
      expect(json.value).toMatchObject([
        {
          Id: 2,
          Books: [
            { Title: "Delta", Shelf: { Code: "B'2" } },
            { Title: "Epsilon", Shelf: null },
          ],
        },
      ]);
      expect(database.take()).toHaveLength(1);
    });
  });
});
