import { applyDelta, edm, entitySet, entityType, hasMany, odataError, odataService, type ResultOf } from "odatakit";
import { describe, expect, test } from "vitest";
import {
  eachDoor,
  EMPTY_HEADERS,
  expectAnswer,
  expectError,
  type HeaderTable,
  JSON_HEADERS,
  ORIGIN,
  targetOf,
} from "./doors.ts";
import { Item, type ItemOptions, noFailures, recordingLogger, Sample, SAMPLES } from "./model.ts";
import { JSON_BODY } from "./write-model.ts";

const url = (path: string): string => `${ORIGIN}/s/${path}`;

const Account = entityType("Account", {
  id: edm.int32().key().computed(),
  owner: edm.string().immutable(),
  opened: edm.date().immutable().nullable(),
  kind: edm.string().default("plain"),
  limit: edm.int32().nullable().default(5),
  tags: edm.collection(edm.string()),
  note: edm.string().nullable(),
  version: edm.int32().computed(),
});
type AccountRow = ResultOf<typeof Account>;
const ACCOUNT = {
  id: 1,
  owner: "Ann",
  opened: "2024-02-29",
  kind: "gold",
  limit: 9,
  tags: ["a"],
  note: "n",
  version: 3,
} satisfies AccountRow;

const Place = entityType("Place", {
  country: edm.string().key(),
  number: edm.int64().key(),
  name: edm.string().nullable(),
});

eachDoor((door) => {
  /** Sends JSON to one set over `Item`. */
  const items = (options: Partial<ItemOptions>, logger: typeof noFailures = noFailures) => {
    const send = door.to(odataService({ prefix: "/s", entitySets: [entitySet(Item, options)], logger }));
    return (method: string, path: string, body?: string, headers: HeaderTable = {}) =>
      send(`/s/${path}`, body === undefined ? headers : { ...JSON_BODY, ...headers }, method, body);
  };

  describe("immutable members, computed keys, defaults", () => {
    const calls: unknown[] = [];
    const accounts = (options: { readonly readable?: boolean; readonly upsert?: boolean } = {}) => {
      const rows = new Map<number, AccountRow>([[1, ACCOUNT]]);
      calls.length = 0;
      const service = odataService({
        prefix: "/s",
        entitySets: [
          entitySet(Account, {
            allowUpsert: options.upsert,
            ...(options.readable === false ? {} : { getByKey: (key: number) => rows.get(key) ?? null }),
            create: (account) => {
              calls.push(["create", account]);
              return { ...account, id: 12, version: 1 };
            },
            replace: (key, account) => {
              calls.push(["replace", key, account]);
              return rows.has(key) ? { ...account, id: key, version: 4 } : null;
            },
            patch: (key, delta) => {
              calls.push(["patch", key, delta]);
              return rows.has(key) ? { ...ACCOUNT, ...delta } : null;
            },
          }),
        ],
        logger: noFailures,
      });
      const send = door.to(service);
      return (method: string, path: string, body: object) =>
        send(`/s/${path}`, JSON_BODY, method, JSON.stringify(body));
    };

    test("POST: the server makes the key, whatever the body says; defaults, null and [] are filled in", async () => {
      const answer = await accounts()("POST", "Accounts", { Id: 99, Owner: "Bo", Version: 7 });
      const given = { owner: "Bo", opened: null, kind: "plain", limit: 5, tags: [], note: null };
      expect(calls).toEqual([["create", given]]);
      expect([answer.status, answer.headers["location"], answer.json.Id]).toEqual([201, url("Accounts(12)"), 12]);
    });

    test("PUT: absent members become their default, null or []; immutable ones stay as they are", async () => {
      const send = accounts();
      expect((await send("PUT", "Accounts(1)", {})).status).toBe(200);
      const kept = { owner: "Ann", opened: "2024-02-29" };
      expect(calls).toEqual([["replace", 1, { ...kept, kind: "plain", limit: 5, tags: [], note: null }]]);
      calls.length = 0;
      const body = { Id: 1, Owner: "Eve", Opened: null, Kind: "k", Limit: null, Tags: ["t"], Note: "x", Version: 1 };
      expect((await send("PUT", "Accounts(1)", body)).status).toBe(200);
      expect(calls).toEqual([["replace", 1, { ...kept, kind: "k", limit: null, tags: ["t"], note: "x" }]]);
    });

    test("PUT where nothing reads the entity: the body says the immutable members, all of them", async () => {
      const send = accounts({ readable: false });
      const refused = { status: 400, code: "InvalidBody", target: "Owner" };
      expectError(await send("PUT", "Accounts(1)", { Kind: "k" }), refused);
      expect(calls).toEqual([]);
      expect((await send("PUT", "Accounts(1)", { Owner: "Bo" })).status).toBe(200);
      const given = { owner: "Bo", opened: null, kind: "plain", limit: 5, tags: [], note: null };
      expect(calls).toEqual([["replace", 1, given]]);
    });

    test("PUT: a missing entity is 404 before the handler where its immutable members are needed", async () => {
      expectError(await accounts()("PUT", "Accounts(2)", { Owner: "Bo" }), { status: 404, code: "NotFound" });
      expect(calls).toEqual([]);
    });

    test("PUT: a key that the server makes is never created by a URL", async () => {
      for (const readable of [true, false]) {
        const answer = await accounts({ upsert: true, readable })("PUT", "Accounts(2)", { Owner: "Bo" });
        expectError(answer, { status: 404, code: "NotFound", message: /2/u });
        expect(calls.filter((call) => (call as unknown[])[0] === "create")).toEqual([]);
      }
    });

    test("PATCH: the delta omits the key and computed or immutable properties, and contains null", async () => {
      const send = accounts();
      const body = { Id: 1, Owner: "Eve", Opened: null, Version: 8, Note: null, Tags: [] };
      expect((await send("PATCH", "Accounts(1)", body)).status).toBe(200);
      expect(calls).toEqual([["patch", 1, { note: null, tags: [] }]]);
      calls.length = 0;
      expect((await send("PATCH", "Accounts(1)", {})).status).toBe(200);
      expect(calls).toEqual([["patch", 1, {}]]);
    });

    test("the key-match rule holds for computed keys too", async () => {
      for (const method of ["PUT", "PATCH"]) {
        const answer = await accounts()(method, "Accounts(1)", { Id: 2, Owner: "Bo" });
        expectError(answer, { status: 400, code: "KeyMismatch", target: "key" });
      }
      expect(calls).toEqual([]);
    });

    test.each([
      ["PUT", { Kind: null }, "NullNotAllowed", "Kind"],
      ["PATCH", { Kind: null }, "NullNotAllowed", "Kind"],
      ["POST", { Owner: null }, "NullNotAllowed", "Owner"],
      ["POST", {}, "InvalidBody", "Owner"],
      ["PATCH", { Tags: null }, "NullNotAllowed", "Tags"],
      ["PATCH", { Limit: "5" }, "InvalidBody", "Limit"],
      ["PUT", { Id: null }, "NullNotAllowed", "Id"],
    ])("%s %j is %s, target %s", async (method, body, code, target) => {
      const path = method === "POST" ? "Accounts" : "Accounts(1)";
      expectError(await accounts()(method, path, body), { status: 400, code, target });
      expect(calls).toEqual([]);
    });
  });

  describe("composite keys", () => {
    const places = () => {
      const rows = new Map<string, ResultOf<typeof Place>>();
      const idOf = ({ country, number }: { country: string; number: bigint | number }) =>
        `${country}/${String(number)}`;
      const service = odataService({
        prefix: "/s",
        entitySets: [
          entitySet(Place, {
            allowUpsert: true,
            getByKey: (key) => rows.get(idOf(key)) ?? null,
            create: (place) => {
              rows.set(idOf(place), place);
              return place;
            },
            replace: (_, place) => place,
            patch: (key, delta) => applyDelta(Place, rows.get(idOf(key)) as never, delta),
          }),
        ],
        logger: noFailures,
      });
      return door.to(service);
    };

    test.each(["plain", "O'Neil & Söhne", "a/b", "%2F", "+", "", "日本 𝒳", '"{}"', "line\nbreak"])(
      "emitted URLs can be fetched: %j",
      async (country) => {
        const send = places();
        const body = JSON.stringify({ Country: country, Number: 0 }).replace(":0", ":9007199254740993");
        const created = await send("/s/Places", JSON_BODY, "POST", body);
        expect(created.status).toBe(201);
        expect(created.headers["location"]).toBe(created.json["@odata.id"]);
        const target = targetOf(created.headers["location"]!);
        const read = await send(target);
        expect(read.text).toBe(created.text);
        const changed = await send(target, JSON_BODY, "PATCH", '{"Name":"x"}');
        expect([changed.status, changed.json.Name]).toEqual([200, "x"]);
        // The body may name the key, or a part of it.
        expect((await send(target, JSON_BODY, "PUT", body)).status).toBe(200);
        expect((await send(target, JSON_BODY, "PUT", '{"Number":9007199254740993}')).status).toBe(200);
        for (const other of ['{"Number":9007199254740992}', '{"Country":"elsewhere"}']) {
          const answer = await send(target, JSON_BODY, "PUT", other);
          expectError(answer, { status: 400, code: "KeyMismatch", target: "key" });
        }
      },
    );

    test("upsert takes the key of the URL", async () => {
      const answer = await places()("/s/Places(Number=5,Country='NL')", JSON_BODY, "PUT", '{"Name":"a"}');
      expect([answer.status, answer.headers["location"]]).toEqual([201, url("Places(Country='NL',Number=5)")]);
      expect(answer.json).toMatchObject({ Country: "NL", Number: 5, Name: "a" });
    });
  });

  describe("the response to a write", () => {
    const row = { id: 1, name: "a", rank: 2, price: "1.50", place: null };
    const send = items({
      create: () => row,
      replace: () => row,
      patch: () => row,
      etag: ["rank"],
      selectProperties: ["id", "name", "price"],
      navigation: { others: hasMany(Item, { get: () => [{ ...row, id: 9 }] }) },
    });
    const WRITES = [
      ["POST", "Items", '{"Id":1,"Name":"a","Price":1.5}', 201],
      ["PUT", "Items(1)", '{"Name":"a","Price":1.5}', 200],
      ["PATCH", "Items(1)", "{}", 200],
    ] as const;

    test.each(WRITES)("%s: $select", async (method, path, body, status) => {
      const answer = await send(method, `${path}?$select=Price,Name`, body);
      expect([answer.status, answer.json]).toEqual([
        status,
        {
          "@odata.context": url("$metadata#Items(Price,Name)/$entity"),
          "@odata.id": url("Items(1)"),
          "@odata.etag": answer.headers["etag"],
          Name: "a",
          Price: 1.5,
        },
      ]);
    });

    test.each(WRITES)("%s: $expand, by the handler of the navigation", async (method, path, body) => {
      const { json } = await send(method, `${path}?$select=Id&$expand=Others($select=Id)`, body);
      expect([json.Id, json.Name, json.Others]).toEqual([1, undefined, [{ Id: 9 }]]);
    });

    test.each(WRITES)("%s: unsupported and invalid options are 400", async (method, path, body) => {
      for (const option of ["$filter", "$orderby", "$top", "$skip", "$count", "$search", "$skiptoken", "$id", "$foo"]) {
        const expected = { status: 400, code: "UnsupportedQueryOption", target: option };
        expectError(await send(method, `${path}?${option}=1`, body), expected);
      }
      const refused = { status: 400, code: "InvalidQueryOption", target: "$select" };
      expectError(await send(method, `${path}?$select=Nope`, body), refused);
      expectError(await send(method, `${path}?$select=Rank`, body), refused);
      expect((await send(method, `${path}?custom=1`, body)).status).toBeLessThan(300);
    });

    test.each(WRITES)("%s: $select and $expand that a set has switched off", async (method, path, body) => {
      const ask = items({
        create: () => row,
        replace: () => row,
        patch: () => row,
        selectEnabled: false,
        expandEnabled: false,
      });
      for (const option of ["$select", "$expand"]) {
        const expected = { status: 400, code: "UnsupportedQueryOption", target: option };
        expectError(await ask(method, `${path}?${option}=Id`, body), expected);
      }
    });

    test.each(WRITES)("%s: odata.metadata and IEEE754Compatible", async (method, path, body, status) => {
      const full = await send(method, path, body, { Accept: "application/json;odata.metadata=full" });
      expect(full.json).toMatchObject({ "@odata.type": "#Default.Item", "@odata.editLink": url("Items(1)") });
      const none = await send(method, `${path}?$format=application/json;odata.metadata=none`, body);
      expect([none.status, none.text]).toEqual([status, '{"Id":1,"Name":"a","Rank":2,"Price":1.50,"Place":null}']);
      const strings = await send(method, path, body, { Accept: "application/json;IEEE754Compatible=true" });
      expect(strings.json.Price).toBe("1.50");
    });
  });

  describe("what handlers answer", () => {
    const WRITES = [
      ["POST", "Items", '{"Id":1,"Name":"a","Price":1.5}'],
      ["PUT", "Items(1)", '{"Name":"a","Price":1.5}'],
      ["PATCH", "Items(1)", "{}"],
      ["DELETE", "Items(1)", undefined],
    ] as const;
    const all = (handler: () => never): Partial<ItemOptions> => ({
      create: handler,
      replace: handler,
      patch: handler,
      delete: handler,
    });
    const failure = odataError(409, "DuplicateName", "There is one.", { target: "Name" });

    test.each(WRITES)("%s: an intended error, returned or thrown, at once or later", async (method, path, body) => {
      const expected = { status: 409, code: "DuplicateName", message: "There is one.", target: "Name" };
      const handlers = [
        () => failure as never,
        () => {
          throw failure;
        },
        () => Promise.resolve(failure) as never,
        () => Promise.reject(failure) as never,
      ];
      for (const handler of handlers) expectError(await items(all(handler))(method, path, body), expected);
    });

    test.each(WRITES)("%s: anything else thrown is a logged 500", async (method, path, body) => {
      const logger = recordingLogger();
      const send = items(
        all(() => Promise.reject(new Error("secret")) as never),
        logger,
      );
      expectError(await send(method, path, body), { status: 500, code: "InternalServerError" });
      expect(logger.errors).toHaveLength(1);
    });

    test.each(WRITES)("%s: an answer of another form is a logged 500", async (method, path, body) => {
      for (const answer of [5, "saved", [], ...(method === "DELETE" ? [undefined, null, {}] : [{}, true])]) {
        const logger = recordingLogger();
        expectError(
          await items(
            all(() => answer as never),
            logger,
          )(method, path, body),
          {
            status: 500,
            code: "InternalServerError",
          },
        );
        expect(logger.errors).toHaveLength(1);
      }
    });

    test("null: POST is 400, PUT and PATCH are 404", async () => {
      for (const nothing of [null, undefined]) {
        const send = items(all(() => nothing as never));
        const [post, put, patch] = WRITES;
        const refused = { status: 400, code: "InvalidBody", message: "Post handler returned null." };
        expectError(await send(...post), refused);
        expectError(await send(...put), { status: 404, code: "NotFound" });
        expectError(await send(...patch), { status: 404, code: "NotFound" });
      }
    });

    test("promises of entities, and what handlers may return for canonical values", async () => {
      const Day = entityType("Day", { id: edm.int64().key(), date: edm.date(), at: edm.dateTimeOffset().nullable() });
      const set = entitySet(Day, { create: async ({ id }) => ({ id: Number(id), date: new Date("2024-02-29") }) });
      const send = door.to(odataService({ prefix: "/s", entitySets: [set], logger: noFailures }));
      const answer = await send("/s/Days", JSON_BODY, "POST", '{"Id":7,"Date":"2020-01-01"}');
      expectAnswer(answer, {
        status: 201,
        headers: { ...JSON_HEADERS, location: url("Days(7)"), "content-location": url("Days(7)") },
        body: {
          "@odata.context": url("$metadata#Days/$entity"),
          "@odata.id": url("Days(7)"),
          Id: 7,
          Date: "2024-02-29",
          At: null,
        },
      });
    });
  });

  describe("unknown members", () => {
    const seen: unknown[] = [];
    const keep = (...args: readonly unknown[]) => {
      seen.push(args[args.length - 2]);
      return { id: 1, name: "a", rank: null, price: "1", place: null };
    };
    const handlers = { create: keep, replace: keep, patch: keep } as unknown as Partial<ItemOptions>;
    const BODY = '{"Id":1,"Name":"a","Price":1,"Nope":{"a":[1]},"Secret":"x","name":"b"}';

    test.each(["POST", "PUT", "PATCH"])("%s: refused by default, an ignored one exactly alike", async (method) => {
      seen.length = 0;
      const send = items(handlers);
      for (const name of ["Nope", "Secret", "name"]) {
        const body = JSON.stringify({ Id: 1, Name: "a", Price: 1, [name]: 1 });
        const answer = await send(method, method === "POST" ? "Items" : "Items(1)", body);
        expectError(answer, { status: 400, code: "InvalidBody", target: name });
      }
      expect(seen).toEqual([]);
    });

    test.each(["POST", "PUT", "PATCH"])('%s: passed over with unknownMembers: "ignore"', async (method) => {
      seen.length = 0;
      const send = items({ ...handlers, unknownMembers: "ignore" });
      const answer = await send(method, method === "POST" ? "Items" : "Items(1)", BODY);
      expect(answer.status).toBe(method === "POST" ? 201 : 200);
      const rest = method === "PATCH" ? {} : { rank: null, place: null };
      expect(seen).toEqual([{ ...(method === "PATCH" ? {} : { id: 1 }), name: "a", price: "1", ...rest }]);
    });
  });

  describe("a body as it was read is accepted as it was written", () => {
    const formats = ["minimal", "full", "none"].flatMap((level) => [
      `application/json;odata.metadata=${level}`,
      `application/json;odata.metadata=${level};IEEE754Compatible=true`,
    ]);
    test.each(formats)("%s", async (accept) => {
      const kept = new Map<number, object>();
      const service = odataService({
        prefix: "/s",
        namespace: "Kit",
        entitySets: [
          entitySet(Sample, {
            getByKey: (key) => SAMPLES.find(({ id }) => id === key) ?? null,
            replace: (key, sample) => {
              kept.set(key, sample);
              return { ...sample, secret: "" };
            },
          }),
        ],
        logger: noFailures,
      });
      const send = door.to(service);
      for (const { id } of SAMPLES) {
        const path = `/s/Samples(${String(id)})`;
        const read = await send(path, { Accept: accept });
        const type = accept.includes("IEEE754") ? "application/json;IEEE754Compatible=true" : "application/json";
        const written = await send(path, { Accept: accept, "Content-Type": type }, "PUT", read.text);
        expect([written.status, written.text]).toEqual([200, read.text]);
      }
      expect(kept.size).toBe(SAMPLES.length);
    });
  });

  describe("an ETag is one wherever it is", () => {
    const rows = new Map<number, { id: number; parent: number; version: number }>();
    const Node = entityType("Node", { id: edm.int32().key(), parent: edm.int32(), version: edm.int32().computed() });
    const save = (row: { id: number; parent: number }) => {
      const saved = { ...row, version: (rows.get(row.id)?.version ?? 0) + 1 };
      rows.set(row.id, saved);
      return saved;
    };
    const below = (key: number) => [...rows.values()].filter(({ parent }) => parent === key);
    const service = odataService({
      prefix: "/s",
      entitySets: [
        entitySet(Node, {
          etag: ["version"],
          allowDeepInsert: true,
          getAll: () => [...rows.values()],
          getByKey: (key) => rows.get(key) ?? null,
          create: ({ id, parent }) => save({ id, parent }),
          replace: (key, { parent }) => (rows.has(key) ? save({ id: key, parent }) : null),
          patch: (key, delta) => {
            const changed = applyDelta(Node, rows.get(key), delta);
            return changed === null ? null : save(changed);
          },
          navigation: {
            below: hasMany(Node, { target: "Nodes", get: below, create: (parent, { id }) => save({ id, parent }) }),
          },
        }),
      ],
      logger: noFailures,
    });
    const send = door.to(service);

    test.each([
      ["POST", "Nodes", '{"Id":2,"Parent":1}'],
      ["POST", "Nodes(1)/Below", '{"Id":2}'],
      ["PUT", "Nodes(2)", '{"Parent":1}'],
      ["PATCH", "Nodes(2)", '{"Parent":1}'],
      ["PUT", "Nodes(2)/Parent", '{"value":1}'],
    ])("%s %s", async (method, path, body) => {
      rows.clear();
      save({ id: 1, parent: 0 });
      if (!path.startsWith("Nodes/") && path.includes("(2)")) save({ id: 2, parent: 0 });
      // The parent of a created one follows from the URL.
      const given = path.endsWith("Below") ? '{"Id":2,"Parent":1}' : body;
      const written = await send(`/s/${path}`, JSON_BODY, method, given);
      const etag = written.headers["etag"];
      expect(etag).toMatch(/^".{44}"$/u);
      const one = await send("/s/Nodes(2)");
      const list = await send("/s/Nodes?$filter=Id%20eq%202");
      const expanded = await send("/s/Nodes(1)?$expand=Below");
      const related = await send("/s/Nodes(1)/Below");
      const property = await send("/s/Nodes(2)/Parent");
      const tags = [
        one.headers["etag"],
        one.json["@odata.etag"],
        list.json.value[0]["@odata.etag"],
        expanded.json.Below[0]["@odata.etag"],
        related.json.value[0]["@odata.etag"],
        property.headers["etag"],
        ...(written.status === 204 ? [] : [written.json["@odata.etag"]]),
      ];
      expect(new Set(tags)).toEqual(new Set([etag]));
      const again = await send("/s/Nodes(2)", { ...JSON_BODY, "If-Match": etag! }, "PATCH", "{}");
      expect(again.status).toBe(200);
      expect(again.headers["etag"]).not.toBe(etag);
      expect((await send("/s/Nodes(2)", { ...JSON_BODY, "If-Match": etag! }, "PATCH", "{}")).status).toBe(412);
    });
  });

  describe("two writers with one ETag", () => {
    const Counter = entityType("Counter", {
      id: edm.int32().key(),
      value: edm.int32(),
      version: edm.int32().computed(),
    });
    const FIRST = { id: 1, value: 0, version: 1 };

    test.each([true, false])(
      "exactly one wins each time, where the handler repeats ctx.expected: %s",
      async (repeats) => {
        let row = FIRST;
        let met = 0;
        let letFirstGo = (): void => {};
        const set = entitySet(Counter, {
          etag: ["version"],
          getByKey: async () => ({ ...row }),
          patch: async (_, delta, { expected }) => {
            met += 1;
            // The other writer's check takes place before the first write.
            if (met === 1) {
              await new Promise<void>((resolve) => {
                letFirstGo = resolve;
              });
            } else letFirstGo();
            if (repeats && expected?.version !== row.version) return null;
            row = { ...row, ...delta, version: row.version + 1 };
            return row;
          },
        });
        const send = door.to(odataService({ prefix: "/s", entitySets: [set], logger: noFailures }));
        for (let round = 0; round < 100; round++) {
          met = 0;
          const etag = (await send("/s/Counters(1)")).headers["etag"]!;
          const write = (value: number) =>
            send("/s/Counters(1)", { ...JSON_BODY, "If-Match": etag }, "PATCH", JSON.stringify({ Value: value }));
          const answers = await Promise.all([write(round), write(-round)]);
          const statuses = answers.map(({ status }) => status).toSorted((left, right) => left - right);
          expect(statuses).toEqual(repeats ? [200, 412] : [200, 200]);
        }
      },
    );
  });

  test("OPTIONS tells which writes there are; $metadata tells it too", async () => {
    const row = { id: 1, name: "a", rank: null, price: "1", place: null };
    const send = items({ create: () => row, replace: () => row, patch: () => row, delete: () => true });
    for (const [path, allow] of [
      ["Items", "POST, OPTIONS"],
      ["Items(1)", "PUT, PATCH, DELETE, OPTIONS"],
      ["Items(1)/Name", "PUT, PATCH, DELETE, OPTIONS"],
    ] as const) {
      const answer = await send("OPTIONS", path);
      expectAnswer(answer, { status: 204, headers: { ...EMPTY_HEADERS, allow }, body: "" });
    }
    const metadata = (await send("GET", "$metadata")).text;
    for (const name of ["Insertable", "Updatable", "Deletable"]) {
      // True is the default of the vocabulary.
      expect(metadata).not.toContain(`<PropertyValue Property="${name}"`);
    }
  });

  test("a signed-in user's answer is kept by no cache", async () => {
    const row = { id: 1, name: "a", rank: null, price: "1", place: null };
    const set = entitySet(Item, { patch: () => row, getByKey: () => row });
    const send = door.to(
      odataService({ prefix: "/s", authenticate: () => ({ id: "ann" }), entitySets: [set], logger: noFailures }),
    );
    const answer = await send("/s/Items(1)", JSON_BODY, "PATCH", "{}");
    expect(answer.headers).toEqual({ ...JSON_HEADERS, "cache-control": "no-store" });
  });
});
