import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { openGeneratedClient, type GeneratedClient } from "./generated-client.ts";

let client: GeneratedClient;

afterEach(() => client.close());

/**
 * Generates a client with the command of its guide, and compiles it strictly with two programs. The program of the guide
 * must print the output in the guide. Returns the output of the other program.
 */
async function generateAndUse(name: string): Promise<unknown> {
  client = await openGeneratedClient(name);
  await client.generate();
  await cp(fileURLToPath(new URL(`uses/${name}.ts`, import.meta.url)), `${client.folder}/use.ts`);
  await client.compile();
  expect((await client.use("guide")).trim()).toBe(client.guide.prints);
  const printed = await client.use("use", client.url);
  return JSON.parse(printed.trim().split("\n").at(-1) ?? "");
}

test("the SAP Cloud SDK generates a client that lists, counts, searches, saves with ETags, calls operations and sends batches", async () => {
  expect(await generateAndUse("sap-cloud-sdk")).toEqual({
    list: [
      [59, "Product 59", "59.5", "Lamps & more"],
      [58, "Product 58", "58.5", "Tables"],
    ],
    count: "60",
    categories: ["Chairs"],
    created: 61,
    changed: "Changed",
    conflict: 412,
    above: 11,
    next: [58, 57],
    found: ["Product 05"],
    restocked: 20,
    batch: [true, true],
  });
  const names = await client.shop.names();
  expect(names.slice(0, 4)).toEqual(["Product 01", "Changed", "Product 03", "Changed in a batch"]);
  expect(names.slice(-2)).toEqual(["New", "Added"]);
});

test("odata2ts generates a client that lists, reads, searches, saves with ETags, replaces, deletes and calls operations", async () => {
  expect(await generateAndUse("odata2ts")).toMatchObject({
    list: {
      "@odata.count": 4,
      value: [
        { Id: 51, Name: "Product 51", Category: { Name: "Chairs" } },
        { Id: 41, Name: "Product 41", Category: { Name: "Lamps & more" } },
      ],
    },
    one: { Id: 3, Name: "Product 03", Price: 3.5 },
    created: { Id: 61, Name: "New" },
    statuses: [201, 200, 204],
    guarded: [200, 412, 412],
    above: { value: 11 },
    next: { value: [{ Id: 3 }, { Id: 5 }] },
    found: { value: [{ Name: "Product 05" }] },
    discounted: 1.75,
    restocked: { value: 20 },
    replaced: [200, { Id: 5, Name: "Replaced", CategoryId: null }],
    after: { value: 5.85 },
    highest: { value: 61 },
  });
  expect((await client.shop.names()).slice(0, 4)).toEqual(["Product 01", "Changed", "Product 03", "Replaced"]);
});
