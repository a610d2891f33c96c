import { spawn } from "node:child_process";
import { once } from "node:events";
import { serve } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { v1, v2 } from "../../examples/versions/services.ts";

let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  server = await serve([v1, v2], { port: 0 });
});
afterAll(() => server.close());

/** The status and the body of an answer, without the address of the server. */
async function get(path: string): Promise<readonly [number, unknown]> {
  const response = await fetch(server.url + path);
  const text = (await response.text()).replaceAll(server.url, "");
  return [response.status, response.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : text];
}

describe("two versions behind one server", () => {
  test("the service documents", async () => {
    const items = ["Categories", "Products"].map((name) => ({ name, kind: "EntitySet", url: name }));
    expect(await get("/v1")).toEqual([200, { "@odata.context": "/v1/$metadata", value: items }]);
    expect(await get("/v2/")).toEqual([200, { "@odata.context": "/v2/$metadata", value: items }]);
  });

  test("one declaration in both, each with its names and limits", async () => {
    expect(await get("/v1/Categories(1)")).toEqual([
      200,
      {
        "@odata.context": "/v1/$metadata#Categories/$entity",
        "@odata.id": "/v1/Categories(1)",
        Id: 1,
        CategoryName: "Chairs",
      },
    ]);
    expect(await get("/v2/Categories(1)")).toEqual([
      200,
      {
        "@odata.context": "/v2/$metadata#Categories/$entity",
        "@odata.id": "/v2/Categories(1)",
        id: 1,
        categoryName: "Chairs",
      },
    ]);
    expect((await get("/v1/Categories?$top=500"))[0]).toBe(200);
    expect((await get("/v2/Categories?$top=500"))[0]).toBe(400);
  });

  test("one name with two definitions", async () => {
    expect(await get("/v1/Products?$top=1")).toEqual([
      200,
      { "@odata.context": "/v1/$metadata#Products", value: [{ Id: 1, Title: "Stool", Price: 24.5 }] },
    ]);
    expect(await get("/v2/Products?$top=1&$expand=category")).toEqual([
      200,
      {
        "@odata.context": "/v2/$metadata#Products",
        value: [{ id: 1, name: "Stool", price: 24.5, categoryId: 1, category: { id: 1, categoryName: "Chairs" } }],
      },
    ]);
    expect((await get("/v1/Products?$expand=category"))[0]).toBe(400);
    expect((await get("/v1/Products(1)"))[0]).toBe(404);
    expect((await get("/v2/Products(1)"))[0]).toBe(200);
    const [[, first], [, second]] = [await get("/v1/$metadata"), await get("/v2/$metadata")];
    expect(first).toContain('Namespace="Default"');
    expect(first).not.toContain("NavigationProperty");
    expect(second).toContain('Namespace="Furniture"');
    expect(second).toContain('<NavigationProperty Name="category"');
  });

  test("elsewhere is 404", async () => {
    expect((await get("/v3/Products"))[0]).toBe(404);
    expect((await get("/Products"))[0]).toBe(404);
  });
});

test("it runs as its page says", async () => {
  const child = spawn(process.execPath, ["--conditions=source", "examples/versions/main.ts"], {
    env: { ...process.env, PORT: "0" },
  });
  try {
    let text = "";
    child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
    while (!text.includes("\n")) text += String((await once(child.stdout, "data"))[0]);
    const address = /http:\S+\/v2\/Products\S*/u.exec(text)?.[0] ?? text;
    expect((await fetch(address)).status).toBe(200);
  } finally {
    child.kill("SIGKILL");
  }
});
