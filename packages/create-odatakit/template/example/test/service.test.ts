import assert from "node:assert/strict";
import process from "node:process";
import test, { after } from "node:test";

const STAFF = "a-key-of-staff-for-tests";
const ADA = "a-key-of-ada-for-the-tests";
process.env["API_KEYS"] = `${STAFF}:staff,${ADA}:1`;
const { service } = await import("../src/service.ts");
const { db } = await import("../src/model/database.ts");

after(() => db.destroy());

/** Sends a request as the user of a key. */
async function send(path: string, key?: string, method = "GET"): Promise<{ status: number; body: string }> {
  const headers: Record<string, string> = key === undefined ? {} : { "X-Api-Key": key };
  const response = await service.fetch(new Request(`http://shop.example/odata/${path}`, { method, headers }));
  return { status: response.status, body: await response.text() };
}

test("the declarations fit the tables", async () => {
  await service.ready();
});

test("everybody reads products, and nobody else's orders", async () => {
  assert.deepEqual(await send("Products/$count"), { status: 200, body: "3" });
  assert.equal((await send("Products?$filter=Price lt 50&$orderby=Name")).status, 200);
  assert.equal((await send("Orders")).status, 401);
  assert.equal((await send("Orders", "an-unknown-key-of-nobody")).status, 401);
});

test("customers see their own orders, along every path", async () => {
  assert.deepEqual(await send("Orders/$count", STAFF), { status: 200, body: "3" });
  assert.deepEqual(await send("Orders/$count", ADA), { status: 200, body: "2" });
  assert.equal((await send("Orders(3)", ADA)).status, 404);
  assert.equal((await send("Customers(2)/Orders", ADA)).status, 404);
  const { body } = await send("Customers?$expand=Orders($select=Id)", ADA);
  const { value } = JSON.parse(body) as { value: readonly { readonly Orders: readonly unknown[] }[] };
  assert.deepEqual(
    value.map((customer) => customer.Orders),
    [[{ Id: 1 }, { Id: 2 }]],
  );
});

test("only staff deletes orders", async () => {
  assert.equal((await send("Orders(3)", undefined, "DELETE")).status, 401);
  assert.equal((await send("Orders(3)", ADA, "DELETE")).status, 403);
});
