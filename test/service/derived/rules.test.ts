import { role } from "odatakit";
import { describe, expect, test } from "vitest";
import { nodeDoor } from "../http/doors.ts";
import { PLACES, type Zoo } from "./zoo.ts";

interface Row {
  readonly name: { ne(value: string): unknown };
}

const JSON_BODY = { "content-type": "application/json" };

async function send(zoo: Zoo, method: string, path: string, body?: unknown, headers = {}): Promise<unknown> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const { status, json } = await nodeDoor.to(zoo.service)(`/odata/${path}`, { ...JSON_BODY, ...headers }, method, text);
  const { error, value } = (json ?? {}) as { error?: { code: string; target?: string }; value?: unknown };
  return [status, error === undefined ? (value ?? json) : `${error.code} ${error.target ?? ""}`.trim()];
}

describe.each(PLACES)("rules of derived types in $title", ({ open }) => {
  test("row rules apply to casts and to writes through them", async () => {
    const rows = (_user: unknown, row: Row): unknown => row.name.ne("Rex");
    const zoo = await open({ authorization: { rows } }, { authenticate: () => ({ id: "ann" }) });
    expect(await send(zoo, "GET", "Animals/Zoo.Dog?$select=Id")).toEqual([
      200,
      [{ "@odata.type": "#Zoo.Puppy", Id: 3 }],
    ]);
    expect(await send(zoo, "GET", "Animals(1)/Zoo.Dog")).toEqual([404, "NotFound"]);
    expect(await send(zoo, "PATCH", "Animals(1)/Zoo.Dog", { Barks: 9 })).toEqual([404, "NotFound"]);
    expect(await send(zoo, "PATCH", "Animals(3)/Zoo.Dog", { Name: "Rex" })).toEqual([403, "Forbidden"]);
    expect(await send(zoo, "PATCH", "Animals(3)/Zoo.Dog?$select=Barks", { Barks: 9 })).toMatchObject([
      200,
      { Barks: 9 },
    ]);
    expect(await send(zoo, "DELETE", "Animals(1)/Zoo.Dog")).toEqual([204, undefined]);
    expect(zoo.failures).toEqual([]);
    await zoo.close();
  });

  test("property rules of derived properties", async () => {
    const zoo = await open(
      { authorization: { properties: { barks: { read: role("vet"), update: role("vet") } } } },
      { authenticate: ({ headers }) => ({ roles: [headers.get("x-role") ?? ""] }) },
    );
    expect(await send(zoo, "GET", "Animals(1)/Zoo.Dog?$select=Id,Breed")).toMatchObject([200, { Id: 1, Breed: "Pug" }]);
    expect(await send(zoo, "GET", "Animals(1)/Zoo.Dog/Barks")).toEqual([403, "Forbidden Barks"]);
    expect(await send(zoo, "GET", "Animals?$filter=Zoo.Dog/Barks%20gt%201")).toMatchObject([403, /^Forbidden/]);
    expect(await send(zoo, "GET", "Animals?$select=Zoo.Dog/Barks")).toMatchObject([403, /^Forbidden/]);
    expect(await send(zoo, "PATCH", "Animals(1)/Zoo.Dog", { Barks: 9 })).toEqual([403, "Forbidden Barks"]);
    const [, all] = (await send(zoo, "GET", "Animals")) as [number, object[]];
    expect(all.filter((each) => "Barks" in each)).toEqual([]);
    const vet = { "x-role": "vet" };
    expect(await send(zoo, "PATCH", "Animals(1)/Zoo.Dog", { Barks: 9 }, vet)).toMatchObject([200, { Barks: 9 }]);
    expect(zoo.failures).toEqual([]);
    await zoo.close();
  });

  test("hooks receive the type, and ETags guard writes through casts", async () => {
    const seen: unknown[] = [];
    const zoo = await open({
      etag: ["version"],
      before: { create: ({ entity }: { entity: object }) => void seen.push(Reflect.get(entity, "@odata.type")) },
    });
    const cat = { "@odata.type": "#Zoo.Cat", Id: 8, Name: "Kim", Version: 1 };
    expect(await send(zoo, "POST", "Animals", cat)).toMatchObject([201, { "@odata.type": "#Zoo.Cat", Lives: 9 }]);
    expect(seen).toEqual(["Cat"]);
    expect(await send(zoo, "PATCH", "Animals(8)/Zoo.Cat", { Lives: 1 }, { "if-match": '"x"' })).toEqual([
      412,
      "PreconditionFailed",
    ]);
    const { headers } = await nodeDoor.to(zoo.service)("/odata/Animals(8)/Zoo.Cat");
    const tag = { "if-match": headers["etag"] ?? "" };
    expect(await send(zoo, "PATCH", "Animals(8)/Zoo.Cat", { Lives: 1 }, tag)).toMatchObject([200, { Lives: 1 }]);
    expect(await send(zoo, "DELETE", "Animals(8)/Zoo.Cat", undefined, tag)).toEqual([204, undefined]);
    expect(zoo.failures).toEqual([]);
    await zoo.close();
  });

  test("parts of batches write and read derived types", async () => {
    const zoo = await open({}, { batch: { json: true } });
    const dog = { "@odata.type": "#Zoo.Dog", Id: 9, Name: "Max", Version: 1, Barks: 3 };
    const requests = [
      { id: "1", method: "post", url: "Animals", body: dog },
      { id: "2", method: "patch", url: "Animals(9)/Zoo.Dog", body: { Barks: 4 }, dependsOn: ["1"] },
      { id: "3", method: "get", url: "Animals/Zoo.Dog(9)?$select=Barks", dependsOn: ["2"] },
    ];
    const { json } = await nodeDoor.to(zoo.service)("/odata/$batch", JSON_BODY, "POST", JSON.stringify({ requests }));
    const { responses } = json as { responses: Array<{ status: number; body?: object }> };
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200]);
    expect(responses[2]?.body).toMatchObject({ Barks: 4 });
    await zoo.close();
  });
});
