import { anyOf, authenticated, edm, entitySet, entityType, odataError, odataService, resource, role } from "odatakit";
import { describe, expect, test } from "vitest";
import { type Door, eachDoor, expectError, type Send } from "./doors.ts";
import {
  as,
  bodyHeaders,
  expectNavigationRefusal,
  expectRefusal,
  Folder,
  type FolderRules,
  guardedService,
  Person,
  REQUESTS,
} from "./guarded-model.ts";
import { noFailures, recordingLogger } from "./model.ts";

const isOwner = resource<typeof Folder>((user, folder) => folder.ownerId === user.id);
const rows: NonNullable<FolderRules["rows"]> = (_user, folder) => folder.id.ge(0);

/** Owner rules, apart for reads and writes: a read rule needs a `rows` rule, which adds requirements to writes. */
const OWNED = {
  reads: { folders: { all: authenticated(), read: isOwner, rows }, unbound: [], isBoundToEntities: true },
  writes: { folders: { all: isOwner, read: authenticated() }, unbound: [], isBoundToEntities: true },
};

const ADDRESSING = REQUESTS.filter(({ addresses }) => addresses);
const json = (value: unknown) => JSON.stringify(value);
const JSON_BODY = { "Content-Type": "application/json" };

/** Returns the path of the same request for another folder, or for a missing one. */
const at = (path: string, id: number) => path.replace("Folders(1)", `Folders(${String(id)})`);

eachDoor((door) => {
  describe("a check of the entity", () => {
    const reading = guardedService(OWNED.reads);
    const writing = guardedService(OWNED.writes);
    const ownedFor = ({ action }: { readonly action: string }) => {
      const { service, calls } = action === "read" ? reading : writing;
      calls.length = 0;
      return { send: door.to(service), calls };
    };
    const open = guardedService({ isBoundToEntities: true });
    const sendOpen = door.to(open.service);

    test.each(ADDRESSING)("lets the owner through: $name", async ({ action, method, path, body }) => {
      const { send, calls } = ownedFor({ action });
      open.calls.length = 0;
      const headers = { ...as("ann"), ...bodyHeaders(body) };
      const answer = await send(path, headers, method, body);
      const expected = await sendOpen(path, headers, method, body);
      expect({ ...answer, headerNames: [] }).toEqual({ ...expected, headerNames: [] });
      // The entity is loaded once, for the rule and all other uses.
      const expands = path.includes("$expand");
      expect(calls).toEqual(open.calls.includes("getByKey") && !expands ? open.calls : ["getByKey", ...open.calls]);
    });

    test.each(ADDRESSING)("stops everybody else: $name", async ({ action, method, path, body }) => {
      const { send, calls } = ownedFor({ action });
      expectRefusal(await send(path, { ...as("bob"), ...bodyHeaders(body) }, method, body), 403);
      expect(calls).toEqual(["getByKey"]);
      calls.length = 0;
      expectRefusal(await send(path, bodyHeaders(body), method, body), 401);
      expect(calls).toEqual([]);
    });

    test.each(ADDRESSING)("a missing entity: $name", async ({ action, method, path, body, name }) => {
      const { send, calls } = ownedFor({ action });
      const content = body?.replace('"FolderId":1', '"FolderId":99');
      const headers = { ...as("bob"), ...bodyHeaders(body) };
      const answer = await send(at(path, 99), headers, method, content);
      if (name === "PUT /Folders(1)") {
        // It would be created, and is not bob's to create.
        expectRefusal(answer, 403);
      } else if (name === "DELETE /Folders(1)") {
        expect(answer.status).toBe(204);
      } else {
        expectError(answer, { status: 404, code: "NotFound", message: /99/u });
      }
      expect(calls).toEqual(["getByKey"]);
    });

    test("without a resource rule, nothing is loaded", async () => {
      for (const { method, path, body } of ADDRESSING) {
        open.calls.length = 0;
        await sendOpen(path, { ...as("ann"), ...bodyHeaders(body) }, method, body);
        const wants = /^\/g\/Folders\(1\)(?:\?.*|\/Name.*|\/Note)?$/u.test(path) && method === "GET";
        const isUpsert = method === "PUT" && path === "/g/Folders(1)";
        expect(open.calls.includes("getByKey"), `${method} ${path}`).toBe(wants || isUpsert);
      }
    });
  });

  describe("creating", () => {
    const { service, calls } = guardedService(OWNED.writes);
    const send = door.to(service);
    const folder = (ownerId: string) => json({ Id: 9, Name: "New", OwnerId: ownerId });

    test("judges the entity as it is about to be", async () => {
      calls.length = 0;
      expect((await send("/g/Folders", { ...as("ann"), ...JSON_BODY }, "POST", folder("ann"))).status).toBe(201);
      expect(calls).toEqual(["create"]);
      calls.length = 0;
      expectRefusal(await send("/g/Folders", { ...as("bob"), ...JSON_BODY }, "POST", folder("ann")), 403);
      expectRefusal(await send("/g/Folders", JSON_BODY, "POST", folder("ann")), 401);
      // A body that is not a folder is reported first.
      expectError(await send("/g/Folders", { ...as("bob"), ...JSON_BODY }, "POST", "{}"), {
        status: 400,
        code: "InvalidBody",
        target: "Id",
      });
      expect(calls).toEqual([]);
    });

    test("by PUT requires the rules for creating, and the rules for changing only if the entity exists", async () => {
      const { service: other, calls: called } = guardedService({
        folders: { update: isOwner, create: [role("creator"), isOwner] },
        unbound: [],
      });
      const put = (user: string, id: number, ownerId: string) =>
        door.to(other)(
          `/g/Folders(${String(id)})`,
          { ...as(user), ...JSON_BODY },
          "PUT",
          json({ Name: "P", OwnerId: ownerId }),
        );
      expect((await put("ann:creator", 99, "ann")).status).toBe(201);
      expect(called).toEqual(["getByKey", "create"]);
      called.length = 0;
      expectRefusal(await put("ann", 99, "ann"), 403);
      expectRefusal(await put("ann:creator", 99, "bob"), 403);
      expectRefusal(await put("bob:creator", 1, "bob"), 403);
      expect(called).toEqual(["getByKey", "getByKey", "getByKey"]);
      expect((await put("ann", 1, "bob")).status).toBe(200);
    });

    test("by a handler for replacing that creates needs the rules for creating", async () => {
      let replaced = 0;
      const serve = (handlers: object) =>
        odataService({
          prefix: "/g",
          entitySets: [
            entitySet(Person, {
              name: "People",
              allowUpsert: true,
              replace: (key, person) => {
                replaced += 1;
                return { ...person, id: key };
              },
              authorization: { create: role("creator"), update: authenticated() },
              ...handlers,
            }),
          ],
          authenticate: ({ headers }) => ({ id: "x", roles: (headers.get("authorization") ?? "").split(",") }),
          logger: noFailures,
        });
      const put = (handlers: object, id: number, roles: string) =>
        door.to(serve(handlers))(
          `/g/People(${String(id)})`,
          { ...JSON_BODY, Authorization: roles },
          "PUT",
          '{"Name":"P"}',
        );
      const getByKey = (key: number) => (key === 1 ? { id: 1, name: "A" } : null);
      expect((await put({ getByKey }, 1, "none")).status).toBe(200);
      expect(replaced).toBe(1);
      expectRefusal(await put({ getByKey }, 2, "none"), 403);
      expect(replaced).toBe(1);
      expect((await put({ getByKey }, 2, "creator")).status).toBe(201);
      // The response does not reveal whether the folder exists, because the request might create it.
      expectRefusal(await put({}, 1, "none"), 403);
      expect(replaced).toBe(2);
      expect((await put({}, 1, "creator")).status).toBe(200);
    });
  });

  describe("an entity that a navigation leads to", () => {
    const { service, calls } = guardedService({
      people: {
        read: anyOf(
          role("registrar"),
          resource((user, person) => person.name.toLowerCase() === user.id),
        ),
        rows: (_user, person) => person.id.ge(0),
      },
      papers: {
        read: resource((user, paper) => paper.name !== "To Eve" || user.id === "eve"),
        rows: (_user, paper) => paper.id.ge(0),
      },
      unbound: [],
    });
    const send = door.to(service);

    test.each(["/g/Folders(1)/Keeper", "/g/Folders(1)/Keeper/$ref"])(
      "is checked by the rules of the target set: %s",
      async (path) => {
        calls.length = 0;
        expect((await send(path, as("ann"))).status).toBe(200);
        expect(calls.filter((name) => name === "people.getByKey")).toEqual(["people.getByKey"]);
        expectRefusal(await send(path, as("bob")), 403);
        // The target set requires a user, before anything is loaded.
        calls.length = 0;
        expectNavigationRefusal(await send(path), 401, "Keeper");
        expect(calls).toEqual([]);
        calls.length = 0;
        expect((await send(path, as("bob:registrar"))).status).toBe(200);
        expect(calls).not.toContain("people.getByKey");
        expectError(await send(at(path, 3), as("bob")), { status: 404, code: "NotFound" });
      },
    );

    test("by its key, too; lists are a matter of rows", async () => {
      expect((await send("/g/Folders(1)/Papers(10)", as("bob"))).status).toBe(200);
      expectRefusal(await send("/g/Folders(1)/Papers(11)", as("bob")), 403);
      expect((await send("/g/Folders(1)/Papers(11)", as("eve"))).status).toBe(200);
      expectError(await send("/g/Folders(1)/Papers(12)", as("bob")), { status: 404, code: "NotFound" });
      expect((await send("/g/Folders(1)/Papers", as("bob"))).json.value).toHaveLength(2);
    });
  });

  orderOfChecks(
    door.to(guardedService({ folders: { all: isOwner, rows }, unbound: [], isBoundToEntities: true }).service),
  );
  answersOfRules(door);
  roots(door);
});

function orderOfChecks(send: Send): void {
  describe("the order of checks", () => {
    const put = (headers: Readonly<Record<string, string>>, body: string, path = "/g/Folders(1)?") =>
      send(path, { ...JSON_BODY, ...headers }, "PUT", body);
    const body = (id: number) => json({ Id: id, Name: "P", OwnerId: "bob" });

    test("an invalid request is rejected before the rule runs", async () => {
      expect((await put({ ...as("bob"), Accept: "image/png" }, body(1))).status).toBe(406);
      expectError(await put(as("bob"), body(1), "/g/Folders(x)"), { status: 400, code: "InvalidKey", target: "key" });
      expect((await send("/g/Folders(1)", { ...as("bob"), "Content-Type": "text/plain" }, "PUT", "x")).status).toBe(
        415,
      );
      expectError(await put(as("bob"), body(1), "/g/Folders(1)?$nope=1"), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$nope",
      });
      expectError(await put(as("bob"), "{"), { status: 400, code: "InvalidBody" });
      expect((await send("/g/Folders(1)?$select=Nope", as("bob"))).status).toBe(400);
      expect((await send("/g/Folders(1)/Papers?$filter=Nope", as("bob"))).status).toBe(400);
      expect((await send("/g/Folders(1)/lock", { ...as("bob"), ...JSON_BODY }, "POST", "{}")).status).toBe(400);
      expect((await send("/g/Folders(1)/Papers/$ref", { ...as("bob"), ...JSON_BODY }, "POST", "{}")).status).toBe(400);
    });

    test("the rule comes before the key of the body and the preconditions", async () => {
      const stale = { "If-Match": '"stale"' };
      expectRefusal(await put({ ...as("bob"), ...stale }, body(2)), 403);
      expectError(await put({ ...as("ann"), ...stale }, body(2)), { status: 400, code: "KeyMismatch", target: "key" });
      expectError(await put({ ...as("ann"), ...stale }, body(1)), {
        status: 412,
        code: "PreconditionFailed",
      });
      const patch = (user: string, id: number) =>
        send("/g/Folders(1)", { ...JSON_BODY, ...as(user), ...stale }, "PATCH", json({ Id: id }));
      expectRefusal(await patch("bob", 2), 403);
      expectError(await patch("ann", 2), { status: 400, code: "KeyMismatch", target: "key" });
      expect((await patch("ann", 1)).status).toBe(412);
      for (const [method, path, sent] of [
        ["DELETE", "/g/Folders(1)", undefined],
        ["DELETE", "/g/Folders(1)/Note", undefined],
        ["POST", "/g/Folders(1)/lock", '{"why":"x"}'],
        ["POST", "/g/Folders(1)/Papers/$ref", '{"@odata.id":"Papers(10)"}'],
        ["POST", "/g/Folders(1)/Papers", '{"Id":12,"FolderId":1,"Name":"x"}'],
      ] as const) {
        expectRefusal(await send(path, { ...bodyHeaders(sent), ...as("bob"), ...stale }, method, sent), 403);
        expect((await send(path, { ...bodyHeaders(sent), ...as("ann"), ...stale }, method, sent)).status).toBe(412);
        const missing = await send(
          at(path, 99),
          { ...bodyHeaders(sent), ...as("ann"), ...stale },
          method,
          sent?.replace('"FolderId":1', '"FolderId":99'),
        );
        expectError(missing, { status: 412, code: "PreconditionFailed", message: /^If-Match does not hold/u });
      }
      expect((await send("/g/Folders(1)", { ...as("bob"), "If-None-Match": "*" })).status).toBe(403);
    });

    test("a matching ETag is found on the entity that the rule loaded", async () => {
      const { headers } = await send("/g/Folders(1)", as("ann"));
      const etag = headers["etag"] ?? "";
      expect((await send("/g/Folders(1)", { ...as("ann"), "If-None-Match": etag })).status).toBe(304);
      expect((await put({ ...as("ann"), "If-Match": etag }, body(1))).status).toBe(200);
    });
  });
}

function answersOfRules(door: Door): void {
  describe("the result of a check", () => {
    const check = (answer: () => unknown, logger: Parameters<typeof odataService>[0]["logger"] = noFailures) => {
      let calls = 0;
      const service = odataService({
        prefix: "/g",
        entitySets: [
          entitySet(Person, {
            name: "People",
            getByKey: () => ({ id: 1, name: "A" }),
            delete: () => {
              calls += 1;
              return true;
            },
            authorization: { all: resource(() => answer() as boolean) },
          }),
        ],
        authenticate: () => ({ id: "x" }),
        logger,
      });
      return { remove: () => door.to(service)("/g/People(1)", {}, "DELETE"), calls: () => calls };
    };

    test.each([true, Promise.resolve(true)])("%o passes", async (answer) => {
      const { remove, calls } = check(() => answer);
      expect((await remove()).status).toBe(204);
      expect(calls()).toBe(1);
    });

    test.each([false, null, undefined, 1, "yes", {}, [], Promise.resolve(false), Promise.resolve("true")])(
      "%o does not",
      async (answer) => {
        const { remove, calls } = check(() => answer);
        expectRefusal(await remove(), 403);
        expect(calls()).toBe(0);
      },
    );

    test("an error for the client becomes the response", async () => {
      const error = odataError(409, "Locked", "This folder is locked.", { target: "Name" });
      for (const answer of [
        () => error,
        () => Promise.resolve(error),
        () => Promise.reject(error),
        () => {
          throw error;
        },
      ]) {
        const { remove, calls } = check(answer);
        expectError(await remove(), { status: 409, code: "Locked", target: "Name", message: "This folder is locked." });
        expect(calls()).toBe(0);
      }
    });

    test("any other error is logged and not sent, and nothing changes", async () => {
      for (const answer of [() => Promise.reject(new Error("secret")), () => JSON.parse("secret") as unknown]) {
        const logger = recordingLogger();
        const { remove, calls } = check(answer, logger);
        const { status, text } = await remove();
        expect(status).toBe(500);
        expect(text).not.toContain("secret");
        expect(logger.errors).toHaveLength(1);
        expect(calls()).toBe(0);
      }
    });

    test("several rules run in order, until the result is known", async () => {
      const asked: string[] = [];
      const rule = (name: string, answer: boolean) =>
        resource<typeof Person>(async () => {
          asked.push(name);
          return Promise.resolve(answer);
        });
      const service = odataService({
        prefix: "/g",
        entitySets: [
          entitySet(Person, {
            name: "People",
            getByKey: () => ({ id: 1, name: "A" }),
            delete: () => true,
            patch: () => ({ id: 1, name: "A" }),
            replace: () => ({ id: 1, name: "A" }),
            authorization: {
              delete: [rule("a", true), anyOf(rule("b", false), rule("c", true), rule("d", true)), rule("e", true)],
              update: [anyOf(rule("f", false), role("editor")), rule("g", false), rule("h", true)],
            },
          }),
        ],
        authenticate: ({ headers }) => ({ id: "x", roles: [headers.get("x-role") ?? ""] }),
        logger: noFailures,
      });
      const send = door.to(service);
      expect((await send("/g/People(1)", {}, "DELETE")).status).toBe(204);
      expect(asked.splice(0)).toEqual(["a", "b", "c", "e"]);
      expectRefusal(await send("/g/People(1)", { ...JSON_BODY, "x-role": "editor" }, "PATCH", "{}"), 403);
      expect(asked.splice(0)).toEqual(["g"]);
      expectRefusal(await send("/g/People(1)", JSON_BODY, "PATCH", "{}"), 403);
      expect(asked.splice(0)).toEqual(["f"]);
    });

    test("the check gets the user, the entity in canonical form, and the context", async () => {
      const seen: unknown[] = [];
      const Event = entityType("Event", {
        id: edm.int64().key(),
        at: edm.dateTimeOffset(),
        hidden: edm.string().ignored(),
        note: edm.string().nullable(),
      });
      const service = odataService({
        prefix: "/g",
        entitySets: [
          entitySet(Event, {
            name: "Events",
            getByKey: (key) => ({ id: Number(key), at: new Date(0), hidden: "h" }),
            authorization: {
              all: resource((user, event, context) => {
                seen.push(user, { ...event }, context.user, context.request.method);
                return true;
              }),
            },
          }),
        ],
        authenticate: () => ({ id: "x" }),
        logger: noFailures,
      });
      expect((await door.to(service)("/g/Events(5)")).status).toBe(200);
      expect(seen).toEqual([
        { id: "x" },
        { id: 5n, at: "1970-01-01T00:00:00.000Z", hidden: "h", note: null },
        { id: "x" },
        "GET",
      ]);
    });
  });
}

function roots(door: Door): void {
  describe("$root", () => {
    const filter = (set: string) => `/g/Folders?$filter=Name%20eq%20$root/${set}(1)/Name`;
    const expand = "/g/Folders(1)?$expand=Papers($filter=Name%20eq%20$root/People(100)/Name)";

    test("needs the rules for reading the set that it names", async () => {
      const { service, calls } = guardedService({
        people: { read: role("registrar"), all: authenticated() },
        unbound: [],
      });
      const send = door.to(service);
      for (const path of [
        filter("People"),
        "/g/Folders/$count?$filter=Name%20eq%20$root/People(1)/Name",
        "/g/Folders?$orderby=$root/People(1)/Name",
        "/g/Folders?$expand=Papers($orderby=$root/People(100)/Name)",
        expand,
      ]) {
        calls.length = 0;
        expectRefusal(await send(path), 401);
        expectRefusal(await send(path, as("ann")), 403);
        expect(calls).toEqual([]);
        expect((await send(path, as("ann:registrar"))).status, path).toBe(200);
      }
      expect((await send(filter("Papers"))).status).toBe(200);
      const patch = (user: string) =>
        send(expand, { ...as(user), ...JSON_BODY, Prefer: "return=representation" }, "PATCH", '{"Name":"P"}');
      calls.length = 0;
      expectRefusal(await patch("ann"), 403);
      expect(calls).toEqual([]);
      expect((await patch("ann:registrar")).status).toBe(200);
    });

    test("is rejected where only a loaded entity shows who may read it, and queries cannot", async () => {
      const Alone = entitySet(Person, {
        name: "Alone",
        getByKey: () => ({ id: 1, name: "A" }),
        authorization: {
          read: anyOf(
            role("registrar"),
            resource(() => true),
          ),
        },
      });
      const folders = entitySet(Folder, { name: "Folders", getAll: () => [] });
      const service = odataService({
        prefix: "/g",
        entitySets: [Alone, folders],
        authenticate: ({ headers }) => {
          const name = headers.get("authorization");
          return name === null ? null : { id: name, roles: [name] };
        },
        logger: noFailures,
      });
      const send = door.to(service);
      expectError(await send(filter("Alone")), {
        status: 401,
        code: "Unauthorized",
        headers: { "www-authenticate": "Bearer" },
      });
      expectError(await send(filter("Alone"), { Authorization: "ann" }), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$filter",
        message: /\$root\/Alone/u,
      });
      expect((await send(filter("Alone"), { Authorization: "registrar" })).status).toBe(200);
    });
  });
}
