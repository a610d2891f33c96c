import { expect, test } from "vitest";
import { MULTIPART, multipart, received, shopBehind, single } from "./batch-model.ts";
import { eachDoor, expectError } from "./doors.ts";

eachDoor((door) => {
  test("a batch of reads returns their responses in order, each with its version", async () => {
    const { batch } = await shopBehind(door);
    const parts = await batch([
      { request: "GET Customers?$select=Name&$top=1" },
      { request: "GET Customers(2)", id: "two" },
      { request: "GET Customers/$count" },
      { request: "GET Customers(9)" },
    ]);
    expect(parts.map((part) => [single(part).status, single(part).reason, single(part).id])).toEqual([
      [200, "OK", undefined],
      [200, "OK", "two"],
      [200, "OK", undefined],
      [404, "Not Found", undefined],
    ]);
    expect(parts.map((part) => single(part).headers["OData-Version"])).toEqual(["4.0", "4.0", "4.0", "4.0"]);
    expect(single(parts[0]).json).toEqual({
      "@odata.context": "http://service.example/odata/$metadata#Customers(Name)",
      value: [
        { "@odata.id": "http://service.example/odata/Customers(1)", "@odata.etag": expect.any(String), Name: "Ada" },
      ],
    });
    expect(single(parts[2]).text).toBe("3");
    expect(single(parts[3]).json.error.code).toBe("NotFound");
  });

  test("the response is multipart/mixed with the boundary last, and is not stored", async () => {
    const { send } = await shopBehind(door);
    const body = multipart([{ request: "GET Customers/$count" }]);
    const answer = await send("/odata/$batch", { ...MULTIPART, Accept: "application/json" }, "POST", body);
    expect(answer.headers).toEqual({
      "odata-version": "4.0",
      "content-type": expect.stringMatching(/^multipart\/mixed; boundary=batchresponse_[a-f0-9-]{36}$/),
      "cache-control": "no-store",
    });
    const boundary = answer.headers["content-type"]?.split("boundary=")[1] ?? "";
    expect(answer.text).toBe(
      `--${boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n` +
        `HTTP/1.1 200 OK\r\nOData-Version: 4.0\r\nContent-Type: text/plain\r\nX-Content-Type-Options: nosniff\r\n` +
        `Vary: Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization\r\n\r\n3\r\n--${boundary}--\r\n`,
    );
  });

  test("single writes outside of a change set are executed one by one", async () => {
    const { batch, rowsOf } = await shopBehind(door);
    const parts = await batch([
      { request: "POST Orders", body: { Id: 12, CustomerId: 3 } },
      { request: "PATCH Orders(12)", body: { Note: "by courier" }, headers: { Prefer: "return=minimal" } },
      { request: "DELETE Orders(10)" },
    ]);
    expect(parts.map((part) => single(part).status)).toEqual([201, 204, 204]);
    expect(single(parts[0]).headers["Location"]).toBe("http://service.example/odata/Orders(12)");
    expect(single(parts[1]).headers["Preference-Applied"]).toBe("return=minimal");
    expect(single(parts[1]).text).toBe("");
    expect(await rowsOf("orders")).toEqual([
      { id: 11, customer_id: 2, note: null },
      { id: 12, customer_id: 3, note: "by courier" },
    ]);
  });

  test("metadata, the service document, functions and actions are legal operations", async () => {
    const { batch } = await shopBehind(door);
    const parts = await batch([
      { request: "GET $metadata" },
      { request: "GET /odata/" },
      { request: "GET Double(n=21)" },
      { request: "POST Reset" },
      { request: "POST Customers(1)/Greet" },
      { request: "HEAD Customers(1)" },
      { request: "OPTIONS Customers" },
      { request: "HEAD Customers(99)" },
    ]);
    expect(parts.map((part) => single(part).status)).toEqual([200, 200, 200, 204, 200, 200, 204, 404]);
    expect(single(parts[7]).text).toBe("");
    expect(single(parts[0]).headers["Content-Type"]).toBe("application/xml");
    expect(single(parts[0]).text).toContain("<edmx:Edmx");
    expect(single(parts[1]).json.value).toContainEqual({ name: "Customers", kind: "EntitySet", url: "Customers" });
    expect(single(parts[5]).text).toBe("");
    expect(single(parts[6]).headers["Allow"]).toBe("GET, POST, HEAD, OPTIONS");
  });

  test("after an operation that fails, nothing more is executed", async () => {
    const { batch, rowsOf } = await shopBehind(door);
    const parts = await batch([
      { request: "DELETE Orders(10)" },
      { request: "GET Nothing" },
      { request: "DELETE Orders(11)" },
    ]);
    expect(parts.map((part) => single(part).status)).toEqual([204, 404]);
    expect(await rowsOf("orders")).toEqual([{ id: 11, customer_id: 2, note: null }]);
  });

  test.each([
    ["continue-on-error", "continue-on-error"],
    ["odata.continue-on-error=true", "odata.continue-on-error=true"],
    ["return=minimal, continue-on-error=TRUE;x=1", "continue-on-error=true"],
  ])("Prefer: %s executes the rest, and is confirmed", async (prefer, applied) => {
    const { send } = await shopBehind(door);
    const parts = [{ request: "GET Nothing" }, { request: "GET Customers(1)" }];
    const answer = await send("/odata/$batch", { ...MULTIPART, Prefer: prefer }, "POST", multipart(parts));
    expect(answer.headers["preference-applied"]).toBe(applied);
    const responses = received(answer.headers["content-type"], answer.text);
    expect(responses.map((part) => single(part).status)).toEqual([404, 200]);
  });

  test.each(["continue-on-error=false", "continue-on-error=maybe", "return=minimal"])(
    "Prefer: %s stops after an operation that fails",
    async (prefer) => {
      const { batch } = await shopBehind(door);
      const parts = await batch([{ request: "GET Nothing" }, { request: "GET Customers(1)" }], { Prefer: prefer });
      expect(parts.map((part) => single(part).status)).toEqual([404]);
    },
  );

  test("an empty batch has an empty response", async () => {
    const { send } = await shopBehind(door);
    const answer = await send("/odata/$batch", MULTIPART, "POST", "--batch_7--");
    expect(received(answer.headers["content-type"], answer.text)).toEqual([]);
  });

  test("a failure of a handler is one response with a generic error, and is logged with the path of its operation", async () => {
    const { batch, logger } = await shopBehind(door);
    const parts = await batch([{ request: "POST Journal", body: { Id: 5, Text: "fail" } }]);
    expect(single(parts[0]).status).toBe(500);
    expect(single(parts[0]).text).not.toContain("secret");
    expect(logger.errors).toMatchObject([{ fields: { path: "/odata/Journal", method: "POST", status: 500 } }]);
  });

  test("only POST is allowed", async () => {
    const { send } = await shopBehind(door);
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const answer = await send("/odata/$batch", MULTIPART, method);
      expectError(answer, { status: 405, code: "MethodNotAllowed", headers: { allow: "POST, OPTIONS" } });
    }
    expect((await send("/odata/$batch", {}, "OPTIONS")).headers["allow"]).toBe("POST, OPTIONS");
  });

  test("`batch: false` removes the route", async () => {
    const { send } = await shopBehind(door, { batch: false });
    expectError(await send("/odata/$batch", MULTIPART, "POST", multipart([])), { status: 404, code: "NotFound" });
  });

  test.each([
    ["application/json", '{"requests":[]}'],
    ["multipart/form-data; boundary=batch_7", "--batch_7--"],
    ["text/plain", "--batch_7--"],
    ["", "--batch_7--"],
  ])("the Content-Type %j is not supported", async (type, body) => {
    const { send } = await shopBehind(door);
    const answer = await send("/odata/$batch", { "Content-Type": type }, "POST", body);
    expectError(answer, { status: 415, code: "UnsupportedMediaType", target: "Content-Type" });
  });

  test("system query options are refused, custom ones are not", async () => {
    const { send } = await shopBehind(door);
    const body = multipart([{ request: "GET Customers/$count" }]);
    expect((await send("/odata/$batch?sap-client=100", MULTIPART, "POST", body)).status).toBe(200);
    expectError(await send("/odata/$batch?$top=1", MULTIPART, "POST", body), {
      status: 400,
      code: "UnsupportedQueryOption",
      target: "$top",
    });
  });
});
