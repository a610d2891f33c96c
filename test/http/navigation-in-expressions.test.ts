import { describe, expect, test } from "vitest";
import { eachDoor, type Send, url } from "./doors.ts";
import { LOADS, shop } from "./navigation-model.ts";

/** What each filter of orders leaves, by their keys. */
const FILTERS: readonly (readonly [filter: string, ids: readonly number[]])[] = [
  // Paths, one and two levels deep; no customer, and an unknown one, are null.
  ["Customer/Name eq 'Ada'", [1, 5]],
  ["customer/name eq 'Ada'", [1, 5]],
  ["$it/Customer/Name eq 'Ada'", [1, 5]],
  ["Customer/Name ne 'Ada'", [2, 3, 4, 6]],
  ["Customer/Name eq null", [2, 4, 6]],
  ["Customer/Name ne null", [1, 3, 5]],
  ["not (Customer/Name eq 'Ada')", [2, 3, 4, 6]],
  ["Customer/Name gt 'B'", [3]],
  ["not (Customer/Name gt 'B')", [1, 2, 4, 5, 6]],
  ["contains(Customer/Name,'a')", [1, 3, 5]],
  ["not contains(Customer/Name,'i')", [1, 5]],
  ["Customer/Country/Name eq 'Norway'", [1, 5]],
  ["Customer/Country/Name ne 'Norway'", [2, 3, 4, 6]],
  ["Customer/Id add 1 eq Id", []],
  ["Customer/Id eq Id", [1, 2, 3]],
  ["Customer/Name in ('Ada','Cai')", [1, 3, 5]],
  // A single entity beside null.
  ["Customer eq null", [4, 6]],
  ["Customer ne null", [1, 2, 3, 5]],
  ["null ne Customer", [1, 2, 3, 5]],
  ["Customer/Country eq null", [3, 4, 6]],
  // Collections of values of a related entity.
  ["Customer/Tags/any(t:t eq 'old')", [1, 5]],
  ["'gold' in Customer/Tags", [1, 3, 5]],
  ["Customer/Tags/$count eq 0", [2]],
  ["Customer/Tags/all(t:t eq 'gold')", [2, 3, 4, 6]],
  // any, all and $count over related entities, empty lists too.
  ["Lines/any()", [1, 2, 5]],
  ["not Lines/any()", [3, 4, 6]],
  ["Lines/any(l:l/Quantity gt 4)", [1, 5]],
  ["Lines/all(l:l/Quantity lt 5)", [2, 3, 4, 6]],
  ["Lines/any(l:l/ProductId eq null)", [2]],
  ["Lines/$count eq 0", [3, 4, 6]],
  ["Lines/$count gt 1", [1, 5]],
  ["Lines/any(l:l/Product/Price gt 10)", [1, 5]],
  ["Lines/all(l:l/Product/Name ne 'Tea')", [2, 3, 4, 5, 6]],
  ["Lines/any(l:l/Product eq null)", [2]],
  ["Lines/any(l:l/OrderId ne $it/Id)", []],
  ["Lines/any(l:l/Quantity eq $it/Id)", [1, 2]],
  ["Lines/any(l:l/Quantity gt Id and l/Quantity lt 9)", [1]],
  ["Lines/any(l:l/Product/Name eq tolower(Customer/Name))", [2, 5]],
  ["Lines/any(l:l/Product/Name eq tolower($it/Customer/Name))", [2, 5]],
  // Nested, over navigations and over values.
  ["Lines/any(l:Lines/any(m:m/Number ne l/Number and m/ProductId eq l/ProductId))", [5]],
  ["Customer/Orders/any(o:o/Lines/any(l:l/Quantity eq 9))", [1, 5]],
  ["Customer/Orders/any(o:o/Lines/all(l:l/Quantity ge 1 and o/Id ne $it/Id))", [1, 3, 5]],
  ["Customer/Orders/$count eq 2", [1, 5]],
  ["Customer/Orders/$count eq 0", []],
  ["Customer/Orders/any(o:o/Customer/Country/Code eq 'NO')", [1, 5]],
  ["Lines/any(l:$it/Customer/Tags/any(t:t eq 'old' and l/Quantity eq 9))", [5]],
  // Beside conditions on the order itself.
  ["Id lt 5 and Customer/Name eq 'Ada'", [1]],
  ["Customer/Name eq 'Ada' and Id gt 1 and Lines/any()", [5]],
  ["Id eq 4 or Customer/Name eq 'Cai'", [3, 4]],
  // $root.
  ["$root/Customers(1)/Name eq Customer/Name", [1, 5]],
  ["Lines/any(l:l/Quantity eq $root/Lines(OrderId=5,Number=3)/Quantity)", [5]],
  ["$root/Countries('o''n')/Name eq 'O''Neil' and Id eq 1", [1]],
  ["$root/Customers(77)/Name eq null and Id eq 1", [1]],
  ["$root/Customers(77) eq null and Id eq 1", [1]],
  ["$root/Customers(1) ne null and Id eq 1", [1]],
  ["$root/Customers(1)/Country/Name eq 'Norway' and Id eq 1", [1]],
  ["$root/Orders(5)/Lines/$count eq 3 and Id eq 2", [2]],
  ["$root/Customers(1)/Tags/any(t:t eq 'old') and Id eq 3", [3]],
];

/** The order of all orders by each `$orderby`; ties by key, in the direction of the last term. */
const ORDERS_BY: readonly (readonly [orderBy: string, ids: readonly number[]])[] = [
  ["Customer/Name", [2, 4, 6, 1, 5, 3]],
  ["Customer/Name desc", [3, 5, 1, 6, 4, 2]],
  ["Customer/Country/Name desc,Id", [1, 5, 2, 3, 4, 6]],
  ["Lines/$count desc,Customer/Id,Id", [5, 1, 2, 4, 6, 3]],
  ["Lines/any(l:l/Product/Name eq 'Pot') desc,Id desc", [5, 1, 6, 4, 3, 2]],
  ["Customer/Orders/$count,Id", [4, 6, 2, 3, 1, 5]],
  ["length(Customer/Name) add Id desc", [5, 3, 1, 6, 4, 2]],
  ["$root/Customers(1)/Name,Id desc", [6, 5, 4, 3, 2, 1]],
];

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
