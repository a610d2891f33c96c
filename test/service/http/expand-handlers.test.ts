import { edm, entitySet, entityType, hasMany, hasOptional, odataError, odataService, type ResultOf } from "odatakit";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eachDoor, expectError, expectInvalidOption, ORIGIN, url } from "./doors.ts";
import { library } from "./expand-model.ts";

const Node = entityType("Node", { id: edm.int32().key(), name: edm.string().nullable() });
type NodeRow = ResultOf<typeof Node>;

interface Handlers {
  readonly rows?: readonly object[];
  readonly children?: object;
  readonly parent?: object;
  readonly defaults?: Parameters<typeof odataService>[0]["defaults"];
}

/** Nodes with children and a parent, by whatever handlers are given; untyped, as some applications are. */
function nodes({ rows = [{ id: 1 }, { id: 2 }], children = {}, parent = {}, defaults = {} }: Handlers) {
  const errors: string[] = [];
  const set = entitySet(Node, {
    getAll: () => rows as readonly NodeRow[],
    getByKey: (key) => (rows as readonly NodeRow[]).find(({ id }) => id === key) ?? null,
    navigation: {
      children: hasMany(Node, { target: "Nodes", ...children }),
      parent: hasOptional(Node, { target: "Nodes", ...parent }),
    },
  });
  const service = odataService({
    prefix: "/n",
    entitySets: [set],
    defaults,
    logger: { error: (_message, { err }) => void errors.push(String(err)), warn: () => {}, info: () => {} },
  });
  return { service, errors };
}

async function* laterFive(): AsyncGenerator<NodeRow> {
  await Promise.resolve();
  yield { id: 5 };
}

const nodesUrl = ($expand: string, path = "Nodes") => url(`/n/${path}`, { $expand });

eachDoor((door) => {
  describe("a navigation without a handler, populated by the handler of the set", () => {
    const Rows = [
      {
        id: 1,
        children: [
          { id: 10, name: "a", children: [{ id: 100 }] },
          { id: 11, name: "b" },
        ],
        parent: { id: 9 },
      },
      { id: 2, children: [], parent: null },
      { id: 3 },
      { id: 4, children: null, parent: undefined },
      { id: 5, children: "abc", parent: [] },
      { id: 6, children: [7], parent: 7 },
      { id: 7, children: new Set([{ id: 70 }]), parent: { id: 71, name: "p" } },
      { id: 8, children: [{ id: 80 }], parent: null },
    ];

    test("is expanded with nested options; missing or malformed values are omitted, never a 500", async () => {
      const { service, errors } = nodes({ rows: Rows });
      const ask = door.to(service);
      const { json } = await ask(
        nodesUrl("Children($filter=Id ne 10;$select=Id;$expand=Children($select=Id)),Parent($select=Name)"),
      );
      expect(json.value).toEqual([
        { Id: 1, Name: null, Children: [{ Id: 11 }], Parent: { "@odata.id": `${ORIGIN}/n/Nodes(9)`, Name: null } },
        { Id: 2, Name: null, Children: [], Parent: null },
        { Id: 3, Name: null },
        { Id: 4, Name: null },
        { Id: 5, Name: null },
        { Id: 6, Name: null },
        { Id: 7, Name: null, Children: [{ Id: 70 }], Parent: { "@odata.id": `${ORIGIN}/n/Nodes(71)`, Name: "p" } },
        { Id: 8, Name: null, Children: [{ Id: 80 }], Parent: null },
      ]);
      const deep = await ask(nodesUrl("Children($levels=max;$top=1)", "Nodes(1)"));
      expect(deep.json.Children).toEqual([{ Id: 10, Name: "a", Children: [{ Id: 100, Name: null }] }]);
      expect((await ask(nodesUrl("Children/$count,Parent/$ref", "Nodes(1)"))).json).toEqual({
        "@odata.context": `${ORIGIN}/n/$metadata#Nodes/$entity`,
        "@odata.id": `${ORIGIN}/n/Nodes(1)`,
        Id: 1,
        Name: null,
        "Children@odata.count": 2,
        Parent: { "@odata.id": `${ORIGIN}/n/Nodes(9)` },
      });
      expect(errors).toEqual([]);
    });

    test("a cycle of objects ends where the clause does", async () => {
      const cycle: { id: number; parent?: object; children?: object[] } = { id: 1 };
      cycle.parent = cycle;
      cycle.children = [cycle, cycle];
      const ask = door.to(nodes({ rows: [cycle] }).service);
      expect((await ask("/n/Nodes")).json.value).toEqual([{ Id: 1, Name: null }]);
      const { json } = await ask(nodesUrl("*($levels=max)", "Nodes(1)"));
      expect(json.Parent.Parent.Parent).toEqual({ Id: 1, Name: null });
      expect(json.Children[1].Children[0].Children).toHaveLength(2);
    });
  });

  describe("results of navigation handlers", () => {
    test.each([
      [
        "null is nothing",
        { children: { get: () => null }, parent: { get: () => null } },
        { Children: [], Parent: null },
      ],
      [
        "an empty Map is nothing",
        { children: { getBatch: () => new Map() }, parent: { getBatch: () => new Map() } },
        { Children: [], Parent: null },
      ],
      [
        "undefined is nothing",
        { children: { get: () => undefined }, parent: { get: () => undefined } },
        { Children: [], Parent: null },
      ],
      [
        "an iterable",
        { children: { get: () => new Set([{ id: 5 }]) }, parent: { get: (id: number) => ({ id }) } },
        { Children: [{ Id: 5, Name: null }], Parent: { Id: 1, Name: null } },
      ],
      ["an async iterable", { children: { get: laterFive } }, { Children: [{ Id: 5, Name: null }] }],
    ] satisfies readonly (readonly [string, Handlers, object])[])("%s", async (_name, handlers, related) => {
      const { service, errors } = nodes({ rows: [{ id: 1 }], ...handlers });
      const answer = await door.to(service)(nodesUrl("*", "Nodes(1)"));
      expect([answer.json, errors]).toEqual([expect.objectContaining(related), []]);
    });

    const failing = (handler: object) => async (what: string) => {
      for (const isLater of [false, true]) {
        const later = Object.fromEntries(
          Object.entries(handler).map(([name, call]: [string, () => unknown]) => [
            name,
            isLater ? async () => call() : call,
          ]),
        );
        const { service, errors } = nodes({ [what]: later });
        for (const path of ["Nodes", "Nodes(1)"]) {
          const answer = await door.to(service)(nodesUrl("*", path));
          expectError(answer, { status: 500, code: "InternalServerError" });
        }
        expect(errors).toHaveLength(2);
        expect(errors[0]).toMatch(what === "children" ? /Nodes\/Children/u : /Nodes\/Parent/u);
      }
    };

    test.each([
      ["text", { get: () => "abc" }],
      ["a number", { get: () => 5 }],
      ["an object", { get: () => ({ id: 1 }) }],
      ["items that are no entities", { get: () => [5] }],
      ["null items", { get: () => [null] }],
      ["a batch without a Map", { getBatch: () => [[1, []]] }],
      ["a batch of nothing", { getBatch: () => undefined }],
      ["a batch with a wrong value", { getBatch: () => new Map([[1, 5]]) }],
    ])("of a collection: %s is a logged 500 that names the navigation", async (_name, handler) => {
      await failing(handler)("children");
    });

    test.each([
      ["text", { get: () => "abc" }],
      ["an array", { get: () => [{ id: 1 }] }],
      ["a batch with a wrong value", { getBatch: () => new Map([[1, [5]]]) }],
      ["a batch with a wrong key", { getBatch: () => new Map([[{}, { id: 1 }]]) }],
    ])("of a single entity: %s is a logged 500 that names the navigation", async (_name, handler) => {
      await failing(handler)("parent");
    });

    test.each([
      ["returned", () => odataError(409, "Busy", "Come back later.")],
      [
        "thrown",
        () => {
          throw odataError(409, "Busy", "Come back later.");
        },
      ],
    ] as const)("an error meant for the client, %s, answers the request", async (_name, fail) => {
      for (const handler of [
        { get: fail },
        { getBatch: fail },
        { get: async () => fail() },
        { getBatch: async () => fail() },
      ]) {
        const { service, errors } = nodes({ children: handler, parent: { get: async () => null } });
        for (const $expand of ["Children", "Parent,Children", "Parent($expand=Children),Children"]) {
          expectError(await door.to(service)(nodesUrl($expand)), { status: 409, code: "Busy" });
        }
        expect(errors).toEqual([]);
      }
    });

    test("any other error is a logged 500", async () => {
      const { service, errors } = nodes({
        children: {
          get: () => {
            throw new Error("disk");
          },
        },
      });
      expectError(await door.to(service)(nodesUrl("Children")), { status: 500, code: "InternalServerError" });
      expect(errors).toEqual(["Error: disk"]);
    });
  });

  test("getBatch gets at most 1000 keys in one call", async () => {
    const asked: (readonly number[])[] = [];
    const getBatch = async (keys: readonly number[]) => {
      asked.push(keys);
      return Promise.resolve(new Map(keys.map((id) => [id, { id }])));
    };
    const rows = Array.from({ length: 2001 }, (_row, id) => ({ id }));
    const { service } = nodes({ rows, parent: { getBatch }, defaults: { maxTop: null } });
    const { json } = await door.to(service)(nodesUrl("Parent($select=Id)"));
    const found = json.value as { readonly Id: number; readonly Parent: { readonly Id: number } }[];
    expect(found.map(({ Id, Parent }) => [Id, Parent.Id])).toEqual(rows.map(({ id }) => [id, id]));
    expect(asked.map((keys) => [keys.length, keys[0]])).toEqual([
      [1000, 0],
      [1000, 1000],
      [1, 2000],
    ]);
  });

  describe("attacks end early", () => {
    const attack = () => {
      const asked: unknown[] = [];
      const all = Array.from({ length: 1000 }, (_row, id) => ({ id }));
      const made = nodes({
        rows: all,
        children: {
          getBatch: (keys: readonly number[]) => {
            asked.push(keys.length);
            return new Map(keys.map((key) => [key, all]));
          },
        },
        parent: { get: (key: number) => void asked.push(key) },
      });
      return { ...made, asked };
    };

    test("each of a thousand with a thousand, three levels deep: 10^9 entities", async () => {
      const { service, asked } = attack();
      const answer = await door.to(service)(nodesUrl("Children($levels=max)"));
      expectInvalidOption(answer, "$expand", /'Nodes\/Children' the response would contain more than 100000/u);
      expect(asked).toEqual([1000]);
    });

    test("powers of expansions by a star, and 51 items", async () => {
      const { service, asked } = attack();
      const ask = door.to(service);
      const star = "*($levels=max)";
      expect((await ask(nodesUrl("Parent($levels=max)", "Nodes(1)"))).status).toBe(200);
      asked.length = 0;
      const wide = door.to(nodes({ defaults: { maxExpandDepth: 100 } }).service);
      expectInvalidOption(await wide(nodesUrl("*($levels=100)")), "$expand", /at most 50 expansions/u);
      expectInvalidOption(await wide(nodesUrl(star)), "$expand", /at most 50 expansions/u);
      const nested = (depth: number): string =>
        depth === 1 ? "Children,Parent" : `Children($expand=${nested(depth - 1)}),Parent($expand=${nested(depth - 1)})`;
      expectInvalidOption(await wide(nodesUrl(nested(6))), "$expand", /at most 50 expansions/u);
      expectInvalidOption(await ask(nodesUrl(nested(6))), "$expand", /at most 3 deep/u);
      const few = Array.from({ length: 51 }, () => "Children").join();
      expectInvalidOption(await ask(nodesUrl(few)), "$expand", /expanded twice/u);
      expect(asked).toEqual([]);
    });

    test("reads no more children than requested", async () => {
      let read = 0;
      const endless = {
        *[Symbol.iterator]() {
          for (;;) {
            read += 1;
            yield { id: read };
          }
        },
      };
      const ask = door.to(nodes({ rows: [{ id: 1 }], children: { get: () => endless } }).service);
      const { json } = await ask(nodesUrl("Children($top=3;$skip=1)"));
      expect([json.value[0].Children.length, read]).toEqual([3, 4]);
      read = 0;
      const capped = await ask(nodesUrl("Children", "Nodes(1)"));
      expect([capped.json.Children.length, read]).toEqual([1000, 1001]);
      expect(capped.json["Children@odata.nextLink"]).toBe(`${ORIGIN}/n/Nodes(1)/Children?$skip=1000`);
    });
  });

  test("a page that is large by its expansions is sent in pieces, with the same text", async () => {
    const many = Array.from({ length: 900 }, (_row, id) => ({ id, name: "x".repeat(100) }));
    const ask = door.to(nodes({ rows: many.slice(0, 3), children: { get: () => many } }).service);
    const { text, json } = await ask(nodesUrl("Children"));
    expect(text).toBe(JSON.stringify(json));
    expect(json.value).toMatchObject([1, 2, 3].map(() => ({ Children: { length: 900 } })));
  });
});

describe("time", () => {
  const request = (service: ReturnType<typeof library>["service"], target: string, signal?: AbortSignal) =>
    service.fetch(new Request(ORIGIN + target, signal === undefined ? {} : { signal }));

  test("synchronous handlers cost no promise", () => {
    // Each reading of the clock ends a turn, as on a busy machine.
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    onTestFinished(() => clock.mockRestore());
    for (const style of ["get", "getBatch"] as const) {
      const { service } = library({ style });
      const headers: ReadonlyMap<string, string> = new Map([["host", "h"]]);
      const answer = service.handle({
        method: "GET",
        target: url("/l/Authors", { $expand: "Books($expand=Notes),Mentor($levels=max)" }),
        scheme: "http",
        host: "h",
        hasBody: false,
        readBody: () => new Uint8Array(0),
        header: (name: string) => headers.get(name),
        get headers() {
          return new Headers([...headers]);
        },
        signal: new AbortController().signal,
      });
      expect(answer).not.toBeInstanceOf(Promise);
      expect(answer).toMatchObject({ status: 200 });
    }
  });

  test("siblings load at the same time, and one handler for a bounded number of parents", async () => {
    let underWay = 0;
    let most = 0;
    const slow = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
      underWay -= 1;
      return null;
    };
    const rows = Array.from({ length: 100 }, (_row, id) => ({ id }));
    const { service } = nodes({ rows, children: { get: slow } });
    expect((await request(service, nodesUrl("Children"))).status).toBe(200);
    expect(most).toBe(16);
    most = 0;
    const both = nodes({ rows: [{ id: 1 }], children: { get: slow }, parent: { get: slow } });
    expect((await request(both.service, nodesUrl("*"))).status).toBe(200);
    expect(most).toBe(2);
  });

  test("when the client has gone no further handler is called", async () => {
    const gone = new AbortController();
    let calls = 0;
    const rows = Array.from({ length: 100 }, (_row, id) => ({ id }));
    const get = async () => {
      calls += 1;
      gone.abort();
      await Promise.resolve();
      return [{ id: 1 }];
    };
    const { service } = nodes({ rows, children: { get } });
    const { status } = await request(service, nodesUrl("Children($expand=Children)"), gone.signal);
    expect([status, calls]).toEqual([500, 1]);
  });

  test("after an error no further handler is called", async () => {
    let calls = 0;
    const rows = Array.from({ length: 100 }, (_row, id) => ({ id }));
    const get = async () => {
      calls += 1;
      await Promise.resolve();
      return calls > 20 ? odataError(409, "Busy", "Later.") : [];
    };
    const { service } = nodes({ rows, children: { get } });
    expect((await request(service, nodesUrl("Children"))).status).toBe(409);
    expect(calls).toBeLessThan(60);
  });
});
