import { arraySource, entitySet, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import {
  type Door,
  eachDoor,
  expectAnswer,
  expectError,
  expectInvalidOption,
  ORIGIN,
  TEXT_HEADERS,
  url,
} from "./doors.ts";
import {
  FORM_NAMES,
  idsOf,
  Item,
  type ItemForm,
  type ItemOptions,
  ITEMS,
  ITEM_FORMS,
  itemService,
  noFailures,
  shown,
} from "./model.ts";

const CONTEXT = `${ORIGIN}/s/$metadata#Items`;

/** The forms of which the framework applies the options. */
const OWN_FORMS = FORM_NAMES.filter((form) => !form.startsWith("profile"));
/** One form of each kind, for behaviour that does not depend on the form of delivery. */
const KINDS: readonly ItemForm[] = ["queryable", "get-all", "profile-applied, whole"];

const itemsOf = (door: Door, form: ItemForm, options: Partial<ItemOptions> = {}) => door.to(itemService(form, options));
const body = (ids: readonly number[]) => ({ "@odata.context": CONTEXT, value: ids.map(shown) });

eachDoor((door) => {
  describe.each(FORM_NAMES)("%s: the table of options", (form) => {
    const send = itemsOf(door, form);

    test("no option", async () => {
      expectAnswer(await send("/s/Items"), { body: body([1, 2, 3, 4, 5, 6, 7]) });
    });

    test("$top and $skip", async () => {
      expectAnswer(await send("/s/Items?$top=2"), { body: body([1, 2]) });
      expectAnswer(await send("/s/Items?$skip=5"), { body: body([6, 7]) });
      expectAnswer(await send("/s/Items?$top=2&$skip=3"), { body: body([4, 5]) });
    });

    test("$count adds the total, and false does not", async () => {
      const { value } = body([1, 2, 3, 4, 5, 6, 7]);
      expectAnswer(await send("/s/Items?$count=true"), {
        body: { "@odata.context": CONTEXT, "@odata.count": 7, value },
      });
      expectAnswer(await send("/s/Items?$count=false"), { body: { "@odata.context": CONTEXT, value } });
    });

    test("/$count is the number as text", async () => {
      expectAnswer(await send("/s/Items/$count"), { headers: TEXT_HEADERS, body: "7" });
    });

    test("$select", async () => {
      expectAnswer(await send("/s/Items?$select=Name,Id&$top=1"), {
        body: { "@odata.context": `${CONTEXT}(Name,Id)`, value: [{ Id: 1, Name: "Item 1" }] },
      });
    });
  });

  describe.each(OWN_FORMS)("%s: filter, order and page, in this order", (form) => {
    const send = itemsOf(door, form);

    test("$filter", async () => {
      expectAnswer(await send(url("/s/Items", { $filter: "Rank eq 1 or Name eq 'Item 7'" })), {
        body: body([3, 4, 7]),
      });
      expectAnswer(await send(url("/s/Items/$count", { $filter: "Rank eq 1" })), { headers: TEXT_HEADERS, body: "2" });
    });

    test("$orderby", async () => {
      expectAnswer(await send(url("/s/Items", { $orderby: "Rank desc,Id desc" })), {
        body: body([6, 5, 4, 3, 2, 1, 7]),
      });
    });

    test("all together: the count ignores paging and knows the filter", async () => {
      const options = { $skip: 1, $top: 2, $count: "true", $orderby: "Price desc", $filter: "Id lt 6", $select: "Id" };
      expectAnswer(await send(url("/s/Items", options)), {
        body: { "@odata.context": `${CONTEXT}(Id)`, "@odata.count": 5, value: [{ Id: 4 }, { Id: 3 }] },
      });
    });

    test("a filter that matches nothing returns an empty collection", async () => {
      expectAnswer(await send(url("/s/Items?$count=true", {}) + "&$filter=false"), {
        body: { "@odata.context": CONTEXT, "@odata.count": 0, value: [] },
      });
    });
  });

  test("the queryable handler is used where a get-all handler is declared too, and profile-applied before both", async () => {
    const fail = () => {
      throw new Error("This handler is not to be called.");
    };
    const queryable = () => arraySource(Item, ITEMS.slice(0, 1));
    const applyQuery = () => ({ items: ITEMS.slice(1, 2) });
    expect(idsOf((await itemsOf(door, "get-all", { queryable, getAll: fail })("/s/Items")).json)).toEqual([1]);
    const three = { queryable: fail, getAll: fail, applyQuery };
    expect(idsOf((await itemsOf(door, "get-all", three)("/s/Items")).json)).toEqual([2]);
  });

  describe.each(KINDS)("%s: rule 1, a disabled option is 400 UnsupportedQueryOption", (form) => {
    test.each<readonly [keyof ItemOptions, string, string]>([
      ["filterEnabled", "$filter", "Id eq 1"],
      ["orderByEnabled", "$orderby", "Id"],
      ["selectEnabled", "$select", "Id"],
      ["expandEnabled", "$expand", "Parts"],
      ["countEnabled", "$count", "true"],
      ["countEnabled", "$count", "false"],
    ])("%s false: %s=%s", async (flag, option, value) => {
      const send = itemsOf(door, form, { [flag]: false });
      const expected = {
        status: 400,
        code: "UnsupportedQueryOption",
        target: option,
        message: new RegExp(`\\${option}`, "u"),
      };
      expectError(await send(url("/s/Items", { [option]: value })), expected);
      // Its value does not matter then.
      expectError(await send(url("/s/Items", { [option]: "%nonsense" })), expected);
      if (option === "$select" || option === "$expand") {
        expectError(await send(url("/s/Items(1)", { [option]: value })), expected);
      }
      expect((await send("/s/Items?$top=1")).status).toBe(200);
    });

    test("countEnabled false closes the option, not the route /$count", async () => {
      const answer = await itemsOf(door, form, { countEnabled: false })("/s/Items/$count");
      expectAnswer(answer, { headers: TEXT_HEADERS, body: "7" });
    });

    test("filterEnabled false: /$count takes no $filter either", async () => {
      const answer = await itemsOf(door, form, { filterEnabled: false })("/s/Items/$count?$filter=true");
      expectError(answer, { status: 400, code: "UnsupportedQueryOption", target: "$filter" });
    });

    test("a flag of the set wins over the default of the registration", async () => {
      const service = odataService({
        prefix: "/s",
        defaults: { filterEnabled: false, countEnabled: false, maxTop: 2 },
        entitySets: [
          entitySet(Item, {
            ...(ITEM_FORMS[form] as ItemOptions),
            countEnabled: true,
            maxTop: 3,
            filterEnabled: undefined,
          }),
        ],
        logger: noFailures,
      });
      const send = door.to(service);
      expectError(await send("/s/Items?$filter=true"), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$filter",
      });
      expect((await send("/s/Items?$count=true")).json).toMatchObject({ "@odata.count": 7, value: { length: 3 } });
    });
  });

  describe.each(KINDS)("%s: rule 2, a property outside of its allowlist is 400 InvalidQueryOption", (form) => {
    const lists: Partial<ItemOptions> = {
      filterProperties: ["id", "place"],
      orderByProperties: ["rank"],
      selectProperties: ["id", "name"],
    };
    const send = itemsOf(door, form, lists);

    test.each([
      ["$filter", "Name eq 'x'", /Name/u],
      ["$filter", "Id eq 1 or length(Name) gt 3", /Name/u],
      ["$filter", "id eq 1 and $it/name eq 'x'", /name/iu],
      ["$orderby", "Id", /Id/u],
      ["$orderby", "Rank,Id mul 2", /Id/u],
      ["$select", "Price", /Price/u],
      ["$select", "Id,Rank", /Rank/u],
    ])("%s=%s", async (option, value, message) => {
      expectInvalidOption(await send(url("/s/Items", { [option]: value })), option, message);
      // The other resource that takes the option guards it alike.
      const other = { $filter: "/s/Items/$count", $select: "/s/Items(1)", $orderby: "/s/Items" }[option] ?? "";
      expectInvalidOption(await send(url(other, { [option]: value })), option, message);
    });

    test.each([
      ["$filter", "Id eq 1"],
      ["$filter", "Place/Latitude eq 1"],
      ["$orderby", "Rank desc"],
      ["$select", "Name,Id"],
    ])("a listed property passes: %s=%s", async (option, value) => {
      expect((await send(url("/s/Items", { [option]: value }))).status).toBe(200);
    });

    test("an ignored name gets the same response as an unknown one", async () => {
      for (const [option, value] of [
        ["$filter", "NAME eq 'a'"],
        ["$orderby", "NAME"],
        ["$select", "NAME"],
      ] as const) {
        const answers = await Promise.all(
          ["Secret", "Secrex"].map(async (name) => {
            const answer = await send(url("/s/Items", { [option]: value.replace("NAME", name) }));
            return { ...answer, text: answer.text.replaceAll(name, "…"), json: undefined };
          }),
        );
        expect(answers[0]).toEqual(answers[1]);
        expect(answers[0]!.status).toBe(400);
      }
    });
  });

  describe("rule 4: the rounding mode is a setting of the set", () => {
    test.each([
      ["spec-compliant", [3]],
      ["BankersRounding", [2]],
      [undefined, [3]],
    ] as const)("%s", async (roundingMode, rounded) => {
      for (const form of OWN_FORMS) {
        const send = itemsOf(door, form, { roundingMode });
        // Prices are 0.50 to 6.50: 2.50 belongs to item 3.
        const { json } = await send(url("/s/Items", { $filter: `Id eq 3 and round(Price) eq ${String(rounded[0])}` }));
        expect(idsOf(json), form).toEqual([3]);
      }
    });
  });

  describe.each(KINDS)("%s: values of options", (form) => {
    const send = itemsOf(door, form);

    test.each([
      "$top=-1",
      "$top=x",
      "$top=",
      "$top=1.5",
      "$top=1e1",
      "$top=1e309",
      "$top=99999999999999999999",
      "$top=0x1",
      "$top=%2B1%20",
      "$top=null",
      "$top='1'",
      "$skip=-1",
      "$skip=x",
      "$skip=",
      "$skip=1.5",
      "$skip=1e309",
      "$skip=99999999999999999999",
      "$skip=NaN",
      "$count=",
      "$count=yes",
      "$count=1",
      "$count='true'",
    ])("%s is 400 InvalidQueryOption", async (option) => {
      const target = option.split("=")[0]!;
      expectInvalidOption(await send(`/s/Items?${option}`), target);
    });

    test.each(["$top", "$skip", "$filter", "$orderby", "$select", "$count", "$skiptoken"])(
      "%s twice is 400",
      async (option) => {
        const value = {
          $top: "1",
          $skip: "1",
          $filter: "true",
          $orderby: "Id",
          $select: "Id",
          $count: "true",
          $skiptoken: "AAAAAA==",
        };
        const pair = `${option}=${value[option as "$top"]}`;
        expectInvalidOption(await send(`/s/Items?${pair}&${pair}`), option);
        expectInvalidOption(await send(`/s/Items?${pair}&%24${pair.slice(1)}`), option);
      },
    );

    test.each(["$foo=1", "$filters=true", "$=1", "$$top=1", "$Top=1", "$SKIP=1", "$levels=1", "$id=x", "$batch"])(
      "an unknown option that begins with a dollar sign is 400 UnsupportedQueryOption: %s",
      async (option) => {
        const target = option.split("=")[0]!;
        expectError(await send(`/s/Items?${option}`), { status: 400, code: "UnsupportedQueryOption", target });
      },
    );

    test.each([
      "foo=1",
      "top=1",
      "_=123",
      "sap-client=100",
      "x=1&x=2",
      "",
      "&&",
      "=",
      "a=%00",
      "constructor=1&__proto__=2",
      "@unused=1",
    ])("custom options and unused aliases are left alone: %s", async (option) => {
      expectAnswer(await send(`/s/Items?${option}`), { body: body([1, 2, 3, 4, 5, 6, 7]) });
    });
  });

  describe("limits of the registration; null is none", () => {
    const limited = (defaults: NonNullable<Parameters<typeof odataService>[0]["defaults"]>) =>
      door.to(
        odataService({
          prefix: "/s",
          defaults,
          entitySets: [entitySet(Item, { getAll: () => ITEMS })],
          logger: noFailures,
        }),
      );

    test.each([
      ["maxNodeCount", 3, { $filter: "Id eq 1" }, { $filter: "Id eq 1 and Id eq 2" }],
      ["maxInListLength", 2, { $filter: "Id in (1,2)" }, { $filter: "Id in (1,2,3)" }],
      ["maxOrderByProperties", 2, { $orderby: "Id,Name" }, { $orderby: "Id,Name,Rank" }],
    ] as const)("%s", async (setting, limit, within, beyond) => {
      const target = Object.keys(beyond).join("");
      const send = limited({ [setting]: limit });
      expect((await send(url("/s/Items", within))).status).toBe(200);
      expectInvalidOption(await send(url("/s/Items", beyond)), target, new RegExp(`\\b${String(limit)}\\b`, "u"));
      expect((await limited({ [setting]: null })(url("/s/Items", beyond))).status).toBe(200);
    });

    test("maxResponseEntities", async () => {
      const send = limited({ maxResponseEntities: 3 });
      expect((await send("/s/Items?$top=3")).status).toBe(200);
      const answer = await send("/s/Items");
      expect([answer.status, answer.json.error.code]).toEqual([400, "InvalidQueryOption"]);
      expect((await send("/s/Items/$count")).text).toBe("7");
    });

    test("without a setting the page is 1000 entities", async () => {
      const many = Array.from({ length: 1001 }, (_, index) => ({ ...ITEMS[0]!, id: index }));
      const set = entitySet(Item, { getAll: () => many });
      const send = door.to(odataService({ prefix: "/s", entitySets: [set], logger: noFailures }));
      const { json } = await send("/s/Items?$select=Id");
      expect(json.value).toHaveLength(1000);
      expect(json["@odata.nextLink"]).toBe(`${ORIGIN}/s/Items?$select=Id&$skip=1000`);
      expectInvalidOption(await send("/s/Items?$top=1001"), "$top", /1000/u);
    });
  });

  test("custom options reach the handler", async () => {
    const seen: string[] = [];
    const service = odataService({
      prefix: "/s",
      entitySets: [
        entitySet(Item, {
          getAll: (context) => {
            seen.push(context.request.url, context.request.method, context.request.headers.get("x-tenant") ?? "");
            return [];
          },
        }),
      ],
      logger: noFailures,
    });
    await door.to(service)("/s/Items?tenant=a%20b&$top=1", { "X-Tenant": "t" });
    expect(seen).toEqual([`${ORIGIN}/s/Items?tenant=a%20b&$top=1`, "GET", "t"]);
  });
});
