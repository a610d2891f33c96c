import {
  arraySource,
  edm,
  entitySet,
  entityType,
  hasMany,
  odataError,
  odataService,
  type SearchExpression,
  type SearchRequest,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { processorTime } from "../../processor-time.ts";
import {
  eachDoor,
  expectAnswer,
  expectError,
  expectInvalidOption,
  ORIGIN,
  targetOf,
  TEXT_HEADERS,
  url,
} from "./doors.ts";
import { recordingLogger } from "./model.ts";

const Tea = entityType("Tea", { id: edm.int32().key(), name: edm.string(), price: edm.int32() });
const TEAS = [
  { id: 5, name: "green jasmine", price: 7 },
  { id: 1, name: "green mint", price: 3 },
  { id: 4, name: "black jasmine", price: 5 },
  { id: 2, name: "black tea", price: 2 },
  { id: 3, name: "Green TEA", price: 4 },
] as const;

/** Whether a string matches an expression. */
function matches(expression: SearchExpression, text: string): boolean {
  switch (expression.kind) {
    case "word":
    case "phrase":
      return text.toLowerCase().includes(expression.text.toLowerCase());
    case "not":
      return !matches(expression.operand, text);
    case "and":
      return expression.operands.every((operand) => matches(operand, text));
    case "or":
      return expression.operands.some((operand) => matches(operand, text));
  }
}
const found = ({ expression }: SearchRequest) => TEAS.filter(({ name }) => matches(expression, name));

const refuse = () => {
  throw new Error("This handler is not to be called: the search stands in its place.");
};

/** The forms of reading, each with the ways in which a search may answer. */
const FORMS = { queryable: { queryable: refuse }, getAll: { getAll: refuse } } as const;
const ANSWERS = {
  rows: { search: found },
  later: { search: async (request: SearchRequest) => found(request) },
  iterable: { search: (request: SearchRequest) => new Set(found(request)) },
  stream: {
    search: async function* search(request: SearchRequest) {
      yield* found(request);
    },
  },
  source: { search: (request: SearchRequest) => arraySource(Tea, found(request)) },
} as const;
type Form = keyof typeof FORMS;
const CASES = (Object.keys(FORMS) as Form[]).flatMap((form) =>
  (Object.keys(ANSWERS) as Array<keyof typeof ANSWERS>).map((answer) => [form, answer] as const),
);

function shop(options: object, defaults: Parameters<typeof odataService>[0]["defaults"] = {}) {
  const logger = recordingLogger();
  const set = entitySet(Tea, options as { getAll: () => typeof TEAS });
  return { service: odataService({ prefix: "/t", entitySets: [set], logger, defaults }), logger };
}

const names = (answer: { readonly json: { readonly value: ReadonlyArray<{ readonly Name: string }> } }) =>
  answer.json.value.map(({ Name }) => Name);

eachDoor((door) => {
  describe.each(CASES)("%s, found as %s", (form, answer) => {
    const send = door.to(shop({ ...FORMS[form], ...ANSWERS[answer], maxTop: 2 }).service);
    const inOrder = form === "queryable";

    test("the handler's result replaces the set", async () => {
      expectAnswer(await send(url("/t/Teas", { $search: "jasmine" })), {
        body: {
          "@odata.context": `${ORIGIN}/t/$metadata#Teas`,
          value: (inOrder ? [TEAS[2], TEAS[0]] : [TEAS[0], TEAS[2]]).map(({ id, name, price }) => ({
            Id: id,
            Name: name,
            Price: price,
          })),
        },
      });
      expect(names(await send(url("/t/Teas", { $search: "coffee" })))).toEqual([]);
    });

    test("the other options are applied to it", async () => {
      const options = { $search: "green", $filter: "Price gt 3", $orderby: "Price desc", $count: "true" };
      const all = await send(url("/t/Teas", { ...options, $select: "Name" }));
      expect(names(all)).toEqual(["green jasmine", "Green TEA"]);
      expect(all.json).toMatchObject({ "@odata.context": `${ORIGIN}/t/$metadata#Teas(Name)`, "@odata.count": 2 });
      const part = await send(url("/t/Teas", { ...options, $skip: 1, $top: 1 }));
      expect(names(part)).toEqual(["Green TEA"]);
      expect(part.json["@odata.count"]).toBe(2);
    });

    test("/$count counts what was found", async () => {
      expectAnswer(await send("/t/Teas/$count?$search=green"), { headers: TEXT_HEADERS, body: "3" });
      const both = url("/t/Teas/$count", { $search: "green", $filter: "Price gt 3" });
      expectAnswer(await send(both), { headers: TEXT_HEADERS, body: "2" });
    });

    test("pages keep the search and the form of their links", async () => {
      const first = await send(url("/t/Teas", { $search: "green", $count: "true" }));
      const link: string = first.json["@odata.nextLink"];
      expect(first.json["@odata.count"]).toBe(3);
      expect(link).toBe(
        `${ORIGIN}/t/Teas?$search=green&$count=true&${inOrder ? "$skiptoken=AgAAAA%3D%3D" : "$skip=2"}`,
      );
      const second = await send(targetOf(link));
      expect(second.json["@odata.nextLink"]).toBeUndefined();
      expect([...names(first), ...names(second)].toSorted()).toEqual(["Green TEA", "green jasmine", "green mint"]);
    });
  });

  describe("the arguments of the handler", () => {
    const word = (text: string): SearchExpression => ({ kind: "word", text });
    test.each<readonly [string, SearchExpression]>([
      ["mint", word("mint")],
      [" mint ", word("mint")],
      ["tea NOT black", { kind: "and", operands: [word("tea"), { kind: "not", operand: word("black") }] }],
      ["a AND b OR c", { kind: "or", operands: [{ kind: "and", operands: [word("a"), word("b")] }, word("c")] }],
      ["a (b OR c)", { kind: "and", operands: [word("a"), { kind: "or", operands: [word("b"), word("c")] }] }],
      ['"green tea"', { kind: "phrase", text: "green tea" }],
      ['"a \\"b\\" \\\\"', { kind: "phrase", text: 'a "b" \\' }],
      ["and or not", { kind: "and", operands: [word("and"), word("or"), word("not")] }],
      ["São 50% $top=1&x", { kind: "and", operands: [word("São"), word("50%"), word("$top=1&x")] }],
    ])("%s", async (text, expression) => {
      const requests: unknown[] = [];
      const search = (request: SearchRequest, context: { readonly request: { readonly method: string } }) => {
        requests.push([request, context.request.method]);
        return TEAS;
      };
      const send = door.to(shop({ getAll: refuse, search }).service);
      expect((await send(url("/t/Teas", { $search: text }))).status).toBe(200);
      expect(requests).toEqual([[{ text, expression }, "GET"]]);
    });

    test("one query with two searches is two searches", async () => {
      const send = door.to(shop({ getAll: refuse, search: found }).service);
      for (const [text, count] of [
        ["mint", 1],
        ["green", 3],
        ["mint", 1],
      ] as const) {
        expect(names(await send(url("/t/Teas", { $search: text, $filter: "Price gt 0" })))).toHaveLength(count);
      }
    });
  });

  test("a set that applies the query itself gets the search in it; its search handler is not called", async () => {
    const searches: unknown[] = [];
    const applyQuery = ({ search, count }: { readonly search: unknown; readonly count: boolean }) => {
      searches.push(search);
      return { items: [TEAS[1]], ...(count ? { count: 1 } : {}) };
    };
    const send = door.to(shop({ applyQuery, search: refuse }).service);
    expect(names(await send("/t/Teas?$search=mint"))).toEqual(["green mint"]);
    expectAnswer(await send("/t/Teas/$count?$search=mint"), { headers: TEXT_HEADERS, body: "1" });
    expect((await send("/t/Teas")).status).toBe(200);
    const clause = { text: "mint", expression: { kind: "word", text: "mint" } };
    expect(searches).toEqual([clause, clause, null]);
  });

  describe("without a search handler it is refused in every form", () => {
    test.each<readonly [string, object]>([
      ["queryable", { queryable: () => arraySource(Tea, TEAS) }],
      ["getAll", { getAll: () => TEAS }],
      ["applyQuery", { applyQuery: () => ({ items: TEAS }) }],
    ])("%s", async (_, form) => {
      const send = door.to(shop(form).service);
      for (const path of ["/t/Teas?$search=a", "/t/Teas?$search=", "/t/Teas/$count?$search=a"]) {
        expectError(await send(path), { status: 400, code: "UnsupportedQueryOption", target: "$search" });
      }
    });

    test("and on one entity with one, too", async () => {
      const send = door.to(shop({ getAll: () => TEAS, getByKey: () => TEAS[0], search: found }).service);
      const refused = { status: 400, code: "UnsupportedQueryOption", target: "$search" } as const;
      expectError(await send("/t/Teas(5)?$search=a"), refused);
    });
  });

  describe("an invalid search is 400, and no handler is called", () => {
    test.each([
      "",
      " ",
      "AND",
      "a AND",
      "OR a",
      "NOT",
      "NOT NOT a",
      "(a",
      "a)",
      "()",
      '"a',
      '""',
      "'a'",
      'a"b"',
      '"\\x"',
    ])("%s", async (text) => {
      const send = door.to(shop({ getAll: refuse, search: refuse }).service);
      for (const path of ["/t/Teas", "/t/Teas/$count"]) {
        expectInvalidOption(await send(url(path, { $search: text })), "$search", /position/u);
      }
    });

    test.each<readonly [string, string]>([
      ["parentheses", "(".repeat(100_000)],
      ["parentheses that close", `${"(".repeat(100_000)}a${")".repeat(100_000)}`],
      ["words", "a ".repeat(300_000)],
      ["operators", `a${" OR a".repeat(100_000)}`],
      ["negations", "NOT a ".repeat(100_000)],
      ["a phrase without end", `"${"\\\\".repeat(200_000)}`],
    ])("an attack by %s ends at a limit", async (_, text) => {
      const send = door.to(shop({ getAll: refuse, search: refuse }, { maxUrlLength: null }).service);
      const started = processorTime();
      expectInvalidOption(await send(url("/t/Teas", { $search: text })), "$search");
      expect(processorTime() - started).toBeLessThan(5000);
    });
  });

  describe("results of the handler", () => {
    test.each<readonly [string, () => unknown]>([
      ["returned", () => odataError(503, "IndexBusy", "The index is being built.")],
      ["by a promise", async () => odataError(503, "IndexBusy", "The index is being built.")],
      [
        "thrown",
        () => {
          throw odataError(503, "IndexBusy", "The index is being built.");
        },
      ],
    ])("an intended error, %s", async (_, search) => {
      const send = door.to(shop({ getAll: refuse, search }).service);
      for (const path of ["/t/Teas?$search=a", "/t/Teas/$count?$search=a"]) {
        expectError(await send(path), { status: 503, code: "IndexBusy" });
      }
    });

    test.each<readonly [string, unknown]>([
      ["nothing", undefined],
      ["null", null],
      ["text", "teas"],
      ["an object", { items: [] }],
      ["another kind", { kind: "EntitySet" }],
      ["what is no entity", [5]],
    ])("%s is a logged 500", async (_, answer) => {
      const { service, logger } = shop({ getAll: refuse, search: () => answer });
      expectError(await door.to(service)("/t/Teas?$search=a"), { status: 500, code: "InternalServerError" });
      expect(logger.errors).toHaveLength(1);
    });

    test("no more results are returned than the limit on entities", async () => {
      const send = door.to(
        shop({ getAll: refuse, search: () => TEAS, maxTop: null }, { maxResponseEntities: 4 }).service,
      );
      expectInvalidOption(await send("/t/Teas?$search=a"), "$top");
    });
  });

  test("$expand applies to the found entities", async () => {
    const service = odataService({
      prefix: "/t",
      entitySets: [
        entitySet(Tea, {
          getAll: refuse,
          search: found,
          navigation: {
            blends: hasMany(Tea, { target: "Teas", get: (id) => TEAS.filter((tea) => tea.id === id + 1) }),
          },
        }),
      ],
    });
    const { json } = await door.to(service)("/t/Teas?$search=mint&$select=Id&$expand=Blends($select=Name)");
    expect(json.value).toEqual([{ Id: 1, Blends: [{ Name: "black tea" }] }]);
  });

  test.each([
    [true, { getAll: () => TEAS, search: found }],
    [false, { getAll: () => TEAS }],
  ])("$metadata says Searchable %s, where true is the default", async (isSearchable, options) => {
    const { text } = await door.to(shop(options).service)("/t/$metadata");
    const [, stated] = /V1.SearchRestrictions"><Record>(.*?)<\/Record>/u.exec(text) ?? [];
    expect(stated).toBe(isSearchable ? undefined : '<PropertyValue Property="Searchable" Bool="false"/>');
  });
});
