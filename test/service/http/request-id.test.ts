import { connect } from "node:net";
import { edm, entitySet, entityType, odataService, type ServiceOptions } from "odatakit";
import { serve } from "odatakit/node";
import { expect, onTestFinished, test } from "vitest";
import { eachDoor, expectError } from "./doors.ts";
import { recordingLogger } from "./model.ts";

const NEW_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

/** A service whose handlers say which id they saw. */
function notes(options: Partial<ServiceOptions> = {}) {
  const seen: string[] = [];
  const logger = recordingLogger();
  const service = odataService({
    name: "s",
    logger,
    entitySets: [
      entitySet(Note, {
        getAll: ({ request }) => {
          seen.push(request.id);
          return [{ id: 1, text: "a" }];
        },
        getByKey: () => {
          throw new Error("The disk is full.");
        },
        create: ({ text }) => ({ id: 2, text }),
        delete: () => true,
      }),
    ],
    ...options,
  });
  return { service, seen, logger };
}

eachDoor((door) => {
  test("the id of the client comes back, and handlers see it", async () => {
    const { service, seen } = notes();
    for (const id of ["a", "A-1_b.c", "x".repeat(64)]) {
      const answer = await door.to(service)("/s/Notes", { "X-Request-Id": id });
      expect([answer.status, answer.requestId, seen.at(-1)]).toEqual([200, id, id]);
    }
  });

  test.each(["", " ", "a b", "a,b", "é", "x".repeat(65), "a/b", '"a"'])("the id %j is replaced", async (id) => {
    const { service, seen } = notes();
    const answer = await door.to(service)("/s/Notes", { "X-Request-Id": id });
    expect([answer.status, seen]).toEqual([200, [answer.requestId]]);
    expect(answer.requestId).toMatch(NEW_ID);
  });

  test("each request without an id gets its own, on every kind of response", async () => {
    const { service } = notes({ crossSiteWrites: "refuse" });
    const send = door.to(service);
    const post = { "Content-Type": "application/json" };
    const answers = [
      await send("/s/"),
      await send("/s/$metadata"),
      await send("/s/Notes/$count"),
      await send("/s/Notes", {}, "HEAD"),
      await send("/s/Notes", {}, "OPTIONS"),
      await send("/s/Notes", post, "POST", '{"Id":2,"Text":"b"}'),
      await send("/s/Notes(1)", {}, "DELETE"),
      await send("/s/Notes", { "Sec-Fetch-Site": "cross-site" }, "POST"),
      await send("/s/Notes(1)"),
      await send("/s/Nowhere"),
      await send("/s/Notes", {}, "DELETE"),
      await send("/s/Notes?$filter=x", { Accept: "application/json" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 204, 201, 204, 403, 500, 404, 405, 400]);
    for (const { requestId } of answers) expect(requestId).toMatch(NEW_ID);
    expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(answers.length);
  });

  test("the log names the id of a failed request, and the response body does not", async () => {
    const { service, logger } = notes();
    const answer = await door.to(service)("/s/Notes(1)?secret=x", { "X-Request-Id": "r-1" });
    expect(answer.requestId).toBe("r-1");
    expectError(answer, { status: 500, code: "InternalServerError" });
    expect(logger.errors).toEqual([
      {
        message: "A request failed.",
        fields: {
          requestId: "r-1",
          method: "GET",
          path: "/s/Notes(1)",
          status: 500,
          set: "Notes",
          err: new Error("The disk is full."),
        },
      },
    ]);
  });
});

test("a path of no service has an id, and so has a request that is not HTTP", async () => {
  const server = await serve(notes().service, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  const nowhere = await fetch(`${server.url}/nowhere`, { headers: { "X-Request-Id": "r-2" } });
  expect([nowhere.status, nowhere.headers.get("x-request-id")]).toEqual([404, "r-2"]);
  expect(nowhere.headers.get("x-content-type-options")).toBe("nosniff");
  const text = await new Promise<string>((resolve) => {
    let answer = "";
    const socket = connect(server.port, "127.0.0.1", () => socket.write("hello\r\n\r\n"));
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    socket.on("close", () => resolve(answer));
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(text).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
  expect(text).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/);
});
