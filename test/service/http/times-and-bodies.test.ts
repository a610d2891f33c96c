import { action, ConfigurationError, edm, entitySet, entityType, odataService } from "odatakit";
import { expect, test } from "vitest";
import { multipart, MULTIPART } from "./batch-model.ts";
import { expectError, nodeDoor } from "./doors.ts";
import { noFailures } from "./model.ts";

const Item = entityType("Item", { id: edm.int32().key(), text: edm.string() });
const ITEMS = [{ id: 1, text: "a" }];
const items = () => entitySet(Item, { getAll: () => ITEMS });
const LONGEST = 2_147_483_647;

test.each(["queryTimeout", "transactionTimeout"])("%s is a time of a timer, or null", (name) => {
  const start = (time: number | null) => odataService({ entitySets: [items()], defaults: { [name]: time } });
  for (const time of [1, LONGEST, null]) expect(() => start(time)).not.toThrow();
  for (const time of [0, LONGEST + 1, 1e12]) {
    expect(() => start(time)).toThrow(ConfigurationError);
    expect(() => start(time)).toThrow(`Give a whole number from 1 to ${String(LONGEST)}, or null for no limit.`);
  }
});

test("the time of a batch is one, too", () => {
  const start = (timeout: number | null) => odataService({ entitySets: [items()], batch: { timeout } });
  for (const time of [1, LONGEST, null]) expect(() => start(time)).not.toThrow();
  expect(() => start(LONGEST + 1)).toThrow(ConfigurationError);
});

test.each([undefined, 20_000, null])(
  "maxUrlLength %s limits single requests and operations of batches",
  async (maxUrlLength) => {
    const send = nodeDoor.to(
      odataService({
        prefix: "/s",
        entitySets: [items()],
        batch: { json: true },
        defaults: { maxUrlLength },
        logger: noFailures,
      }),
    );
    for (const length of [16_200, 18_000, 30_000]) {
      const url = `Items?$filter=Id%20eq%201&x=${"x".repeat(length)}`;
      const status = length < (maxUrlLength === null ? Infinity : (maxUrlLength ?? 16_384)) ? 200 : 400;
      const single = await send("/s/$batch", MULTIPART, "POST", multipart([{ request: `GET ${url}` }]));
      expect([length, single.text.match(/HTTP\/1\.1 \d+/gu)]).toEqual([length, [`HTTP/1.1 ${String(status)}`]]);
      if (status === 400) {
        expect(single.text).toMatch(/InvalidQueryOption.*The URL has \d+ characters, but the limit is/u);
      }
      const body = JSON.stringify({ requests: [{ id: "1", method: "GET", url }] });
      const json = await send("/s/$batch", { "Content-Type": "application/json" }, "POST", body);
      expect([length, json.json.responses[0].status]).toEqual([length, status]);
    }
  },
);

test.each(["specification", "standard"] as const)("an absent body of an action, profile %s", async (profile) => {
  const params = { note: edm.string().nullable(), times: edm.int32().default(2) };
  const handler = (given: object): string => JSON.stringify(given);
  const send = nodeDoor.to(
    odataService({
      prefix: "/s",
      profile,
      logger: noFailures,
      batch: { json: true },
      entitySets: [
        entitySet(Item, {
          getAll: () => ITEMS,
          getByKey: () => ITEMS[0]!,
          actions: {
            ofAll: action({ bound: "collection", params, returns: edm.string(), handler }),
            ofOne: action({ bound: "entity", params, returns: edm.string(), handler: (_key, given) => handler(given) }),
          },
        }),
      ],
      actions: {
        free: action({ params, returns: edm.string(), handler }),
        bound: action({ params: { need: edm.string() }, returns: edm.string(), handler }),
      },
    }),
  );
  const expected = profile === "standard" ? 200 : 400;
  for (const path of ["free", "Items/ofAll", "Items(1)/ofOne"]) {
    for (const headers of [
      {},
      { "Content-Length": "0" },
      { "Content-Type": "application/json", "Content-Length": "0" },
    ]) {
      const answer = await send(`/s/${path}`, headers, "POST");
      expect([path, answer.status]).toEqual([path, expected]);
      if (expected === 200) expect(answer.json.value).toBe('{"note":null,"times":2}');
      else expectError(answer, { status: 400, code: "InvalidBody", message: /The body is empty/u });
    }
    const parts = await send(
      "/s/$batch",
      { ...MULTIPART, Prefer: "continue-on-error" },
      "POST",
      multipart([[{ request: `POST ${path}` }], { request: `POST ${path}` }]),
    );
    expect(parts.text.match(/HTTP\/1\.1 \d+/gu)).toEqual(Array(2).fill(`HTTP/1.1 ${String(expected)}`));
    const body = JSON.stringify({ requests: [{ id: "1", method: "POST", url: path }] });
    const json = await send("/s/$batch", { "Content-Type": "application/json" }, "POST", body);
    expect(json.json.responses[0].status).toBe(expected);
  }
  expect((await send("/s/bound", {}, "POST")).status).toBe(400);
  expect((await send("/s/free", { "Content-Type": "application/json" }, "POST", "null")).status).toBe(400);
});
