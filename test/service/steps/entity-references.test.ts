import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Answer, type HeaderTable, nodeDoor, type Send } from "../http/doors.ts";
import { PLACES, type Running } from "./step-model.ts";

const ROOT = "http://service.example/odata";
const ANN: HeaderTable = { authorization: "1" };

function codeOf({ status, json }: Answer): readonly unknown[] {
  return [status, json?.error?.code, json?.error?.target];
}

const ref = (path: string) => ({ "@odata.id": `${ROOT}/${path}` });
const refs = (...paths: readonly string[]) => ({
  "@odata.context": `${ROOT}/$metadata#Collection($ref)`,
  value: paths.map(ref),
});

describe.each(PLACES)("references in $title", ({ start }) => {
  let running: Running;
  let send: Send;
  beforeEach(async () => {
    running = await start();
    send = nodeDoor.to(running.service);
  });
  afterEach(() => running.close());
  const get = (path: string, headers: HeaderTable = ANN): Promise<Answer> => send(`/odata/${path}`, headers);

  test("of a set have only @odata.id", async () => {
    const answer = await get("Customers/$ref");
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "application/json;odata.metadata=minimal",
      "cache-control": "no-store",
      "odata-version": "4.0",
    });
    expect(answer.json).toEqual(refs("Customers(1)", "Customers(2)"));
    expect((await get("Lines/$ref?$top=1")).json).toEqual(refs("Lines(OrderId=10,Number=1)"));
    expect((await get("Customers/$ref?$format=application/json;odata.metadata=none")).json).toEqual({
      value: [ref("Customers(1)"), ref("Customers(2)")],
    });
  });

  test("of a set take the options that choose entities", async () => {
    expect((await get("Customers/$ref?$filter=Name%20eq%20'Ben'")).json).toEqual(refs("Customers(2)"));
    expect((await get("Customers/$ref?$orderby=Name%20desc&$skip=1&$top=1")).json).toEqual(refs("Customers(1)"));
    expect((await get("Orders/$ref?$filter=Customer/Name%20eq%20'Ben'&$count=true")).json).toEqual({
      ...refs("Orders(12)"),
      "@odata.count": 1,
    });
    for (const option of ["$select=Name", "$expand=Orders", "$apply=identity", "$compute=1%20as%20X", "$id=x"]) {
      expect(codeOf(await get(`Customers/$ref?${option}`)), option).toEqual([
        400,
        "UnsupportedQueryOption",
        option.slice(0, option.indexOf("=")),
      ]);
    }
  });

  test("of a set come in pages", async () => {
    const first = await get("Orders/$ref?$orderby=Title", { ...ANN, prefer: "odata.maxpagesize=2" });
    expect(first.json.value).toEqual([ref("Orders(12)"), ref("Orders(13)")]);
    const next: string = first.json["@odata.nextLink"];
    expect(next).toContain(`${ROOT}/Orders/$ref?$orderby=Title`);
    const second = await get(next.slice(`${ROOT}/`.length));
    expect(second.json).toEqual(refs("Orders(11)", "Orders(14)", "Orders(10)"));
    const query = { ...ANN, "content-type": "text/plain" };
    const sent = await send("/odata/Orders/$ref/$query", query, "POST", "$filter=Id eq 11");
    expect(sent.json).toEqual(refs("Orders(11)"));
  });

  test("of an entity", async () => {
    const answer = await get("Customers(2)/$ref");
    expect([answer.status, answer.json]).toEqual([
      200,
      { "@odata.context": `${ROOT}/$metadata#$ref`, ...ref("Customers(2)") },
    ]);
    expect(answer.headers["etag"]).toBeUndefined();
    expect((await get("Lines(Number=2,OrderId=10)/$ref")).json).toMatchObject(ref("Lines(OrderId=10,Number=2)"));
    expect((await get("Me/$ref")).json).toEqual({ "@odata.context": `${ROOT}/$metadata#$ref`, ...ref("Customers(1)") });
    expect(codeOf(await get("Customers(3)/$ref"))).toEqual([404, "NotFound", undefined]);
    expect(codeOf(await get("Customers(7)/$ref"))).toEqual([404, "NotFound", undefined]);
    expect(codeOf(await get("Customers('x')/$ref"))).toEqual([400, "InvalidKey", "key"]);
    expect(codeOf(await get("Customers(1)/$ref?$select=Name"))).toEqual([400, "UnsupportedQueryOption", "$select"]);
    expect(codeOf(await get("Customers(1)/$ref/Name"))).toEqual([404, "NotFound", undefined]);
    for (const path of ["Customers/$ref", "Customers(1)/$ref"]) {
      expect(codeOf(await get(path, {})), path).toEqual([401, "Unauthorized", undefined]);
      const post = await send(`/odata/${path}`, { ...ANN, "content-type": "application/json" }, "POST", "{}");
      expect([post.status, post.headers["allow"]], path).toEqual([405, "GET, HEAD, OPTIONS"]);
    }
  });

  test("along navigations, and in expansions", async () => {
    expect((await get("Customers(1)/Orders/$ref?$filter=Title%20eq%20'tea'")).json).toEqual(refs("Orders(10)"));
    expect((await get("Me/Orders/$ref?$top=1")).json).toEqual(refs("Orders(10)"));
    expect((await get("Orders(10)/Customer/$ref")).json).toMatchObject(ref("Customers(1)"));
    expect((await get("Orders(13)/Customer/$ref")).status).toBe(204);
    const expanded = await get("Orders(10)?$select=Id&$expand=Lines/$ref($filter=Qty%20gt%205)");
    expect(expanded.json).toMatchObject({ Id: 10, Lines: [ref("Lines(OrderId=10,Number=2)")] });
  });

  test("$entity is the entity that $id names", async () => {
    const answer = await get("$entity?$id=Customers(1)");
    const own = await get("Customers(1)");
    expect([answer.status, answer.json, answer.headers["etag"]]).toEqual([200, own.json, own.headers["etag"]]);
    for (const id of [`${ROOT}/Customers(1)`, "/odata/Customers(1)", "./Customers(1)", "Customers(Id=1)"]) {
      expect((await get(`$entity?$id=${id}`)).json, id).toEqual(own.json);
    }
    expect((await get("$entity/?$select=Name&id=Customers(1)")).json).toMatchObject({
      "@odata.context": `${ROOT}/$metadata#Customers(Name)/$entity`,
      Name: "Ann",
    });
    expect((await get("$entity?$id=Orders(10)&$expand=Lines($top=1)&$select=Id")).json).toMatchObject({
      Id: 10,
      Lines: [{ Number: 1 }],
    });
    expect((await get("$entity?$id=Me")).json).toEqual((await get("Me")).json);
    expect((await get("$entity?$id=Lines(OrderId=10,Number=2)")).json).toMatchObject({ Qty: 6 });
    const same = { ...ANN, "if-none-match": String(own.headers["etag"]) };
    expect((await get("$entity?$id=Customers(1)", same)).status).toBe(304);
    expect((await send("/odata/$entity?$id=Customers(1)", ANN, "HEAD")).status).toBe(200);
    const query = { ...ANN, "content-type": "text/plain" };
    const sent = await send("/odata/$entity/$query?$id=Customers(1)", query, "POST", "$select=Name");
    expect(sent.json).toMatchObject({ Name: "Ann" });
  });

  test.each([
    ["$entity", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=Customers", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=Customers(1)/Name", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=Customers(1)/$ref", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=$metadata", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=$entity", [404, "NotFound", undefined]],
    ["$entity?$id=http://other.example/odata/Customers(1)", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=//other.example/odata/Customers(1)", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=/other/Customers(1)", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=../Customers(1)", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=Customers(1)?$select=Name", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=Customers(1)&$id=Customers(2)", [400, "InvalidQueryOption", "$id"]],
    ["$entity?$id=Customers(1)&$filter=true", [400, "UnsupportedQueryOption", "$filter"]],
    ["$entity?$id=Customers('x')", [400, "InvalidKey", "key"]],
    ["$entity?$id=Customers(3)", [404, "NotFound", undefined]],
    ["$entity?$id=Customers(7)", [404, "NotFound", undefined]],
    ["$entity?$id=Nobody(7)", [404, "NotFound", undefined]],
    ["$entity(1)?$id=Customers(1)", [404, "NotFound", undefined]],
    ["$entity?$id=%ff", [400, "InvalidQueryOption", "$id"]],
  ])("%s is an error", async (path, expected) => {
    expect(codeOf(await get(path))).toEqual(expected);
  });

  test("$entity obeys the rules of the set, and only reads", async () => {
    expect(codeOf(await get("$entity?$id=Customers(1)", {}))).toEqual([401, "Unauthorized", undefined]);
    expect(codeOf(await get("$entity?$id=Customers(1)/Nope", {}))).toEqual([401, "Unauthorized", undefined]);
    const json = { ...ANN, "content-type": "application/json" };
    const patch = await send("/odata/$entity?$id=Customers(1)", json, "PATCH", "{}");
    expect([patch.status, patch.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
    const options = await send("/odata/$entity?$id=Customers(1)", ANN, "OPTIONS");
    expect([options.status, options.headers["allow"]]).toEqual([204, "GET, HEAD, OPTIONS"]);
  });

  test("are read in batches", async () => {
    const requests = [
      "$entity?$id=Customers(1)&$select=Name",
      "Customers(2)/$ref",
      `$entity?$id=${ROOT}/Orders(10)`,
    ].map((url, index) => ({ id: String(index), method: "GET", url }));
    const headers = { ...ANN, "content-type": "application/json" };
    const answer = await send("/odata/$batch", headers, "POST", JSON.stringify({ requests }));
    expect(answer.json.responses).toMatchObject([
      { body: { Name: "Ann" } },
      { body: ref("Customers(2)") },
      { body: { Id: 10, Title: "tea" } },
    ]);
  });
});

test("the profile of the specification has none of these paths", async () => {
  const [memory] = PLACES;
  const running = await memory!.start({ profile: "specification" });
  const send = nodeDoor.to(running.service);
  for (const path of ["Customers/$ref", "Customers(1)/$ref", "Me/$ref", "$entity?$id=Customers(1)", "$entity"]) {
    expect(codeOf(await send(`/odata/${path}`, ANN)), path).toEqual([404, "NotFound", undefined]);
  }
});
