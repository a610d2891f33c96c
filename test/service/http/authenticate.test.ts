import { authenticated, entitySet, odataError, odataService, ODataError } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, ERROR_HEADERS, expectError, type Send } from "./doors.ts";
import { Item, ITEMS, noFailures, recordingLogger } from "./model.ts";

type Authenticate = NonNullable<Parameters<typeof odataService>[0]["authenticate"]>;

/** A service of signed-in users, and the users that its handler has met. */
function serve(authenticate: Authenticate | undefined, logger = noFailures, challenge?: string) {
  const users: unknown[] = [];
  const items = entitySet(Item, {
    getAll: ({ user }) => {
      users.push(user);
      return ITEMS;
    },
  });
  const service = odataService({
    prefix: "/s",
    entitySets: [items],
    authorization: authenticated(),
    ...(authenticate === undefined ? {} : { authenticate }),
    ...(challenge === undefined ? {} : { challenge }),
    logger,
  });
  return { service, users };
}

/** Values that untyped code may return. */
const answering = (answer: () => unknown): Authenticate => answer as Authenticate;

eachDoor((door) => {
  const to = (authenticate: Authenticate | undefined): { readonly send: Send; readonly users: unknown[] } => {
    const { service, users } = serve(authenticate);
    return { send: door.to(service), users };
  };

  describe("authenticate", () => {
    test.each([
      ["at once", answering(() => ({ id: "ann" }))],
      ["by a promise", answering(() => Promise.resolve({ id: "ann" }))],
      ["asynchronously", answering(async () => ({ id: await Promise.resolve("ann") }))],
    ])("returns the user, %s", async (_how, authenticate) => {
      const { send, users } = to(authenticate);
      const answer = await send("/s/Items");
      expect(answer.status).toBe(200);
      expect(answer.headers["cache-control"]).toBe("no-store");
      expect(users).toEqual([{ id: "ann" }]);
    });

    test.each([null, undefined, false, "", Promise.resolve(null), Promise.resolve(undefined), Promise.resolve(false)])(
      "%o is anonymous",
      async (nobody) => {
        const { send, users } = to(answering(() => nobody));
        expectError(await send("/s/Items"), {
          status: 401,
          code: "Unauthorized",
          headers: { "www-authenticate": "Bearer" },
        });
        expect(users).toEqual([]);
      },
    );

    test("without it, every user is anonymous", async () => {
      expect((await to(undefined).send("/s/Items")).status).toBe(401);
    });

    test("the challenge is the configured one", async () => {
      const challenge = 'Basic realm="sheet", charset="UTF-8"';
      const send = door.to(serve(() => null, noFailures, challenge).service);
      const answer = await send("/s/$metadata");
      expect(answer.headers).toEqual({ ...ERROR_HEADERS, "www-authenticate": challenge });
      const head = await send("/s/Items", {}, "HEAD");
      expect([head.status, head.text, head.headers]).toEqual([
        401,
        "",
        { ...ERROR_HEADERS, "www-authenticate": challenge },
      ]);
    });

    test("an error that it returns or throws becomes the response", async () => {
      const error = odataError(401, "TokenExpired", "The token has expired.", { target: "Authorization" });
      for (const answer of [
        () => error,
        () => Promise.resolve(error),
        () => Promise.reject(error),
        () => {
          throw error;
        },
      ]) {
        const { send, users } = to(answering(answer));
        expectError(await send("/s/Items"), {
          status: 401,
          code: "TokenExpired",
          message: "The token has expired.",
          target: "Authorization",
          headers: { "www-authenticate": "Bearer" },
        });
        expect(users).toEqual([]);
      }
      const own = new ODataError(401, "Stale", "Again.", { headers: { "WWW-Authenticate": 'Digest nonce="x"' } });
      const stale = await to(answering(() => own)).send("/s/Items");
      expect(stale.headers["www-authenticate"]).toBe('Digest nonce="x"');
      const busy = await to(answering(() => odataError(503, "Busy", "The directory is busy."))).send("/s/Items");
      expectError(busy, { status: 503, code: "Busy" });
    });

    test("any other error is logged and not sent, and no handler is called", async () => {
      for (const answer of [
        () => Promise.reject(new Error("password in plain text")),
        () => {
          throw new Error("password in plain text");
        },
      ]) {
        const logger = recordingLogger();
        const { service, users } = serve(answering(answer), logger);
        const { status, json } = await door.to(service)("/s/Items");
        expect([status, json.error.code]).toEqual([500, "InternalServerError"]);
        expect(JSON.stringify(json)).not.toContain("password");
        expect(logger.errors).toHaveLength(1);
        expect(users).toEqual([]);
      }
    });

    test("it gets the request as the client sent it", async () => {
      const seen: unknown[] = [];
      const { send } = to(({ method, url, headers }) => {
        seen.push(method, url, headers.get("x-key"));
        return null;
      });
      await send("/s/Items?$top=1", { "X-Key": "k" });
      expect(seen).toEqual(["GET", "http://service.example/s/Items?$top=1", "k"]);
    });
  });
});
