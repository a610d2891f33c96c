import { entitySet, odataService, requireUser } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError, type ExpectedError } from "./doors.ts";
import { Item, ITEMS, noFailures } from "./model.ts";

/** The faults in the order of their checks, each with its change to a request. */
const FAULTS = {
  version: { headers: { "OData-MaxVersion": "3.0" } },
  path: { path: "/s/Nope" },
  verb: { method: "PROPFIND" },
  format: { query: "$format=xml" },
  accept: { headers: { Accept: "image/png" } },
  key: { path: "/s/Items(x)" },
  options: { query: "$select=Nope" },
  missing: { path: "/s/Items(99)" },
} as const;
type Fault = keyof typeof FAULTS;

const EXPECTED: Readonly<Record<Fault, ExpectedError>> = {
  version: { status: 400, code: "UnsupportedODataVersion", target: "OData-MaxVersion" },
  path: { status: 404, code: "NotFound", message: /Nope/u },
  verb: { status: 405, code: "MethodNotAllowed" },
  format: { status: 400, code: "UnsupportedFormat", target: "$format" },
  accept: { status: 406, code: "NotAcceptable", target: "Accept" },
  key: { status: 400, code: "InvalidKey", target: "key" },
  options: { status: 400, code: "InvalidQueryOption", target: "$select" },
  missing: { status: 404, code: "NotFound", message: /99/u },
};

const sets = [entitySet(Item, { getAll: () => ITEMS, getByKey: (key) => ITEMS.find(({ id }) => id === key) ?? null })];
const service = odataService({ prefix: "/s", entitySets: sets, logger: noFailures });

/** Every pair of faults that one request can have, the earlier first. */
const NAMES = Object.keys(FAULTS) as Fault[];
const PAIRS = NAMES.flatMap((first, index) => NAMES.slice(index + 1).map((second) => [first, second] as const)).filter(
  ([first, second]) => !("path" in FAULTS[first] && "path" in FAULTS[second]),
);

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

eachDoor((door) => {
  const send = door.to(service);
  const ask = (...faults: readonly Fault[]) => {
    const asked: Asked[] = faults.map((fault) => FAULTS[fault]);
    const path = asked.find((part) => part.path !== undefined)?.path ?? "/s/Items(1)";
    const query = asked.flatMap((part) => part.query ?? []).join("&");
    const headers = Object.assign({}, ...asked.map((part) => part.headers)) as Record<string, string>;
    const method = asked.find((part) => part.method !== undefined)?.method;
    return send(query === "" ? path : `${path}?${query}`, headers, method);
  };
  const allow = (fault: Fault, headers: Readonly<Record<string, string>>): ExpectedError =>
    fault === "verb" ? { ...EXPECTED.verb, headers: { allow: headers["allow"] ?? "" } } : EXPECTED[fault];

  test.each(NAMES)("alone: %s", async (fault) => {
    const answer = await ask(fault);
    expectError(answer, allow(fault, answer.headers));
  });

  // $format overrides Accept, so the two cannot both be at fault.
  test.each(PAIRS)("%s before %s", async (first, second) => {
    const answer = await ask(first, second);
    expectError(answer, allow(first, answer.headers));
  });

  test("all at once", async () => {
    expectError(await ask("version", "path", "verb", "format", "options"), EXPECTED.version);
    expectError(await ask("path", "verb", "format", "options"), EXPECTED.path);
    expectError(await ask("key", "options", "accept"), EXPECTED.accept);
  });

  test("checks the versions, then the length of the URL, then the path", async () => {
    const long = `/s/Nope?x=${"x".repeat(20_000)}`;
    expectError(await send(long, { "OData-MaxVersion": "3.0", "OData-Version": "3.0" }), EXPECTED.version);
    expectError(await send(long, { "OData-Version": "3.0" }), { ...EXPECTED.version, target: "OData-Version" });
    expectError(await send(long), { status: 400, code: "InvalidQueryOption", message: /16384/u });
    expectError(await send("/s/Nope"), EXPECTED.path);
  });

  test("an unknown or repeated option is reported before a later faulty option", async () => {
    expectError(await send("/s/Items?$foo=1&$top=x"), { status: 400, code: "UnsupportedQueryOption", target: "$foo" });
    expectError(await send("/s/Items?$top=1&$top=2&$skip=x"), {
      status: 400,
      code: "InvalidQueryOption",
      target: "$top",
    });
  });

  test("OPTIONS responds after the checks of version and path, before authentication and negotiation", async () => {
    const { status } = await send("/s/Items(x)?$top=x&$format=xml", { Accept: "image/png" }, "OPTIONS");
    expect(status).toBe(204);
    expectError(await send("/s/Items", { "OData-MaxVersion": "3.0" }, "OPTIONS"), EXPECTED.version);
    expectError(await send("/s/Nope", {}, "OPTIONS"), EXPECTED.path);
  });

  describe("authentication", () => {
    let asked = 0;
    const guarded = door.to(
      odataService({
        prefix: "/s",
        authenticate: () => {
          asked += 1;
          return null;
        },
        entitySets: [
          entitySet(Item, {
            getAll: (context) => {
              requireUser(context);
              return ITEMS;
            },
          }),
        ],
        logger: noFailures,
      }),
    );

    test("is not asked for what fails before it, nor for OPTIONS", async () => {
      asked = 0;
      await guarded("/s/Nope");
      await guarded("/s/Items", {}, "DELETE");
      await guarded("/s/Items", {}, "OPTIONS");
      await guarded("/s/Items", { "OData-MaxVersion": "3.0" });
      expect(asked).toBe(0);
      await guarded("/s/Items/$count");
      expect(asked).toBe(1);
    });
  });
});
