import { edm, entitySet, entityType, fn, hasMany, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, EMPTY_HEADERS, expectAnswer, expectError, ORIGIN, targetOf, url } from "./doors.ts";

const Book = entityType("Book", {
  id: edm.int32().key(),
  title: edm.string(),
  price: edm.decimal().nullable(),
  version: edm.int32(),
});
const Chapter = entityType("Chapter", { id: edm.int32().key(), bookId: edm.int32(), name: edm.string() });
const Author = entityType("Author", { id: edm.int32().key(), name: edm.string() });

const BOOKS = Array.from({ length: 7 }, (_, index) => ({
  id: 7 - index,
  title: `Title ${String(index % 3)}`,
  price: index === 0 ? null : `${String(index)}.50`,
  version: 1,
}));
const CHAPTERS = [
  { id: 1, bookId: 1, name: "One" },
  { id: 2, bookId: 1, name: "Two" },
  { id: 3, bookId: 2, name: "Three" },
];
const AUTHORS = [
  { id: 2, name: "Zoe" },
  { id: 1, name: "Ada" },
];
const CONTEXT = `${ORIGIN}/b/$metadata`;

/** Sets and functions whose handlers count their calls. */
function library(calls: { count: number }) {
  const called = <T>(result: T): T => {
    calls.count += 1;
    return result;
  };
  const chapters = (parents: readonly number[]) =>
    new Map(parents.map((id) => [id, CHAPTERS.filter(({ bookId }) => bookId === id)]));
  const books = entitySet(Book, {
    getAll: () => BOOKS,
    getByKey: (key) => BOOKS.find(({ id }) => id === key) ?? null,
    etag: ["version"],
    maxTop: 3,
    filterProperties: ["id", "title"],
    navigation: { chapters: hasMany(Chapter, { target: "Chapters", getBatch: chapters }) },
    functions: {
      from: fn({
        bound: "collection",
        params: { id: edm.int32().default(0) },
        returns: edm.collection(Book),
        composable: true,
        handler: ({ id }) => called(BOOKS.filter((book) => book.id >= id)),
      }),
      like: fn({
        bound: "entity",
        returns: edm.collection(Book),
        composable: true,
        handler: async (key) => called(BOOKS.filter(({ id }) => id !== key)),
      }),
      none: fn({
        bound: "collection",
        returns: edm.collection(Book),
        composable: true,
        handler: () => called(null),
      }),
      authors: fn({
        bound: "entity",
        returns: edm.collection(Author),
        composable: true,
        handler: (_key) => called(AUTHORS),
      }),
      plain: fn({ bound: "collection", returns: edm.collection(Book), handler: () => called(BOOKS) }),
    },
  });
  return odataService({
    prefix: "/b",
    entitySets: [books, entitySet(Chapter, { getByKey: () => null })],
    functions: {
      every: fn({ returns: edm.collection(Book), composable: true, handler: () => called(BOOKS) }),
      wrong: fn({ returns: edm.collection(Book), composable: true, handler: () => called(5 as never) }),
    },
    logger: { error: () => {}, warn: () => {}, info: () => {} },
  });
}

eachDoor((door) => {
  const calls = { count: 0 };
  const send = door.to(library(calls));
  const idsOf = (answer: { json: { value: Array<{ Id: number }> } }) => answer.json.value.map(({ Id }) => Id);

  describe("entities of the set's own type are a page of the set", () => {
    test.each<readonly [string, Record<string, string | number>, readonly number[]]>([
      ["$filter", { $filter: "Id lt 3" }, [2, 1]],
      ["$filter with a function", { $filter: "endswith(Title,'0') and Id gt 1" }, [7, 4]],
      ["$orderby", { $orderby: "Id", $top: 3 }, [1, 2, 3]],
      ["$orderby of two keys", { $orderby: "Title desc,Id", $top: 3 }, [2, 5, 3]],
      ["$top", { $top: 2 }, [7, 6]],
      ["$skip", { $skip: 5 }, [2, 1]],
      ["$skip behind the end", { $skip: 50 }, []],
      ["all of them", { $filter: "Id gt 1", $orderby: "Id", $skip: 1, $top: 2 }, [3, 4]],
    ])("%s", async (_, options, ids) => {
      for (const path of ["from", "from()", "from(id=0)", "Default.from"]) {
        const answer = await send(url(`/b/Books/${path}`, options));
        expect(answer.status).toBe(200);
        expect(answer.json["@odata.context"]).toBe(`${CONTEXT}#Books`);
        expect(idsOf(answer)).toEqual(ids);
      }
    });

    test("$select and $count, with ETags", async () => {
      const answer = await send(url("/b/Books/from", { $select: "Title", $count: "true", $top: 1, id: 3 }));
      expect(answer.json).toEqual({
        "@odata.context": `${CONTEXT}#Books(Title)`,
        "@odata.count": 5,
        value: [{ "@odata.id": `${ORIGIN}/b/Books(7)`, "@odata.etag": expect.stringMatching(/^"/u), Title: "Title 0" }],
      });
    });

    test("$expand", async () => {
      const options = { $expand: "Chapters($select=Name;$orderby=Name desc)", $select: "Id", $filter: "Id eq 1" };
      const answer = await send(url("/b/Books/from", options));
      expect(answer.json.value).toMatchObject([{ Id: 1, Chapters: [{ Name: "Two" }, { Name: "One" }] }]);
    });

    test("parameters and options go together, an entity-bound function too", async () => {
      expect(idsOf(await send(url("/b/Books(7)/like", { $top: 2 })))).toEqual([6, 5]);
      expect(idsOf(await send(url("/b/Books/from", { id: 6, $orderby: "Id" })))).toEqual([6, 7]);
      expect(idsOf(await send(url("/b/Books/from(id=@i)", { "@i": 6, $orderby: "Id" })))).toEqual([6, 7]);
    });

    test("without $top they are paged, and the links lead through all of them", async () => {
      const ids: number[] = [];
      let target = "/b/Books/from(id=1)?$orderby=Id&$count=true";
      for (let pages = 0; target !== "" && pages < 9; pages += 1) {
        const answer = await send(target);
        expect(answer.json["@odata.count"]).toBe(7);
        ids.push(...idsOf(answer));
        const link: string | undefined = answer.json["@odata.nextLink"];
        target = link === undefined ? "" : targetOf(link);
      }
      expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7]);
    });

    test("Prefer: maxpagesize", async () => {
      const answer = await send("/b/Books/from?id=2", { Prefer: "maxpagesize=2" });
      expect(answer.headers["preference-applied"]).toBe("maxpagesize=2");
      expect(answer.json["@odata.nextLink"]).toBe(`${ORIGIN}/b/Books/from?id=2&$skip=2`);
    });

    test.each<readonly [string, string, string]>([
      ["$filter=Price gt 1", "InvalidQueryOption", "$filter"],
      ["$filter=Nope eq 1", "InvalidQueryOption", "$filter"],
      ["$orderby=Nope", "InvalidQueryOption", "$orderby"],
      ["$top=4", "InvalidQueryOption", "$top"],
      ["$top=x", "InvalidQueryOption", "$top"],
      ["$search=x", "UnsupportedQueryOption", "$search"],
      ["$skiptoken=AQAAAA==", "UnsupportedQueryOption", "$skiptoken"],
      ["$apply=x", "UnsupportedQueryOption", "$apply"],
      ["$unknown=1", "UnsupportedQueryOption", "$unknown"],
    ])("%s is 400, and the function is not called", async (option, code, target) => {
      calls.count = 0;
      expectError(await send(`/b/Books/from?${option.replaceAll(" ", "%20")}`), { status: 400, code, target });
      expect(calls.count).toBe(0);
    });

    test("null is 204", async () => {
      const options = { $filter: "Id eq 1", $count: "true" };
      expectAnswer(await send(url("/b/Books/none", options)), { status: 204, headers: EMPTY_HEADERS, body: "" });
    });

    test("parameters are checked as without options", async () => {
      expectError(await send("/b/Books/from?id=x&$top=1"), { status: 400, code: "InvalidParameter", target: "id" });
    });
  });

  describe("other entities are a bare array", () => {
    test("of a bound function", async () => {
      const path = "/b/Books(1)/authors";
      expectAnswer(await send(path), { body: '[{"Id":2,"Name":"Zoe"},{"Id":1,"Name":"Ada"}]' });
      expectAnswer(await send(url(path, { $orderby: "Name", $select: "Name" })), {
        body: '[{"Name":"Ada"},{"Name":"Zoe"}]',
      });
      expectAnswer(await send(url(path, { $filter: "Id eq 3" })), { body: "[]" });
    });

    test("of an unbound function: whole, because its result cannot contain a next link", async () => {
      const all = await send("/b/every");
      expect(all.json).toHaveLength(7);
      expect(all.json[0]).toEqual({ Id: 7, Title: "Title 0", Price: null, Version: 1 });
      expect((await send("/b/every", { Prefer: "maxpagesize=2" })).json).toHaveLength(7);
      expect((await send("/b/every?$top=5")).json).toHaveLength(5);
    });

    test("the settings and navigations of the only set of their type apply", async () => {
      const options = { $expand: "Chapters", $select: "Id", $filter: "Id eq 2" };
      expectAnswer(await send(url("/b/every", options)), {
        body: '[{"Id":2,"Chapters":[{"Id":3,"BookId":2,"Name":"Three"}]}]',
      });
      const refused = { status: 400, code: "InvalidQueryOption", target: "$filter" };
      expectError(await send(url("/b/every", { $filter: "Price gt 1" })), refused);
      const unknown = { status: 400, code: "InvalidQueryOption", target: "$expand" };
      expectError(await send(url("/b/Books(1)/authors", { $expand: "Books" })), unknown);
    });

    test("a count has no place in it", async () => {
      const refused = { status: 400, code: "UnsupportedQueryOption", target: "$count" };
      expectError(await send("/b/every?$count=true"), refused);
      expectError(await send("/b/Books(1)/authors?$count=true"), refused);
    });

    test("a result that is not a list is a 500", async () => {
      expectError(await send("/b/wrong"), { status: 500, code: "InternalServerError" });
    });
  });

  test("a function that is not composable takes no option, and is not paged", async () => {
    calls.count = 0;
    expect(idsOf(await send("/b/Books/plain", { Prefer: "maxpagesize=2" }))).toHaveLength(7);
    expect(calls.count).toBe(1);
    for (const option of [
      "$filter=true",
      "$orderby=Id",
      "$select=Id",
      "$expand=*",
      "$top=1",
      "$skip=1",
      "$count=true",
    ]) {
      const target = option.slice(0, option.indexOf("="));
      expectError(await send(`/b/Books/plain?${option}`), { status: 400, code: "UnsupportedQueryOption", target });
    }
    expect(calls.count).toBe(1);
  });
});

test("results are bounded as every response is: what never ends is cut off", async () => {
  function* endless() {
    for (let id = 1; ; id += 1) yield { id, name: "x" };
  }
  const returns = edm.collection(Author);
  const service = odataService({
    entitySets: [
      entitySet(Author, {
        getByKey: () => null,
        functions: { endless: fn({ bound: "collection", returns, handler: endless }) },
      }),
    ],
    functions: {
      ten: fn({ returns, composable: true, handler: () => AUTHORS }),
      endlessToo: fn({ returns, handler: endless }),
    },
    defaults: { maxResponseEntities: 1500 },
  });
  for (const path of ["Authors/endless", "endlessToo"]) {
    const answer = await service.fetch(new Request(`${ORIGIN}/${path}`));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/1500 entities/u) } });
  }
});

test("a large result is written in pieces that make one body", async () => {
  const many = Array.from({ length: 3000 }, (_, id) => ({ id, name: `Name ${String(id)} ${"x".repeat(50)}` }));
  const returns = edm.collection(Author);
  const service = odataService({
    entitySets: [
      entitySet(Author, {
        getByKey: () => null,
        functions: { many: fn({ bound: "collection", returns, handler: () => many }) },
      }),
    ],
    functions: {
      bare: fn({ returns, handler: () => many }),
      composed: fn({ returns, composable: true, handler: () => many }),
    },
  });
  const bodyOf = async (path: string): Promise<unknown> =>
    (await service.fetch(new Request(`${ORIGIN}/${path}`))).json();
  const expected = many.map(({ id, name }) => ({ Id: id, Name: name }));
  expect(await bodyOf("bare")).toEqual(expected);
  expect(await bodyOf("composed?$skip=1")).toEqual(expected.slice(1));
  expect(await bodyOf("Authors/many")).toEqual({ "@odata.context": `${ORIGIN}/$metadata#Authors`, value: expected });
});
