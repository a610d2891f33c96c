import { ConfigurationError, odataService, type ServiceOptions } from "odatakit";
import { describe, expect, test } from "vitest";

/** JavaScript callers can pass any value. */
function faultsOf(cors: unknown): ReadonlyArray<readonly [message: string, fix: string]> {
  try {
    odataService({ entitySets: [], cors: cors as NonNullable<ServiceOptions["cors"]> });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults.map(({ message, fix }) => [message, fix]);
    throw error;
  }
  return [];
}

const GIVE = 'Give `"*"`, or an array such as ["https://app.example.com"].';
const COMPLETE = 'Give scheme and host, such as "https://app.example.com".';
const LIST = `${COMPLETE} Patterns are not supported: list each origin.`;
const sent = (origin: string): string => `Write "${origin}": scheme, host and port only, as browsers send them.`;
const scheme = (origin: string): string => `Write the scheme, too: "${origin}".`;

/** Origins that browsers never send, and the advice. */
const WRONG: ReadonlyArray<readonly [origin: unknown, fix: string]> = [
  ["https://app.example/", sent("https://app.example")],
  ["https://app.example/shop", sent("https://app.example")],
  ["https://app.example?x", sent("https://app.example")],
  ["https://App.Example", sent("https://app.example")],
  ["HTTPS://app.example", sent("https://app.example")],
  ["https://app.example:443", sent("https://app.example")],
  ["http://app.example:80", sent("http://app.example")],
  ["https://ann:pw@app.example", sent("https://app.example")],
  ["https://bücher.example", sent("https://xn--bcher-kva.example")],
  ["app.example", scheme("https://app.example")],
  ["localhost", scheme("https://localhost")],
  ["localhost:3000", "Write scheme, host and port only, in lower case, as browsers send them."],
  ["capacitor://localhost/", "Write scheme, host and port only, in lower case, as browsers send them."],
  ["file:///x", "Write scheme, host and port only, in lower case, as browsers send them."],
  ["//app.example", scheme("https://app.example")],
  ["*.example.com", LIST],
  ["https://*.example.com", LIST],
  ["https://a b", LIST],
  ["null", COMPLETE],
  ["", COMPLETE],
  [5, COMPLETE],
  [/example/u, COMPLETE],
  [() => true, COMPLETE],
];

describe("`cors` at startup", () => {
  test.each(WRONG)("refuses the origin %s", (origin, fix) => {
    const faults = faultsOf({ origins: ["https://fine.example", origin] });
    expect(faults).toEqual([[expect.stringContaining("`origins` of cors cannot contain "), fix]]);
  });

  test.each([
    [[["https://app.example", "http://localhost:3000", "http://[::1]:8080", "capacitor://localhost", "https://a.b:1"]]],
    [["*"]],
    [[["*"]]],
  ])("accepts %j", ([origins]) => {
    expect(faultsOf({ origins, maxAge: 0, headers: ["X-Api-Key"] })).toEqual([]);
  });

  test.each([
    [5, [["`cors` of odataService cannot be 5.", expect.stringContaining("origins")]]],
    [true, [["`cors` of odataService cannot be true.", expect.stringContaining("origins")]]],
    [{}, [["`origins` of cors cannot be undefined.", GIVE]]],
    [{ origins: "https://app.example" }, [['`origins` of cors cannot be "https://app.example".', GIVE]]],
    [{ origins: () => true }, [["`origins` of cors cannot be a function.", GIVE]]],
    [{ origins: [] }, [["`origins` of cors is empty.", `${GIVE} Or leave out \`cors\`.`]]],
    [{ origins: ["*", "https://app.example"] }, [['`origins` of cors contains "*" and other origins.', GIVE]]],
    [
      { origins: "*", credentials: true },
      [
        [
          "`cors` accepts credentials from every origin.",
          "List the origins of your pages in `origins`, or leave out `credentials`.",
        ],
      ],
    ],
    [{ origins: ["*"], credentials: true }, [["`cors` accepts credentials from every origin.", expect.any(String)]]],
    [{ origins: "*", credentials: "yes" }, [['`credentials` of cors cannot be "yes".', expect.any(String)]]],
    [{ origins: "*", maxAge: -1 }, [["`maxAge` of cors cannot be -1.", expect.stringContaining("seconds")]]],
    [{ origins: "*", maxAge: "10" }, [['`maxAge` of cors cannot be "10".', expect.stringContaining("seconds")]]],
    [{ origins: "*", headers: "X-A" }, [['`headers` of cors cannot be "X-A".', expect.stringContaining("X-Api-Key")]]],
    [
      { origins: "*", headers: ["X A", "*", 5] },
      [
        ['`headers` of cors cannot contain "X A".', expect.any(String)],
        ['`headers` of cors cannot contain "*".', expect.any(String)],
        ["`headers` of cors cannot contain 5.", expect.any(String)],
      ],
    ],
    [{ origin: "*", origins: "*" }, [["cors has no option `origin`.", "Did you mean `origins`?"]]],
  ])("refuses %j", (cors, faults) => {
    expect(faultsOf(cors)).toEqual(faults);
  });
});
