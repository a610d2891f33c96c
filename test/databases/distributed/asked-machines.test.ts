import type { ODataService } from "odatakit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenDatabase } from "../../engine/executors/engines.ts";
import { sentStatements } from "../sql/sent-statements.ts";
import { fillShop, serveShop, SHOP } from "./shop.ts";
import { commandsOf, SPREAD_ENGINES } from "./spread-database.ts";

/** Reads of the rows of one customer or account. */
const OF_ONE = [
  "Customers(5)/Orders",
  "Customers(5)/Orders?$filter=Total gt 1&$orderby=Total desc&$top=2&$skip=1&$count=true",
  "Customers(5)/Orders/$count",
  "Customers(5)/Orders/$ref",
  "Customers(5)/Orders?$filter=not Lines/any(l:l/Price gt 5)&$expand=Customer,Lines($expand=Product)",
  "Customers(5)?$expand=Orders",
  "Customers(5)?$expand=Orders($top=1;$orderby=Total desc;$count=true;$expand=Lines($expand=Product,Order))",
  "Customers?$filter=Id eq 5&$expand=Orders",
  "Customers?$filter=Id eq 5 and Orders/any(o:o/Total gt 1)",
  "Customers?$filter=Id eq 5 and Orders/any(o:o/Lines/any(l:l/Price gt o/Total))",
  "Customers?$filter=Id eq 5 and not Orders/any(o:o/Total gt 100)",
  "Orders?$filter=CustomerId eq 5 and Customer/Name eq 'customer 5'&$expand=Customer",
  "Orders?$filter=CustomerId eq 5&$orderby=Customer/Name desc,Total",
  "Orders(CustomerId=5,Id=1)?$expand=Customer,Lines",
  "Orders(CustomerId=5,Id=1)/Lines",
  "Orders(CustomerId=5,Id=1)/Gifts?$orderby=Name desc&$top=2&$count=true",
  "Orders(CustomerId=5,Id=1)/Customer",
  "Orders?$filter=CustomerId eq 5 and not Gifts/any()&$expand=Gifts",
  "Orders?$filter=CustomerId eq 5 and Gifts/any(g:g/Id gt $it/Total)",
  "Lines?$filter=CustomerId eq 5 and not (Product/Name eq 'product 2')&$orderby=Product/Name",
  "Accounts('e')/Invoices?$orderby=Amount desc",
  "Accounts('e')?$expand=Invoices($filter=Owner/Code eq 'e')",
  "Accounts?$filter=Code eq 'e' and Invoices/any()&$expand=Invoices",
];

/** Reads of the rows of many, and reads whose plan does not name the parts: a counting subquery finds its part at run time. */
const OF_MANY = [
  "Orders?$filter=not Gifts/any(g:g/Name eq 'product 3') and Gifts/$count lt 3&$expand=Gifts($top=1;$count=true)",
  "Orders?$orderby=Gifts/$count desc,CustomerId,Id&$top=8",
  "Customers?$filter=Id eq 5 and Orders/$count gt 1",
  "Customers?$filter=Id eq 5 and Orders/all(o:o/Lines/$count lt 9)&$count=true",
  "Customers?$expand=Orders($top=2;$orderby=Total desc,Id;$count=true;$expand=Lines,Customer)",
  "Customers?$filter=not Orders/any()&$count=true",
  "Customers?$filter=Orders/all(o:o/Total gt 3) and Orders/$count gt 2",
  "Customers?$filter=Orders/any(o:o/Lines/any(l:l/Price gt o/Total and l/Product/Name ne 'product 1'))",
  "Customers?$orderby=Orders/$count desc,Id&$top=7",
  "Customers?$orderby=Orders/any(o:o/Total gt 12) desc,Id",
  "Orders?$filter=Customer/CountryCode eq 'CH' and not (Customer/Name eq 'customer 6')&$expand=Customer&$top=9",
  "Orders?$filter=SameNumber/any(s:s/Total eq 3)&$expand=SameNumber($top=1)",
  "Lines?$filter=Order/Customer/Name ge 'customer 4' or Product/Name eq 'product 2'&$expand=Product,Order($expand=Customer)",
  "Lines?$filter=Product eq null&$count=true&$top=5",
  "Lines?$expand=Product&$orderby=Product/Name desc,CustomerId,OrderId,Number&$top=20",
  "Products?$filter=Lines/any(l:l/Price gt 9)&$expand=Lines($top=1;$expand=Order)",
  "Products?$filter=not Lines/any(l:l/Order/Total gt 15)&$orderby=Lines/$count desc",
  "Accounts?$expand=Invoices($top=1;$expand=Owner)&$filter=Invoices/$count gt 3",
  "Invoices?$filter=Owner/Code gt 'm'&$expand=Owner",
];

describe.each(SPREAD_ENGINES)(
  "the parts of tables that statements ask over $title",
  ({ open, create, partsOf, isCitus }) => {
    let opened: OpenDatabase;
    let declared: ODataService;
    let unknown: ODataService;
    let plain: ODataService;
    const read = async (service: ODataService, target: string): Promise<readonly [number, string]> => {
      const response = await service.fetch(new Request(`http://service.example/${target}`));
      return [response.status, await response.text()];
    };
    const partsAsked = async (service: ODataService, target: string, init: RequestInit = {}): Promise<number> => {
      const sent = await sentStatements(opened.db, async () => {
        const response = await service.fetch(new Request(`http://service.example/${target}`, init));
        expect([target, response.status]).toEqual([target, init.method === "DELETE" ? 204 : 200]);
      });
      const asked: number[] = [];
      for (const statement of sent.flatMap(commandsOf)) {
        if (/^(?:select|insert|update|delete)\b/.test(statement.sql)) asked.push(await partsOf(opened.db, statement));
      }
      return Math.max(...asked);
    };

    beforeAll(async () => {
      opened = await open();
      for (const spread of SHOP) await create(opened.db, spread);
      await fillShop(opened.db);
      declared = serveShop(opened.db, "declared");
      unknown = serveShop(opened.db, "unknown");
      // Citus does not support the statements for one machine.
      plain = isCitus ? declared : serveShop(opened.db, "none");
    });
    afterAll(() => opened.close());

    test.each(OF_ONE)("%s asks one", async (target) => {
      expect(await partsAsked(declared, target)).toBe(1);
    });

    test.each(["Customers(5)/Orders", "Customers(5)?$expand=Orders", "Orders(CustomerId=5,Id=1)/Lines"])(
      "%s asks one, even if the column is not declared",
      async (target) => {
        expect(await partsAsked(unknown, target)).toBe(1);
      },
    );

    test("an expansion asks for the parts of its parents only", async () => {
      expect(await partsAsked(declared, "Customers?$filter=Id in (5,6)&$expand=Orders")).toBeLessThan(3);
      expect(await partsAsked(declared, "Customers?$expand=Orders($top=1)")).toBeGreaterThan(3);
    });

    test.each([
      ["PATCH", '{"Total":3}'],
      ["DELETE", null],
    ])("%s of a row asks one", async (method, body) => {
      const headers = { "Content-Type": "application/json" };
      expect(await partsAsked(declared, "Orders(CustomerId=7,Id=1)", { method, body, headers })).toBe(1);
    });

    test.each([...OF_ONE, ...OF_MANY])("%s returns the same, however the sets are declared", async (target) => {
      const found = await read(declared, target);
      expect(found).toEqual(await read(plain, target));
      expect(found[0]).toBe(200);
    });
  },
);
