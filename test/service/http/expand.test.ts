import { arraySource, odataError } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectAnswer, expectError, expectInvalidOption, ORIGIN, targetOf, url } from "./doors.ts";
import { Book, BOOKS, FORMS, library, STYLES } from "./expand-model.ts";

const ROOT = `${ORIGIN}/l`;
const expandUrl = (path: string, $expand: string, others: Readonly<Record<string, string>> = {}) =>
  url(`/l/${path}`, { $expand, ...others });

const alpha = { Id: 10, Title: "Alpha", Pages: 300, AuthorId: 1 };
const beta = { Id: 11, Title: "Beta", Pages: 100, AuthorId: 1 };
const gamma = { Id: 12, Title: "Gamma", Pages: 200, AuthorId: 1 };
const delta = { Id: 20, Title: "Delta", Pages: 50, AuthorId: 2 };

eachDoor((door) => {
  describe("who is called, and how often", () => {
    test.each(FORMS)("a collection of the form %s: after the page is built", async (form) => {
      for (const style of STYLES) {
        const { service, calls } = library({ form, style });
        const { json } = await door.to(service)(expandUrl("Authors", "Books,Mentor($select=Name)", { $select: "Id" }));
        expect(json["@odata.context"]).toBe(`${ROOT}/$metadata#Authors(Id,Mentor(Name))`);
        const etag = { "@odata.etag": expect.any(String) };
        expect(json.value).toEqual([
          { ...etag, Id: 1, Books: [alpha, beta, gamma], Mentor: null },
          { ...etag, Id: 2, Books: [delta], Mentor: { "@odata.id": `${ROOT}/Authors(1)`, ...etag, Name: "Ada" } },
          { ...etag, Id: 3, Books: [], Mentor: { "@odata.id": `${ROOT}/Authors(2)`, ...etag, Name: "Ben" } },
          { ...etag, Id: 4, Books: [], Mentor: null },
        ]);
        const perPage = style.startsWith("getBatch");
        expect(calls.take()).toEqual(perPage ? { books: 1, mentor: 1 } : { books: 4, mentor: 4 });
      }
    });

    test("only the parents of the page are requested", async () => {
      const { service, calls } = library({ style: "getBatch" });
      await door.to(service)(expandUrl("Authors", "Books", { $top: "2", $skip: "1", $orderby: "Name desc" }));
      expect(calls.batches).toEqual([[3, 2]]);
    });

    test("an empty page calls no handler", async () => {
      for (const style of STYLES) {
        const { service, calls } = library({ style });
        const { json } = await door.to(service)(expandUrl("Authors", "Books($expand=Notes)", { $filter: "Id eq 99" }));
        expect([json.value, calls.take()]).toEqual([[], {}]);
      }
    });

    test("read by key", async () => {
      for (const style of STYLES) {
        const { service, calls } = library({ style });
        const answer = await door.to(service)(expandUrl("Books(20)", "Author,Notes"));
        expectAnswer(answer, {
          body: {
            "@odata.context": `${ROOT}/$metadata#Books/$entity`,
            "@odata.id": `${ROOT}/Books(20)`,
            ...delta,
            Author: { "@odata.etag": expect.any(String), Id: 2, Name: "Ben", MentorId: 1 },
            Notes: [{ BookId: 20, Number: 1, Text: "other" }],
          },
        });
        expect(calls.take()).toEqual({ author: 1, notes: 1 });
      }
    });

    test("the next level is one batch for the whole page, and requests each key once", async () => {
      const { service, calls } = library({ style: "getBatch" });
      await door.to(service)(expandUrl("Books", "Author($expand=Books($expand=Notes))"));
      expect(calls.take()).toEqual({ author: 1, books: 1, notes: 1 });
      expect(calls.batches).toEqual([
        [10, 11, 12, 20, 30],
        [1, 2],
        [10, 11, 12, 20],
      ]);
    });

    test("a composite key reaches the handler as an object, and is compared by value in its answer", async () => {
      const { service, calls } = library({ style: "getBatch" });
      const { json } = await door.to(service)(expandUrl("Notes", "Book($select=Title)", { $select: "Number" }));
      expect(calls.batches).toEqual([[10, 10, 20].map((bookId, index) => ({ bookId, number: index === 1 ? 2 : 1 }))]);
      expect(json.value).toEqual([
        {
          Number: 1,
          Book: { "@odata.id": `${ROOT}/Books(10)`, Title: "Alpha" },
        },
        {
          Number: 2,
          Book: { "@odata.id": `${ROOT}/Books(10)`, Title: "Alpha" },
        },
        {
          Number: 1,
          Book: { "@odata.id": `${ROOT}/Books(20)`, Title: "Delta" },
        },
      ]);
    });

    test.each([
      "*",
      "Books($filter=Pages gt 60;$orderby=Title desc;$skip=1;$top=1;$count=true;$select=Title)",
      "Books/$ref,Pupils/$count,Mentor",
      "Mentor($levels=max),Pupils($levels=2;$select=Name)",
      "Books($expand=Author($expand=Mentor),Notes($orderby=Number desc))",
    ])("both forms of handlers give identical text: %s", async ($expand) => {
      const texts = new Set<string>();
      for (const style of STYLES) {
        for (const path of ["Authors", "Authors(1)"]) {
          const { service } = library({ style });
          const { status, text } = await door.to(service)(expandUrl(path, $expand));
          expect(status, text).toBe(200);
          texts.add(`${path} ${text}`);
        }
      }
      expect([...texts]).toHaveLength(2);
    });
  });

  describe("nested options", () => {
    const { service } = library({});
    const ask = door.to(service);
    const booksOfAda = async ($expand: string, others: Readonly<Record<string, string>> = {}) => {
      const { json, text } = await ask(expandUrl("Authors", $expand, { $filter: "Id eq 1", $select: "Id", ...others }));
      expect(json.value, text).toHaveLength(1);
      return json.value[0];
    };

    test.each([
      ["Books($filter=Pages gt 100)", { Books: [alpha, gamma] }],
      ["Books($filter=pages gt 100 and contains(title,'am'))", { Books: [gamma] }],
      ["Books($filter=Title eq 'a;b)(')", { Books: [] }],
      ["Books($orderby=Pages)", { Books: [beta, gamma, alpha] }],
      ["Books($orderby=Pages desc,Title)", { Books: [alpha, gamma, beta] }],
      ["Books($orderby=length(Title) desc,Id desc)", { Books: [gamma, alpha, beta] }],
      ["Books($skip=1)", { Books: [beta, gamma] }],
      ["Books($top=2)", { Books: [alpha, beta] }],
      ["Books($top=0)", { Books: [] }],
      ["Books($skip=1;$top=1;$count=true)", { "Books@odata.count": 3, Books: [beta] }],
      ["Books($count=true;$filter=Pages lt 250;$top=0)", { "Books@odata.count": 2, Books: [] }],
      ["Books($count=false)", { Books: [alpha, beta, gamma] }],
      ["Books()", { Books: [alpha, beta, gamma] }],
      ["Books($select=Title;$top=1)", { Books: [{ "@odata.id": `${ROOT}/Books(10)`, Title: "Alpha" }] }],
      ["books($select=title;$top=1)", { Books: [{ "@odata.id": `${ROOT}/Books(10)`, Title: "Alpha" }] }],
      ["Books/$count", { "Books@odata.count": 3 }],
      ["Books/$count($filter=Pages gt 100)", { "Books@odata.count": 2 }],
      ["Books/$ref($top=1;$orderby=Title desc)", { Books: [{ "@odata.id": `${ROOT}/Books(12)` }] }],
      ["Pupils/$ref,Mentor/$ref", { Pupils: [{ "@odata.id": `${ROOT}/Authors(2)` }], Mentor: null }],
      ["Drafts($top=1)", { Drafts: [alpha] }],
      ["Mentor($filter=Name eq 'Ada')", { Mentor: null }],
    ])("%s", async ($expand, related) => {
      const { "@odata.etag": etag, ...ada } = await booksOfAda($expand);
      expect(etag).toEqual(expect.any(String));
      expect(ada).toEqual({ Id: 1, ...related });
    });

    test("a single entity that the nested $filter does not leave is null", async () => {
      for (const [name, mentor] of [
        ["Ada", { Name: "Ada" }],
        ["Bob", null],
      ] as const) {
        const { json } = await ask(expandUrl("Authors(2)", `Mentor($select=Name;$filter=Name eq '${name}')`));
        expect(json.Mentor).toEqual(mentor === null ? null : expect.objectContaining(mentor));
      }
    });

    test("one shape, other literals; aliases too", async () => {
      for (const [pages, titles] of [
        [250, [[10, "Alpha"]]],
        [
          150,
          [
            [10, "Alpha"],
            [12, "Gamma"],
          ],
        ],
        [1000, []],
      ] as const) {
        const outer = { $filter: `Id eq 1 and Name ne '${pages}'` };
        for (const options of [outer, { ...outer, "@p": String(pages) }]) {
          const value = "@p" in options ? "@p" : String(pages);
          const { Books } = await booksOfAda(`Books($filter=Pages gt ${value};$select=Title)`, options);
          expect(Books).toEqual(titles.map(([id, Title]) => ({ "@odata.id": `${ROOT}/Books(${id})`, Title })));
        }
      }
    });

    test("a star expands all other navigations", async () => {
      const ada = await booksOfAda("*/$ref,Books($select=Title;$top=1)");
      expect(ada).toEqual({
        "@odata.etag": expect.any(String),
        Id: 1,
        Books: [{ "@odata.id": `${ROOT}/Books(10)`, Title: "Alpha" }],
        Mentor: null,
        Pupils: [{ "@odata.id": `${ROOT}/Authors(2)` }],
      });
    });
  });

  test("$levels repeats the navigation with its options, max as deep as the service allows", async () => {
    const { service, calls } = library({ style: "getBatch" });
    const ask = door.to(service);
    const names = async ($expand: string): Promise<unknown> => {
      const { json, text } = await ask(expandUrl("Authors(1)", $expand, { $select: "Name" }));
      const path: string[] = [];
      for (let at = json; at !== undefined; at = at.Pupils?.[0]) path.push(at.Name);
      expect(path, text).not.toContain(undefined);
      return path;
    };
    expect(await names("Pupils($select=Name;$levels=1)")).toEqual(["Ada", "Ben"]);
    expect(await names("Pupils($select=Name;$levels=2)")).toEqual(["Ada", "Ben", "Cai"]);
    expect(await names("Pupils($select=Name;$expand=Pupils($select=Name))")).toEqual(["Ada", "Ben", "Cai"]);
    calls.take();
    expect(await names("Pupils($select=Name;$levels=max)")).toEqual(["Ada", "Ben", "Cai"]);
    expect(calls.take()).toEqual({ pupils: 3 });
    // The books of the last level still fit.
    const { json } = await ask(expandUrl("Authors(1)", "Pupils($levels=max;$expand=Books)"));
    expect(json.Pupils[0].Pupils[0]).toEqual(expect.objectContaining({ Name: "Cai", Books: [] }));
    expect(json.Pupils[0].Pupils[0]).not.toHaveProperty("Pupils");
  });

  test("the context URL lists an expansion only with its own $select", async () => {
    const ask = door.to(library({}).service);
    const contexts = [
      ["Authors", "Books", "", "#Authors"],
      ["Authors", "Books($expand=Notes)", "", "#Authors"],
      ["Authors", "Books($select=Title)", "", "#Authors(Books(Title))"],
      ["Authors", "Books($select=Title,Id),Mentor", "Name", "#Authors(Name,Books(Title,Id))"],
      ["Authors", "Books($select=Title)", "Name,Books", "#Authors(Name,Books(Title))"],
      ["Authors", "Books($expand=Notes($select=Text))", "*", "#Authors(*,Books(Notes(Text)))"],
      ["Authors(1)", "Books($select=Title)", "Name", "#Authors(Name,Books(Title))/$entity"],
      ["Authors(1)", "Mentor", "Name,Mentor", "#Authors(Name,Mentor)/$entity"],
    ] as const;
    for (const [path, $expand, $select, context] of contexts) {
      const { json } = await ask(expandUrl(path, $expand, $select === "" ? {} : { $select }));
      expect(json["@odata.context"]).toBe(`${ROOT}/$metadata${context}`);
    }
  });

  test("navigations that are not expanded are omitted, whatever the handlers populate", async () => {
    const populated = { id: 1, name: "Ada", mentorId: null, books: [alpha], mentor: { id: 5 } };
    const { service } = library({ authors: { queryable: undefined, getAll: () => [populated] } });
    const { json } = await door.to(service)("/l/Authors?$select=Name,Books");
    expect(json.value).toEqual([{ "@odata.id": `${ROOT}/Authors(1)`, "@odata.etag": expect.any(String), Name: "Ada" }]);
  });

  test("the links of full control information stay, types and ids are those of the target set", async () => {
    const ask = door.to(library({}).service);
    const full = { Accept: "application/json;odata.metadata=full;IEEE754Compatible=true" };
    const { json } = await ask(expandUrl("Books(10)", "Notes($count=true),Author"), full);
    expect(json).toMatchObject({
      "@odata.type": "#Default.Book",
      "Notes@odata.navigationLink": `${ROOT}/Books(10)/Notes`,
      "Notes@odata.count": "2",
      Notes: [
        { "@odata.type": "#Default.Note", "Book@odata.navigationLink": `${ROOT}/Notes(BookId=10,Number=1)/Book` },
        { "Book@odata.navigationLink": `${ROOT}/Notes(BookId=10,Number=2)/Book` },
      ],
      Author: { "@odata.id": `${ROOT}/Authors(1)`, "@odata.etag": expect.any(String) },
    });
    // Notes have no route by key.
    for (const note of json.Notes) {
      expect(Object.keys(note).filter((name) => name.startsWith("@"))).toEqual(["@odata.type"]);
    }
    const drafts = await ask(expandUrl("Authors(2)", "Drafts"), full);
    expect(Object.keys(drafts.json.Drafts[0]).filter((name) => name.startsWith("@"))).toEqual(["@odata.type"]);
    const none = { Accept: "application/json;odata.metadata=none" };
    expect((await ask(expandUrl("Authors(2)", "Books($count=true;$select=Id),Mentor/$ref"), none)).json).toEqual({
      Id: 2,
      Name: "Ben",
      MentorId: 1,
      "Books@odata.count": 1,
      Books: [{ Id: 20 }],
      Mentor: { "@odata.id": `${ROOT}/Authors(1)` },
    });
  });

  describe("refused: 400", () => {
    const ask = door.to(library({}).service);
    const UNSUPPORTED = "UnsupportedQueryOption";
    const INVALID = "InvalidQueryOption";

    test.each([
      ["Bookz", INVALID, "'Author' has no property 'Bookz'. Did you mean 'Books'?"],
      ["Author", INVALID, "'Author' has no property 'Author'."],
      ["constructor", INVALID, "'Author' has no property 'constructor'."],
      ["Books($expand=Mentor)", INVALID, "at position 14: 'Book' has no property 'Mentor'."],
      ["name", INVALID, "'Name' is a structural property"],
      ["Books/Notes", INVALID, "write Books($expand=Notes)"],
      ["Default.Author/Books", UNSUPPORTED, "Type casts are not supported"],
      [
        "Mentor.Name",
        INVALID,
        "There is no type 'Mentor.Name'. Write what follows in parentheses: Mentor($select=…) or Mentor($expand=…).",
      ],
      ["Books,Mentor,books", INVALID, "'Books' is expanded twice"],
      ["*,*/$ref", INVALID, "'*' appears twice"],
      ["Books($filter=Pagez gt 1)", INVALID, "'Book' has no property 'Pagez'. Did you mean 'Pages'?"],
      ["Books($filter=Secret eq 'x')", INVALID, "'Book' has no property 'Secret'."],
      ["Books($filter=Pages)", INVALID, "Boolean expression"],
      ["Books($filter=Pages eq 1.5e300000)", INVALID, "position"],
      ["Books($orderby=Nothing)", INVALID, "'Book' has no property 'Nothing'"],
      ["Books($select=Nothing)", INVALID, "$expand at position 14: 'Book' has no property 'Nothing'"],
      ["Books($select=Secret)", INVALID, "'Book' has no property 'Secret'"],
      ["Books($top=-1)", INVALID, "$top within $expand"],
      ["Books($levels=0)", INVALID, "$levels"],
      ["Books($levels=2)", INVALID, "'Book' has no property 'Books'"],
      ["Mentor($top=1)", INVALID, "'Mentor' leads to a single entity and takes no $top"],
      ["Mentor($orderby=Name)", INVALID, "takes no $orderby"],
      ["Mentor($count=true)", INVALID, "takes no $count"],
      ["Mentor/$count", INVALID, "'Mentor' leads to a single entity, which is not counted"],
      ["Drafts($expand=Notes)", INVALID, "'Drafts' has no target entity set, so nothing below it can be expanded"],
      ["Drafts/$ref", INVALID, "its entities have no references"],
      ["Drafts($levels=2)", INVALID, "nothing below it"],
      ["Books($search=x)", UNSUPPORTED, "$search"],
      ["Books($apply=x)", UNSUPPORTED, "$apply"],
      ["Books($compute=x)", UNSUPPORTED, "$compute"],
      ["Books($top=1001)", INVALID, "$top of 'Books' must not exceed 1000"],
      ["Mentor($expand=Mentor($expand=Mentor($expand=Mentor)))", INVALID, "Expansions may nest at most 3 deep"],
      ["Mentor($levels=4)", INVALID, "Expansions may nest at most 3 deep"],
      ["Mentor($levels=9007199254740991)", INVALID, "Expansions may nest at most 3 deep"],
    ])("%s", async ($expand, code, message) => {
      for (const path of ["Authors", "Authors(1)"]) {
        const answer = await ask(expandUrl(path, $expand));
        expectError(answer, { status: 400, code, target: "$expand" });
        expect(answer.json.error.message).toContain(message);
      }
    });

    test("$expand on /$count", async () => {
      expectError(await ask(expandUrl("Authors/$count", "Books")), {
        status: 400,
        code: UNSUPPORTED,
        target: "$expand",
      });
    });
  });

  describe("settings: the parent set permits its expansions, the target set permits the nested options", () => {
    const refusal = async (options: Parameters<typeof library>[0], $expand: string) => {
      const { json } = await door.to(library(options).service)(expandUrl("Authors", $expand));
      return String(json.error?.code ?? "200");
    };

    test.each([
      [{ authors: { expandEnabled: false } }, "Books", "UnsupportedQueryOption"],
      [{ defaults: { expandEnabled: false } }, "Books", "UnsupportedQueryOption"],
      [{ books: { expandEnabled: false } }, "Books", "200"],
      [{ books: { expandEnabled: false } }, "Books($expand=Notes)", "UnsupportedQueryOption"],
      [{ books: { filterEnabled: false } }, "Books($filter=Pages gt 1)", "UnsupportedQueryOption"],
      [{ authors: { filterEnabled: false } }, "Books($filter=Pages gt 1)", "200"],
      [{ authors: { filterEnabled: false } }, "Drafts($filter=Pages gt 1)", "200"],
      [{ defaults: { filterEnabled: false } }, "Drafts($filter=Pages gt 1)", "UnsupportedQueryOption"],
      [{ books: { orderByEnabled: false } }, "Books($orderby=Pages)", "UnsupportedQueryOption"],
      [{ books: { selectEnabled: false } }, "Books($select=Pages)", "UnsupportedQueryOption"],
      [{ books: { countEnabled: false } }, "Books($count=true)", "UnsupportedQueryOption"],
      [{ books: { countEnabled: false } }, "Books/$count", "UnsupportedQueryOption"],
      [{ authors: { expandProperties: ["mentor"] } }, "Mentor", "200"],
      [{ authors: { expandProperties: ["mentor"] } }, "Books", "InvalidQueryOption"],
      [{ authors: { expandProperties: ["mentor"] } }, "*", "200"],
      [{ books: { expandProperties: ["notes"] } }, "Books($expand=Author)", "InvalidQueryOption"],
      [{ books: { expandProperties: ["notes"] } }, "Books($expand=Notes)", "200"],
      [{ books: { filterProperties: ["title"] } }, "Books($filter=Pages gt 1)", "InvalidQueryOption"],
      [{ books: { filterProperties: ["title"] } }, "Books($filter=Title eq 'x')", "200"],
      [{ books: { orderByProperties: ["title"] } }, "Books($orderby=Pages)", "InvalidQueryOption"],
      [{ books: { selectProperties: ["title"] } }, "Books($select=Pages)", "InvalidQueryOption"],
      [{ authors: { filterProperties: ["name"] } }, "Books($filter=Pages gt 1)", "200"],
      [{ authors: { expandEnabled: false }, books: {} }, "Books($expand=Author($expand=Books))", "Unsupported"],
    ])("%j, %s: %s", async (options, $expand, expected) => {
      expect(await refusal(options, $expand)).toMatch(new RegExp(`^${expected}`, "u"));
    });

    test("a nested star omits navigations outside the allowlist", async () => {
      const { service } = library({ authors: { expandProperties: ["mentor"] } });
      const { json } = await door.to(service)(expandUrl("Authors(2)", "*"));
      expect(Object.keys(json)).toEqual([
        "@odata.context",
        "@odata.id",
        "@odata.etag",
        "Id",
        "Name",
        "MentorId",
        "Mentor",
      ]);
    });
  });

  describe("limits", () => {
    test("maxExpandTop truncates lists with a next link, or not at all", async () => {
      const { service } = library({ defaults: { maxExpandTop: 2 } });
      const ask = door.to(service);
      const { json } = await ask(expandUrl("Authors", "Books($skip=0;$count=true;$select=Id;$orderby=Pages desc)"));
      const [ada, ben] = json.value;
      expect(ada).toMatchObject({
        "Books@odata.count": 3,
        "Books@odata.nextLink": `${ROOT}/Authors(1)/Books?$skip=2&$orderby=Pages%20desc&$select=Id`,
        Books: [{ Id: 10 }, { Id: 12 }],
      });
      expect(ben).not.toHaveProperty("Books@odata.nextLink");
      const explicit = await ask(expandUrl("Authors(1)", "Books($top=2)"));
      expect(explicit.json.Books).toHaveLength(2);
      expect(explicit.json).not.toHaveProperty("Books@odata.nextLink");
      // The navigation route takes no $filter and no $expand, so a link could not go on.
      for (const $expand of [
        "Books($filter=Id gt 0)",
        "Books($expand=Notes)",
        "Books($orderby=length(Title))",
        "Books/$ref",
      ]) {
        expectInvalidOption(
          await ask(expandUrl("Authors(1)", $expand)),
          "$expand",
          /'Authors\/Books' has more than 2/u,
        );
      }
      expectInvalidOption(await ask(expandUrl("Authors(1)", "Books($top=3)")), "$expand", /exceed 2/u);
      const batch = door.to(library({ style: "getBatch", defaults: { maxExpandTop: 2 } }).service);
      expect((await batch(expandUrl("Authors(1)", "Books"))).json).toMatchObject({
        "Books@odata.nextLink": `${ROOT}/Authors(1)/Books?$skip=2`,
      });
    });

    test("maxExpandDepth, null for none", async () => {
      const one = door.to(library({ defaults: { maxExpandDepth: 1 } }).service);
      expect((await one(expandUrl("Authors", "Books,Mentor($levels=max)"))).status).toBe(200);
      expectInvalidOption(await one(expandUrl("Authors", "Books($expand=Notes)")), "$expand", /at most 1 deep/u);
      const any = door.to(library({ defaults: { maxExpandDepth: null } }).service);
      expect((await any(expandUrl("Authors", "Mentor($levels=max)"))).status).toBe(200);
      expectInvalidOption(await any(expandUrl("Authors", "Mentor($levels=51)")), "$expand", /at most 50 expansions/u);
      const all = door.to(library({ defaults: { maxExpandDepth: null, maxExpandItems: null } }).service);
      expect((await all(expandUrl("Authors", "Mentor($levels=90)"))).status).toBe(200);
      expectInvalidOption(await all(expandUrl("Authors", "Mentor($levels=1000000)")), "$expand", /100 deep/u);
    });

    test("maxResponseEntities counts entities as they are loaded, and names the expansion", async () => {
      const { service, calls } = library({ defaults: { maxResponseEntities: 6 } });
      const ask = door.to(service);
      // Four authors, four books.
      const answer = await ask(expandUrl("Authors", "Books"));
      expectInvalidOption(answer, "$expand", /'Authors\/Books' the response would contain more than 6 entities/u);
      expect(calls.take()).toEqual({ books: 1 });
      expect((await ask(expandUrl("Authors", "Books($top=1)"))).status).toBe(200);
      // Five books of two authors: each is loaded once and written for each book.
      expectInvalidOption(await ask(expandUrl("Books", "Author")), "$expand", /Books\/Author/u);
    });
  });

  test("the link of a cut list leads through the rest of it: the union is the list", async () => {
    for (const style of STYLES) {
      for (const nested of ["", "($orderby=Pages;$select=Id)", "($skip=1)", "($orderby=Title desc;$count=true)"]) {
        const all = door.to(library({ style }).service);
        const whole = (await all(expandUrl("Authors(1)", `Books${nested}`))).json.Books;
        const ask = door.to(library({ style, defaults: { maxExpandTop: 1, maxTop: 1 } }).service);
        const { json } = await ask(expandUrl("Authors(1)", `Books${nested}`));
        const collected: unknown[] = json.Books;
        let link: string | undefined = json["Books@odata.nextLink"];
        while (link !== undefined) {
          const page: Readonly<Record<string, never>> = (await ask(targetOf(link))).json;
          collected.push(...(page["value"] ?? []));
          link = page["@odata.nextLink"];
        }
        expect(collected).toEqual(whole);
      }
    }
  });

  describe("$search within an expansion", () => {
    const found = BOOKS.filter(({ title }) => title.includes("l"));
    test.each([
      ["rows", () => found],
      ["a source", () => arraySource(Book, found)],
      ["later", async () => arraySource(Book, found)],
    ])("keeps entities with the keys that the search handler of the target set finds: %s", async (_name, answer) => {
      for (const style of STYLES) {
        const clauses: unknown[] = [];
        const search = (clause: unknown) => {
          clauses.push(clause);
          return answer();
        };
        const { service } = library({ style, books: { search } });
        const ask = door.to(service);
        const { json } = await ask(
          expandUrl("Authors", "Books($search= a OR b ;$select=Title;$count=true)", { $select: "Id" }),
        );
        expect(json.value).toMatchObject([
          { Id: 1, "Books@odata.count": 1, Books: [{ Title: "Alpha" }] },
          { Id: 2, "Books@odata.count": 1, Books: [{ Title: "Delta" }] },
          { Id: 3, "Books@odata.count": 0, Books: [] },
          { Id: 4, "Books@odata.count": 0, Books: [] },
        ]);
        const operands = ["a", "b"].map((text) => ({ kind: "word", text }));
        expect(clauses).toEqual([{ text: "a OR b", expression: { kind: "or", operands } }]);
        const count = await ask(expandUrl("Authors(1)", "Books/$count($search=x)"));
        expect(count.json["Books@odata.count"]).toBe(1);
        const noteOf = (book: number, number: number, title: string) => ({
          Number: number,
          Book: { "@odata.id": `${ROOT}/Books(${book})`, Title: title },
        });
        const single = await ask(expandUrl("Notes", "Book($search=x;$select=Title)", { $select: "Number" }));
        expect(single.json.value).toEqual([noteOf(10, 1, "Alpha"), noteOf(10, 2, "Alpha"), noteOf(20, 1, "Delta")]);
        const none = await ask(expandUrl("Books(11)", "Author($expand=Books($search=y;$filter=Pages lt 10))"));
        expect(none.json.Author.Books).toEqual([]);
      }
    });

    test("returns an error of the search handler; without a search handler, $search is not supported", async () => {
      const busy = () => odataError(409, "Busy", "Later.");
      const ask = door.to(library({ books: { search: busy } }).service);
      expectError(await ask(expandUrl("Authors", "Books($search=x)")), { status: 409, code: "Busy" });
      expectError(await ask(expandUrl("Books", "Author($search=x)")), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$expand",
      });
      expectInvalidOption(await ask(expandUrl("Authors", "Books($search=(x)")), "$expand");
    });
  });

  test("next links of the collection keep $expand", async () => {
    const ask = door.to(library({ defaults: { maxTop: 2 } }).service);
    const { json } = await ask(expandUrl("Authors", "Books($select=Id)"));
    expect(json["@odata.nextLink"]).toContain(`$expand=${encodeURIComponent("Books($select=Id)")}`);
    const next = await ask(targetOf(json["@odata.nextLink"]));
    expect(next.json.value).toMatchObject([
      { Id: 3, Books: [] },
      { Id: 4, Books: [] },
    ]);
  });
});
