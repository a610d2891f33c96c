import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createConnection } from "node:net";
import { authenticated } from "odatakit";
import { toNodeHandler } from "odatakit/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { MULTIPART, multipart, received, shopBehind, single, whole } from "./batch-model.ts";
import { eachDoor, HOST, type Service } from "./doors.ts";

/** Starts a server over a service until the end of the test. */
async function listenTo(service: Service): Promise<number> {
  const server = createServer(toNodeHandler(service)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Sends a batch with any Host over a socket. @returns the response with its headers */
async function rawPost(port: number, host: string, body: string): Promise<string> {
  const socket = createConnection(port, "127.0.0.1");
  socket.write(
    `POST /odata/$batch HTTP/1.1\r\nHost: ${host}\r\nContent-Type: multipart/mixed; boundary=batch_7\r\n` +
      `Content-Length: ${String(Buffer.byteLength(body))}\r\nConnection: close\r\n\r\n${body}`,
  );
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

eachDoor((door) => {
  describe("the URL of an operation may be", () => {
    test.each([
      ["relative to the service root", "Customers(1)"],
      ["an absolute path below the prefix", "/odata/Customers(1)"],
      ["an absolute path below the service root", "/Customers(1)"],
      ["absolute", `http://${HOST}/odata/Customers(1)`],
      ["absolute with the default port", `http://${HOST}:80/odata/Customers(1)`],
      ["absolute in other letter case", `HTTP://${HOST.toUpperCase()}/odata/Customers(1)`],
      ["absolute with another scheme", `https://${HOST}/odata/Customers(1)`],
      ["with dot segments within the service", "Orders/../Customers(1)"],
      ["with a single dot", "./Customers(1)"],
      ["with blanks that are not encoded", "Customers(1)?$select=Id, Name ,Version"],
      ["with a colon in its query", "Customers(1)?x=urn:y"],
    ])("%s", async (_name, url) => {
      const { batch } = await shopBehind(door);
      const [part] = await batch([{ request: `GET ${url}` }]);
      expect(single(part)).toMatchObject({ status: 200, json: { Id: 1, Name: "Ada" } });
    });
  });

  test("a reference that begins with ../ is relative to the URL of its operation", async () => {
    const { batch, rowsOf } = await shopBehind(door);
    const parts = await batch([
      { request: "PUT /odata/Orders(10)/Customer/$ref", body: { "@odata.id": "../../Customers(3)" } },
      [{ request: "PUT Orders(11)/Customer/$ref", body: { "@odata.id": "../../Customers(3)" } }],
    ]);
    expect(parts.flat().map(({ status }) => status)).toEqual([204, 204]);
    expect(await rowsOf("orders")).toMatchObject([{ customer_id: 3 }, { customer_id: 3 }]);
  });

  describe("the URL of an operation must not be", () => {
    test.each([
      ["of another host", "http://other.example/odata/Customers(1)", 400],
      ["of another port", `http://${HOST}:8080/odata/Customers(1)`, 400],
      ["of another host without a scheme", "//other.example/odata/Customers(1)", 400],
      ["of another host behind a user", `http://${HOST}@other.example/odata/Customers(1)`, 400],
      ["with a user", `http://me@${HOST}/odata/Customers(1)`, 400],
      ["with another scheme", "ftp://other.example/Customers", 400],
      ["a script", "javascript:alert(1)", 400],
      ["a file", "file:///etc/passwd", 400],
      ["above the service", "../admin", 400],
      ["above the service, far down", "Customers(1)/../../admin", 400],
      ["above the service, absolute", "/odata/../admin", 400],
      ["above the service with backslashes", "..\\..\\admin", 404],
      ["above the service, encoded", "%2e%2e/admin", 404],
      ["a batch", "$batch", 404],
      ["a batch of an entity set", "Orders/$batch", 404],
      ["a batch of an entity set, encoded", "Orders/%24batch/", 404],
      ["a batch, absolute", `http://${HOST}/odata/$batch`, 404],
      ["with a fragment", "Customers(1)#top", 400],
      ["with a control character", "Customers(1)\u0001", 400],
    ])("%s", async (_name, url, status) => {
      const { batch } = await shopBehind(door);
      const [part] = await batch([{ request: `POST ${url}`, body: {} }]);
      expect(single(part).status).toBe(status);
      expect(single(part).json.error).toMatchObject({ message: expect.any(String) });
      if (status === 400) {
        expect(single(part).json.error).toMatchObject({ code: "InvalidUrl", target: "url" });
      }
    });
  });

  test("a colon that no scheme precedes belongs to the path", async () => {
    const { batch } = await shopBehind(door);
    const [part] = await batch([{ request: "GET Customers(a:b)" }]);
    expect(single(part)).toMatchObject({ status: 400, json: { error: { code: "InvalidKey" } } });
  });

  describe("references", () => {
    test("name the entity that an operation created, read or changed, also across change sets", async () => {
      const { batch } = await shopBehind(door);
      const parts = await batch([
        [{ request: "POST Customers", id: "new", body: { Id: 4, Name: "Di" } }],
        { request: "GET $new?$select=Name", id: "read" },
        { request: "PATCH $read", id: "changed", body: { Name: "Eve" } },
        { request: "GET $changed/Name" },
        { request: "GET $changed/Orders/$count" },
        [{ request: "POST Orders", id: "1", body: { Id: 12, CustomerId: 4 } }, { request: "DELETE $1" }],
      ]);
      expect(whole(parts[0])[0]?.status).toBe(201);
      expect(single(parts[1]).json).toMatchObject({ Name: "Di" });
      expect(single(parts[2]).status).toBe(200);
      expect(single(parts[3]).json).toMatchObject({ value: "Eve" });
      expect(single(parts[4]).text).toBe("0");
      expect(whole(parts[5]).map(({ status }) => status)).toEqual([201, 204]);
    });

    test("are whole segments: $1 is not the beginning of $10", async () => {
      const { batch } = await shopBehind(door);
      const parts = await batch([{ request: "GET Customers(1)", id: "1" }, { request: "GET $10" }]);
      expect(single(parts[1])).toMatchObject({ status: 400, json: { error: { code: "InvalidUrl", target: "url" } } });
      expect(single(parts[1]).json.error.message).toContain("$10");
    });

    test("a name of a resource of the standard is that resource", async () => {
      const { batch } = await shopBehind(door);
      const parts = await batch([{ request: "GET Customers(1)", id: "metadata" }, { request: "GET $metadata" }]);
      expect(single(parts[1]).headers["Content-Type"]).toBe("application/xml");
    });

    test.each(["$1/../../../admin", "$1/../../admin", "$1/../$batch"])("cannot leave the service: %s", async (url) => {
      const { batch } = await shopBehind(door);
      const parts = await batch([{ request: "GET Customers(1)", id: "1" }, { request: `GET ${url}` }]);
      expect([400, 404]).toContain(single(parts[1]).status);
    });

    test("to a later or failed operation are rejected", async () => {
      const { batch } = await shopBehind(door);
      const parts = await batch(
        [
          { request: "GET $2" },
          { request: "GET Customers(9)", id: "2" },
          { request: "GET $2" },
          { request: "GET Customers(1)", id: "3" },
        ],
        { Prefer: "continue-on-error" },
      );
      expect(parts.map((part) => single(part).status)).toEqual([400, 404, 400, 200]);
    });

    test("in the body of a link name its target; responses contain none", async () => {
      const { batch, rowsOf } = await shopBehind(door);
      const parts = await batch([
        [
          { request: "POST Customers", id: "c", body: { Id: 4, Name: "Di" } },
          { request: "PUT Orders(10)/Customer/$ref", body: { "@odata.id": "$c" } },
        ],
        { request: "PUT Orders(11)/Customer/$ref", body: { "@odata.id": "$c" } },
        { request: "PUT Orders(11)/Customer/$ref", body: { "@odata.id": "$x" } },
      ]);
      expect(whole(parts[0]).map(({ status }) => status)).toEqual([201, 204]);
      expect(single(parts[1]).status).toBe(204);
      expect(single(parts[2])).toMatchObject({ status: 400, json: { error: { code: "InvalidUrl" } } });
      expect(await rowsOf("orders")).toMatchObject([{ customer_id: 4 }, { customer_id: 4 }]);
      expect(JSON.stringify(parts[0])).not.toContain("$c");
    });
  });

  describe("the public URL", () => {
    const publicUrl = "https://api.example.com/gateway";
    test.each([
      "Customers(1)",
      "https://api.example.com/gateway/odata/Customers(1)",
      "http://api.example.com/gateway/odata/Customers(1)",
      "/gateway/odata/Customers(1)",
      "/odata/Customers(1)",
      `http://${HOST}/odata/Customers(1)`,
    ])("may be the base: %s", async (url) => {
      const { batch } = await shopBehind(door, { publicUrl });
      const parts = await batch([
        { request: `GET ${url}`, id: "1" },
        { request: "POST Orders", id: "2", body: { Id: 12, CustomerId: 1 } },
        { request: "GET $2/Customer" },
      ]);
      expect(single(parts[0]).json["@odata.context"]).toBe(`${publicUrl}/odata/$metadata#Customers/$entity`);
      expect(single(parts[1]).headers["Location"]).toBe(`${publicUrl}/odata/Orders(12)`);
      expect(single(parts[2]).status).toBe(200);
    });
  });

  test("accepts an invalid Host, as for a single request", async () => {
    const { service } = await shopBehind(door);
    const port = await listenTo(service);
    for (const host of ["999.999.999.999", "%zz", "shop.example:99999"]) {
      const text = await rawPost(port, host, multipart([{ request: "GET Customers/$count" }]));
      expect(text).toContain("HTTP/1.1 200 OK\r\nOData-Version: 4.0\r\nContent-Type: text/plain");
    }
  });

  test("the path of a batch may end with a slash, and encode its dollar sign", async () => {
    const { send, batch } = await shopBehind(door, { batch: { json: true } });
    for (const path of ["/odata/%24batch", "/odata/$batch/", "/odata/%24batch/"]) {
      const answer = await send(path, MULTIPART, "POST", multipart([{ request: "GET Customers/$count" }]));
      expect(received(answer.headers["content-type"], answer.text)).toMatchObject([{ status: 200, text: "3" }]);
      const [nested] = await batch([{ request: `POST ${path}` }]);
      expect(single(nested)).toMatchObject({ status: 404, json: { error: { code: "NotFound" } } });
    }
  });

  describe("identity", () => {
    test("the user of every operation is the user of the batch, whatever an operation claims", async () => {
      const { batch, calls } = await shopBehind(door);
      const forged = {
        Authorization: "mallory",
        Cookie: "session=mallory",
        "X-Forwarded-For": "1.2.3.4",
        "X-Forwarded-Host": "evil.example",
        Forwarded: "host=evil.example",
        Host: "evil.example",
        Origin: "https://evil.example",
        "X-Tenant": "theirs",
        "Accept-Language": "de",
        "X-Request-Id": "forged",
        Range: "bytes=0-1",
      };
      const outer = { Authorization: "ada", "X-Tenant": "ours", "Accept-Language": "en", "If-Match": '"outer"' };
      const [part] = await batch([{ request: "POST Journal", body: { Id: 2, Text: "two" }, headers: forged }], outer);
      expect(single(part).status).toBe(201);
      expect(single(part).headers["Location"]).toBe(`http://${HOST}/odata/Journal(2)`);
      expect(calls).toHaveLength(1);
      const [call] = calls;
      expect(call).toMatchObject({ user: "ada", method: "POST", url: `http://${HOST}/odata/Journal` });
      expect(call?.headers).toMatchObject({
        authorization: "ada",
        "x-tenant": "ours",
        "accept-language": "de",
        "content-type": "application/json",
      });
      for (const name of [
        "cookie",
        "x-forwarded-for",
        "x-forwarded-host",
        "forwarded",
        "origin",
        "range",
        "if-match",
      ]) {
        expect(call?.headers).not.toHaveProperty(name);
      }
    });

    test("Accept and Prefer of the batch are not those of its operations", async () => {
      const { batch } = await shopBehind(door);
      const headers = { Accept: "multipart/mixed", Prefer: "return=minimal" };
      const [read, written] = await batch(
        [{ request: "GET Customers(1)" }, { request: "PATCH Customers(1)", body: { Name: "x" } }],
        headers,
      );
      expect(single(read).status).toBe(200);
      expect(single(written).status).toBe(200);
    });

    test("an anonymous batch of a service with a rule is refused as a whole", async () => {
      const { send, rowsOf } = await shopBehind(door, { authorization: authenticated() });
      const body = multipart([{ request: "DELETE Orders(10)", headers: { Authorization: "mallory" } }]);
      const answer = await send("/odata/$batch", MULTIPART, "POST", body);
      expect(answer).toMatchObject({ status: 401, json: { error: { code: "Unauthorized" } } });
      expect(await rowsOf("orders")).toHaveLength(2);
      const allowed = await send("/odata/$batch", { ...MULTIPART, Authorization: "ada" }, "POST", body);
      expect(received(allowed.headers["content-type"], allowed.text)).toMatchObject([{ status: 204 }]);
    });

    test("`authenticate` is called once for a batch", async () => {
      let asked = 0;
      const authenticate = () => {
        asked += 1;
        return null;
      };
      const { batch } = await shopBehind(door, { authenticate });
      await batch([{ request: "GET Customers(1)" }, { request: "GET Customers(2)" }]);
      expect(asked).toBe(1);
    });

    test("a browser page of another site cannot send a batch to a service that refuses its writes", async () => {
      const { send } = await shopBehind(door, { crossSiteWrites: "refuse" });
      const headers = { ...MULTIPART, Origin: "https://evil.example" };
      const answer = await send("/odata/$batch", headers, "POST", multipart([{ request: "GET Customers" }]));
      expect(answer.status).toBe(403);
    });
  });
});
