import {
  action,
  complexType,
  type Context,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  odataError,
  odataService,
  ODataError,
} from "odatakit";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  eachDoor,
  EMPTY_HEADERS,
  type ExpectedError,
  expectAnswer,
  expectError,
  JSON_HEADERS,
  ORIGIN,
} from "./doors.ts";

const Status = enumType("Status", { Open: 0, Closed: 1 });
const Address = complexType("Address", { street: edm.string(), zipCode: edm.string().nullable().json("zip") });
const Task = entityType("Task", {
  id: edm.int32().key(),
  title: edm.string(),
  version: edm.int32().computed(),
  secret: edm.string().ignored(),
});
const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

const TASKS = [
  { id: 1, title: "Write", version: 1, secret: "hush" },
  { id: 2, title: "Read", version: 2, secret: "hush" },
];
const NOTES = [{ id: 7, text: "seven" }];
const CONTEXT = `${ORIGIN}/t/$metadata`;
const JSON_BODY = { "Content-Type": "application/json" };
const ETAG = /^"[A-Za-z0-9+/]{43}="$/u;

/** The arguments of handlers, in the order of the calls. */
interface Seen {
  calls: unknown[];
  context: Context | undefined;
}

function service(seen: Seen, errors: unknown[] = []) {
  const note =
    <T>(result: T) =>
    (...given: readonly unknown[]): T => {
      seen.context = given.at(-1) as Context;
      seen.calls.push(given.slice(0, -1));
      return result;
    };
  const one = TASKS[0]!;
  const tasks = entitySet(Task, {
    getAll: () => TASKS,
    getByKey: (key) => TASKS.find(({ id }) => id === key) ?? null,
    etag: ["version"],
    functions: {
      self: fn({ bound: "entity", returns: Task, handler: (key) => TASKS.find(({ id }) => id === key) ?? null }),
      later: fn({ bound: "entity", returns: Task, handler: async (key) => TASKS.find(({ id }) => id === key) ?? null }),
      open: fn({ bound: "collection", returns: edm.collection(Task), handler: note(TASKS) }),
      streamed: fn({ bound: "collection", returns: edm.collection(Task), handler: () => taken() as never }),
      generated: fn({ bound: "collection", returns: edm.collection(Task), handler: () => new Set(TASKS) }),
      none: fn({ bound: "collection", returns: edm.collection(Task), handler: () => [] }),
      nothing: fn({ bound: "collection", returns: edm.collection(Task), handler: () => null }),
      zero: fn({ bound: "entity", returns: edm.int32(), handler: (_key) => 0 }),
      no: fn({ bound: "entity", returns: edm.boolean(), handler: async (_key) => false }),
      empty: fn({ bound: "collection", returns: edm.string(), handler: () => "" }),
      absent: fn({ bound: "collection", returns: edm.string().nullable(), handler: () => null }),
      undefinedValue: fn({ bound: "collection", returns: edm.string(), handler: () => undefined as never }),
      status: fn({ bound: "collection", returns: edm.enum(Status), handler: () => "Closed" as const }),
      address: fn({ bound: "entity", returns: edm.complex(Address), handler: (_key) => ({ street: "Main St" }) }),
      tags: fn({ bound: "entity", returns: edm.collection(edm.string()), handler: (_key) => ["a", "b"] }),
      notes: fn({ bound: "entity", returns: edm.collection(Note), handler: (_key) => NOTES }),
      note: fn({ bound: "entity", returns: Note, handler: (_key) => NOTES[0]! }),
      double: fn({ bound: "collection", returns: edm.double(), handler: () => Infinity }),
    },
    actions: {
      close: action({ bound: "entity", handler: (key, _given, context) => note(undefined)(key, context) }),
      rename: action({
        bound: "entity",
        params: { title: edm.string(), times: edm.int32().default(1), reason: edm.string().nullable() },
        returns: Task,
        handler: (key, given, context) => note(one)(key, given, context),
      }),
      reset: action({ bound: "collection", handler: note(undefined) }),
      merge: action({ bound: "collection", returns: edm.collection(Task), handler: async () => TASKS }),
      count: action({ bound: "collection", params: { from: edm.int64() }, returns: edm.int64(), handler: () => 0n }),
    },
  });
  return odataService({
    prefix: "/t",
    namespace: "Todo",
    entitySets: [tasks, entitySet(Note, { getByKey: () => null })],
    logger: { error: (_message, fields) => errors.push(fields), warn: () => {}, info: () => {} },
    functions: {
      greet: fn({ params: { name: edm.string() }, returns: edm.string(), handler: ({ name }) => `Hello ${name}` }),
      task: fn({ returns: Task, handler: () => one }),
      allTasks: fn({ returns: edm.collection(Task), handler: () => TASKS }),
      isOpen: fn({ returns: edm.boolean(), handler: () => false }),
      where: fn({ returns: edm.complex(Address), handler: () => ({ street: "Main St", zipCode: "1" }) }),
      nobody: fn({ returns: Task, handler: async () => null }),
      fail: fn({
        params: { how: edm.string() },
        returns: edm.int32(),
        handler: ({ how }) => failing(how) as never,
      }),
    },
    actions: {
      ping: action({ handler: note(undefined) }),
      add: action({
        params: { a: edm.int32(), b: edm.int32().default(1) },
        returns: edm.int32(),
        handler: ({ a, b }) => a + b,
      }),
      forget: action({ returns: edm.int32().nullable(), handler: () => null }),
    },
  });
}

async function* taken() {
  for (const task of TASKS) yield await Promise.resolve(task);
}

function failing(how: string): unknown {
  const intended = () => odataError(409, "Conflicting", "It is closed.", { target: "Status" });
  switch (how) {
    case "returned":
      return intended();
    case "returned later":
      return Promise.resolve(intended());
    case "thrown":
      throw intended();
    case "thrown later":
      return Promise.reject(intended());
    case "wrong value":
      return "no number";
    case "late":
      return Promise.reject(new Error("the hidden reason"));
    default:
      throw new Error("the hidden reason");
  }
}

eachDoor((door) => {
  const seen: Seen = { calls: [], context: undefined };
  const errors: unknown[] = [];
  const send = door.to(service(seen, errors));
  const post = (target: string, body?: string, headers = JSON_BODY as Record<string, string>): Promise<Answer> =>
    send(target, body === undefined ? {} : headers, "POST", body);
  const etagOf = async (key: number): Promise<string> => (await send(`/t/Tasks(${key})`)).headers["etag"] ?? "";
  const task = (id: number, etag: string) => ({
    "@odata.etag": etag,
    Id: id,
    Title: TASKS[id - 1]?.title,
    Version: TASKS[id - 1]?.version,
  });

  describe("results of bound operations", () => {
    test.each(["Tasks(1)/self", "Tasks(1)/self()", "Tasks(1)/Todo.self", "Tasks(1)/later", "Tasks(Id=1)/self/"])(
      "an entity of the set's own type is one of the set: %s",
      async (path) => {
        const etag = await etagOf(1);
        expect(etag).toMatch(ETAG);
        expectAnswer(await send(`/t/${path}`), {
          headers: { ...JSON_HEADERS, etag },
          body: { "@odata.context": `${CONTEXT}#Tasks/$entity`, "@odata.id": `${ORIGIN}/t/Tasks(1)`, ...task(1, etag) },
        });
      },
    );

    test.each(["open", "open()", "Todo.open", "streamed", "generated"])(
      "a collection of the set's own type is one of the set: %s",
      async (path) => {
        const value = [task(1, await etagOf(1)), task(2, await etagOf(2))];
        expectAnswer(await send(`/t/Tasks/${path}`), { body: { "@odata.context": `${CONTEXT}#Tasks`, value } });
      },
    );

    test("an action returns entities like a function, with 200", async () => {
      const etag = await etagOf(1);
      expectAnswer(await post("/t/Tasks(1)/rename", '{"title":"x"}'), {
        headers: { ...JSON_HEADERS, etag },
        body: { "@odata.context": `${CONTEXT}#Tasks/$entity`, "@odata.id": `${ORIGIN}/t/Tasks(1)`, ...task(1, etag) },
      });
      const merged = await post("/t/Tasks/merge");
      expect(merged.json).toMatchObject({ "@odata.context": `${CONTEXT}#Tasks`, value: [{ Id: 1 }, { Id: 2 }] });
    });

    test("an empty collection is one", async () => {
      expectAnswer(await send("/t/Tasks/none"), { body: { "@odata.context": `${CONTEXT}#Tasks`, value: [] } });
    });

    test.each([
      ["Tasks(1)/zero", "Int32", 0],
      ["Tasks(1)/no", "Boolean", false],
      ["Tasks/empty", "String", ""],
      ["Tasks/double", "Double", "INF"],
    ])("a primitive value is in an envelope: %s", async (path, type, value) => {
      expectAnswer(await send(`/t/${path}`), { body: { "@odata.context": `${CONTEXT}#Edm.${type}`, value } });
    });

    test("a primitive value of an action too", async () => {
      expectAnswer(await post("/t/Tasks/count", '{"from":1}'), {
        body: { "@odata.context": `${CONTEXT}#Edm.Int64`, value: 0 },
      });
    });

    test.each([
      ["Tasks/status", '"Closed"'],
      ["Tasks(1)/address", '{"Street":"Main St","zip":null}'],
      ["Tasks(1)/tags", '["a","b"]'],
      ["Tasks(1)/notes", '[{"Id":7,"Text":"seven"}]'],
      ["Tasks(1)/note", '{"Id":7,"Text":"seven"}'],
    ])("any other result is bare JSON in the naming of the registration: %s", async (path, body) => {
      expectAnswer(await send(`/t/${path}`), { body });
    });

    test("levels of control information", async () => {
      const full = { Accept: "application/json;odata.metadata=full" };
      const none = { Accept: "application/json;odata.metadata=none" };
      expect((await send("/t/Tasks(1)/zero", full)).json).toEqual({
        "@odata.context": `${CONTEXT}#Edm.Int32`,
        "@odata.type": "#Int32",
        value: 0,
      });
      expect((await send("/t/Tasks(1)/zero", none)).text).toBe('{"value":0}');
      expect((await send("/t/Tasks(1)/self", none)).text).toBe('{"Id":1,"Title":"Write","Version":1}');
      expect((await send("/t/Tasks(1)/self", full)).json).toMatchObject({
        "@odata.type": "#Todo.Task",
        "@odata.editLink": `${ORIGIN}/t/Tasks(1)`,
      });
      expect((await send("/t/Tasks(1)/note", full)).text).toBe('{"Id":7,"Text":"seven"}');
      expect((await send("/t/Tasks(1)/address", full)).text).toBe('{"Street":"Main St","zip":null}');
    });
  });

  test.each([
    ["GET", "Tasks/nothing"],
    ["GET", "Tasks/absent"],
    ["GET", "Tasks/undefinedValue"],
    ["GET", "Tasks(9)/self"],
    ["GET", "nobody"],
    ["POST", "Tasks(1)/close"],
    ["POST", "Tasks/reset"],
    ["POST", "ping"],
    ["POST", "forget"],
  ])("null, and no result at all, is 204: %s %s", async (method, path) => {
    expectAnswer(await send(`/t/${path}`, {}, method), { status: 204, headers: EMPTY_HEADERS, body: "" });
  });

  test.each([
    ["greet?name='Ada'", '"Hello Ada"'],
    ["greet(name='Ada')", '"Hello Ada"'],
    ["task", '{"Id":1,"Title":"Write","Version":1}'],
    ["allTasks()", '[{"Id":1,"Title":"Write","Version":1},{"Id":2,"Title":"Read","Version":2}]'],
    ["isOpen", "false"],
    ["where", '{"Street":"Main St","zip":"1"}'],
  ])("results of unbound functions are bare JSON: %s", async (path, body) => {
    expectAnswer(await send(`/t/${path}`), { body });
  });

  test("the result of an unbound action is bare JSON", async () => {
    expectAnswer(await post("/t/add", '{"a":1,"b":2}'), { body: "3" });
    expectAnswer(await post("/t/add", '{"a":1}'), { body: "2" });
  });

  describe("what handlers get", () => {
    test("an entity-bound one the key first, then the parameters, defaults filled in, and the context", async () => {
      seen.calls = [];
      await post("/t/Tasks(2)/rename", '{"title":"New"}');
      expect(seen.calls).toEqual([[2, { title: "New", times: 1, reason: null }]]);
      expect(seen.context?.request.method).toBe("POST");
      expect(seen.context?.request.url).toBe(`${ORIGIN}/t/Tasks(2)/rename`);
      expect(seen.context?.signal).toBeInstanceOf(AbortSignal);
      expect(seen.context?.service).toMatchObject({ prefix: "/t" });
    });

    test("a collection-bound one the parameters alone", async () => {
      seen.calls = [];
      await send("/t/Tasks/open");
      expect(seen.calls).toEqual([[{}]]);
    });

    test("a key in any of its forms, through an alias too", async () => {
      seen.calls = [];
      for (const key of ["2", "Id=2", "%20Id%20=%202%20"]) await post(`/t/Tasks(${key})/close`);
      await post("/t/Tasks(@k)/close?@k=2");
      expect(seen.calls).toEqual([[2], [2], [2], [2]]);
    });

    test("options of the application's own are in the URL of the request", async () => {
      const answer = await post("/t/Tasks(1)/close?trace=on");
      expect(answer.status).toBe(204);
      expect(seen.context?.request.url).toBe(`${ORIGIN}/t/Tasks(1)/close?trace=on`);
      expect((await send("/t/greet(name='x')?trace=on")).status).toBe(200);
      expect((await send("/t/Tasks(1)/self()?trace=on")).status).toBe(200);
    });
  });

  describe("methods", () => {
    const READ = "GET, HEAD, OPTIONS";
    const WRITE = "POST, OPTIONS";

    test.each([
      ["POST", "Tasks(1)/self", READ],
      ["PUT", "Tasks/open", READ],
      ["DELETE", "greet", READ],
      ["POST", "greet(name='x')", READ],
      ["GET", "Tasks(1)/close", WRITE],
      ["HEAD", "Tasks/reset", WRITE],
      ["PATCH", "Tasks(1)/Todo.rename", WRITE],
      ["GET", "ping", WRITE],
    ])("%s %s is 405 with Allow", async (method, path, allow) => {
      const answer = await send(`/t/${path}`, {}, method);
      expect([answer.status, answer.headers["allow"]]).toEqual([405, allow]);
      if (method !== "HEAD") expect(answer.json.error.code).toBe("MethodNotAllowed");
    });

    test.each([
      ["Tasks(1)/self", READ],
      ["Tasks/open()", READ],
      ["greet", READ],
      ["Tasks(1)/close", WRITE],
      ["ping", WRITE],
    ])("OPTIONS %s", async (path, allow) => {
      expectAnswer(await send(`/t/${path}`, {}, "OPTIONS"), {
        status: 204,
        headers: { ...EMPTY_HEADERS, allow },
        body: "",
      });
    });

    test("HEAD returns the response of GET without a body", async () => {
      for (const path of ["Tasks(1)/self", "Tasks/open", "greet?name=x", "Tasks/nothing"]) {
        const [head, get] = await Promise.all([send(`/t/${path}`, {}, "HEAD"), send(`/t/${path}`)]);
        expect([head.status, head.headers, head.text]).toEqual([get.status, get.headers, ""]);
      }
    });
  });

  describe("names", () => {
    test.each([
      ["Tasks(1)/Self", /Did you mean 'self'\? Names are case-sensitive/u],
      ["Tasks/self", /has no operation/u],
      ["Tasks(1)/open", /has no property or operation/u],
      ["Tasks(1)/Other.self", /has no property or operation/u],
      ["Greet?name=x", /'greet'/u],
      ["Todo.greet?name=x", /has no resource/u],
      ["Tasks(1)/self/Title", /Nothing may follow/u],
      ["Tasks(1)/self/$count", /Nothing may follow/u],
      ["Tasks/open/$count", /Nothing may follow/u],
      ["greet(name='x')/more", /Nothing may follow/u],
      ["Tasks/open()(1)", /Nothing may follow/u],
    ])("%s is 404", async (path, message) => {
      expectError(await send(`/t/${path}`), { status: 404, code: "NotFound", message });
    });
  });

  describe("negotiation", () => {
    test.each(["Tasks(1)/self", "greet?name=x", "Tasks(1)/address"])("%s", async (path) => {
      expectError(await send(`/t/${path}`, { Accept: "application/xml" }), {
        status: 406,
        code: "NotAcceptable",
        target: "Accept",
      });
      const sign = path.includes("?") ? "&" : "?";
      expect((await send(`/t/${path}${sign}$format=json`, { Accept: "text/html" })).status).toBe(200);
      expectError(await send(`/t/${path}${sign}$format=xml`), {
        status: 400,
        code: "UnsupportedFormat",
        target: "$format",
      });
      expectError(await send(`/t/${path}`, { "OData-MaxVersion": "3.0" }), {
        status: 400,
        code: "UnsupportedODataVersion",
        target: "OData-MaxVersion",
      });
    });

    test("an action without a result is negotiated too", async () => {
      expect((await send("/t/ping", { Accept: "text/html" }, "POST")).status).toBe(406);
    });
  });

  describe("keys", () => {
    test.each(["Tasks(x)/self", "Tasks('1')/self", "Tasks()/self", "Tasks(null)/zero", "Tasks(1,2)/zero"])(
      "%s is 400 InvalidKey",
      async (path) => {
        expectError(await send(`/t/${path}`), { status: 400, code: "InvalidKey", target: "key" });
      },
    );

    test("of an action, before its body", async () => {
      const answer = await post("/t/Tasks(x)/rename", "nonsense", { "Content-Type": "text/plain" });
      expectError(answer, { status: 400, code: "InvalidKey", target: "key" });
    });
  });

  describe("query options", () => {
    test.each(["Tasks/open", "Tasks(1)/self", "Tasks(1)/zero", "allTasks", "greet(name='x')"])(
      "%s takes none beside its parameters",
      async (path) => {
        for (const option of ["$filter=true", "$top=1", "$select=Id", "$count=true", "$expand=*", "$skiptoken=x"]) {
          const target = option.slice(0, option.indexOf("="));
          expectError(await send(`/t/${path}?${option}`), { status: 400, code: "UnsupportedQueryOption", target });
        }
      },
    );

    test.each(["Tasks(1)/close", "Tasks/merge", "ping"])("POST %s takes none", async (path) => {
      seen.calls = [];
      const expected = { status: 400, code: "UnsupportedQueryOption", target: "$select" };
      expectError(await post(`/t/${path}?$select=Id`), expected);
      expect(seen.calls).toEqual([]);
    });
  });

  describe("parameters", () => {
    test.each<readonly [string, string, string, string, RegExp]>([
      ["a misspelt one", "greet?nam=x", "MissingParameter", "name", /It has 'nam': did you mean 'name'/u],
      ["an unknown one in parentheses", "greet(nam='x')", "InvalidParameter", "nam", /no parameter 'nam'/u],
      ["another letter case", "greet?Name=x", "InvalidParameter", "Name", /case-sensitive/u],
      ["a value without a name", "greet('x')", "InvalidParameter", "greet", /Write name=/u],
      ["a value where there is none", "isOpen(5)", "InvalidParameter", "isOpen", /isOpen\(\)/u],
      ["a comma too many", "greet(name='x',)", "InvalidParameter", "greet", /Write name=/u],
      ["an empty one", "greet?name=", "InvalidParameter", "name", /no value/u],
      ["none", "greet", "MissingParameter", "name", /lacks the parameter name/u],
      ["empty parentheses", "greet()", "MissingParameter", "name", /lacks the parameter name/u],
    ])("%s: %s", async (_, path, code, target, message) => {
      expectError(await send(`/t/${path}`), { status: 400, code, target, message });
    });

    test.each(["greet?name=x&other=y", "greet?api_key=1&name=x&_=1", "greet(name='x')?other=y", "isOpen?x=1&_=2"])(
      "custom query options are left to the handler: %s",
      async (path) => {
        expect((await send(`/t/${path}`)).status).toBe(200);
      },
    );

    test("rejects arguments of an action in its path", async () => {
      const expected = { status: 400, code: "InvalidParameter", target: "ping", message: /in the body/u };
      expectError(await post("/t/ping(x=1)"), expected);
      expectError(await post("/t/add(a=1)", '{"a":1}'), { ...expected, target: "add" });
      expect((await post("/t/ping()")).status).toBe(204);
    });
  });

  describe("bodies of actions", () => {
    const INVALID: ExpectedError = { status: 400, code: "InvalidBody" };

    test.each<readonly [string, ExpectedError]>([
      ["", INVALID],
      ["{", INVALID],
      ["nonsense", INVALID],
      ["null", INVALID],
      ["[]", INVALID],
      ['"title"', INVALID],
      ["5", INVALID],
      ["{}", { status: 400, code: "MissingParameter", target: "title" }],
      ['{"title":5}', { status: 400, code: "InvalidParameter", target: "title" }],
      ['{"title":null}', { status: 400, code: "InvalidParameter", target: "title" }],
      ['{"title":"x","times":null}', { status: 400, code: "InvalidParameter", target: "times" }],
      ['{"title":"x","times":1.5}', { status: 400, code: "InvalidParameter", target: "times" }],
      ['{"title":"x","tims":1}', { ...INVALID, target: "tims", message: /no parameter "tims": did you mean times/u }],
      ['{"title":"x","title":"y"}', { ...INVALID, target: "title" }],
      ['{"Title":"x"}', { ...INVALID, target: "Title" }],
      ['{"title":"x","bindingParameter":1}', { ...INVALID, target: "bindingParameter" }],
    ])("%s", async (body, expected) => {
      seen.calls = [];
      expectError(await post("/t/Tasks(1)/rename", body), expected);
      expect(seen.calls).toEqual([]);
    });

    test("annotations are passed over", async () => {
      const body = '{"@odata.context":"x","title@odata.type":"#String","title":"y"}';
      expect((await post("/t/Tasks(1)/rename", body)).status).toBe(200);
    });

    test.each(["text/plain", "application/xml", "application/x-www-form-urlencoded"])(
      "Content-Type %s is 415, bound or not",
      async (type) => {
        const expected = { status: 415, code: "UnsupportedMediaType", target: "Content-Type" };
        expectError(await post("/t/Tasks(1)/rename", '{"title":"x"}', { "Content-Type": type }), expected);
        expectError(await post("/t/add", '{"a":1}', { "Content-Type": type }), expected);
      },
    );

    test("a parameterless action ignores the body and its headers", async () => {
      for (const path of ["Tasks(1)/close", "Tasks/reset", "ping"]) {
        for (const [body, type] of [
          ["{", "application/json"],
          ["x=1", "application/x-www-form-urlencoded"],
          ["x".repeat(200_000), "text/plain"],
        ] as const) {
          const answer = await post(`/t/${path}`, body, { "Content-Type": type });
          expectAnswer(answer, { status: 204, headers: EMPTY_HEADERS, body: "" });
        }
      }
    });
  });

  test("bodies above the limit are 413: that of the set, or that of the registration", async () => {
    const handler = (): undefined => undefined;
    const params = { x: edm.string() };
    const small = entitySet(Note, {
      getByKey: () => null,
      maxRequestBodyBytes: 20,
      actions: { take: action({ bound: "collection", params, handler }) },
    });
    const to = door.to(
      odataService({
        entitySets: [small],
        defaults: { maxRequestBodyBytes: 40 },
        actions: { take: action({ params, handler }) },
      }),
    );
    const bodyOf = (length: number): string => JSON.stringify({ x: "x".repeat(length - 8) });
    const chunked = (text: string) => [new TextEncoder().encode(text)];
    for (const [path, limit] of [
      ["/Notes/take", 20],
      ["/take", 40],
    ] as const) {
      for (const form of [bodyOf, (length: number) => chunked(bodyOf(length))]) {
        expect((await to(path, JSON_BODY, "POST", form(limit))).status).toBe(204);
        const answer = await to(path, JSON_BODY, "POST", form(limit + 1));
        expect([answer.status, answer.json.error.code]).toEqual([413, "PayloadTooLarge"]);
      }
    }
  });

  describe("If-Match on an entity-bound action is about its entity", () => {
    test("it is called with the ETag that holds, and with *", async () => {
      for (const tag of [await etagOf(1), "*"]) {
        expect((await send("/t/Tasks(1)/close", { "If-Match": tag }, "POST")).status).toBe(204);
      }
    });

    test.each([
      ["Tasks(1)/close", '"other"'],
      ["Tasks(9)/close", "*"],
    ])("%s with %s is 412, and it is not called", async (path, tag) => {
      seen.calls = [];
      const answer = await send(`/t/${path}`, { "If-Match": tag }, "POST");
      expectError(answer, { status: 412, code: "PreconditionFailed", message: /^If-Match does not hold/u });
      expect(seen.calls).toEqual([]);
    });

    test("an operation on a collection, an unbound one, and a function have no such condition", async () => {
      const headers = { "If-Match": '"other"' };
      expect((await send("/t/Tasks/reset", headers, "POST")).status).toBe(204);
      expect((await send("/t/ping", headers, "POST")).status).toBe(204);
      expect((await send("/t/Tasks(1)/self", headers)).status).toBe(200);
    });
  });

  describe("Prefer: return on an action", () => {
    const prefer = (what: string) => ({ ...JSON_BODY, Prefer: `return=${what}` });

    test.each([
      ["Tasks(1)/rename", '{"title":"x"}'],
      ["Tasks/merge", undefined],
      ["Tasks(1)/close", undefined],
      ["add", '{"a":1}'],
    ])("minimal is 204: %s", async (path, body) => {
      expectAnswer(await send(`/t/${path}`, prefer("minimal"), "POST", body), {
        status: 204,
        headers: { ...EMPTY_HEADERS, "preference-applied": "return=minimal" },
        body: "",
      });
    });

    test("confirms return=representation if the action has a result", async () => {
      const added = await send("/t/add", prefer("representation"), "POST", '{"a":1}');
      expectAnswer(added, { headers: { ...JSON_HEADERS, "preference-applied": "return=representation" }, body: "2" });
      const closed = await send("/t/Tasks(1)/close", prefer("representation"), "POST");
      expectAnswer(closed, { status: 204, headers: EMPTY_HEADERS, body: "" });
    });

    test("a function has no such preference", async () => {
      const answer = await send("/t/isOpen", { Prefer: "return=minimal" });
      expectAnswer(answer, { body: "false" });
    });
  });

  test("the order of checks of an action: each mended fault reveals the next", async () => {
    const closed = odataService({
      prefix: "/t",
      authenticate: (request) => {
        if (request.headers.has("authorization")) return { id: "ada" };
        throw odataError(401, "Unauthorized", "Say who you are.");
      },
      entitySets: [
        entitySet(Task, {
          getByKey: (key) => TASKS.find(({ id }) => id === key) ?? null,
          etag: ["version"],
          maxRequestBodyBytes: 100,
          actions: {
            rename: action({
              bound: "entity",
              params: { title: edm.string() },
              handler: (_key) => odataError(409, "Reached", "The handler was reached."),
            }),
          },
        }),
      ],
    });
    const to = door.to(closed);
    const long = `{"x":"${"x".repeat(200)}"}`;
    const request = {
      method: "PUT",
      path: "Tusks(x)/rename",
      query: "?$select=Id",
      body: long,
      headers: {
        "OData-MaxVersion": "3.0",
        Accept: "text/html",
        "Content-Type": "text/plain",
        "If-Match": '"other"',
      } as Record<string, string>,
    };
    const steps: ReadonlyArray<readonly [string, () => void]> = [
      ["UnsupportedODataVersion", () => (request.headers["OData-MaxVersion"] = "4.0")],
      ["NotFound", () => (request.path = "Tasks(x)/rename")],
      ["MethodNotAllowed", () => (request.method = "POST")],
      ["Unauthorized", () => (request.headers["Authorization"] = "Bearer x")],
      ["NotAcceptable", () => (request.headers["Accept"] = "application/json")],
      ["InvalidKey", () => (request.path = "Tasks(9)/rename")],
      ["PayloadTooLarge", () => (request.body = '{"x":1}')],
      ["UnsupportedMediaType", () => (request.headers["Content-Type"] = "application/json")],
      ["UnsupportedQueryOption", () => (request.query = "")],
      ["InvalidBody", () => (request.body = "{}")],
      ["MissingParameter", () => (request.body = '{"title":5}')],
      ["InvalidParameter", () => (request.body = '{"title":"x"}')],
      ["PreconditionFailed", () => (request.path = "Tasks(1)/rename")],
      ["PreconditionFailed", () => (request.headers["If-Match"] = "*")],
      ["Reached", () => {}],
    ];
    for (const [code, mend] of steps) {
      const { method, path, query, body, headers } = request;
      const sent = { ...headers, "Content-Length": String(body.length) };
      const answer = await to(`/t/${path}${query}`, sent, method, body);
      expect(answer.json.error.code).toBe(code);
      mend();
    }
  });

  describe("errors of handlers", () => {
    test.each(["returned", "returned later", "thrown", "thrown later"])("an intended error, %s", async (how) => {
      errors.length = 0;
      expectError(await send(`/t/fail?how='${how.replace(" ", "%20")}'`), {
        status: 409,
        code: "Conflicting",
        target: "Status",
        message: "It is closed.",
      });
      expect(errors).toEqual([]);
    });

    test.each(["anything", "late", "wrong%20value"])("anything else is a logged 500: %s", async (how) => {
      errors.length = 0;
      const answer = await send(`/t/fail?how='${how}'`);
      expectError(answer, { status: 500, code: "InternalServerError" });
      expect(answer.text).not.toContain("hidden");
      expect(errors).toHaveLength(1);
    });
  });
});

test("the classes of errors are one", () => {
  expect(odataError(400, "X", "x")).toBeInstanceOf(ODataError);
});

test("a call is cancelled by the signal of its context", async () => {
  const stop = new AbortController();
  let started: (signal: AbortSignal) => void = () => {};
  const seen = new Promise<AbortSignal>((resolve) => {
    started = resolve;
  });
  const wait = fn({
    returns: edm.string(),
    handler: (_given, context) => {
      started(context.signal);
      return new Promise<string>((resolve) => {
        context.signal.addEventListener("abort", () => resolve("stopped"));
      });
    },
  });
  const stoppable = odataService({ entitySets: [], functions: { wait } });
  const answer = stoppable.fetch(new Request(`${ORIGIN}/wait`, { signal: stop.signal }));
  expect((await seen).aborted).toBe(false);
  stop.abort();
  expect(await (await answer).text()).toBe('"stopped"');
});

test("names follow the naming of the registration, operations and parameters do not", async () => {
  const camel = odataService({
    propertyNaming: "camelCase",
    entitySets: [],
    functions: {
      Where: fn({ params: { At: edm.complex(Address) }, returns: edm.complex(Address), handler: ({ At }) => At }),
    },
  });
  const answer = await camel.fetch(new Request(`${ORIGIN}/Where(At=@a)?@a={"street":"Main St"}`));
  expect(await answer.text()).toBe('{"street":"Main St","zip":null}');
});
