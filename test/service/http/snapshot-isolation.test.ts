import { describe, expect, test } from "vitest";
import { MULTIPART, multipart, shopBehind, single } from "./batch-model.ts";
import { eachDoor, expectError } from "./doors.ts";

const CUSTOMERS = 3;
const NAMES = ["OData-Isolation", "odata-isolation", "Isolation"];

/** The body of the error. It names the header to omit. */
const refused = (header: string) => ({
  error: {
    code: "PreconditionFailed",
    message: `This service does not support snapshot isolation. Send the request without the header ${header}.`,
  },
});

const documented = (name: string) => (name.toLowerCase() === "isolation" ? "Isolation" : "OData-Isolation");

eachDoor((door) => {
  describe.each(NAMES)("%s: snapshot is 412 before anything runs", (name) => {
    const isolated = { [name]: "snapshot" };
    const body = refused(documented(name));

    test.each([
      ["GET", "/odata/Customers"],
      ["GET", "/odata/Customers(1)"],
      ["GET", "/odata/Customers(1)/Name/$value"],
      ["GET", "/odata/$metadata"],
      ["GET", "/odata/Nowhere"],
      ["POST", "/odata/Journal", '{"Id":7,"Text":"x"}'],
      ["DELETE", "/odata/Customers(3)"],
      ["POST", "/odata/Log", '{"id":1,"text":"x"}'],
    ])("%s %s", async (method, path, text?: string) => {
      const { send, calls, rowsOf } = await shopBehind(door);
      const answer = await send(path, { ...isolated, "Content-Type": "application/json" }, method, text);
      expectError(answer, { status: 412, code: "PreconditionFailed", message: body.error.message });
      expect(calls).toEqual([]);
      expect(await rowsOf("customers")).toHaveLength(CUSTOMERS);
      expect(await rowsOf("audit")).toEqual([]);
    });

    test("a batch", async () => {
      const { send, calls, rowsOf } = await shopBehind(door);
      const sent = multipart([
        { request: "POST Journal", body: { Id: 7, Text: "x" } },
        { request: "DELETE Orders(10)" },
      ]);
      const answer = await send("/odata/$batch", { ...MULTIPART, ...isolated }, "POST", sent);
      expectError(answer, { status: 412, code: "PreconditionFailed", message: body.error.message });
      expect(calls).toEqual([]);
      expect(await rowsOf("orders")).toHaveLength(2);
    });

    test("an operation of a batch, and a change set before its first operation", async () => {
      const { batch, calls, rowsOf } = await shopBehind(door, { batch: { changeSets: "sequential" } });
      const create = { request: "POST Journal", body: { Id: 7, Text: "x" } };
      const [set] = await batch([[create, { request: "PATCH Orders(10)", body: { Note: "x" }, headers: isolated }]]);
      expect({ status: single(set).status, json: single(set).json as unknown }).toEqual({ status: 412, json: body });
      expect(calls).toEqual([]);
      const [count, read] = await batch([
        { request: "GET Customers/$count" },
        { request: "GET Customers", headers: isolated },
      ]);
      expect(single(count).text).toBe(String(CUSTOMERS));
      expect({ status: single(read).status, json: single(read).json as unknown }).toEqual({ status: 412, json: body });
      expect(await rowsOf("orders")).toHaveLength(2);
    });

    test("OPTIONS reads no data, so it stays 204, also in a batch", async () => {
      const { send, batch } = await shopBehind(door);
      const plain = await send("/odata/Customers", {}, "OPTIONS");
      const answer = await send("/odata/Customers", isolated, "OPTIONS");
      const [allow, expected] = [answer, plain].map(({ headers }) => headers["allow"]);
      expect({ status: answer.status, text: answer.text, allow }).toEqual({ status: 204, text: "", allow: expected });
      expect(allow).toContain("GET");
      const [operation] = await batch([{ request: "OPTIONS Customers", headers: isolated }]);
      expect({ status: single(operation).status, text: single(operation).text }).toEqual({ status: 204, text: "" });
    });
  });

  test("other values are not defined, and are ignored", async () => {
    const { send } = await shopBehind(door);
    const answer = await send("/odata/Customers/$count", { "OData-Isolation": "serializable" });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: String(CUSTOMERS) });
  });
});
