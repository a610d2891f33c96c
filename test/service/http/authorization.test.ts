import { anyOf, authenticated, role } from "odatakit";
import { describe, expect, test } from "vitest";
import { type Answer, type Door, eachDoor, expectError, type Send } from "./doors.ts";
import {
  type Action,
  as,
  bodyHeaders,
  CHALLENGE,
  expectRefusal,
  type GuardedOptions,
  type GuardedRequest,
  guardedService,
  REQUESTS,
} from "./guarded-model.ts";

/** The callers: an anonymous user, a user without roles, and users with roles. */
const CALLERS = [null, "ann", "ann:member", "ann:read", "ann:update,invoke", "ann:member,create,delete"] as const;
type Caller = (typeof CALLERS)[number];

/** The requirements of an action, from an oracle without rules: all of the lists, any role of each. */
type Needed = (act: Action) => ReadonlyArray<"user" | readonly string[]>;

interface Placement {
  readonly options: GuardedOptions;
  readonly needed: Needed;
}

const NOTHING: ReturnType<Needed> = [];
const isOfSet = (act: Action) => act !== "service" && act !== "unbound";

/** The places of rules, and the roles that a request then needs. */
const PLACEMENTS: Readonly<Record<string, Placement>> = {
  nowhere: { options: {}, needed: () => NOTHING },
  "at the registration": { options: { registration: role("member") }, needed: () => [["member"]] },
  "at the registration: any user": { options: { registration: [authenticated()] }, needed: () => ["user"] },
  "for all of the set": {
    options: { folders: { all: role("member") }, unbound: [] },
    needed: (act) => (isOfSet(act) ? [["member"]] : NOTHING),
  },
  "for each category": {
    options: {
      folders: {
        read: role("read"),
        create: role("create"),
        update: role("update"),
        delete: role("delete"),
        invoke: role("invoke"),
      },
      unbound: role("unbound"),
    },
    needed: (act) => (act === "service" ? NOTHING : [[act]]),
  },
  "for all, and a category in its place": {
    options: { folders: { all: role("member"), read: authenticated(), delete: [] }, unbound: authenticated() },
    needed: (act) => {
      if (act === "service" || act === "delete") return NOTHING;
      return act === "read" || act === "unbound" ? ["user"] : [["member"]];
    },
  },
  "at the registration and for a category": {
    options: { registration: authenticated(), folders: { read: role("read") }, unbound: role("member") },
    needed: (act) => {
      if (act === "read") return ["user", ["read"]];
      return act === "unbound" ? ["user", ["member"]] : ["user"];
    },
  },
  "as alternatives, and several at once": {
    options: {
      folders: {
        read: anyOf(role("member"), anyOf(role("read"), role("nobody"))),
        update: [role("update"), anyOf(role("invoke"), role("member"))],
      },
      unbound: [],
    },
    needed: (act) => {
      if (act === "read") return [["member", "read"]];
      return act === "update" ? [["update"], ["invoke", "member"]] : NOTHING;
    },
  },
};

function verdictOf(caller: Caller, needed: ReturnType<Needed>): "passed" | 401 | 403 {
  const roles = caller?.split(":")[1]?.split(",") ?? [];
  const passes = needed.every((each) =>
    each === "user" ? caller !== null : each.some((name) => roles.includes(name)),
  );
  if (passes) return "passed";
  return caller === null ? 401 : 403;
}

function ask(send: Send, { method, path, body }: GuardedRequest, caller: Caller, more = {}): Promise<Answer> {
  return send(path, { ...as(caller), ...bodyHeaders(body), ...more }, method, body);
}

/** The distinguishing parts of a response. */
const told = ({ status, headers, text }: Answer) => ({ status, headers, text });

eachDoor((door) => {
  const open = door.to(guardedService().service);

  describe.each(Object.entries(PLACEMENTS))("rules %s", (_name, { options, needed }) => {
    const { service, calls } = guardedService(options);
    const send = door.to(service);

    test.each(CALLERS)("for %s", async (caller) => {
      for (const request of REQUESTS) {
        calls.length = 0;
        const answer = await ask(send, request, caller);
        const verdict = verdictOf(caller, needed(request.action));
        if (verdict === "passed") {
          // A description mentions the rules.
          const expected = told(await ask(open, request, caller));
          if (request.path === "/g/openapi.json") expect(answer.status, request.name).toBe(expected.status);
          else expect(told(answer), request.name).toEqual(expected);
          expect(answer.status, request.name).toBeLessThan(300);
        } else {
          expectRefusal(answer, verdict);
          expect(calls, request.name).toEqual([]);
        }
      }
    });

    test("HEAD is authorized as GET, OPTIONS not at all", async () => {
      for (const request of REQUESTS.filter(({ method }) => method === "GET")) {
        const head = await ask(send, { ...request, method: "HEAD" }, null);
        const verdict = verdictOf(null, needed(request.action));
        expect(head.status, request.name).toBe(
          verdict === "passed" ? (await ask(open, request, null)).status : verdict,
        );
        expect(head.text).toBe("");
        if (verdict === 401) expect(head.headers).toMatchObject(CHALLENGE);
        expect((await ask(send, { ...request, method: "OPTIONS" }, null)).status).toBe(204);
      }
    });
  });

  describe("responses to a signed-in user", () => {
    test("is kept by no cache, whatever kind of answer it is", async () => {
      for (const request of REQUESTS) {
        const { headers, status } = await ask(open, request, "ann");
        expect(headers["cache-control"], request.name).toBe("no-store");
        expect(headers["vary"], `${request.name} ${String(status)}`).toMatch(/\bAuthorization\b/u);
        const { etag } = headers;
        if (request.action !== "read" || etag === undefined || status === 204) continue;
        const again = await ask(open, request, "ann", { "If-None-Match": etag });
        // `If-None-Match` has no effect on expansions and related entities.
        expect(again.status, request.name).toBe(/\$expand|Papers|Keeper/u.test(request.path) ? 200 : 304);
        expect(again.headers["cache-control"], request.name).toBe("no-store");
        expect(again.headers["vary"], request.name).toMatch(/\bAuthorization\b/u);
      }
    });

    test("does not change what others may keep", async () => {
      const { headers } = await open("/g/Folders(1)");
      expect(headers["cache-control"]).toBeUndefined();
      expect(headers["vary"]).toMatch(/\bAuthorization\b/u);
    });
  });

  orderOfChecks(door);
});

interface BadRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function orderOfChecks(door: Door): void {
  describe("the order of checks", () => {
    const { service, calls } = guardedService({ registration: authenticated(), folders: { all: role("member") } });
    const send = door.to(service);
    const BAD: readonly BadRequest[] = [
      { path: "/g/Folders?$format=xml" },
      { path: "/g/Folders", headers: { Accept: "image/png" } },
      { path: "/g/Folders(x)" },
      { path: "/g/Folders?$nope=1" },
      { path: "/g/Folders?$filter=Nope%20eq%201" },
      { path: "/g/Folders(99)" },
      { path: "/g/Folders", method: "POST", headers: { "Content-Type": "text/plain" }, body: "x" },
      { path: "/g/Folders", method: "POST", headers: { "Content-Type": "application/json" }, body: "{" },
      {
        path: "/g/Folders(1)",
        method: "PUT",
        headers: { "Content-Type": "application/json", "If-Match": '"x"' },
        body: '{"Id":2}',
      },
      { path: "/g/Folders(1)/Id", method: "PATCH", headers: { "Content-Type": "application/json" }, body: "{}" },
      { path: "/g/$metadata?$format=json" },
      { path: "/g/openapi.json", headers: { Accept: "image/png" } },
    ];

    test.each(BAD)("401 and 403 before $path $method $headers", async ({ path, headers, method, body }) => {
      calls.length = 0;
      expectRefusal(await send(path, headers, method, body), 401);
      if (path.includes("Folders")) {
        expectRefusal(await send(path, { ...headers, ...as("ann") }, method, body), 403);
      }
      expect(calls).toEqual([]);
    });

    test("version, 404 and 405 before 403, and 401 before 404 and 405", async () => {
      expect((await send("/g/Folders", { "OData-MaxVersion": "3.0" })).status).toBe(400);
      const user = as("ann");
      expect((await send("/g/Nope", user)).status).toBe(404);
      expect((await send("/g/Folders(1)/Nope", user)).status).toBe(404);
      const refused = await send("/g/Folders", user, "DELETE");
      expectError(refused, { status: 405, code: "MethodNotAllowed", headers: { allow: "GET, POST, HEAD, OPTIONS" } });
      expect((await send("/g/openapi.json", user, "POST")).status).toBe(405);
      for (const path of ["/g/Nope", "/g/Folders(1)/Nope"]) expectRefusal(await send(path), 401);
      for (const path of ["/g/Folders", "/g/openapi.json"]) expectRefusal(await send(path, {}, "PUT"), 401);
    });
  });
}
