import { afterAll, describe, expect, test } from "vitest";
import { eachDoor, EMPTY_HEADERS, expectAnswer, expectError, JSON_HEADERS, type Send } from "./doors.ts";
import { context, peopleByHandlers, peopleByTable, type Profile } from "./profile-model.ts";

const opened: Array<{ readonly close: () => Promise<void> }> = [];
afterAll(async () => {
  await Promise.all(opened.map(async (service) => service.close()));
});

const FORMS = [
  ["handlers", async (profile: Profile) => Promise.resolve(peopleByHandlers(profile))],
  [
    "a table",
    async (profile: Profile) => {
      const service = await peopleByTable(profile);
      opened.push(service);
      return service;
    },
  ],
] as const;

const JSON_BODY = { "Content-Type": "application/json" };
const NEEDS_STANDARD = /need a service with the profile of the standard\.$/u;
const plain = (body: string) => ({ headers: { ...JSON_HEADERS, "content-type": "text/plain" }, body });

eachDoor((door) => {
  describe.each(FORMS)("paths into values, over %s", (_form, make) => {
    const open = async (profile: Profile): Promise<Send> => door.to(await make(profile));

    test("the count of a collection-valued property is plain text", async () => {
      const send = await open("standard");
      expectAnswer(await send("/p/People(1)/Tags/$count"), plain("1"));
      expectAnswer(await send("/p/People(2)/Tags/$count", { Accept: "application/json" }), plain("0"));
      expectError(await send("/p/People(9)/Tags/$count"), { status: 404, code: "NotFound" });
      expect((await send("/p/People(1)/Tags/$count", {}, "PUT", "{}")).status).toBe(405);
      const filtered = await send("/p/People(1)/Tags/$count?$filter=true");
      expectError(filtered, { status: 400, code: "UnsupportedQueryOption", target: "$filter" });
    });

    test("reads a member, its raw value, and null along the way", async () => {
      const send = await open("standard");
      expectAnswer(await send("/p/People(1)/Home/City"), {
        body: { ...context("#People(1)/Home/City"), value: "Rome" },
      });
      expectAnswer(await send("/p/People(1)/Home/City/$value"), plain("Rome"));
      expectAnswer(await send("/p/People(1)/Home/Zip/$value"), plain("7"));
      for (const path of ["Home/City", "Home/City/$value"]) {
        expectAnswer(await send(`/p/People(2)/${path}`), { status: 204, headers: EMPTY_HEADERS, body: "" });
        expectError(await send(`/p/People(9)/${path}`), { status: 404, code: "NotFound" });
      }
      const full = await send("/p/People(1)/Home/Zip", { Accept: "application/json;odata.metadata=full" });
      expect(full.json).toEqual({ ...context("#People(1)/Home/Zip"), "@odata.type": "#Int32", value: 7 });
    });

    test("writes a member", async () => {
      const send = await open("standard");
      const write = (method: string, path: string, body?: unknown) =>
        body === undefined
          ? send(`/p/People(1)/${path}`, {}, method)
          : send(`/p/People(1)/${path}`, JSON_BODY, method, JSON.stringify(body));
      expectAnswer(await write("PUT", "Home/City", { value: "Ulm" }), {
        status: 204,
        headers: EMPTY_HEADERS,
        body: "",
      });
      expect((await write("PATCH", "Home/Zip", { value: 8 })).status).toBe(204);
      expect((await send("/p/People(1)")).json.Home).toEqual({ Street: "Via 1", City: "Ulm", Zip: 8 });
      expect((await write("DELETE", "Home/City")).status).toBe(204);
      expect((await send("/p/People(1)/Home/City")).status).toBe(204);
      expectError(await write("DELETE", "Home/Street"), {
        status: 400,
        code: "NullNotAllowed",
        target: "Home/Street",
      });
      expectError(await write("PUT", "Home/Zip", { value: "x" }), {
        status: 400,
        code: "InvalidBody",
        target: "Home/Zip",
      });
      expect((await write("PUT", "Home/City/$value", { value: "x" })).status).toBe(405);
      expect((await write("POST", "Home/City", { value: "x" })).status).toBe(405);
    });

    test("the default profile refuses these paths, and says why", async () => {
      const send = await open("specification");
      for (const path of ["Tags/$count", "Home/City", "Home/City/$value"]) {
        for (const method of ["GET", "PUT"]) {
          const answer = await send(`/p/People(1)/${path}`, {}, method);
          expectError(answer, { status: 404, code: "NotFound", message: NEEDS_STANDARD });
        }
      }
      const unknown = await send("/p/People(1)/Home/Town");
      expectError(unknown, { status: 404, code: "NotFound", message: /Read 'Home' as a whole\. Paths into complex/u });
    });
  });
});
