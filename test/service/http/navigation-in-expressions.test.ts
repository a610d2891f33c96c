import { describe, expect, test } from "vitest";
import { eachDoor, type Send, url } from "./doors.ts";
import { FILTERS, ORDERS_BY } from "./navigation-cases.ts";
import { LOADS, shop } from "./navigation-model.ts";

async function idsFor(send: Send, path: string, options: Readonly<Record<string, string>>): Promise<unknown> {
  const answer = await send(url(path, { $select: "Id", ...options }));
  expect(answer.status, answer.text).toBe(200);
  return (answer.json.value as readonly { readonly Id: number }[]).map(({ Id }) => Id);
}

eachDoor((door) => {
  describe.each(LOADS)("related entities from %s", (load) => {
    const { service, logged } = shop({ load });
    const send = door.to(service);

    test.each(FILTERS)("$filter=%s", async (filter, ids) => {
      expect(await idsFor(send, "/s/Orders", { $filter: filter })).toEqual(ids);
      const count = await send(url("/s/Orders/$count", { $filter: filter }));
      expect([count.status, count.text]).toEqual([200, String(ids.length)]);
    });

    test.each(ORDERS_BY)("$orderby=%s", async (orderBy, ids) => {
      expect(await idsFor(send, "/s/Orders", { $orderby: orderBy })).toEqual(ids);
    });

    test("nothing of it is a fault", () => {
      expect(logged).toEqual([]);
    });
  });
});
