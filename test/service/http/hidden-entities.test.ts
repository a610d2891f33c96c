import { authenticated, odataError, resource } from "odatakit";
import { describe, expect, test } from "vitest";
import { type Answer, type Door, eachDoor, expectError, type Send } from "./doors.ts";
import { as, bodyHeaders, type FolderRules, guardedService, REQUESTS } from "./guarded-model.ts";

const own: NonNullable<FolderRules["rows"]> = (user, folder) => folder.ownerId.eq(user.id ?? "");
const JSON_BODY = { "Content-Type": "application/json" };

/** The folders of a user, some people and some papers. */
const serve = () =>
  guardedService({
    folders: { all: authenticated(), rows: own },
    people: { rows: (_user, person) => person.id.ne(101) },
    papers: { rows: (_user, paper) => paper.name.ne("To Eve") },
    unbound: authenticated(),
  });

/** Folder 2 belongs to bob, and folder 99 does not exist. */
const HIDDEN = 2;
const MISSING = 99;

/** Everything that distinguishes two responses, except the requested key. */
function told({ status, headers, text }: Answer, id: number) {
  return { status, headers, text: text.replaceAll(`(${String(id)})`, "(key)") };
}

eachDoor((door) => {
  describe("what hangs on a hidden entity", () => {
    const { service, calls } = serve();
    const send = door.to(service);
    const below = REQUESTS.filter(({ addresses }) => addresses);

    test.each(below)("is answered as for a missing one, and no handler is called: $name", async (request) => {
      const { method, name, body } = request;
      // A taken key is reported to the client that chooses it: hidden rows are not overwritten.
      if (name === "PUT /Folders(1)") return;
      const ask = (id: number): Promise<Answer> => {
        const path = request.path.replace("Folders(1)", `Folders(${String(id)})`);
        const sent = body?.replace('"FolderId":1', `"FolderId":${String(id)}`);
        return send(path, { ...as("ann"), ...bodyHeaders(body) }, method, sent);
      };
      calls.length = 0;
      const hidden = await ask(HIDDEN);
      expect(new Set(calls)).toEqual(new Set(["getByKey"]));
      expect(told(hidden, HIDDEN)).toEqual(told(await ask(MISSING), MISSING));
      if (method === "DELETE" && name === "DELETE /Folders(1)") expect(hidden.status).toBe(204);
      else expectError(hidden, { status: 404, code: "NotFound" });
    });

    test.each(below)("is there for who sees it: $name", async ({ method, path, body }) => {
      const { status } = await send(path, { ...as("ann"), ...bodyHeaders(body) }, method, body);
      expect(status).toBeLessThan(300);
    });

    test("with preconditions it is a missing one, too", async () => {
      for (const { method, path, body } of below.filter((each) => each.method !== "GET")) {
        const target = path.replace("Folders(1)", `Folders(${String(HIDDEN)})`);
        const sent = body?.replace('"FolderId":1', `"FolderId":${String(HIDDEN)}`);
        const answer = await send(target, { ...as("ann"), ...bodyHeaders(body), "If-Match": "*" }, method, sent);
        expectError(answer, { status: 412, code: "PreconditionFailed", message: /^If-Match does not hold/u });
      }
    });
  });

  describe("references to hidden entities", () => {
    const { service, calls } = serve();
    const send = door.to(service);
    const write = (method: string, path: string, id: string) => {
      calls.length = 0;
      return method === "DELETE"
        ? send(`${path}?$id=${id}`, as("ann"), method)
        : send(path, { ...as("ann"), ...JSON_BODY }, method, JSON.stringify({ "@odata.id": id }));
    };

    test.each([
      {
        method: "PUT",
        path: "/g/Folders(1)/Keeper/$ref",
        seen: "People(100)",
        hidden: "People(101)",
        missing: "People(9)",
      },
      {
        method: "POST",
        path: "/g/Folders(1)/Papers/$ref",
        seen: "Papers(10)",
        hidden: "Papers(11)",
        missing: "Papers(9)",
      },
      {
        method: "DELETE",
        path: "/g/Folders(1)/Papers/$ref",
        seen: "Papers(10)",
        hidden: "Papers(11)",
        missing: "Papers(9)",
      },
    ])("are references to nothing: $method $path", async ({ method, path, seen, hidden, missing }) => {
      const target = method === "DELETE" ? "$id" : "@odata.id";
      const refused = await write(method, path, hidden);
      expectError(refused, { status: 404, code: "NotFound", target, message: /has no entity with this key/u });
      expect(calls.filter((name) => name.endsWith("Ref"))).toEqual([]);
      const other = await write(method, path, missing);
      expect({ ...other, headerNames: [] }).toEqual({ ...refused, headerNames: [] });
      expect((await write(method, path, seen)).status).toBe(204);
      expect(calls.filter((name) => name.endsWith("Ref"))).toHaveLength(1);
      // A value that does not refer to an entity of that set is reported first.
      const code = method === "DELETE" ? "InvalidQueryOption" : "InvalidBody";
      expectError(await write(method, path, "Folders(1)"), { status: 400, code, target });
      expectError(await write(method, path, "nonsense"), { status: 400, code, target });
    });

    test("the entity in front comes first", async () => {
      const answer = await write("PUT", "/g/Folders(2)/Keeper/$ref", "People(101)");
      expectError(answer, { status: 404, code: "NotFound", message: /Folders has no entity/u });
    });
  });

  results(door);
});

function results(door: Door): void {
  const idsOf = ({ json }: Answer): number[] =>
    (Array.isArray(json) ? (json as ReadonlyArray<{ Id: number }>) : (json.value as ReadonlyArray<{ Id: number }>)).map(
      ({ Id }) => Id,
    );

  describe("results of operations", () => {
    const { service } = serve();
    const send: Send = door.to(service);

    test.each([
      ["GET", "/g/Folders/mine"],
      ["GET", "/g/recent"],
      ["GET", "/g/found"],
      ["POST", "/g/file"],
    ])("%s %s: without the hidden ones", async (method, path) => {
      expect(idsOf(await send(path, as("ann"), method))).toEqual([1, 3]);
      expect(idsOf(await send(path, as("bob"), method))).toEqual([2]);
      expect(idsOf(await send(path, as("eve"), method))).toEqual([]);
    });

    test("counts, pages and options know of no others", async () => {
      const first = await send("/g/Folders/mine?$count=true&$top=1&$orderby=Id%20desc", as("ann"));
      expect(first.json["@odata.count"]).toBe(2);
      expect(idsOf(first)).toEqual([3]);
      const next = await send("/g/Folders/mine", { ...as("ann"), Prefer: "maxpagesize=2" });
      expect(next.json["@odata.nextLink"]).toBeUndefined();
      expect(idsOf(await send("/g/Folders/mine?$skip=1", as("ann")))).toEqual([3]);
      expect(idsOf(await send("/g/found?$skip=1&$top=5", as("ann")))).toEqual([3]);
      expect(idsOf(await send("/g/found?$filter=Id%20eq%202", as("ann")))).toEqual([]);
    });

    test("a hidden entity counts as missing", async () => {
      expect((await send("/g/Folders/newest", as("ann"))).json.Id).toBe(3);
      expect((await send("/g/Folders/newest", as("bob"))).status).toBe(204);
      expect((await send("/g/oldest", as("ann"))).json.Id).toBe(1);
      const nothing = await send("/g/oldest", as("bob"));
      expect({ status: nothing.status, text: nothing.text, etag: nothing.headers["etag"] }).toEqual({
        status: 204,
        text: "",
        etag: undefined,
      });
    });
  });
}

test("a check of entities treats a hidden entity as missing", async () => {
  let checked = 0;
  const { service, calls } = guardedService({
    folders: {
      all: resource(() => {
        checked += 1;
        return false;
      }),
      rows: own,
    },
    unbound: [],
    isBoundToEntities: true,
  });
  for (const { method, path, body, name } of REQUESTS.filter(({ addresses }) => addresses)) {
    // A replacement may create, which is judged by itself.
    if (name === "PUT /Folders(1)") continue;
    const headers = { ...as("ann"), ...bodyHeaders(body) };
    const ask = async (id: number) => {
      const target = path.replace("Folders(1)", `Folders(${String(id)})`);
      const sent = body?.replace('"FolderId":1', `"FolderId":${String(id)}`) ?? null;
      const request = new Request(`http://service.example${target}`, { headers, method, body: sent });
      return (await service.fetch(request)).status;
    };
    checked = 0;
    calls.length = 0;
    expect(await ask(HIDDEN), name).toBe(name === "DELETE /Folders(1)" ? 204 : 404);
    expect([checked, calls], name).toEqual([0, ["getByKey"]]);
    expect(await ask(1), name).toBe(403);
    expect([checked, calls], name).toEqual([1, ["getByKey", "getByKey"]]);
  }
});

test("an OData error of a rule becomes the response, and any other error is logged", async () => {
  const { service, calls } = guardedService({
    folders: {
      all: authenticated(),
      rows: () => {
        throw odataError(429, "TooMany", "Later.");
      },
    },
    unbound: [],
  });
  const ask = async (path: string) =>
    (await service.fetch(new Request(`http://service.example/g/${path}`, { headers: as("ann") }))).status;
  expect(await ask("Folders(1)/weight")).toBe(429);
  expect(await ask("Folders(1)/Papers")).toBe(429);
  expect(await ask("Folders/mine")).toBe(429);
  expect(await ask("recent")).toBe(429);
  expect(calls).not.toContain("weight");
});
