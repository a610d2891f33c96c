import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { processorTime } from "../../processor-time.ts";
import { eachDoor, expectError, type HeaderTable, ORIGIN, VARY } from "./doors.ts";
import { noFailures } from "./model.ts";
import { accountService } from "./threats-model.ts";

const ROOT = new URL("../../../", import.meta.url);
const JSON_BODY = { "Content-Type": "application/json" };

eachDoor((door) => {
  describe("a key of any text makes a header that holds", () => {
    const Thing = entityType("Thing", { code: edm.string().key().computed() });
    const codes = [
      "a\r\nX-Injected: 1",
      "\0\u0001\u007F",
      "\uD800",
      "\uDFFFx\uD83D",
      "\u2028é\u{1F600}",
      "'%2F/?#&=+ \"<>\\",
    ];
    let code = "";
    const send = door.to(
      odataService({
        prefix: "/s",
        entitySets: [entitySet(Thing, { create: () => ({ code }), getByKey: (key) => ({ code: key }) })],
        logger: noFailures,
      }),
    );

    test.each(codes)("%j", async (text) => {
      code = text;
      for (const preference of ["minimal", "representation"]) {
        const answer = await send("/s/Things", { ...JSON_BODY, Prefer: `return=${preference}` }, "POST", "{}");
        const { location = "" } = answer.headers;
        expect(location).toMatch(/^http:\/\/service\.example\/s\/Things\('[!-~]+'\)$/u);
        expect(Object.keys(answer.headers)).not.toContain("x-injected");
        const read = await send(location.slice(ORIGIN.length));
        expect(read.json.Code).toBe(text.replaceAll(/\p{Surrogate}/gu, "\uFFFD"));
      }
    });
  });

  describe("caches", () => {
    const signedIn = door.to(accountService({ authenticate: () => ({ id: "ann" }) }).service);
    const anonymous = door.to(accountService({ authenticate: () => null }).service);
    const reads = ["/s", "/s/$metadata", "/s/Accounts", "/s/Accounts/$count", "/s/Accounts(1)", "/s/Accounts(1)/Home"];
    const more = [
      "/s/Accounts(1)/Name",
      "/s/Accounts(1)/Notes",
      "/s/Accounts(1)/Notes/$count",
      "/s/Accounts?$expand=*",
    ];

    test.each([...reads, ...more])("keep nothing that a user read, and know what decides: %s", async (path) => {
      const personal = await signedIn(path);
      expect(personal.headers).toMatchObject({ vary: VARY, "cache-control": "no-store" });
      const { status, headers } = await anonymous(path);
      expect(headers["vary"]).toBe(status === 204 ? undefined : VARY);
      expect(headers).not.toHaveProperty("cache-control");
    });

    test.each<readonly [number, string, HeaderTable, string, string]>([
      [304, "/s/Accounts(1)", { "If-None-Match": "*" }, "GET", ""],
      [404, "/s/Accounts(99)", {}, "GET", ""],
      [201, "/s/Accounts", JSON_BODY, "POST", '{"Id":9,"Homes":[]}'],
      [204, "/s/Accounts(1)", { ...JSON_BODY, Prefer: "return=minimal" }, "PATCH", '{"Name":"x"}'],
      [204, "/s/Accounts(1)", {}, "DELETE", ""],
    ])("%i of a user is kept by none", async (status, path, headers, method, body) => {
      const answer = await signedIn(path, headers, method, body === "" ? undefined : body);
      expect([answer.status, answer.headers["cache-control"]]).toEqual([status, "no-store"]);
    });
  });

  test("batches in JSON, asynchronous requests and aggregation are not supported", async () => {
    const { service, given } = accountService();
    const send = door.to(service);
    const part = '{"requests":[{"id":"1","method":"DELETE","url":"Accounts(1)"}]}';
    expectError(await send("/s/$batch", JSON_BODY, "POST", part), {
      status: 415,
      code: "UnsupportedMediaType",
      target: "Content-Type",
    });
    expect(given).toEqual([]);
    const { status, headers } = await send("/s/Accounts", { Prefer: 'respond-async, callback; url="http://10.0.0.1"' });
    expect([status, headers["location"], headers["preference-applied"]]).toEqual([200, undefined, undefined]);
    for (const option of ["$apply", "$compute"]) {
      const answer = await send(`/s/Accounts?${option}=aggregate($count%20as%20N)`);
      expectError(answer, { status: 400, code: "UnsupportedQueryOption", target: option });
    }
  });
});

describe("headers of 100,000 characters are read in time", () => {
  const { service } = accountService({ trustProxy: true, crossSiteWrites: "refuse" });
  const names = [
    "Accept",
    "Accept-Charset",
    "Prefer",
    "If-Match",
    "If-None-Match",
    "OData-MaxVersion",
    "OData-Version",
  ];
  const others = ["Content-Type", "Content-Encoding", "Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto", "Origin"];

  test.each([...names, ...others, "X-Request-Id", "Sec-Fetch-Site"])("%s", async (name) => {
    for (const filler of [" ", ",", '"', ", ", '",', ";", "\\", ";q=", "W/", 'a="', "*/*;"]) {
      const value = `a${filler.repeat(100_000 / filler.length)}a`;
      const started = processorTime();
      const init = { method: "PATCH", headers: { ...JSON_BODY, [name]: value }, body: '{"Name":"x"}' };
      const read = await service.fetch(new Request(`${ORIGIN}/s/Accounts(1)`, { headers: { [name]: value } }));
      const written = await service.fetch(new Request(`${ORIGIN}/s/Accounts(1)`, init));
      expect([read.status < 500, written.status < 500]).toEqual([true, true]);
      expect(processorTime() - started).toBeLessThan(5000);
    }
  });
});

describe("no text becomes code", () => {
  test("no module evaluates text or makes expressions of it", () => {
    const files = readdirSync(new URL("src/", ROOT), { recursive: true, encoding: "utf8" });
    const sources = files.filter((file) => file.endsWith(".ts"));
    // The command starts npm with the arguments of its user, and the browser with its own address. No service imports them.
    const starts = ["tools/cli/missing-package.ts", "tools/cli/open-browser.ts"];
    expect(sources).toEqual(expect.arrayContaining(starts));
    expect(sources.length).toBeGreaterThan(300);
    const guilty = sources
      .filter((file) => !starts.includes(file))
      .filter((file) =>
        /\beval\(|\bnew (?:Function|RegExp)\(|node:vm|node:child_process/u.test(
          readFileSync(new URL(`src/${file}`, ROOT), "utf8"),
        ),
      );
    expect(guilty).toEqual([]);
  });

  test("a service over arrays and tables runs where the generation of code is off", async () => {
    const flags = ["--conditions=source", "--disallow-code-generation-from-strings", "--no-warnings"];
    const script = new URL("test/service/http/threats-code.ts", ROOT).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, script], { cwd: ROOT });
    expect(stdout).toBe("200 200 200 200 EvalError\n");
  });
});
