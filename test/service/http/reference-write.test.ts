import { edm, entitySet, entityType, hasMany, hasOptional, hasRequired, odataError, odataService } from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import { eachDoor, EMPTY_HEADERS, expectAnswer, expectError, type HeaderTable } from "./doors.ts";
import { noFailures } from "./model.ts";
import { tagOf } from "./write-table.ts";

const Tag = entityType("Tag", { id: edm.int32().key() });
const Book = entityType("Book", { id: edm.int32().key(), version: edm.int32().computed() });

const calls: unknown[] = [];
beforeEach(() => {
  calls.length = 0;
});

/** A handler of links that records its arguments, without the context. */
const link =
  (name: string) =>
  (...args: readonly unknown[]): void => {
    calls.push([name, ...args.slice(0, -1)]);
  };

const busy = () => odataError(409, "Busy", "Later.");
const thrown = () => {
  throw busy();
};

const books = (readable: boolean) => ({
  etag: ["version" as const],
  ...(readable ? { getByKey: (id: number) => (id === 1 ? { id, version: 3 } : null) } : {}),
  navigation: {
    tags: hasMany<typeof Book, typeof Tag>(Tag, { addRef: link("add"), removeRef: link("remove") }),
    adds: hasMany<typeof Book, typeof Tag>(Tag, { addRef: link("add") }),
    main: hasOptional<typeof Book, typeof Tag>(Tag, { setRef: link("set"), removeRef: link("clear") }),
    owner: hasRequired<typeof Book, typeof Tag>(Tag, { setRef: link("set") }),
    slow: hasMany<typeof Book, typeof Tag>(Tag, { addRef: async (key, id) => link("slow")(key, id, null) }),
    busy: hasMany<typeof Book, typeof Tag>(Tag, { addRef: busy, removeRef: thrown }),
    busyOne: hasOptional<typeof Book, typeof Tag>(Tag, { setRef: thrown, removeRef: busy }),
  },
});

const service = odataService({
  prefix: "/s",
  entitySets: [entitySet(Book, books(true)), entitySet(Book, { ...books(false), name: "Blind" })],
  logger: noFailures,
});

const JSON_BODY = { "Content-Type": "application/json" };
const ID = "http://elsewhere.example/odata/Tags(7)?x=%27";
const reference = (id: string = ID): string => JSON.stringify({ "@odata.id": id });

/** The writes of links, each with its path, body and the arguments of the handler. */
const WRITES = [
  ["POST", "Tags/$ref", reference(), ["add", 1, ID]],
  ["PUT", "Main/$ref", reference(), ["set", 1, ID]],
  ["DELETE", `Tags/$ref?$id=${encodeURIComponent(ID)}`, undefined, ["remove", 1, ID]],
  ["DELETE", "Main/$ref", undefined, ["clear", 1]],
] as const;

eachDoor((door) => {
  const ask = door.to(service);
  const send = (method: string, path: string, body?: string, headers: HeaderTable = {}) =>
    ask(`/s/${path}`, body === undefined ? headers : { ...JSON_BODY, ...headers }, method, body);

  test.each(WRITES)(
    "%s %s is 204, and the handler gets the reference as it was sent",
    async (method, path, body, call) => {
      expectAnswer(await send(method, `Books(1)/${path}`, body), { status: 204, headers: EMPTY_HEADERS, body: "" });
      expect(calls).toEqual([call]);
    },
  );

  test("a handler may be asynchronous", async () => {
    expect((await send("POST", "Books(1)/Slow/$ref", reference())).status).toBe(204);
    expect(calls).toEqual([["slow", 1, ID]]);
  });

  test.each(["Tags(7)", "../../Tags(7)", "./x", "http://x", " a ", "/s/Tags('é')", "\u0000", 'Tags(1)"}'])(
    "any text is a reference: %j",
    async (id) => {
      expect((await send("POST", "Books(1)/Tags/$ref", reference(id))).status).toBe(204);
      expect((await send("PUT", "Books(1)/Main/$ref", reference(id))).status).toBe(204);
      expect((await send("DELETE", `Books(1)/Tags/$ref?$id=${encodeURIComponent(id)}`)).status).toBe(204);
      expect(calls).toEqual([
        ["add", 1, id],
        ["set", 1, id],
        ["remove", 1, id],
      ]);
    },
  );

  describe("bodies", () => {
    test.each([
      ["empty", ""],
      ["malformed", "{"],
      ["an array", "[]"],
      ["a text", '"Tags(7)"'],
      ["null", "null"],
      ["without @odata.id", "{}"],
      ["no text", '{"@odata.id":7}'],
      ["null in it", '{"@odata.id":null}'],
      ["an object in it", '{"@odata.id":{}}'],
      ["twice", '{"@odata.id":"a","@odata.id":"b"}'],
    ])("%s is 400", async (_, body) => {
      for (const [method, path] of [
        ["POST", "Books(1)/Tags/$ref"],
        ["PUT", "Books(1)/Main/$ref"],
      ] as const) {
        const answer = await send(method, path, body);
        expect([answer.status, answer.json.error.code]).toEqual([400, "InvalidBody"]);
      }
      expect(calls).toEqual([]);
    });

    test("ignores annotations next to it", async () => {
      const body = '{"@odata.context":"http://x/$metadata#$ref","@odata.id":"Tags(7)"}';
      expect((await send("POST", "Books(1)/Tags/$ref", body)).status).toBe(204);
    });

    test.each(["text/plain", "application/xml", "text/uri-list"])("Content-Type %s is 415", async (type) => {
      for (const [method, path] of [
        ["POST", "Books(1)/Tags/$ref"],
        ["PUT", "Books(1)/Main/$ref"],
      ] as const) {
        expectError(await send(method, path, reference(), { "Content-Type": type }), {
          status: 415,
          code: "UnsupportedMediaType",
          target: "Content-Type",
        });
      }
      expect(calls).toEqual([]);
    });
  });

  describe("$id", () => {
    test.each(["", "?$id=", "?$id=%20", "?$format=json"])(
      "DELETE of a collection without it is 400: %s",
      async (query) => {
        expectError(await send("DELETE", `Books(1)/Tags/$ref${query}`), {
          status: 400,
          code: "InvalidQueryOption",
          target: "$id",
        });
        expect(calls).toEqual([]);
      },
    );

    test("DELETE of a collection with two is 400", async () => {
      const answer = await send("DELETE", "Books(1)/Tags/$ref?$id=a&$id=b");
      expectError(answer, { status: 400, code: "InvalidQueryOption", target: "$id" });
    });

    test("elsewhere it is refused", async () => {
      const refused = { status: 400, code: "UnsupportedQueryOption", target: "$id" };
      expectError(await send("DELETE", "Books(1)/Main/$ref?$id=a"), refused);
      expectError(await send("POST", "Books(1)/Tags/$ref?$id=a", reference()), refused);
      expectError(await send("PUT", "Books(1)/Main/$ref?$id=a", reference()), refused);
      expect(calls).toEqual([]);
    });
  });

  describe("the wrong verb for the cardinality, or no handler, is 405", () => {
    test.each([
      ["PUT", "Tags/$ref"],
      ["POST", "Main/$ref"],
      ["PATCH", "Tags/$ref"],
      ["PATCH", "Main/$ref"],
      ["DELETE", "Adds/$ref?$id=a"],
      ["DELETE", "Owner/$ref"],
    ])("%s %s", async (method, path) => {
      const body = method === "DELETE" ? undefined : reference();
      const answer = await send(method, `Books(1)/${path}`, body);
      const allow = answer.headers["allow"] ?? "";
      expectError(answer, { status: 405, code: "MethodNotAllowed", headers: { allow } });
      expect(allow.split(", ")).not.toContain(method);
      expect(calls).toEqual([]);
    });
  });

  describe("the result of the handler", () => {
    test.each([
      ["POST", "Busy/$ref", reference()],
      ["DELETE", "Busy/$ref?$id=a", undefined],
      ["PUT", "BusyOne/$ref", reference()],
      ["DELETE", "BusyOne/$ref", undefined],
    ])("%s %s: its error, returned or thrown", async (method, path, body) => {
      expectError(await send(method, `Books(1)/${path}`, body), { status: 409, code: "Busy" });
    });
  });

  describe("checks before it", () => {
    test.each(WRITES)("%s %s: key, Accept, query options", async (method, path, body) => {
      const join = path.includes("?") ? "&" : "?";
      expectError(await send(method, `Books(x)/${path}`, body), { status: 400, code: "InvalidKey", target: "key" });
      expectError(await send(method, `Books(1)/${path}`, body, { Accept: "image/png" }), {
        status: 406,
        code: "NotAcceptable",
        target: "Accept",
      });
      expectError(await send(method, `Books(1)/${path}${join}$select=Id`, body), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$select",
      });
      expect(calls).toEqual([]);
    });

    test.each(WRITES)("%s %s: If-Match is about the entity that has the link", async (method, path, body, call) => {
      const current = tagOf({ version: 3 });
      const failed = { status: 412, code: "PreconditionFailed", message: /^If-Match does not hold/u };
      expectError(await send(method, `Books(1)/${path}`, body, { "If-Match": '"x"' }), failed);
      expectError(await send(method, `Books(99)/${path}`, body, { "If-Match": "*" }), failed);
      expect(calls).toEqual([]);
      for (const tags of [current, `W/${current}`, `"x", ${current}`, "*"]) {
        calls.length = 0;
        expect((await send(method, `Books(1)/${path}`, body, { "If-Match": tags })).status).toBe(204);
        expect(calls).toEqual([call]);
      }
      expect((await send(method, `Blind(1)/${path}`, body, { "If-Match": '"x"' })).status).toBe(204);
    });
  });
});
