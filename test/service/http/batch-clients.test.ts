import { expect, test } from "vitest";
import { received, shopBehind, single, whole } from "./batch-model.ts";
import { eachDoor, HOST } from "./doors.ts";

/** Joins lines with CRLF. */
const crlf = (...lines: readonly string[]): string => lines.join("\r\n");

eachDoor((door) => {
  test("UI5: a group line after the end, ids of change sets with a dot, `If-Match` and IEEE754Compatible", async () => {
    const { send } = await shopBehind(door);
    const body = crlf(
      "--batch_id-1-2",
      "Content-Type: multipart/mixed;boundary=changeset_id-1-3",
      "",
      "--changeset_id-1-3",
      "Content-Type:application/http",
      "Content-Transfer-Encoding:binary",
      "Content-ID:0.0",
      "",
      "PATCH Customers(1) HTTP/1.1",
      "Accept:application/json;odata.metadata=minimal;IEEE754Compatible=true",
      "Accept-Language:en",
      "X-CSRF-Token:Fetch",
      "Content-Type:application/json;charset=UTF-8;IEEE754Compatible=true",
      "If-Match:*",
      "",
      '{"Name":"Eve"}',
      "--changeset_id-1-3--",
      "",
      "--batch_id-1-2",
      "Content-Type:application/http",
      "Content-Transfer-Encoding:binary",
      "",
      "GET Customers?$select=Id,Name&$skip=0&$top=1 HTTP/1.1",
      "Accept:application/json;odata.metadata=minimal;IEEE754Compatible=true",
      "",
      "",
      "--batch_id-1-2--",
      "Group ID: $auto",
    );
    const headers = {
      Accept: "multipart/mixed",
      "Content-Type": "multipart/mixed; boundary=batch_id-1-2",
      "OData-Version": "4.0",
      "OData-MaxVersion": "4.0",
    };
    const answer = await send("/odata/$batch", headers, "POST", body);
    const [set, read] = received(answer.headers["content-type"], answer.text);
    expect(whole(set)).toMatchObject([{ id: "0.0", status: 200, json: { Name: "Eve" } }]);
    expect(single(read)).toMatchObject({ status: 200, json: { value: [{ Id: 1, Name: "Eve" }] } });
    expect(single(read).headers["Content-Type"]).toContain("IEEE754Compatible=true");
  });

  test("Syncfusion: bare LF, blanks at line ends, absolute URLs, Content-Id within the request, the boundary last", async () => {
    const { send } = await shopBehind(door);
    const body = [
      "--batch_1",
      "Content-Type: multipart/mixed; boundary=changeset_1 ",
      "",
      "--changeset_1 ",
      "Content-Type: application/http; msgtype=request",
      "Content-Transfer-Encoding: binary ",
      "",
      `POST http://${HOST}/odata/Orders/ HTTP/1.1`,
      "Accept: application/json, text/javascript, */*; q=0.01 ",
      "Content-Id: 1 ",
      "Content-Type: application/json; charset=utf-8 ",
      "",
      '{"Id":12,"CustomerId":1}',
      "--changeset_1--",
      "--batch_1--",
      "",
    ].join("\n");
    const headers = {
      Accept: "application/json, text/javascript, */*; q=0.01",
      "Content-Type": "multipart/mixed; charset=UTF-8;boundary=batch_1",
    };
    const answer = await send("/odata/Orders/$batch", headers, "POST", body);
    const [set] = received(answer.headers["content-type"], answer.text);
    expect(whole(set)).toMatchObject([{ id: "1", status: 201, headers: { "Content-ID": "1" }, json: { Id: 12 } }]);
    const elsewhere = await send("/odata/Nothing/$batch", headers, "POST", body);
    expect(elsewhere.status).toBe(404);
  });

  test("a byte order mark is ignored before a batch, a change set, a body, and a batch in JSON", async () => {
    const { send, rowsOf } = await shopBehind(door, { batch: { json: true } });
    const mark = "\ufeff";
    const body = crlf(
      `${mark}--batch_1`,
      "Content-Type: multipart/mixed; boundary=changeset_1",
      "",
      `${mark}--changeset_1`,
      "Content-Type: application/http",
      "",
      "POST Orders HTTP/1.1",
      "Content-Type: application/json",
      "",
      `${mark}{"Id":12,"CustomerId":1}`,
      "--changeset_1--",
      "--batch_1--",
    );
    const answer = await send("/odata/$batch", { "Content-Type": "multipart/mixed; boundary=batch_1" }, "POST", body);
    const [set] = received(answer.headers["content-type"], answer.text);
    expect(whole(set)).toMatchObject([{ status: 201, json: { Id: 12 } }]);
    const requests = [{ id: "1", method: "delete", url: "Orders(12)" }];
    const json = await send(
      "/odata/$batch",
      { "Content-Type": "application/json" },
      "POST",
      mark + JSON.stringify({ requests }),
    );
    expect(json.json).toMatchObject({ responses: [{ id: "1", status: 204 }] });
    expect((await rowsOf("orders")).some((row) => (row as { id: unknown }).id === 12)).toBe(false);
  });

  test("Breeze: a Content-ID among the headers of a request is among those of its response, also for errors", async () => {
    const { send } = await shopBehind(door);
    const change = (id: number, request: string, body: string): string =>
      crlf(
        "--changeset_1",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        `${request} HTTP/1.1`,
        `Content-ID: ${String(id)}`,
        "Content-Type: application/json;IEEE754Compatible=true",
        "",
        body,
      );
    const save = async (...changes: readonly string[]) => {
      const body = crlf(
        "--batch_1",
        "Content-Type: multipart/mixed; boundary=changeset_1",
        "",
        ...changes,
        "--changeset_1--",
        "--batch_1--",
      );
      const answer = await send("/odata/$batch", { "Content-Type": "multipart/mixed; boundary=batch_1" }, "POST", body);
      return received(answer.headers["content-type"], answer.text);
    };
    const [saved] = await save(
      change(1, `PATCH http://${HOST}/odata/Customers(1)`, '{"Name":"Eve"}'),
      change(2, `DELETE http://${HOST}/odata/Orders(11)`, ""),
    );
    expect(whole(saved)).toMatchObject([
      { id: "1", status: 200, headers: { "Content-ID": "1" } },
      { id: "2", status: 204, headers: { "Content-ID": "2" } },
    ]);
    const [refused] = await save(change(3, `PATCH http://${HOST}/odata/Orders(99)`, '{"Note":"x"}'));
    expect(single(refused)).toMatchObject({ id: "3", status: 404, headers: { "Content-ID": "3" } });
  });

  test("SAP Cloud SDK: URLs that start with a slash are relative to the service root", async () => {
    const { send } = await shopBehind(door);
    const body = crlf(
      "--batch_a",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "",
      "GET /Customers(1) HTTP/1.1",
      "Content-Type: application/json",
      "Accept: application/json",
      "",
      "",
      "--batch_a--",
    );
    const headers = { Accept: "multipart/mixed", "Content-Type": "multipart/mixed; boundary=batch_a" };
    const answer = await send("/odata/$batch", headers, "POST", body);
    expect(received(answer.headers["content-type"], answer.text)).toMatchObject([{ status: 200, json: { Id: 1 } }]);
  });

  test("@odata/client and Microsoft.OData.Client: a quoted boundary, a preamble, OData headers in the operations", async () => {
    const { send } = await shopBehind(door);
    const body = crlf(
      "This is a preamble.",
      "--b'(1)+_,-./:=?",
      "content-type: application/http",
      "content-transfer-encoding: binary",
      "",
      "GET Customers(1) HTTP/1.1",
      "OData-Version: 4.0",
      "OData-MaxVersion: 4.0",
      "Accept: application/json;odata.metadata=full",
      "Accept-Charset: UTF-8",
      "User-Agent: Microsoft.OData.Client/7.20.0",
      "",
      "",
      "--b'(1)+_,-./:=?--",
      "An epilogue.",
    );
    const headers = { "Content-Type": `Multipart/Mixed; x="a;b"; boundary="b'(1)+_,-./:=?"; charset=utf-8` };
    const answer = await send("/odata/$batch", headers, "POST", body);
    expect(received(answer.headers["content-type"], answer.text)).toMatchObject([
      { status: 200, json: { "@odata.type": "#Shop.Customer", Id: 1 } },
    ]);
  });

  test("a GET without an empty line, empty lines before the request line, a body of a DELETE, and a JSON text with the boundary", async () => {
    const { send, rowsOf } = await shopBehind(door);
    const body = crlf(
      "--b",
      "Content-Type: application/http",
      "",
      "GET Customers(1) HTTP/1.1",
      "Accept: application/json",
      "--b  ",
      "Content-Type: application/http",
      "",
      "",
      "  ",
      "GET Customers(2) http/1.1",
      "",
      "--b",
      "Content-Type: application/http",
      "",
      "DELETE Orders(10) HTTP/1.1",
      "Content-Type: application/json",
      "",
      "null",
      "--b",
      "Content-Type: application/http",
      "",
      "PATCH Orders(11) HTTP/1.1",
      "Content-Type: application/json",
      "Content-Length: 3",
      "",
      '{"Note":"a --b and --b-- within a line"}',
      "--b--x",
      "",
      "--b--",
    );
    const answer = await send("/odata/$batch", { "Content-Type": "multipart/mixed;boundary=b" }, "POST", body);
    const parts = received(answer.headers["content-type"], answer.text);
    // The line --b--x is not a delimiter, so it belongs to the last body, which is then not JSON.
    expect(parts.map((part) => single(part).status)).toEqual([200, 200, 204, 400]);
    const fixed = body.replace("--b--x\r\n", "");
    const again = await send("/odata/$batch", { "Content-Type": "multipart/mixed;boundary=b" }, "POST", fixed);
    expect(received(again.headers["content-type"], again.text)).toHaveLength(4);
    expect(await rowsOf("orders")).toEqual([{ id: 11, customer_id: 2, note: "a --b and --b-- within a line" }]);
  });
});
