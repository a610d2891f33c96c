import { action, arraySource, edm, entitySet, fn, hasMany, odataError, odataService, requireUser } from "odatakit";
import { describe, expect, test } from "vitest";
import { type Door, eachDoor, expectAnswer, expectError, type ExpectedError } from "./doors.ts";
import { Item, ITEM_FORMS, type ItemOptions, ITEMS, Part, recordingLogger } from "./model.ts";

const READ = "GET, HEAD, OPTIONS";

const service = odataService({
  prefix: "/s",
  entitySets: [
    entitySet(Item, {
      ...ITEM_FORMS.queryable,
      getByKey: (key) => ITEMS.find(({ id }) => id === key) ?? null,
      create: (item) => item,
      replace: (_, item) => item,
      patch: () => null,
      delete: () => true,
      navigation: { parts: hasMany(Part, { target: "Parts", get: () => [] }) },
      functions: {
        nearest: fn({ bound: "entity", returns: edm.string(), handler: (key) => String(key) }),
        newest: fn({ bound: "collection", returns: edm.string(), handler: () => "x" }),
      },
      actions: {
        touch: action({ bound: "entity", params: { note: edm.string() }, handler: (_key, _parameters) => {} }),
      },
    }),
    entitySet(Part, { getByKey: () => null }),
    entitySet(Item, { name: "WriteOnly", create: (item) => item }),
  ],
  functions: { greet: fn({ returns: edm.string(), handler: () => "hello" }) },
  actions: { ping: action({ handler: () => {} }) },
  logger: recordingLogger(),
});

const NOT_FOUND = { status: 404, code: "NotFound" } as const;
const notAllowed = (allow: string): ExpectedError => ({ status: 405, code: "MethodNotAllowed", headers: { allow } });

/** Handlers and how they fail; each must be a generic 500 that leaks nothing. */
const SECRET = "password=hunter2 at db.internal";
class CustomError extends Error {
  readonly status = 418;
  readonly code = "Leak";
  readonly target = SECRET;
}
const FAILURES: Readonly<Record<string, () => never>> = {
  "an Error": () => {
    throw new Error(SECRET);
  },
  "an Error that looks like ours": () => {
    throw new CustomError(SECRET);
  },
  "an object that looks like ours": () => {
    throw Object.assign(Object.create(null) as Error, {
      name: "ODataError",
      status: 400,
      code: "Leak",
      message: SECRET,
    });
  },
  "a string": () => {
    // oxlint-disable-next-line typescript/only-throw-error -- applications do
    throw SECRET;
  },
  undefined: () => {
    // oxlint-disable-next-line typescript/only-throw-error -- applications do
    throw undefined;
  },
  "an error with a getter that throws": () => {
    throw Object.defineProperty(new Error("x"), "message", {
      get: () => {
        throw new Error(SECRET);
      },
    });
  },
  "a stack overflow": function overflow(): never {
    return overflow();
  },
};

/** Results of the wrong type, as untyped code may return them. */
const WRONG: Readonly<Record<string, unknown>> = {
  "a number": 5,
  "a string": SECRET,
  true: true,
  "an entity of another type": { secret: SECRET },
  "a member of the wrong type": { id: "one", name: 5, price: "x", rank: "y" },
  "a null for a non-nullable member": { id: 1, name: null, price: "1.00" },
  "an unwritable number": { id: 1.5, name: "a", price: "1.00" },
  "a getter that throws": {
    get id(): number {
      throw new Error(SECRET);
    },
  },
};

/** A service with one set, and the records of its logger. */
function failing(door: Door, options: Partial<ItemOptions>) {
  const logger = recordingLogger();
  const built = odataService({ prefix: "/s", entitySets: [entitySet(Item, options as ItemOptions)], logger });
  return { send: door.to(built), errors: logger.errors };
}

const GENERIC: ExpectedError = { status: 500, code: "InternalServerError", message: /^[\w .,']+$/u };

eachDoor((door) => {
  const send = door.to(service);

  describe("404 NotFound names the segment, and the nearest name if one exists", () => {
    test.each<readonly [string, RegExp]>([
      ["/s/Itmes", /Itmes.*Items/u],
      ["/s/items", /items.*Items/u],
      ["/s/Item", /Item.*Items/u],
      ["/s/Zzzzzzzz", /Zzzzzzzz/u],
      ["/s/Items(1)/Nme", /Nme.*Name/u],
      ["/s/Items(1)/name", /name.*Name/u],
      ["/s/Items(1)/part", /part.*Parts/u],
      ["/s/Items(1)/Secret", /Secret/u],
      ["/s/Items/newst", /newst.*newest/u],
      ["/s/gret", /gret.*greet/u],
      ["/s/$metdata", /\$metdata.*\$metadata/u],
      ["/s/Items(1)/Name/Nope", /Nope/u],
      ["/s/Items/Nope/Nope", /Nope/u],
      ["/s/Items/$value", /\$value/u],
      ["/s/$count", /\$count/u],
      ["/s/%3Cscript%3E", /<script>/u],
      ["/s/__proto__", /__proto__/u],
      ["/s/constructor", /constructor/u],
      ["/s/Items(1)/__proto__", /__proto__/u],
      ["/s/Items(1)/toString", /toString/u],
    ])("%s", async (path, message) => {
      expectError(await send(path), { ...NOT_FOUND, message });
    });

    test.each(["/", "/S", "/s2", "/t/Items", "/sItems", "/s//Items", "/s/Items//", "/s/Items(1)//Name"])(
      "%s",
      async (path) => {
        expectError(await send(path), NOT_FOUND);
      },
    );

    test("an ignored property gets the same response as an unknown one", async () => {
      const [ignored, unknown] = await Promise.all([send("/s/Items(1)/Secret"), send("/s/Items(1)/Secrex")]);
      expect(ignored.text.replaceAll("Secret", "…")).toBe(unknown.text.replaceAll("Secrex", "…"));
    });

    test("an undeclared operation has no route: without any verb the path is not found", async () => {
      expectError(await send("/s/Parts"), NOT_FOUND);
      expectError(await send("/s/Parts", {}, "POST"), NOT_FOUND);
      expectError(await send("/s/WriteOnly/$count"), NOT_FOUND);
      expectError(await send("/s/WriteOnly(1)"), NOT_FOUND);
      expectError(await send("/s/WriteOnly(1)", {}, "DELETE"), NOT_FOUND);
    });
  });

  describe("405 MethodNotAllowed with the allowed methods", () => {
    test.each([
      ["POST", "/s/", READ],
      ["DELETE", "/s/$metadata", READ],
      ["PUT", "/s/Items", "GET, HEAD, POST, OPTIONS"],
      ["PATCH", "/s/Items", "GET, HEAD, POST, OPTIONS"],
      ["DELETE", "/s/Items", "GET, HEAD, POST, OPTIONS"],
      ["POST", "/s/Items/$count", READ],
      ["POST", "/s/Items(1)", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
      ["GET", "/s/WriteOnly", "POST, OPTIONS"],
      ["HEAD", "/s/WriteOnly", "POST, OPTIONS"],
      ["POST", "/s/Parts(1)", READ],
      ["POST", "/s/greet", READ],
      ["GET", "/s/ping", "POST, OPTIONS"],
      ["PROPFIND", "/s/Items", "GET, HEAD, POST, OPTIONS"],
    ])("%s %s", async (method, path, allow) => {
      const answer = await send(path, {}, method);
      const sorted = (text: string | undefined) => text?.split(/, */u).toSorted().join(", ") ?? "";
      expect(sorted(answer.headers["allow"])).toBe(sorted(allow));
      if (method !== "HEAD") expectError(answer, notAllowed(answer.headers["allow"] ?? ""));
    });
  });

  describe("a handler returns an intended error", () => {
    const intended = () => odataError(409, "DuplicateName", "There is one already.", { target: "Name" });
    const plain = () => odataError(503, "Busy", "Come again.");
    const thrown = () => {
      throw intended();
    };
    const expected: ExpectedError = {
      status: 409,
      code: "DuplicateName",
      message: "There is one already.",
      target: "Name",
    };

    test.each<readonly [string, Partial<ItemOptions>, string]>([
      ["getByKey returns it", { getByKey: intended }, "/s/Items(1)"],
      ["getByKey throws it", { getByKey: thrown }, "/s/Items(1)"],
      ["getByKey returns it later", { getByKey: async () => intended() }, "/s/Items(1)"],
      ["getByKey throws it later", { getByKey: async () => thrown() }, "/s/Items(1)"],
      ["queryable returns it", { queryable: intended }, "/s/Items"],
      ["queryable throws it later", { queryable: async () => thrown() }, "/s/Items"],
      ["getAll returns it", { getAll: intended }, "/s/Items"],
      ["getAll returns it later", { getAll: async () => intended() }, "/s/Items"],
      ["getAll throws it", { getAll: thrown }, "/s/Items"],
      [
        "getAll throws it in the middle",
        {
          *getAll() {
            yield ITEMS[0]!;
            thrown();
          },
        },
        "/s/Items",
      ],
      [
        "getAll throws it in the middle, later",
        {
          async *getAll() {
            yield ITEMS[0]!;
            thrown();
          },
        },
        "/s/Items",
      ],
      ["getAll returns it for a count", { getAll: intended }, "/s/Items/$count"],
      ["applyQuery returns it", { applyQuery: intended }, "/s/Items"],
      ["applyQuery throws it later", { applyQuery: async () => thrown() }, "/s/Items"],
      ["applyQuery returns it for a count", { applyQuery: intended }, "/s/Items/$count"],
    ])("%s", async (_, options, path) => {
      const { send: ask, errors } = failing(door, options);
      expectError(await ask(path), expected);
      expect(errors).toEqual([]);
    });

    test("a 5xx error of a handler is sent unchanged", async () => {
      expectError(await failing(door, { getAll: plain }).send("/s/Items"), {
        status: 503,
        code: "Busy",
        message: "Come again.",
      });
    });

    test("with letters of any script, quotes and control characters", async () => {
      const message = `"ä" \\ \u0007 \u2028 𝒳 </script>`;
      const { send: ask } = failing(door, { getAll: () => odataError(400, "Ö", message) });
      expectError(await ask("/s/Items"), { status: 400, code: "Ö", message });
    });

    test("the constructor rejects a status that is not an error", () => {
      for (const status of [200, 302, 399, 600, 400.5, Number.NaN]) {
        expect(() => odataError(status, "a", "b")).toThrow(RangeError);
      }
    });

    test("requireUser returns 401 with a challenge", async () => {
      const { send: ask, errors } = failing(door, {
        getAll: (context) => {
          requireUser(context);
          return [];
        },
      });
      expectError(await ask("/s/Items"), {
        status: 401,
        code: "Unauthorized",
        headers: { "www-authenticate": "Bearer" },
      });
      expect(errors).toEqual([]);
    });
  });

  describe("500 InternalServerError: logged once, generic, nothing leaked", () => {
    const handlers: Readonly<Record<string, (fail: () => never) => readonly [Partial<ItemOptions>, string]>> = {
      getByKey: (fail) => [{ getByKey: fail }, "/s/Items(1)"],
      "getByKey, later": (fail) => [{ getByKey: async () => fail() }, "/s/Items(1)"],
      queryable: (fail) => [{ queryable: fail }, "/s/Items"],
      "queryable, later": (fail) => [{ queryable: async () => fail() }, "/s/Items"],
      "queryable for a count": (fail) => [{ queryable: fail }, "/s/Items/$count"],
      getAll: (fail) => [{ getAll: fail }, "/s/Items"],
      "getAll, in the middle": (fail) => [
        {
          *getAll() {
            yield ITEMS[0]!;
            fail();
          },
        },
        "/s/Items",
      ],
      "getAll, in the middle, later": (fail) => [
        {
          async *getAll() {
            yield ITEMS[0]!;
            fail();
          },
        },
        "/s/Items?$filter=true",
      ],
      applyQuery: (fail) => [{ applyQuery: fail }, "/s/Items"],
      "applyQuery, later": (fail) => [{ applyQuery: async () => fail() }, "/s/Items"],
    };

    describe.each(Object.keys(handlers))("%s throws", (handler) => {
      test.each(Object.keys(FAILURES))("%s", async (failure) => {
        const [options, path] = handlers[handler]!(FAILURES[failure]!);
        const { send: ask, errors } = failing(door, options);
        const answer = await ask(path);
        expectError(answer, GENERIC);
        expect(answer.text).not.toMatch(/hunter2|internal|Leak/u);
        expect(errors).toHaveLength(1);
        // The service lives on.
        expect((await ask("/s/")).status).toBe(200);
      });
    });

    test("the log contains the error and the request", async () => {
      const error = new Error(SECRET);
      const { send: ask, errors } = failing(door, { getAll: () => Promise.reject(error) });
      expectError(await ask("/s/Items?x=1"), GENERIC);
      expect(errors).toEqual([
        {
          message: "A request failed.",
          fields: {
            requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
            method: "GET",
            path: "/s/Items",
            status: 500,
            set: "Items",
            err: error,
          },
        },
      ]);
    });

    test("a logger that throws does not affect the response", async () => {
      const logger = {
        ...recordingLogger(),
        error: () => {
          throw new Error(SECRET);
        },
      };
      const set = entitySet(Item, {
        getAll: () => {
          throw new Error(SECRET);
        },
      });
      expectError(await door.to(odataService({ prefix: "/s", entitySets: [set], logger }))("/s/Items"), GENERIC);
    });

    describe("a result of the wrong type", () => {
      test.each(Object.keys(WRONG))("getByKey: %s", async (name) => {
        const { send: ask, errors } = failing(door, { getByKey: () => WRONG[name] as never });
        const answer = await ask("/s/Items(1)");
        expectError(answer, GENERIC);
        expect(answer.text).not.toMatch(/hunter2|internal/u);
        expect(errors).toHaveLength(1);
      });

      test.each(Object.keys(WRONG))("an item: %s", async (name) => {
        for (const path of ["/s/Items", "/s/Items?$orderby=Name"]) {
          const { send: ask, errors } = failing(door, { getAll: () => [WRONG[name]] as never });
          const answer = await ask(path);
          expectError(answer, GENERIC);
          expect(answer.text).not.toMatch(/hunter2|internal/u);
          expect(errors).toHaveLength(1);
        }
      });

      test.each<readonly [string, Partial<ItemOptions>]>([
        ["getAll: null", { getAll: () => null as never }],
        ["getAll: undefined", { getAll: () => undefined as never }],
        ["getAll: a number", { getAll: () => 5 as never }],
        ["getAll: an object", { getAll: () => ({}) as never }],
        ["getAll: null, later", { getAll: async () => null as never }],
        ["getAll: an item that is null", { getAll: () => [null] as never }],
        ["queryable: null", { queryable: () => null as never }],
        ["queryable: an array", { queryable: () => ITEMS as never }],
        [
          "queryable: the source of another type",
          { queryable: () => arraySource(Part, [{ id: 1, sampleId: 1, name: "x" }]) as never },
        ],
        ["applyQuery: null", { applyQuery: () => null as never }],
        ["applyQuery: an array", { applyQuery: () => ITEMS as never }],
        ["applyQuery: no items", { applyQuery: () => ({ count: 1 }) as never }],
        ["applyQuery: a count that is none", { applyQuery: () => ({ items: [], count: "many" }) as never }],
        ["applyQuery: a link that is none", { applyQuery: () => ({ items: [], nextLink: 5 }) as never }],
      ])("%s", async (_, options) => {
        const { send: ask, errors } = failing(door, options);
        expectError(await ask("/s/Items?$count=true"), GENERIC);
        expect(errors).toHaveLength(1);
      });
    });
  });

  test("concurrent failures do not affect a successful response", async () => {
    const set = entitySet(Item, {
      getAll: () => ITEMS,
      getByKey: () => {
        throw new Error(SECRET);
      },
    });
    const ask = door.to(odataService({ prefix: "/s", entitySets: [set], logger: recordingLogger() }));
    const answers = await Promise.all([
      ask("/s/Items(1)"),
      ask("/s/Items/$count"),
      ask("/s/Items(1)"),
      ask("/s/Items?$top=0"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([500, 200, 500, 200]);
    expectAnswer(answers[3], { body: { "@odata.context": expect.any(String), value: [] } });
  });
});
