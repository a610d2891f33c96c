import assert from "node:assert/strict";
import test, { after } from "node:test";
import { db } from "../src/model/database.ts";
import { service } from "../src/service.ts";

after(() => db.destroy());

test("the declarations fit the database", async () => {
  await service.ready();
});

test("each entity set can be read", async () => {
  const root = await service.fetch(new Request("http://service.example/odata"));
  assert.equal(root.status, 200);
  const { value } = (await root.json()) as { value: readonly { readonly url: string }[] };
  for (const { url } of value) {
    const response = await service.fetch(new Request(`http://service.example/odata/${url}?$top=1`));
    assert.equal(response.status, 200, await response.text());
  }
});
