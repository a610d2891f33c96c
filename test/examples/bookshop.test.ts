import type { ODataService } from "odatakit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { adminService, browseService } from "../../examples/bookshop/bookshop.ts";
import { createTables } from "../../examples/bookshop/tables.ts";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../engine/executors/engines.ts";
import { runExample, send } from "./example-client.ts";

const GERMAN = { "Accept-Language": "de-AT, en;q=0.5" };
const ENGLISH = { "Accept-Language": "en" };

describe.each(ENGINES)("the bookshop of the example, over $title", ({ open }) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let browse: ODataService;
  let admin: ODataService;

  beforeAll(async () => {
    opened = await open();
    ({ db } = opened);
    await createTables(db);
    // On a filled database it changes nothing.
    await createTables(db);
    browse = browseService(db);
    admin = adminService(db, "secret");
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await db.updateTable("books").set({ stock: 3 }).execute();
  });

  const get = (path: string, headers: Record<string, string> = GERMAN) => send(browse, "GET", path, headers);
  const keep = (method: string, path: string, body?: object) =>
    send(admin, method, path, { Authorization: "Bearer secret" }, body);

  test("texts are in the language of the reader, and in English without a German one", async () => {
    const titles = async (headers: Record<string, string>): Promise<unknown> => {
      const { body } = await get("Books?$orderby=Id&$select=Title", headers);
      const found: ReadonlyArray<{ readonly Title: string }> = body.value;
      return found.map(({ Title }) => Title);
    };
    const english = [
      "The Rider on the White Horse",
      "Frankenstein",
      "Around the World in Eighty Days",
      "From the Earth to the Moon",
    ];
    expect(await titles(ENGLISH)).toEqual(english);
    expect(await titles({})).toEqual(english);
    expect(await titles(GERMAN)).toEqual([
      "Der Schimmelreiter",
      "Frankenstein",
      "Reise um die Erde in 80 Tagen",
      "From the Earth to the Moon",
    ]);
  });

  test.each([
    ["Books", true],
    ["Books(1)", true],
    ["Genres(1)/Children", true],
    ["Authors(3)/Books", true],
    ["Authors?$expand=Books", true],
    ["Currencies", false],
  ])("the responses of %s vary by language: %s", async (path, varies) => {
    const { status, headers } = await get(path);
    expect([status, /\bAccept-Language\b/iu.test(headers.get("vary") ?? "")]).toEqual([200, varies]);
  });

  test("routes along navigations, in both directions, have the same texts", async () => {
    expect((await get("Books(1)/Genre")).body).toMatchObject({ Id: 2, Name: "Novelle", ParentId: 1 });
    expect((await get("Books(1)/Genre", ENGLISH)).body.Name).toBe("Novella");
    expect((await get("Genres(3)/Parent")).body).toMatchObject({ Id: 1, Name: "Belletristik", ParentId: null });
    expect((await get("Genres(1)/Children?$orderby=Name&$select=Name")).body.value).toMatchObject([
      { Name: "Novelle" },
      { Name: "Zukunftsroman" },
    ]);
    const ordered = "Authors(3)/Books?$orderby=Title desc&$select=Id";
    const ids = ({ body }: Awaited<ReturnType<typeof get>>): unknown => body.value;
    expect(ids(await get(ordered))).toMatchObject([{ Id: 3 }, { Id: 4 }]);
    expect(ids(await get(ordered, ENGLISH))).toMatchObject([{ Id: 4 }, { Id: 3 }]);
    expect((await get("Authors(3)/Books/$count")).text).toBe("2");
    expect((await get("Authors(3)/Books(3)")).body.Title).toBe("Reise um die Erde in 80 Tagen");
    expect((await get("Authors(1)/Books(3)")).status).toBe(404);
    expect((await get("Books(4)/Currency")).body.Symbol).toBe("€");
    expect((await get("Genres(1)/Parent")).status).toBe(404);
  });

  test("expansions, filters, searches and totals have them, too", async () => {
    const path = "Books(3)?$select=Title&$expand=Author($select=Name),Genre($select=Name;$expand=Parent($select=Name))";
    expect((await get(path)).body).toMatchObject({
      Title: "Reise um die Erde in 80 Tagen",
      Author: { Name: "Jules Verne" },
      Genre: { Name: "Reise", Parent: { Name: "Zukunftsroman" } },
    });
    expect((await get("Books/$count?$filter=Genre/Parent/Name eq 'Zukunftsroman'")).text).toBe("2");
    expect((await get("Books/$count?$search=spuk")).text).toBe("1");
    expect((await get("Books/$count?$search=spuk", ENGLISH)).text).toBe("0");
    expect((await get("Books/$count?$search=ghost", ENGLISH)).text).toBe("1");
    const grouped = await get("Books?$apply=groupby((Genre/Name),aggregate($count as Count))");
    expect(grouped.body.value).toHaveLength(3);
    expect(grouped.body.value).toContainEqual(expect.objectContaining({ Genre: { Name: "Reise" }, Count: 2 }));
  });

  test("an order lowers the stock; of ten orders for a stock of three, three succeed", async () => {
    const order = (quantity: number, headers = ENGLISH) =>
      send(browse, "POST", "Books(2)/submitOrder", headers, { quantity });
    const first = await order(1);
    expect([first.status, first.body.value]).toEqual([200, 2]);
    await db.updateTable("books").set({ stock: 3 }).execute();
    const answers = await Promise.all(Array.from({ length: 10 }, () => order(1)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array<number>(3).fill(200), ...Array<number>(7).fill(409)]);
    expect((await get("Books(2)/Stock/$value")).text).toBe("0");
    const refused = await order(1, GERMAN);
    expect([refused.headers.get("content-language"), refused.body.error]).toMatchObject([
      "de-at",
      { code: "SoldOut", message: "Es sind nur noch 0 vorrätig." },
    ]);
    const none = await order(0, GERMAN);
    expect([none.status, none.body.error.message]).toEqual([400, "Der Wert muss mindestens 1 sein."]);
    expect((await send(browse, "POST", "Books(99)/submitOrder", ENGLISH, { quantity: 1 })).status).toBe(404);
  });

  test("readers write nothing, and only the token opens the other service", async () => {
    expect((await send(browse, "PATCH", "Books(1)", ENGLISH, { Stock: 9 })).status).toBe(405);
    expect((await send(browse, "POST", "Books", ENGLISH, { Id: 9 })).status).toBe(405);
    expect((await send(admin, "GET", "Books", {})).status).toBe(401);
    expect((await send(admin, "PATCH", "Books(1)", { Authorization: "Bearer guess" }, { Stock: 9 })).status).toBe(401);
    expect((await keep("PATCH", "Books(1)", { Stock: 9 })).status).toBe(200);
    expect((await get("Books(1)/Stock/$value")).text).toBe("9");
  });

  test("a book that the administrator adds with its texts is for sale", async () => {
    const Texts = [
      { Language: "en", Title: "Immensee", About: "A lake" },
      { Language: "de", Title: "Immensee", About: "Ein See" },
    ];
    const book = { Id: 5, AuthorId: 1, GenreId: 2, CurrencyCode: "EUR", Price: 7.5, Stock: 1 };
    expect((await keep("POST", "Books", { ...book, Texts })).status).toBe(201);
    expect((await get("Books(5)")).body).toMatchObject({ Title: "Immensee", About: "Ein See", Price: 7.5 });
    expect((await keep("PATCH", "BookTexts(BookId=5,Language='de')", { About: "Ein Teich" })).status).toBe(200);
    expect((await get("Books(5)/About")).body.value).toBe("Ein Teich");
    for (const language of ["en", "de"]) {
      expect((await keep("DELETE", `BookTexts(BookId=5,Language='${language}')`)).status).toBe(204);
    }
    expect((await get("Books(5)")).status).toBe(404);
    expect((await keep("DELETE", "Books(5)")).status).toBe(204);
  });
});

test("the program serves books, and ends by SIGTERM without a warning", async () => {
  const ended = await runExample("examples/bookshop/main.ts", "browse/Books", GERMAN);
  expect(ended).toEqual({ status: 200, code: 0, stderr: "" });
});
