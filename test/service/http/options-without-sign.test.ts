import {
  action,
  arraySource,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  type Logger,
  odataService,
  type ServiceOptions,
} from "odatakit";
import { openApiRoute } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { MULTIPART, multipart, received, single } from "./batch-model.ts";
import { eachDoor, expectAnswer, expectError, JSON_HEADERS, ORIGIN, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";

const Author = entityType("Author", { id: edm.int32().key(), name: edm.string() });
const Book = entityType("Book", { id: edm.int32().key(), authorId: edm.int32(), title: edm.string() });

const AUTHORS = [
  { id: 1, name: "Ann" },
  { id: 2, name: "Ben" },
  { id: 3, name: "Cid" },
];
const BOOKS = [
  { id: 1, authorId: 1, title: "red; sea" },
  { id: 2, authorId: 1, title: "red sky" },
  { id: 3, authorId: 2, title: "blue sky" },
];

const numbers = { params: { top: edm.int32() }, returns: edm.int32(), handler: ({ top }: { top: number }) => top };

/** Authors and books, and functions whose parameters have names of system query options. */
function library(options: Partial<ServiceOptions> = {}): Service {
  return odataService({
    prefix: "/l",
    namespace: "Lib",
    logger: noFailures,
    functions: {
      best: fn(numbers),
      everyone: fn({ returns: edm.collection(Author), composable: true, handler: () => AUTHORS }),
      some: fn({
        params: { top: edm.int32() },
        returns: edm.collection(Author),
        composable: true,
        handler: ({ top }) => AUTHORS.slice(0, top),
      }),
    },
    actions: { ping: action({ handler: () => undefined }) },
    routes: [openApiRoute()],
    entitySets: [
      entitySet(Author, {
        maxTop: 2,
        queryable: () => arraySource(Author, AUTHORS),
        getByKey: (key) => AUTHORS.find(({ id }) => id === key) ?? null,
        search: ({ text }) => AUTHORS.filter(({ name }) => name.includes(text)),
        patch: (key, delta) => ({ id: key, name: delta.name ?? "" }),
        delete: () => true,
        navigation: {
          books: hasMany(Book, {
            target: "Books",
            get: (key) => BOOKS.filter(({ authorId }) => authorId === key),
            removeRef: () => undefined,
          }),
        },
        functions: {
          first: fn({ bound: "collection", ...numbers }),
          own: fn({ bound: "entity", ...numbers, handler: (_key: number, { top }: { top: number }) => top }),
        },
      }),
      entitySet(Book, {
        queryable: () => arraySource(Book, BOOKS),
        getByKey: (key) => BOOKS.find(({ id }) => id === key) ?? null,
        search: ({ text }) => BOOKS.filter(({ title }) => title.includes(text)),
        selectEnabled: false,
        navigation: { author: hasOptional(Author, { target: "Authors", get: () => AUTHORS[0] ?? null }) },
      }),
    ],
    ...options,
  });
}

/** Removes the sign from the names of options in a URL. */
const unsigned = (url: string): string => url.replaceAll(/\$(?=[a-z]+=)/g, "");

/** Removes the parts that depend on the sign: names in next links and messages, and positions. */
const comparable = (text: string): string =>
  unsigned(text)
    .replaceAll(/at position \d+/g, "")
    .replaceAll("$top appears", "top appears");

const GETS = [
  "Authors?$filter=Id gt 1&$orderby=Name desc&$select=Name",
  "Authors?$top=1&$skip=1&$count=true",
  "Authors?$search=A",
  "Authors?$orderby=Id&custom=1",
  "Authors?$skiptoken=AgAAAA%3D%3D",
  "Authors?$format=application/json;odata.metadata=none",
  "Authors?$expand=Books($filter=Id gt 1;$top=1;$skip=0)",
  "Authors?$expand=Books($search=red;$orderby=Id desc;$count=true)",
  "Authors?$expand=Books($search=%22red; sea%22;$skip=0)",
  "Authors?$expand=Books/$count($filter=Id eq 1)",
  "Authors?$expand=Books($expand=Author($levels=1))",
  "Authors/$count?$filter=Id gt 1",
  "Authors(1)?$select=Name&$expand=Books",
  "Authors(@id)?@id=1&$select=Name",
  "Authors(1)/Books?$filter=Id gt 1&$count=true",
  "Authors(1)/Books/$count?$search=sky",
  "Authors(1)/Books/$ref?$orderby=Id desc",
  "Authors(1)/Books(1)?$format=json",
  "Books(1)/Author?$select=Name",
  "Authors(1)/Name?$format=json",
  "everyone?$top=1&$select=Name",
  "some(top=2)?$orderby=Id desc",
  "?$format=json",
  "$metadata?$format=json",
  "$metadata?$format=xml",
];

const FAULTS = [
  "Authors?$top=x",
  "Authors?$filter=Nam eq 1",
  "Authors?$filter= Id eq 1",
  "Authors?$filter=",
  "Authors?$apply=x",
  "Authors?$index=1",
  "Authors?$id=1",
  "Authors?$expand=Books($filter=Id eq 'a')",
  "Authors?$expand=Books($search=a;b)",
  "Authors?$expand=Books($top=1;$top=2)",
  "Authors?$format=pdf",
  "Authors?$format=pdf&$top=1&$top=2",
  "Authors(1)?$top=1",
  "Authors(1)/Name?$select=Id",
  "Books?$select=Title",
  "$metadata?$top=1",
  "?$top=1",
  "best(top=1)?$filter=true",
];

eachDoor((door) => {
  const send = door.to(library({ profile: "standard" }));
  const get = (path: string) => send(`/l/${path}`.replaceAll(" ", "%20"));

  describe("the standard profile reads system query options without their sign", () => {
    test.each([...GETS, ...FAULTS])("%s", async (path) => {
      const [signed, bare] = [await get(path), await get(unsigned(path))];
      expect([bare.status, bare.headers]).toEqual([signed.status, signed.headers]);
      expect(comparable(bare.text)).toBe(comparable(signed.text));
      expect(signed.status, signed.text).toSatisfy((status: number) => GETS.includes(path) === (status === 200));
    });

    test("a next link keeps the names as the client sent them", async () => {
      const { json } = await get("Authors?orderby=Id&skip=0&select=Id");
      expect(json["@odata.nextLink"]).toBe(`${ORIGIN}/l/Authors?orderby=Id&select=Id&$skiptoken=AgAAAA%3D%3D`);
      const next = await send((json["@odata.nextLink"] as string).slice(ORIGIN.length));
      expect(next.json.value).toEqual([{ Id: 3 }]);
    });

    test.each(["$top=1&top=1", "top=1&$top=2", "top=1&top=1", "%74op=1&top=1"])(
      "an option that is given twice is refused: %s",
      async (query) => {
        expectError(await get(`Authors?${query}`), { status: 400, code: "InvalidQueryOption", target: "$top" });
      },
    );

    test("names remain case-sensitive, and unknown names with a sign an error", async () => {
      expect((await get("Authors?Top=1&Select=Id")).json.value).toHaveLength(2);
      expectError(await get("Authors?$Top=1"), { status: 400, code: "UnsupportedQueryOption", target: "$Top" });
      expectError(await get("Authors?$x=1"), { status: 400, code: "UnsupportedQueryOption", target: "$x" });
    });

    test.each([
      ["best?top=7", 7],
      ["best(top=@p)?@p=5", 5],
      ["Authors/first?top=7", 7],
      ["Authors(1)/own?top=7", 7],
    ])("a parameter of that name wins: %s", async (path, value) => {
      expectAnswer(await get(path), {
        headers: JSON_HEADERS,
        body: { "@odata.context": `${ORIGIN}/l/$metadata#Edm.Int32`, value },
      });
    });

    test("a parameter wins over an option that its function accepts", async () => {
      expect((await get("some?top=2&$top=1")).json.value).toEqual([{ Id: 1, Name: "Ann" }]);
      expect((await get("some?top=2&skip=1")).json.value).toEqual([{ Id: 2, Name: "Ben" }]);
      const twice = await get("some(top=2)?top=1");
      expectError(twice, { status: 400, code: "InvalidParameter", target: "top" });
      expectError(await get("some?Top=2"), { status: 400, code: "InvalidParameter", target: "Top" });
    });

    test("of writes, actions, removed links and in bodies of queries", async () => {
      const json = { "Content-Type": "application/json", Prefer: "return=representation" };
      const patched = await send("/l/Authors(1)?select=Id", json, "PATCH", '{"Name":"Eve"}');
      expect(patched.json).toEqual({
        "@odata.context": `${ORIGIN}/l/$metadata#Authors(Id)/$entity`,
        "@odata.id": `${ORIGIN}/l/Authors(1)`,
        Id: 1,
      });
      expectError(await send("/l/Authors(1)?top=1", {}, "DELETE"), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$top",
      });
      expectError(await send("/l/ping?top=1", {}, "POST"), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$top",
      });
      const unlinked = await send(`/l/Authors(1)/Books/$ref?id=${ORIGIN}/l/Books(1)`, {}, "DELETE");
      expect(unlinked.status).toBe(204);
      const text = { "Content-Type": "text/plain" };
      const queried = await send("/l/Authors/$query?select=Id", text, "POST", "filter=Id eq 2");
      expect(queried.json.value).toEqual([{ Id: 2 }]);
    });

    test("in a batch", async () => {
      const body = multipart([{ request: "GET Authors?filter=Id eq 2&select=Id".replaceAll(" eq ", "%20eq%20") }]);
      const answer = await send("/l/$batch", MULTIPART, "POST", body);
      const parts = received(answer.headers["content-type"], answer.text).map(single);
      expect(parts.map(({ status, json }) => [status, json.value])).toEqual([[200, [{ Id: 2 }]]]);
      expectError(await send("/l/$batch?top=1", MULTIPART, "POST", body), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$top",
      });
    });
  });

  describe("the default profile leaves such names to handlers, and logs them once", () => {
    const open = (options: Partial<ServiceOptions> = {}) => {
      const records: Array<readonly [string, Readonly<Record<string, unknown>>]> = [];
      const logger: Logger = { ...noFailures, warn: (message, fields) => records.push([message, fields]) };
      const service = door.to(library({ logger, ...options }));
      return { records, ask: (path: string) => service(`/l/${path}`.replaceAll(" ", "%20")) };
    };
    const message = (name: string, option: string) =>
      `A client sent the custom query option \`${name}\`, which the service ignores. Did you mean \`${option}\`?`;

    test("every row returns, and one record for each option says what was meant", async () => {
      const { records, ask } = open();
      const all = await ask("Authors");
      for (const query of ["top=1", "top=2&Top=1", "filter=Id eq 1", "FILTER=x", "%20top=1", "tops=1", "odata=1"]) {
        expect((await ask(`Authors?${query}`)).json.value, query).toEqual(all.json.value);
      }
      expect(records).toEqual([
        [
          message("top", "$top"),
          { requestId: expect.any(String), method: "GET", path: "/l/Authors", set: "Authors", option: "top" },
        ],
        [
          message("filter", "$filter"),
          { requestId: expect.any(String), method: "GET", path: "/l/Authors", set: "Authors", option: "filter" },
        ],
      ]);
    });

    test("a parameter of that name is not logged", async () => {
      const { records, ask } = open();
      expect((await ask("best?top=7")).json).toBe(7);
      expect((await ask("Authors/first?top=7")).status).toBe(200);
      expect((await ask("Authors(1)/own?top=7")).status).toBe(200);
      expect((await ask("best?Top=7")).status).toBe(400);
      expect(records).toEqual([]);
      await ask("everyone?top=1");
      expect(records.map(([text]) => text)).toEqual([message("top", "$top")]);
    });

    test("within $expand they are refused", async () => {
      const { records, ask } = open();
      expectError(await ask("Authors?$expand=Books(top=1)"), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$expand",
      });
      expect(records).toEqual([]);
    });

    test("a logger that throws changes no response", async () => {
      const logger: Logger = {
        ...noFailures,
        warn: () => {
          throw new Error("The disk is full.");
        },
      };
      expect((await open({ logger }).ask("Authors?top=1")).status).toBe(200);
    });

    test("the standard profile logs names that differ in letter case", async () => {
      const { records, ask } = open({ profile: "standard" });
      await ask("Authors?top=1");
      await ask("Authors?Top=1");
      expect(records.map(([text]) => text)).toEqual([message("Top", "$top")]);
    });
  });
});
