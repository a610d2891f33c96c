import { execFileSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { COPY_FORMS } from "../../../explorer/src/copy/copied-query.ts";
import { splitTarget, parseQueryOptions } from "../../../src/language/syntax/query-options-parser.ts";
import { writeOdc, writePbids } from "../../../src/payload/connection-files.ts";
import { HOSTILE_URL, hostileQuery } from "./copied-queries.ts";

const {
  "curl (bash)": copyAsCurl,
  "curl (PowerShell)": copyAsPowerShell,
  fetch: copyAsFetch,
  "Power Query M": copyAsPowerQuery,
  "UI5 binding": copyAsUi5,
} = COPY_FORMS;

/** The arguments that bash gives to curl. */
function argumentsInBash(command: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync("bash", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

/** The words of a command of PowerShell: single quotes doubled within single quotes, a backtick before the end of a line. */
function wordsInPowerShell(command: string): readonly string[] {
  const words = command.replaceAll("`\n", "").matchAll(/['‘’‚‛]((?:[^'‘’‚‛]|['‘’‚‛]{2})*)['‘’‚‛]|[^\s'‘’‚‛]+/gu);
  return Array.from(words, ([word, quoted]) => quoted?.replaceAll(/['‘’‚‛](['‘’‚‛])/gu, "$1") ?? word);
}

/** Runs statements of JavaScript with some names, and returns the final value of `result`. */
async function run(code: string, names: Readonly<Record<string, unknown>>): Promise<unknown> {
  const result = 'typeof result === "undefined" ? null : result';
  const returned: unknown = runInNewContext(`(async () => { ${code}\nreturn ${result}; })()`, { ...names, Error });
  return returned;
}

/** A text literal of the formula language, as its grammar reads it. */
function textOfM(literal: string): string {
  expect(literal).toMatch(/^"(?:[^"]|"")*"$/u);
  return literal.slice(1, -1).replaceAll('""', '"').replaceAll("#(#)", "#");
}

test("the URL of a query means the same to the service", () => {
  const { system } = parseQueryOptions(splitTarget(HOSTILE_URL).query);
  expect([...system]).toEqual([...hostileQuery().options]);
});

describe("curl", () => {
  test("in bash gets the URL and the headers as they are, with placeholders for secrets", () => {
    expect(argumentsInBash(copyAsCurl(hostileQuery()))).toEqual([
      HOSTILE_URL,
      "-H",
      "Accept: application/json",
      "-H",
      "X-Note: YOUR_SECRET",
      "-H",
      "Authorization: Bearer YOUR_SECRET",
    ]);
  });

  test("is one line without headers", () => {
    expect(copyAsCurl(hostileQuery({ options: new Map(), headers: {} }))).toBe("curl 'https://a.example/odata/Orders'");
  });

  test("in PowerShell gets the same", () => {
    expect(wordsInPowerShell(copyAsPowerShell(hostileQuery()))).toEqual([
      "curl.exe",
      HOSTILE_URL,
      "-H",
      "Accept: application/json",
      "-H",
      "X-Note: YOUR_SECRET",
      "-H",
      "Authorization: Bearer YOUR_SECRET",
    ]);
  });

  test("in PowerShell doubles typographic quotes, which also end strings there", () => {
    const headers = { Accept: "a’b`c $d" };
    const command = copyAsPowerShell(hostileQuery({ options: new Map(), headers }));
    expect(command).toBe("curl.exe 'https://a.example/odata/Orders' `\n  -H 'Accept: a’’b`c $d'");
    expect(wordsInPowerShell(command)[3]).toBe("Accept: a’b`c $d");
  });
});

describe("fetch", () => {
  test("sends the request and reads JSON", async () => {
    const requests: unknown[] = [];
    const fetch = async (url: string, options?: unknown): Promise<Response> => {
      requests.push([url, options]);
      return Response.json({ value: [] });
    };
    expect(await run(copyAsFetch(hostileQuery()), { fetch })).toEqual({ value: [] });
    expect(await run(copyAsFetch(hostileQuery({ options: new Map(), headers: {} })), { fetch })).toEqual({ value: [] });
    const headers = {
      Accept: "application/json",
      "X-Note": "YOUR_SECRET",
      Authorization: "Bearer YOUR_SECRET",
    };
    expect(requests).toEqual([
      [HOSTILE_URL, { headers }],
      ["https://a.example/odata/Orders", { headers: {} }],
    ]);
  });

  test("reads a number of entities as text", async () => {
    const fetch = async (): Promise<Response> => new Response("5");
    expect(await run(copyAsFetch(hostileQuery({ path: "Orders/$count" })), { fetch })).toBe("5");
  });

  test("throws the text of an error", async () => {
    const fetch = async (): Promise<Response> => new Response("no", { status: 400 });
    await expect(run(copyAsFetch(hostileQuery()), { fetch })).rejects.toThrow("no");
  });
});

describe("Power Query", () => {
  test("reads the feed of the URL", () => {
    const [, literal = ""] =
      /^let\n {2}Source = OData\.Feed\((".*"), null, \[Implementation = "2\.0"\]\)\nin\n {2}Source\n$/u.exec(
        copyAsPowerQuery(hostileQuery()),
      ) ?? [];
    expect(textOfM(literal)).toBe(HOSTILE_URL);
  });

  test("escapes what begins an escape sequence", () => {
    const formula = copyAsPowerQuery(hostileQuery({ root: 'https://a.example/#(lf)"/', options: new Map() }));
    expect(formula).toContain('OData.Feed("https://a.example/#(#)(lf)""/Orders", null');
  });

  test("reads a number of entities as text", () => {
    expect(copyAsPowerQuery(hostileQuery({ path: "Orders/$count", options: new Map() }))).toBe(
      'let\n  Source = Text.FromBinary(Web.Contents("https://a.example/odata/Orders/$count"))\nin\n  Source\n',
    );
  });
});

describe("UI5", () => {
  test.for(["\n", "\r", "\u2028", "\u2029"])("runs no name of an option that ends the comment: %j", async (end) => {
    const code = copyAsUi5(hostileQuery({ options: new Map([[`$a${end}canary.push(1);`, "1"]]) }));
    const canary: unknown[] = [];
    await run(code, { canary, list: { bindItems: () => undefined }, template: "template" });
    expect(canary).toEqual([]);
  });

  async function bindingOf(code: string): Promise<unknown> {
    const bindings: unknown[] = [];
    const bind = (binding: unknown): void => void bindings.push(binding);
    await run(code, { list: { bindItems: bind }, page: { bindElement: bind }, template: "template" });
    return bindings[0];
  }

  test("binds the items of a list", async () => {
    const options = new Map([
      ...hostileQuery().options,
      ["$count", "true"],
      ["$skip", "10"],
      ["$compute", "1 as A"],
      ["sap-client", "100"],
    ]);
    const code = copyAsUi5(hostileQuery({ root: "https://a.example/odata/", options }));
    expect(code.split("\n").slice(0, 2)).toEqual([
      "// Bindings of UI5 do not accept $compute.",
      '// The model: new ODataModel({ serviceUrl: "https://a.example/odata/", autoExpandSelect: false })',
    ]);
    expect(await bindingOf(code)).toEqual({
      path: "/Orders",
      parameters: { $filter: options.get("$filter"), $count: true, "sap-client": "100" },
      startIndex: 10,
      length: 5,
      template: "template",
    });
  });

  test("binds an element to an entity", async () => {
    const query = hostileQuery({ path: "Orders('A%2FB')", options: new Map([["$expand", "Items($select=Price)"]]) });
    expect(await bindingOf(copyAsUi5(query))).toEqual({
      path: "/Orders('A%2FB')",
      parameters: { $expand: "Items($select=Price)" },
    });
  });
});

test.for(Object.entries(COPY_FORMS).map(([name, copy]) => ({ name, copy })))(
  "$name names the service and no secret",
  ({ copy }) => {
    const code = copy(hostileQuery({ headers: { ...hostileQuery().headers, "X-API-Key": "abcdef" } }));
    expect(code).toContain("https://a.example/odata/");
    expect(code).not.toMatch(/abc|\$\(id\)/u);
  },
);

test("connection files name the service", () => {
  expect(JSON.parse(writePbids("https://a.example/odata/"))).toEqual({
    version: "0.1",
    connections: [
      { details: { protocol: "odata", address: { url: "https://a.example/odata/" } }, options: {}, mode: "Import" },
    ],
  });
  const odc = writeOdc("https://a.example/odata/", "Shop <1>");
  expect(odc).toContain("<title>Shop &lt;1&gt;</title>");
  expect(odc).toContain("https://a.example/odata/");
});
